package infer

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestTrust: where the types of the first rows are trusted, and nothing is amiss, they are those of
// all rows.
func TestTrust(t *testing.T) {
	trusted, amiss := 0, 0
	for seed := range uint64(150) {
		text, kinds, r := drawnTable(seed)
		given := func() *Given { return &Given{Separator: "|", Header: "none"} }
		in := inputOf(text)
		read := in.Read
		in.Read = func(p *dfa.Program, columns []string, use func(Records) error, opts ...runtime.Option) error {
			return read(p, columns, use, append(opts, runtime.WithLimit(int64(1+r.IntN(500))))...)
		}
		first, err := Infer(context.Background(), "t", in, given(), runtime.WithEngine(cpu.Engine))
		if err != nil {
			t.Fatal(err)
		}
		trust := first.Trust()
		if trust == nil {
			continue
		}
		trusted++
		spec, err := first.Build(context.Background(), "t", true)
		if err != nil {
			t.Fatal(err)
		}
		opts := []runtime.Option{runtime.WithEngine(cpu.Engine), runtime.WithLook(trust.Look), runtime.WithColumns(trust.Typed()...), runtime.WithChunkSize(64 + r.IntN(4000)), runtime.WithThreads(1 + r.IntN(3))}
		reader, err := runtime.ReadBytes([]byte(text), spec.Program, opts...)
		if err != nil {
			t.Fatal(err)
		}
		for reader.Next() {
		}
		err = reader.Err()
		reader.Release()
		if err != nil || trust.Amiss() {
			amiss++
			continue
		}
		all, err := inferGiven(text, given())
		if err != nil {
			t.Fatal(err)
		}
		want, err := all.Build(context.Background(), "t", true)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := spec.Program.Dump(), want.Program.Dump(); got != want {
			t.Errorf("seed %d: columns of %q are trusted to be\n%s\nand are\n%s", seed, kinds, got, want)
		}
	}
	if trusted < 40 || amiss < 10 || trusted-amiss < 10 {
		t.Errorf("%d tables are trusted, of which %d are not what they seemed", trusted, amiss)
	}
}

// TestDoubtsOfLateRows: what only later rows show makes a column text however they are read, and numbers stay these
// where it is shown already that they are.
func TestDoubtsOfLateRows(t *testing.T) {
	const nrows, first = 5000, 100
	for _, c := range []struct {
		most string
		late []string
		want string
		held bool // by the types of the first rows
	}{
		{"3.9", []string{"3.10"}, "str", false},
		{"3.10", []string{"3.9"}, "str", false},
		{"3.11", []string{"3.10", "3.9"}, "str", false},
		{"3.9", []string{"3.10", "75.5"}, "f64", false},
		{"3.9", []string{"3.8", "4.12", "7", "-1"}, "f64", true},
		{"3.75", []string{"3.10", "3.9", "12E4"}, "f64", true},
		{"1e5", []string{"12E4"}, "str", false},
		{"1e5", []string{"2e7", "3", "0.5", "3.10"}, "f64", true},
		{"12345678", []string{"12E4"}, "str", true}, // which is no i64, as reading says
		{"1.5.24", []string{"2.5.24", "3.5.24", "4.5.24", "5.5.24", "6.5.24", "7.5.24"}, "str", false},
		{"1.5.24", []string{"2.5.24", "3.5.24", "4.5.24", "5.5.24", "6.5.24", "7.5.24", "13.5.24"}, `date("%d.%m.%y")`, false},
		{"1.5.24", []string{"31.05.24", "30.05.45"}, `date("%d.%m.%y")`, false},
		{"11:30", []string{"12:05", "14:20"}, `time("%H:%M")`, false},
		{"11:30", []string{"12:05", "10:20"}, "str", false},
	} {
		var b strings.Builder
		for row := range nrows {
			value := c.most
			if at := row - nrows/2; at >= 0 && at%300 == 0 && at/300 < len(c.late) {
				value = c.late[at/300]
			}
			fmt.Fprintf(&b, "x|%s\n", value)
		}
		given := func() *Given { return &Given{Separator: "|", Header: "none"} }
		for _, rows := range []int{1 << 20, 250} {
			table, err := inBatches(b.String(), rows, given())
			if err != nil {
				t.Fatal(err)
			}
			if got := table.Columns[1]; got.Type != c.want {
				t.Errorf("%s, later %s, %d rows at a time: %s (%s), want %s", c.most, c.late, rows, got.Type, got.Why, c.want)
			}
		}
		in := inputOf(b.String())
		read := in.Read
		in.Read = func(p *dfa.Program, columns []string, use func(Records) error, opts ...runtime.Option) error {
			return read(p, columns, use, append(opts, runtime.WithLimit(first))...)
		}
		table, err := Infer(context.Background(), "t", in, given(), runtime.WithEngine(cpu.Engine))
		if err != nil {
			t.Fatal(err)
		}
		held := false
		if trust := table.Trust(); trust != nil {
			held = true
			if look := trust.Look("column_2"); look != nil {
				f := &convert.Fields{}
				text := c.most + strings.Join(append([]string{""}, c.late...), "|")
				f.Reset([]byte(text))
				at := 0
				for v := range strings.SplitSeq(text, "|") {
					f.Push(uint32(at), uint32(at+len(v)))
					at += len(v) + 1
				}
				look(f)
				held = !trust.Amiss()
			}
		}
		if held != c.held {
			t.Errorf("%s, later %s: the types of the first rows are held to be those of all: %v", c.most, c.late, held)
		}
	}
}

