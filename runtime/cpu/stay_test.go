package cpu

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestUntilAny: the first of some symbols is found, whichever it is and however far.
func TestUntilAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Repeat([]byte("a"), rapid.IntRange(0, 5000).Draw(t, "symbols"))
		for range rapid.IntRange(0, 3).Draw(t, "ends") {
			if len(data) > 0 {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("\r\n")).Draw(t, "end")
			}
		}
		want := bytes.IndexAny(data, "\r\n")
		if want < 0 {
			want = len(data)
		}
		if got := untilAny(data, []byte("\r\n")); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

// TestLeaving: what is passed over ends nothing, keeps the state, and is all data or controls, or all wrong.
func TestLeaving(t *testing.T) {
	for _, name := range gen.AllFormats() {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(p)
		for s, leave := range m.newLeaving() {
			if leave == nil {
				continue
			}
			row, wrong := m.Row(dfa.StateID(s)), 0
			for c, e := range m.Entries[row : row+256] {
				if bytes.IndexByte(leave, byte(c)) >= 0 {
					continue
				}
				if e.Boundary() || e.Row() != row {
					t.Fatalf("%s: state %d is left by %q", name, s, byte(c))
				}
				if e.Kind() == dfa.Error {
					wrong++
				}
			}
			if wrong != 0 && wrong != 256-len(leave) {
				t.Fatalf("%s: in state %d, %d symbols are wrong and others are not", name, s, wrong)
			}
		}
	}
}

// mixedProgram is of an automaton in which '!' in quotes is wrong and stays there, as data does, and '~' leads out of a bare
// field, as data, to where all is wrong.
func mixedProgram(t *testing.T) *dfa.Program {
	b := dfa.NewBuilder()
	record, field := b.AddState("record", "at the start of a record"), b.AddState("field", "at the start of a field")
	bare, quoted := b.AddState("bare", "in a bare field"), b.AddState("quoted", "in a quoted field")
	closed, wrong := b.AddState("closed", "after a quoted field"), b.AddState("wrong", "in what is wrong")
	bad := func(text string) dfa.Emission { return dfa.Emission{Kind: dfa.Error, Code: b.Message(text)} }
	data, skip := dfa.Emission{Kind: dfa.Data}, dfa.Emission{Kind: dfa.Skip}
	end := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	for _, s := range []dfa.StateID{record, field, bare, closed, wrong} {
		b.On(s, dfa.Bytes('\n'), record, end)
	}
	for _, s := range []dfa.StateID{record, field, bare, closed} {
		b.On(s, dfa.Bytes(','), field, dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn})
		switch s {
		case record, field:
			b.On(s, dfa.Bytes('"'), quoted, skip)
			b.Otherwise(s, bare, data)
		case bare:
			b.On(s, dfa.Bytes('~'), wrong, data)
			b.Otherwise(s, bare, data)
		case closed:
			b.Otherwise(s, wrong, bad("text behind a quote"))
		}
	}
	b.On(quoted, dfa.Bytes('"'), closed, skip)
	b.On(quoted, dfa.Bytes('!'), quoted, bad("an exclamation"))
	b.Otherwise(quoted, quoted, data)
	b.Otherwise(wrong, wrong, bad("what is wrong"))
	b.EOF(record, skip)
	for _, s := range []dfa.StateID{field, bare, quoted, closed, wrong} {
		b.EOF(s, end)
	}
	a, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	texts := []dfa.Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	p, err := dfa.NewProgram(dfa.Definition{Name: "mixed", Automaton: a, Columns: texts})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMixedStay: what is wrong among data that stays where it is, and first in a state in which all is wrong, is not passed
// over, and is told where it is by reference.
func TestMixedStay(t *testing.T) {
	p := mixedProgram(t)
	rng := rand.New(rand.NewPCG(53, 54))
	long := func() string { return strings.Repeat("x", rng.IntN(40)) }
	for range 300 {
		var data []byte
		for range 1 + rng.IntN(60) {
			line := "1,b,\"c\"\n"
			switch rng.IntN(12) {
			case 0:
				line = "1,\"" + long() + "!" + long() + "\",c\n"
			case 1:
				line = "1,\"" + long() + "!" + long() + "\"" + long() + "\n"
			case 2:
				line = "1,b~" + long() + "\n"
			case 3:
				line = "1,b~" + long() + ",~" + long() + ",d\n"
			case 4:
				line = "1,\"" + long() + ",\n" + long() + "\",!\n"
			}
			data = append(data, line...)
		}
		opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Null}[rng.IntN(2)])}
		asReference(t, rng, p, "mixed", data, opts, 1+rng.IntN(len(data)), 1<<18)
	}
}

// BenchmarkMalformedEnds reads malformed records that end with line feeds, and such as end with returns, which
// take no longer, though no line feed is near.
func BenchmarkMalformedEnds(b *testing.B) {
	s, err := compile.Compile("f.dfp", []byte("format f { lines { eol any }  record `{a} {b}[ ({c})]: {d...}`  fields { b u8 } }"))
	if err != nil {
		b.Fatal(err)
	}
	for name, end := range map[string]string{"feeds": "\n", "returns": "\r"} {
		b.Run(name, func(b *testing.B) {
			data := bytes.Repeat([]byte("a 1 (c): d"+end+"a 1 (c) d"+end), 50_000)
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				r, err := runtime.ReadBytes(data, s.Program, runtime.WithEngine(Engine), runtime.WithThreads(1), runtime.WithPartitionSize(len(data)), runtime.WithErrorMode(dfa.Reject))
				if err != nil {
					b.Fatal(err)
				}
				for r.Next() {
				}
				if err := r.Err(); err != nil || r.Stats().Rejected != 50_000 {
					b.Fatalf("%d rejected, %v", r.Stats().Rejected, err)
				}
				r.Release()
			}
		})
	}
}
