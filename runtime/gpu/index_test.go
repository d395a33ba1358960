//go:build cuda

package gpu

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// indexBench runs the stage index for one automaton, in all ways that it can be run.
type indexBench struct {
	*bench
	a      *dfa.Automaton
	p      *program
	stages map[string]*indexStage
}

func newIndexBench(b *bench, a *dfa.Automaton) *indexBench {
	b.t.Helper()
	x := &indexBench{bench: b, a: a, stages: map[string]*indexStage{}}
	var err error
	x.p, err = newProgramOf(b.d, a, &trackTables{})
	b.ok(err)
	x.stages["large"], err = newLargeIndexStage(b.d, a)
	b.ok(err)
	stage, err := newIndexStage(b.d, a)
	b.ok(err)
	if want := map[bool]int{true: indexThreads, false: indexLargeThreads}[indexFits(a)]; stage.threads != want {
		b.t.Fatalf("%d states are indexed by blocks of %d threads, want %d", a.NStates(), stage.threads, want)
	}
	x.stages["chosen"] = stage
	return x
}

func (x *indexBench) close() { x.ok(x.p.Close()) }

// indexed is what the device made of an input.
type indexed struct {
	counts                               kernels.Counts
	found, mark, recordLast, rowRecord   []uint32
	directive, fault, isData, dataBefore []uint32
	column                               []uint16
	value                                []byte
}

// run indexes in on the device, with contexts from the twin of the stage
// before. No table is longer than what the stage may write.
func (x *indexBench) run(stage *indexStage, in []byte, start dfa.StateID, final bool) *indexed {
	x.t.Helper()
	const directives = 5
	n := len(in)
	grid := reference.Grid{Chunk: kernels.Chunk, Threads: 1}
	contexts := reference.Contexts(grid, x.a, in, start)
	chunks := len(contexts)
	p := &partition{bench: x.bench, program: x.p}
	words := func(n int) uint64 { return p.alloc(4*n, rubbish) }
	p.job = kernels.Job{
		Data: p.alloc(n+kernels.Padding, rubbish), Size: uint32(n), State: uint32(start), DirectiveCapacity: directives,
		ChunkState: p.alloc(2*chunks, rubbish),
		Found:      words(n + 1), Mark: words(n + 1), RecordLast: words(n + 1),
		Directive: words(directives), Fault: words(n/32 + 1), IsData: words((n + 31) / 32), DataBefore: words(chunks + 1),
		Counts: p.alloc(sizeOf[kernels.Counts](), 0), Scratch: p.alloc(stage.scratch(n), rubbish), ScratchSize: uint64(stage.scratch(n)),
	}
	j := &p.job
	if final {
		j.Final = 1
	}
	j.Value = j.Data
	flags := x.p.Image.Flags
	if flags&kernels.HasCoded != 0 {
		j.Value = p.alloc(n, rubbish)
	}
	if flags&kernels.HasColumns != 0 {
		j.Column = p.alloc(2*(n+1), rubbish)
	}
	if flags&kernels.HasKinds != 0 {
		j.RowRecord = words(n + 1)
	}
	x.ok(x.s.Upload(j.Data, in))
	x.ok(x.s.Upload(j.ChunkState, bytesOf(contexts)))
	p.upload()
	x.ok(stage.launch(x.s, x.p.Address, p.address, j))
	defer p.free()

	out := &indexed{counts: table[kernels.Counts](p, j.Counts, 1)[0]}
	out.found, out.mark, out.recordLast = table[uint32](p, j.Found, n+1), table[uint32](p, j.Mark, n+1), table[uint32](p, j.RecordLast, n+1)
	out.directive, out.fault = table[uint32](p, j.Directive, directives), table[uint32](p, j.Fault, n/32+1)
	out.isData, out.dataBefore = table[uint32](p, j.IsData, (n+31)/32), table[uint32](p, j.DataBefore, chunks+1)
	out.value = table[byte](p, j.Value, n)
	if flags&kernels.HasColumns != 0 {
		out.column = table[uint16](p, j.Column, n+1)
	}
	if flags&kernels.HasKinds != 0 {
		out.rowRecord = table[uint32](p, j.RowRecord, n+1)
	}
	return out
}

