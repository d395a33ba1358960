package runtime_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestSchemaDirectives: which names a directive has, and which lines are one.
func TestSchemaDirectives(t *testing.T) {
	const (
		comma = `delimited { sep ','  quote '"' doubled } directive "#fields" schema directive "#" skip`
		colon = `delimited { sep ',' } directive "#Fields:" schema`
		bars  = `delimited { sep "||" } directive "#fields" schema`
		tabs  = `delimited { sep '\t' } directive "#fields" schema directive "#" skip`
		alone = `delimited { sep ',' } directive "#fields" schema`
		space = `delimited { sep ' ' } directive "#Fields:" schema`
		runs  = `delimited { sep ' '+ | '\t' } directive "#Fields:" schema`
		pad   = ` ragged pad truncate`
	)
	for _, c := range []struct{ spec, in, columns, rows string }{
		{comma, "#fields,ts,uid\n1,2\n", "ts|uid", `"1" "2"`},
		{comma, "#fields ts uid\n1,2\n", "ts|uid", `"1" "2"`},
		{comma, "#fields\tts\tuid\n1,2\n", "ts|uid", `"1" "2"`},
		{comma, "#fields ts, \"u,id\" \r\n1,2\n", "", `the names after "#fields" cannot be read: a field that holds '"'`}, // as in any record
		{comma, "#fields,ts,\"u,id\"\n1,2\n", "ts|u,id", `"1" "2"`},
		{comma, "#fields ts, user id\n1,2\n", "ts|user id", `"1" "2"`},
		{comma, "#fields,,x\n1,2\n", "column_1|x", `"1" "2"`},
		{comma, "#fields a\n1\n#fieldset b c\n2\n#fields-x\n3\n", "a", `"1" | "2" | "3"`},
		{colon, "#Fields:a,b\n1,2\n", "a|b", `"1" "2"`},
		{colon, "#Fields: a,b\n1,2\n", "a|b", `"1" "2"`},
		{colon, "#Fields:a b\n1,2\n", "a|b", `"1" "2"`},
		{bars, "#fields||a||b c\n1||2\n", "a|b c", `"1" "2"`},
		{tabs, "#fields\tid.orig h\tuid\n1\t2\n", "id.orig h|uid", `"1" "2"`},
		{tabs, "#fields\ta\t\tb\n1\t2\t3\n", "a|column_2|b", `"1" "2" "3"`},
		{tabs, "#fields a b\n1\t2\n", "a|b", `"1" "2"`},
		{space, "#Fields:  a   b \n1 2\n", "a|b", `"1" "2"`},
		{runs, "#Fields: \ta  b\n1 2\n", "a|b", `"1" "2"`},
		{"w3c", "#Fields: a\tb  c\n1 2 3\n", "a|b|c", `"1" "2" "3"`},
		{alone, "#fields a,b\n1,2\n#fieldset,3\n", "a|b", `"1" "2" | "#fieldset" "3"`},

		{alone, "#fields;a;b\n1,2\n", "", `1:1: directive: a blank or a separator must follow "#fields", not ';'`},
		{alone, "#fields\n1\n", "", `1:1: directive: "#fields" names no columns`},
		{alone + pad, "#fields \n1\n", "", `names no columns`},
		{alone, "1,2\n#fields a,b\n3,4\n", "", `1:1: record 1, no columns yet: no line that begins with "#fields" came before this record (byte 0)`},
		{alone + pad, "1,2\n#fields a,b\n3,4\n", "", `no columns yet`},
		{alone, "1,2\n", "", `no columns yet: no line that begins with "#fields"`},
		{alone + ` directive "#columns" schema`, "1,2\n", "", `begins with "#fields" or "#columns" came`},
		{alone, "#fieldset a\n1\n", "", `record 1, no columns yet`},
	} {
		sameNamed(t, c.spec, c.in, c.columns, c.rows, runtime.ErrDirective, runtime.ErrTooManyFields)
	}
}

// sameNamed reads an input in every way: it has these columns and rows, or without columns fails
// with what rows has, of one of the kinds.
func sameNamed(t *testing.T, text, in, columns, rows string, kinds ...error) {
	t.Helper()
	o := everyWay(t, spec(t, text), func() io.Reader { return strings.NewReader(in) }, runtime.WithErrorMode(dfa.Fail))
	var named []string
	if o.opened {
		for _, f := range o.schema.Fields() {
			named = append(named, f.Name)
		}
	}
	names, got := strings.Join(named, "|"), strings.Join(o.rows, " | ")
	switch {
	case columns == "" && (o.err == nil || !strings.Contains(o.err.Error(), rows)), columns != "" && (o.err != nil || names != columns || got != rows):
		t.Errorf("%s\n%q: columns %s, rows %s, %v, want %s, %s", text, in, names, got, o.err, columns, rows)
	}
	if o.err != nil && !slices.ContainsFunc(kinds, func(kind error) bool { return errors.Is(o.err, kind) }) {
		t.Errorf("%q: %v is of no kind", in, o.err)
	}
}

// Columns that a directive far on names are known before the first record is read,
// whatever lies between, and whatever only looks like a directive.
func TestDirectivesFarOn(t *testing.T) {
	p := spec(t, `delimited { sep ' ' } directive "#Fields:" schema`)
	far := "#Fields: a b\n" + strings.Repeat("1 2\n", 3000)
	for _, c := range []struct{ in, columns string }{
		{far, "a|b"},
		{far + "#Fields: a c\n3 4\n", "a|b|c"},
		{far + "5 6#Fields:\n7 #Fields:\n", "a|b"},
		{far + "5 6#Fields:\n" + strings.Repeat("1 2\n", 3000) + "#Fields: d\n8\n", "a|b|d"},
		{far + "#Fields: c", "a|b|c"},
	} {
		for _, partition := range []int{16, 64, 1 << 10, 4 << 10, 1 << 20} {
			r, err := runtime.NewReader(strings.NewReader(c.in), p, runtime.WithEngine(cpu.Engine), runtime.WithPartitionSize(partition))
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, f := range r.Schema().Fields() {
				names = append(names, f.Name)
			}
			r.Release()
			if got := strings.Join(names, "|"); got != c.columns {
				t.Errorf("partitions of %d, the last bytes %q: columns %s, want %s", partition, c.in[max(0, len(c.in)-30):], got, c.columns)
			}
		}
	}
}
