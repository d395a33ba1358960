package reference

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// grids are the layouts that every stage must give the same for.
func grids(n int) []Grid {
	var gs []Grid
	for _, chunk := range append(enginetest.Chunks, max(n, 1)) {
		gs = append(gs, Grid{Chunk: chunk, Threads: 1 + chunk%3})
	}
	return gs
}

// walk is what the automaton means, in full.
func walk(a *dfa.Automaton, in []byte, s dfa.StateID) (out []dfa.RawRecord) {
	a.Walk(in, s, func(r *dfa.RawRecord) bool {
		out = append(out, *r)
		return true
	})
	return out
}

// raw is the records of an index in the form of walk.
func (ix *Index) raw(a *dfa.Automaton, in []byte) (out []dfa.RawRecord) {
	r, f := &ix.Records, &ix.Fields
	for i := range r.Len() {
		rec := dfa.RawRecord{Kind: r.Kind[i], Start: r.Start[i], End: r.End[i], Next: ix.Next(a, i)}
		for j := r.Fields[i]; j < r.Fields[i+1]; j++ {
			if f.Record[j] != i {
				panic(fmt.Sprintf("field %d is of record %d, not %d", j, f.Record[j], i))
			}
			field := dfa.RawField{Column: f.Column[j], Class: f.Class[j], Start: f.Start[j], End: f.End[j], Value: []byte{}}
			for p := f.Start[j]; p < f.End[j]; p++ {
				if b, ok := ix.Value(a, in, p); ok {
					field.Value = append(field.Value, b)
				}
			}
			if w, escaped := ix.Written(a, in, field.Start, field.End); escaped {
				field.Written = w
			}
			rec.Fields = append(rec.Fields, field)
		}
		if r.Fault[i] >= 0 {
			x := ix.Faults[r.Fault[i]]
			rec.Code, rec.Offset, rec.At, rec.State = x.Code, x.Offset, x.At, x.State
		}
		out = append(out, rec)
	}
	return out
}

// lines of the first n symbols, by hand.
func lines(in []byte) (n int) {
	for _, c := range in {
		if c == '\n' {
			n++
		}
	}
	return n
}

func checkIndex(t interface {
	Helper()
	Fatalf(string, ...any)
}, m enginetest.Machine, in []byte) {
	t.Helper()
	a := m.Automaton
	want := walk(a, in, a.Start)
	for _, g := range grids(len(in)) {
		contexts := Contexts(g, a, in, a.Start)
		ix := BuildIndex(g, a, in, contexts, true)
		if got := ix.raw(a, in); !reflect.DeepEqual(got, want) {
			t.Fatalf("%s, chunk %d, input %q:\n got %+v\nwant %+v", m.Name, g.Chunk, in, got, want)
		}
		for i, s := range contexts {
			from, _ := g.Bounds(i, len(in))
			if a.Vector(in[:from])[a.Start] != s {
				t.Fatalf("%s, chunk %d of %d symbols: context %d", m.Name, i, g.Chunk, s)
			}
			if ix.Lines[i] != lines(in[:from]) {
				t.Fatalf("%s, chunk %d of %d symbols: %d lines before it", m.Name, i, g.Chunk, ix.Lines[i])
			}
		}

		// Without the end of the input, the complete records are the same, and
		// nothing is there of the others.
		open := BuildIndex(g, a, in, contexts, false).raw(a, in)
		whole := want
		if len(want) > 0 && a.EOF(a.Vector(in)[a.Start]).Kind == dfa.Record {
			whole = want[:len(want)-1]
		}
		if len(open) != len(whole) {
			t.Fatalf("%s, chunk %d, input %q: %d records without its end, want %d", m.Name, g.Chunk, in, len(open), len(whole))
		}
		for i := range whole {
			if !reflect.DeepEqual(open[i], whole[i]) {
				t.Fatalf("%s, chunk %d, input %q, without its end:\n got %+v\nwant %+v", m.Name, g.Chunk, in, open[i], whole[i])
			}
		}
	}
}

