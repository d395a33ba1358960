//go:build cuda

package gpu

import (
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/kernels"
)

// wrong marks the symbols that are in no sequence.
func wrong(data []byte) []bool {
	v := make([]bool, len(data))
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			v[i] = true
		}
		i += n
	}
	return v
}

// Of symbols side by side that are not ASCII, one chunk at least is found if one
// of them is wrong; a chunk is not that has none near it, or is ASCII.
func TestUTF8(t *testing.T) {
	b := newBench(t)
	k, err := findUtf8Kernel(b.d, "dfa_utf8")
	b.ok(err)
	stage := &utf8Stage{b.d, k, true}
	p, err := newProgram(b.d, mustProgram(t, "csv"))
	b.ok(err)
	defer p.Close()
	rng := rand.New(rand.NewPCG(3, 5))
	runes := []rune{'a', '"', 0x7f, 0x80, 0x7ff, 0x800, 0xfff, 0x1000, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x3ffff, 0x40000, 0x10ffff}
	bad := []string{"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf0\x9f\x98", "\xf5\x80\x80\x80", "\xff"}
	for _, size := range []int{0, 1, 15, 16, 17, 63, 64, 65, 2047, 2048, 2049, 5000, 70_000} {
		for style := range 12 {
			var in []byte
			for len(in) < size {
				switch x := rng.IntN(100); {
				case x < 8*style:
					in = utf8.AppendRune(in, runes[rng.IntN(len(runes))])
				case x == 99 && style%2 == 1:
					in = append(in, bad[rng.IntN(len(bad))]...)
				default:
					in = append(in, "0123456789"[:rng.IntN(10)]...)
				}
			}
			in = in[:size]
			part := b.newPartition(p, in, 0, true, 64)
			part.job.ChunkUTF8 = part.alloc(chunkUTF8Size(size), rubbish)
			part.upload()
			b.ok(stage.launch(b.s, part.address, &part.job))
			flags := table[uint8](part, part.job.ChunkUTF8, (size+kernels.Chunk-1)/kernels.Chunk)
			is := wrong(in)
			for c, flag := range flags {
				from, to := c*kernels.Chunk, min((c+1)*kernels.Chunk, size)
				ascii, near := true, false
				for i := from; i < to; i++ {
					ascii = ascii && in[i] < 0x80
				}
				for i := max(0, from-8); i < min(size, to+8); i++ {
					near = near || is[i]
				}
				if flag > 1 || flag == 1 && (ascii || !near) {
					t.Fatalf("%d symbols, chunk %d: flag %d: %q", size, c, flag, in[from:to])
				}
			}
			for i := 0; i < size; i++ {
				from, bad, found := i, false, false
				for ; i < size && in[i] >= 0x80; i++ {
					bad, found = bad || is[i], found || flags[i/kernels.Chunk] != 0
				}
				if bad && !found {
					t.Fatalf("%d symbols: nothing is said of %q at %d", size, in[from:i], from)
				}
			}
			part.free()
		}
	}
}

func mustProgram(t *testing.T, name string) *dfa.Program {
	t.Helper()
	plan, _ := formatPlan(t, name)
	return plan.Program
}

func TestWholeSequences(t *testing.T) {
	for _, name := range []string{"csv", "tsv"} {
		if !wholeSequences(mustProgram(t, name).Automaton) {
			t.Errorf("%s: sequences are cut", name)
		}
	}
	machine := func(next []dfa.StateID, emit []dfa.EmissionID) *dfa.Automaton {
		a := &dfa.Automaton{
			States: make([]dfa.State, 2), NGroups: 3, Next: next, Emit: emit, AtEOF: []dfa.EmissionID{0, 0},
			Emissions: []dfa.Emission{{Kind: dfa.Skip}, {Kind: dfa.Data}, {Kind: dfa.Record, Column: dfa.NextColumn}, {Kind: dfa.Error, Code: 1}},
		}
		a.Group['\n'] = 1
		for symbol := 0x80; symbol < 256; symbol++ {
			a.Group[symbol] = 2
		}
		return a
	}
	for _, c := range []struct {
		next []dfa.StateID // by group: other, line feed, not ASCII; two states each
		emit []dfa.EmissionID
		want bool
	}{
		{[]dfa.StateID{0, 1, 0, 0, 0, 1}, []dfa.EmissionID{1, 1, 2, 2, 1, 1}, true},
		{[]dfa.StateID{0, 1, 0, 0, 0, 1}, []dfa.EmissionID{1, 1, 2, 2, 1, 0}, true},
		{[]dfa.StateID{0, 1, 0, 0, 0, 1}, []dfa.EmissionID{1, 1, 2, 2, 3, 0}, true},
		{[]dfa.StateID{0, 1, 0, 0, 0, 1}, []dfa.EmissionID{1, 1, 2, 2, 2, 1}, false}, // one ends a record
		{[]dfa.StateID{0, 1, 0, 0, 1, 1}, []dfa.EmissionID{1, 1, 2, 2, 1, 0}, false}, // the second is left out
		{[]dfa.StateID{0, 1, 0, 0, 0, 0}, []dfa.EmissionID{1, 1, 2, 2, 1, 0}, false}, // the second is not
	} {
		if got := wholeSequences(machine(c.next, c.emit)); got != c.want {
			t.Errorf("%v %v: %v, want %v", c.next, c.emit, got, c.want)
		}
	}
	for _, m := range enginetest.Machines(t) {
		for i := range m.Automaton.Emissions {
			if e := &m.Automaton.Emissions[i]; (e.Lag != 0 || e.Sub != dfa.Itself) && wholeSequences(m.Automaton) {
				t.Errorf("%s: %s", m.Name, e)
			}
		}
	}
}
