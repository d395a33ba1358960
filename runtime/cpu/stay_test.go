package cpu

import (
	"bytes"
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
