package infer

import (
	"context"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestCopied: what databases write for themselves, and what has their null and is another text.
func TestCopied(t *testing.T) {
	for _, c := range []struct {
		in, says, values string // of the last column
		fails            bool
	}{
		{in: "1\t\\N\n2\ta\\tb\n", says: "separated by tab, as PostgreSQL's COPY writes it, no header", values: "<null>|a\tb"},
		{in: "1\ta\n2\tC:\\\\new\n\\.\n", says: "separated by tab, as PostgreSQL's COPY writes it, no header", values: `a|C:\new`},
		{in: "id\tname\n1\t\\N\n2\tC:\\\\new\n", says: "separated by tab, as PostgreSQL's COPY writes it, a header", values: `<null>|C:\new`},
		{in: "id\tname\n1\t\\N\n2\tC:\\new\n", says: `separated by tab, quoted by '"', a header`, values: `<null>|C:\new`},
		{in: "1\t\\N\n2\tC:\\dir\n", says: `separated by tab, quoted by '"', no header`, values: `<null>|C:\dir`},
		{in: "1,\\N\n2,x\n", says: `separated by comma, quoted by '"', no header`, values: "<null>|x"},
		{in: "{1,2}\n{3,4}\n{5,6}\n\\.\n", says: "separated by tab, as PostgreSQL's COPY writes it, no header", values: "{1,2}|{3,4}|{5,6}"},
		{in: "{1,2}\n\n{5,6}\n\\.\n", says: "separated by tab, as PostgreSQL's COPY writes it, no header", values: "{1,2}|{5,6}"},
		{in: "Doe, Jo\nRay, Bob\nFoe, Al\n\\.\n", says: "separated by tab, as PostgreSQL's COPY writes it, no header", values: "Doe, Jo|Ray, Bob|Foe, Al"},
		{in: "x,a\ny,b\n\\.\n", says: "separated by tab, as PostgreSQL's COPY writes it, no header", values: "x,a|y,b"},
		{in: "COPY a (id, n) FROM stdin;\n1\tx\n\\.\n", says: "separated by tab, as PostgreSQL's COPY writes it, one line before the table, no header, a footer of 1 line left out", values: "x"},
		{in: "COPY a (id, n) FROM stdin;\n1\tx\n\\.\nCOPY b (id) FROM stdin;\n1\n\\.\n", fails: true},
		{in: "COPY a (id, n) FROM stdin;\n1\tx\n", fails: true},
	} {
		table, err := inferText(c.in)
		if c.fails {
			if err != errDump {
				t.Errorf("%q: %v", c.in, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		if got := table.Dialect.String(); got != c.says {
			t.Errorf("%q: %s, want %s", c.in, got, c.says)
		}
		if got := lastColumn(t, table, c.in); got != c.values {
			t.Errorf("%q: %q, want %q", c.in, got, c.values)
		}
	}
}

// lastColumn is what the inferred format reads in it.
func lastColumn(t *testing.T, table *Table, text string) string {
	spec, err := table.Build(context.Background(), "t", true)
	if err != nil {
		t.Fatal(err)
	}
	r, err := runtime.ReadBytes([]byte(text), spec.Program, runtime.WithEngine(cpu.Engine))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var values []string
	for r.Next() {
		column := r.Record().Column(int(r.Record().NumCols()) - 1)
		for i := range column.Len() {
			if column.IsNull(i) {
				values = append(values, "<null>")
			} else {
				values = append(values, column.ValueStr(i))
			}
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return strings.Join(values, "|")
}