// differs is how what the stage makes of in is not what the twin makes of it.
func (x *indexBench) differs(in []byte, start dfa.StateID, final bool) error {
	x.t.Helper()
	grid := reference.Grid{Chunk: kernels.Chunk, Threads: 1}
	ix := reference.BuildIndex(grid, x.a, in, reference.Contexts(grid, x.a, in, start), final)
	want := x.expect(ix, in)
	for name, stage := range x.stages {
		if diff := want.differs(x.run(stage, in, start, final), x.p.Image.Flags); diff != "" {
			return fmt.Errorf("%s, %d symbols from state %d, final %v: %s; they begin %q", name, len(in), start, final, diff, in[:min(len(in), 200)])
		}
	}
	return nil
}

func (x *indexBench) check(in []byte, start dfa.StateID, final bool) {
	x.t.Helper()
	x.ok(x.differs(in, start, final))
}

// expect puts the tables of the twin in the form of the device's, which has
// the fields of the last, open record too.
func (x *indexBench) expect(ix *reference.Index, in []byte) *indexed {
	a, n := x.a, len(in)
	w := &indexed{fault: make([]uint32, n/32+1), isData: make([]uint32, (n+31)/32), value: make([]byte, n)}
	column, start := 0, 0 // of the field being read
	records := uint32(0)
	role := slices.Clone(ix.Role)
	var before *dfa.Emission
	for p, id := range ix.Emission {
		e := &a.Emissions[id]
		if e.Code != 0 {
			w.counts.Faults++
			w.fault[records/32] |= 1 << (records % 32)
		}
		if !e.Boundary() {
			continue
		}
		mark := uint32(ix.State[p]) | kernels.EndOfInput
		if p < n {
			mark = uint32(ix.State[p+1])
		}
		field := len(w.found)
		w.found, w.mark = append(w.found, uint32(p)), append(w.mark, mark|transition(a, 0, id))
		if e.Column != dfa.NextColumn {
			column = int(e.Column)
		}
		w.column = append(w.column, uint16(min(column, 1<<16-1)))
		column++
		if field >= ix.Fields.Len() && field > 0 { // the twin reopens complete records only
			for q := start; q < p-int(e.Lag) && q <= int(w.found[field-1]); q++ {
				role[q] = reference.AsWritten
				if q < start+int(before.Open) {
					role[q] = reference.Control
				}
			}
		}
		before, start = e, e.After(p)
		if e.Kind != dfa.Record {
			continue
		}
		column = 0
		w.recordLast = append(w.recordLast, uint32(field))
		if e.Record == dfa.DataRecord {
			w.rowRecord = append(w.rowRecord, records)
		}
		if e.Record >= dfa.FirstDirective {
			w.directive = append(w.directive, records)
		}
		records++
	}
	for p, r := range role {
		if p%kernels.Chunk == 0 {
			w.dataBefore = append(w.dataBefore, w.counts.Data)
		}
		if r == reference.Control || r == reference.Lead {
			continue
		}
		w.counts.Data++
		w.isData[p/32] |= 1 << (p % 32)
		w.value[p] = in[p]
		if r == reference.Decoded {
			w.value[p] = dfa.Decode(in, p, &a.Emissions[ix.Emission[p]])
		}
	}
	if n == 0 {
		w.dataBefore = append(w.dataBefore, 0)
	}
	w.dataBefore = append(w.dataBefore, w.counts.Data)
	w.counts.Fields, w.counts.Records, w.counts.Rows = uint32(len(w.found)), records, uint32(len(w.rowRecord))
	w.counts.Directives, w.counts.EndState = uint32(len(w.directive)), uint32(ix.State[n])
	return w
}

// differs is the first table in which got is not what is wanted.
func (w *indexed) differs(got *indexed, flags uint32) string {
	if w.counts != got.counts {
		return fmt.Sprintf("counts %+v, want %+v", got.counts, w.counts)
	}
	for _, c := range []struct {
		name      string
		got, want []uint32
		always    bool
	}{
		{"found", got.found, w.found, true},
		{"mark", got.mark, w.mark, true},
		{"record_last", got.recordLast, w.recordLast, true},
		{"row_record", got.rowRecord, w.rowRecord, flags&kernels.HasKinds != 0},
		{"fault", got.fault, w.fault, true},
		{"is_data", got.isData, w.isData, true},
		{"data_before", got.dataBefore, w.dataBefore, true},
	} {
		if c.always {
			if d := firstOther(c.got, c.want); d != "" {
				return c.name + d
			}
		}
	}
	if flags&kernels.HasColumns != 0 {
		if d := firstOther(got.column, w.column); d != "" {
			return "column" + d
		}
	}
	listed := got.directive[:min(len(got.directive), len(w.directive))]
	slices.Sort(listed)
	for i, r := range listed {
		if !slices.Contains(w.directive, r) || i > 0 && listed[i-1] == r {
			return fmt.Sprintf("directives %d, want some of %d", listed, w.directive)
		}
	}
	for p, v := range w.value {
		if w.isData[p/32]>>(p%32)&1 != 0 && got.value[p] != v {
			return fmt.Sprintf("value[%d] is %q, want %q", p, got.value[p], v)
		}
	}
	return ""
}

