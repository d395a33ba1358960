package infer

import (
	"context"
	"slices"
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