// TestDoubtsBehindMisfits: where a value that does not fit is null, its column has the type of its first rows, whatever
// stands behind it, which is looked at or not as it comes.
func TestDoubtsBehindMisfits(t *testing.T) {
	lines := slices.Repeat([]string{"x|3.9"}, 9000)
	lines[5000], lines[5001], lines[8500] = "x|none such", "x|3.10", "x|3.10"
	for _, rows := range []int{1 << 20, 5001, 250, 97} {
		table, err := inBatches(strings.Join(lines, "\n"), rows, &Given{Separator: "|", Header: "none", Misfits: "null"})
		if err != nil {
			t.Fatal(err)
		}
		if c := table.Columns[1]; c.Type != "f64" || c.Misfit == nil || c.Misfit.Row != 5001 {
			t.Errorf("%d rows at a time: %s (%s), %v", rows, c.Type, c.Why, c.Misfit)
		}
	}
}

// TestOdd: of numbers that convert, those are passed over at a glance alone that are what they were.
func TestOdd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]dfa.TypeKind{dfa.Int64, dfa.Uint64, dfa.Float64, dfa.Timestamp}).Draw(t, "kind")
		at := slices.IndexFunc(types(), func(c candidate) bool { return c.typ.Kind == kind })
		trial, err := newTrial(&types()[at])
		if err != nil {
			t.Fatal(err)
		}
		f := &convert.Fields{}
		var values []string
		var text []byte
		for range rapid.IntRange(0, 50).Draw(t, "fields") {
			v := rapid.OneOf(rapid.StringMatching(`[-+ ]?[0-9]{0,2}(\.[0-9]{0,3})?([eE][-+]?[0-9]{1,3})?`), rapid.StringMatching(`-?[0-9]{1,18}`),
				rapid.StringMatching(`[-+.0-9eE x]{0,9}`), rapid.StringMatching(`2024-12-31[ T]23:5[0-9]:[56][09](\.5)?`)).Draw(t, "value")
			values, text = append(values, v), append(text, v+","...)
		}
		f.Reset(text)
		for from, i := 0, 0; i < len(values); i++ {
			f.Push(uint32(from), uint32(from+len(values[i])))
			from += len(values[i]) + 1
		}
		c := &trusted{kind: kind, accepts: types()[at].accepts}
		failed := map[int]bool{}
		for _, e := range trial.converter.Append(trial.column, f, nil) {
			failed[e.Row] = true
		}
		last := 0
		for i := c.odd(f, 0); i < f.Len() || last < f.Len(); i = c.odd(f, i+1) {
			for ; last < i; last++ {
				if v := values[last]; !failed[last] && (len(v) == 0 || !c.accepts([]byte(v))) {
					t.Fatalf("%q is passed over", v)
				}
			}
			last = i + 1
		}
	})
}

func BenchmarkLook(b *testing.B) {
	const n = 4096
	for _, kind := range []struct {
		name   string
		of     dfa.TypeKind
		values []string
	}{
		{"integers", dfa.Int64, []string{"1", "161", "48", "2"}}, {"floats", dfa.Float64, []string{"12.5", ".79", "0.5", "11.16", "0"}},
	} {
		f := &convert.Fields{}
		var text []byte
		for i := range n {
			text = append(append(text, kind.values[i*7%len(kind.values)]...), ",text of other columns,"...)
		}
		f.Reset(text)
		for i, from := 0, 0; i < n; i++ {
			size := len(kind.values[i*7%len(kind.values)])
			f.Push(uint32(from), uint32(from+size))
			from += size + len(",text of other columns,")
		}
		x := &Trust{columns: map[string]trusted{"c": {kind: kind.of, accepts: isExactFloat}}}
		look := x.Look("c")
		b.Run(kind.name, func(b *testing.B) {
			for b.Loop() {
				look(f)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/field")
		})
	}
}