// firstOther compares as much of got as is wanted.
func firstOther[T uint16 | uint32](got, want []T) string {
	for i, v := range want {
		if got[i] != v {
			return fmt.Sprintf("[%d] of %d is %#x, want %#x", i, len(want), got[i], v)
		}
	}
	return ""
}

// indexSizes are sizes around a chunk, a warp, a tile of each way, and many tiles.
func indexSizes() (sizes []int) {
	const warp, large, small = 32 * kernels.Chunk, indexLargeThreads * kernels.Chunk, indexThreads * kernels.Chunk
	for _, n := range []int{1, kernels.Chunk, warp, large, small} {
		sizes = append(sizes, n-1, n, n+1)
	}
	return append(sizes, 16, 31, 32, 33, 3*small-1, 4*small+777)
}

// beginnings are the states in which a partition may begin.
func beginnings(a *dfa.Automaton) []dfa.StateID {
	out := []dfa.StateID{a.Start}
	for i, id := range a.Emit {
		if e := &a.Emissions[id]; e.Kind == dfa.Record && e.Open == e.Lag {
			out = append(out, a.Next[i])
		}
	}
	return out
}

func TestIndex(t *testing.T) {
	b := newBench(t)
	for _, m := range machines(t) {
		t.Run(m.name, func(t *testing.T) {
			x := newIndexBench(&bench{t, b.d, b.s}, m.automaton)
			defer x.close()
			rng := rand.New(rand.NewPCG(1, 2))
			begin := beginnings(m.automaton)
			for i, n := range indexSizes() {
				x.check(m.input(rng, n), m.automaton.Start, i%3 != 0)
				x.check(slices.Repeat(m.sample, n/len(m.sample)+1)[:n], begin[rng.IntN(len(begin))], i%2 == 0)
			}
		})
	}
}

// More tiles than look-back reads at once, and on a GPU more than it runs at once.
func TestIndexOfManyTiles(t *testing.T) {
	b := newBench(t)
	tiles := 40
	if b.d.Info().Capability > 0 {
		tiles = 600
	}
	for _, m := range enginetest.Machines(t) {
		if m.Name == "pipes" || m.Name == "text" { // nothing that the others have not
			continue
		}
		t.Run(m.Name, func(t *testing.T) {
			x := newIndexBench(&bench{t, b.d, b.s}, m.Automaton)
			defer x.close()
			delete(x.stages, "large")
			rng, in := rand.New(rand.NewPCG(7, 8)), make([]byte, tiles*indexThreads*kernels.Chunk+5)
			for i := range in {
				in[i] = m.Alphabet[rng.IntN(len(m.Alphabet))]
			}
			x.check(in, m.Automaton.Start, true)
		})
	}
}

func TestIndexOfDrawnMachines(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(rt *rapid.T) {
		m := enginetest.DrawApart(rt)
		in := enginetest.DrawInput(rt, m.Alphabet, 300)
		final := rapid.Bool().Draw(rt, "final")
		x := newIndexBench(b, m.Automaton)
		defer x.close()
		for _, in := range [][]byte{in, slices.Repeat(in, 40)} {
			if err := x.differs(in, m.Automaton.Start, final); err != nil {
				rt.Fatal(err)
			}
		}
	})
}

// Every symbol ends a record, a field, or is an error: the most entries that a
// tile can have.
func TestIndexOfNothingButBoundaries(t *testing.T) {
	const n = 2*indexThreads*kernels.Chunk + 100
	b := newBench(t)
	for kind, e := range map[string]dfa.Emission{
		"field":     {Kind: dfa.Field, Column: dfa.NextColumn},
		"record":    {Kind: dfa.Record, Column: dfa.NextColumn},
		"malformed": {Kind: dfa.Record, Column: dfa.NextColumn, Code: 1},
		"directive": {Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.FirstDirective},
		"error":     {Kind: dfa.Error, Code: 1},
		"byte":      {Kind: dfa.Data, Sub: dfa.ByByte, Byte: 'x'},
	} {
		t.Run(kind, func(t *testing.T) {
			a := &dfa.Automaton{
				States: []dfa.State{{Name: "S"}}, NGroups: 1, Next: []dfa.StateID{0}, Emit: []dfa.EmissionID{0}, AtEOF: []dfa.EmissionID{1},
				Emissions: []dfa.Emission{e, {Kind: dfa.Record, Column: dfa.NextColumn}}, Messages: []string{"wrong"},
			}
			if err := a.Validate(); err != nil {
				t.Fatal(err)
			}
			x := newIndexBench(&bench{t, b.d, b.s}, a)
			defer x.close()
			for _, size := range []int{0, 1, 64, indexThreads * kernels.Chunk, n} {
				x.check(make([]byte, size), 0, true)
				x.check(make([]byte, size), 0, false)
			}
		})
	}
}