func TestIndexIsWhatTheAutomatonMeans(t *testing.T) {
	for _, m := range enginetest.Machines(t) {
		t.Run(m.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkIndex(t, m, enginetest.DrawInput(t, m.Alphabet, 90)) })
		})
	}
	t.Run("random", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			m := enginetest.DrawAutomaton(t, false)
			checkIndex(t, m, enginetest.DrawInput(t, m.Alphabet, 60))
		})
	})
}

// The automata of the built-in formats, over the examples of their specs with
// a few symbols put in, taken out or exchanged.
func TestIndexOfTheFormats(t *testing.T) {
	for _, name := range gen.VariedFormats() {
		spec, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(spec.Examples) == 0 {
			continue
		}
		m := enginetest.Machine{Name: name, Automaton: spec.Program.Automaton}
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				in := []byte(rapid.SampledFrom(spec.Examples).Draw(t, "example").Input)
				for range rapid.IntRange(0, 5).Draw(t, "edits") {
					at := rapid.IntRange(0, len(in)).Draw(t, "at")
					to := min(at+rapid.IntRange(0, 2).Draw(t, "taken out"), len(in))
					put := rapid.SliceOfN(rapid.SampledFrom([]byte("\r\n\n\"\"\\,;|[] \t#=x7-")), 0, 2).Draw(t, "put in")
					in = slices.Concat(in[:at], put, in[to:])
				}
				in = in[:min(len(in), 1000)]
				checkIndex(t, m, in)
				checkResume(t, m, in)
			})
		})
	}
}

// checkResume: what Begin says of a record lets it be read without what came
// before it, which carry-over rests on.
func checkResume(t *rapid.T, m enginetest.Machine, in []byte) {
	t.Helper()
	g := Grid{Chunk: rapid.IntRange(1, 20).Draw(t, "chunk"), Threads: 1}
	ix := BuildIndex(g, m.Automaton, in, Contexts(g, m.Automaton, in, m.Automaton.Start), true)
	all := ix.raw(m.Automaton, in)
	for i := range all {
		from := all[i].Start
		again := walk(m.Automaton, in[from:], ix.Begin(m.Automaton, i))
		if len(again) != len(all)-i {
			t.Fatalf("%s: input %q: %d records from record %d on, want %d", m.Name, in, len(again), i, len(all)-i)
		}
		for j, f := range again[0].Fields {
			if want := all[i].Fields[j]; string(f.Value) != string(want.Value) || f.Start+from != want.Start {
				t.Fatalf("%s: input %q: record %d read from its start: %+v, want %+v", m.Name, in, i, f, want)
			}
		}
	}
}

func TestRecordsCanBeReadFromAnyBoundary(t *testing.T) {
	for _, m := range enginetest.Machines(t) {
		t.Run(m.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { checkResume(t, m, enginetest.DrawInput(t, m.Alphabet, 60)) })
		})
	}
}

func TestColumnOffsetsCompose(t *testing.T) {
	draw := func(t *rapid.T, what string) Counts {
		n := rapid.IntRange(0, 5)
		return Counts{
			Fields: n.Draw(t, what), Records: n.Draw(t, what), Faults: n.Draw(t, what), Lines: n.Draw(t, what),
			Column: ColumnOffset{rapid.Bool().Draw(t, what), n.Draw(t, what)},
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := draw(t, "a"), draw(t, "b"), draw(t, "c")
		if l, r := a.Then(b).Then(c), a.Then(b.Then(c)); l != r {
			t.Fatalf("(a⊕b)⊕c = %+v, a⊕(b⊕c) = %+v", l, r)
		}
	})
}

func TestExclusiveScan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringN(0, 2, -1)).Draw(t, "words")
		got, total := ExclusiveScan(words, "^", func(a, b string) string { return a + b })
		want := "^"
		for i, w := range words {
			if got[i] != want {
				t.Fatalf("before %d: %q, want %q", i, got[i], want)
			}
			want += w
		}
		if total != want {
			t.Fatalf("total %q, want %q", total, want)
		}
	})
}