// Automata whose boundaries just have slots for all, and those that have not.
func TestIndexOfLargeAutomata(t *testing.T) {
	b := newBench(t)
	boundary := func(kind dfa.Kind, record dfa.RecordKind) dfa.Emission {
		return dfa.Emission{Kind: kind, Column: dfa.NextColumn, Record: record}
	}
	for _, r := range []struct {
		states int
		e      dfa.Emission
		fits   bool
	}{
		{indexFieldSlots, boundary(dfa.Field, 0), true},
		{indexFieldSlots + 1, boundary(dfa.Field, 0), false},
		{indexOtherSlots - 1, boundary(dfa.Record, dfa.DataRecord), true}, // beside the one of symbol 2
		{indexOtherSlots, boundary(dfa.Record, dfa.DataRecord), false},
		{indexOtherSlots, boundary(dfa.Record, dfa.DroppedRecord), true},
		{indexOtherSlots + 1, boundary(dfa.Record, dfa.FirstDirective), false},
		{indexStates, dfa.Emission{Kind: dfa.Skip}, true},
		{indexStates + 1, dfa.Emission{Kind: dfa.Skip}, false},
		{1500, boundary(dfa.Field, 0), false},
	} {
		t.Run(fmt.Sprintf("%d %s", r.states, r.e), func(t *testing.T) {
			a := ring(r.states, r.e)
			if err := a.Validate(); err != nil {
				t.Fatal(err)
			}
			if indexFits(a) != r.fits {
				t.Fatalf("slots for all: %v, want %v", !r.fits, r.fits)
			}
			x := newIndexBench(&bench{t, b.d, b.s}, a)
			defer x.close()
			m := machine{automaton: a, alphabet: []byte{0, 1, 1, 1, 2, 3}}
			rng := rand.New(rand.NewPCG(5, 6))
			for _, n := range []int{0, 1000, 5000, indexThreads*kernels.Chunk + 11} {
				x.check(m.input(rng, n), a.Start, true)
			}
		})
	}
}

// ring has states in a circle: symbol 1 emits e and goes on to the next, symbol
// 2 ends a record and goes back to the start, symbol 3 jumps.
func ring(states int, e dfa.Emission) *dfa.Automaton {
	a := &dfa.Automaton{NGroups: 4, Emissions: []dfa.Emission{{Kind: dfa.Data}, e, {Kind: dfa.Record, Column: dfa.NextColumn}, {Kind: dfa.Skip}}}
	for c := range a.Group {
		a.Group[c] = dfa.GroupID(c % a.NGroups)
	}
	for s := range states {
		a.States = append(a.States, dfa.State{Name: fmt.Sprint("S", s)})
		a.AtEOF = append(a.AtEOF, 2)
	}
	for g := range a.NGroups {
		for s := range states {
			a.Next = append(a.Next, dfa.StateID([]int{s, (s + 1) % states, 0, (s*7 + 3) % states}[g]))
			a.Emit = append(a.Emit, dfa.EmissionID(g))
		}
	}
	return a
}

// What the test compares with, counted by hand.
func TestIndexCounts(t *testing.T) {
	x := newIndexBench(newBench(t), enginetest.Machines(t)[0].Automaton)
	defer x.close()
	in := slices.Repeat([]byte("a,\"b\"\"c\",\r\n"), 100)
	for name, stage := range x.stages {
		got := x.run(stage, in, x.a.Start, true)
		ones := 0
		for _, w := range got.isData {
			ones += bits.OnesCount32(w)
		}
		if c := &got.counts; ones != 400 || c.Data != 400 || c.Records != 100 || c.Rows != 100 || c.Fields != 300 {
			t.Errorf("%s: %d data symbols, counts %+v", name, ones, *c)
		}
	}
}
