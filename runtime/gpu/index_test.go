//go:build cuda

package gpu

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime/cpu/reference"
	"github.com/dfaparse/dfaparse/runtime/enginetest"
	"github.com/dfaparse/dfaparse/runtime/gpu/device"
)

// indexRun is one automaton on the device, with the stages that index for it.
type indexRun struct {
	d       *device.Device
	s       *device.Stream
	a       *dfa.Automaton
	program kernels.Program
	address uint64
	kept    []device.Memory
	stages  map[string]*indexStage
}

// raw is the memory of an array.
func raw[T any](v []T) []byte {
	var one T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(one)))
}

func openIndex(t testing.TB, a *dfa.Automaton) *indexRun {
	t.Helper()
	found, err := device.Devices()
	if err != nil || len(found) == 0 {
		t.Skipf("no device: %v", err)
	}
	d, err := device.Open(0)
	if err != nil {
		t.Fatal(err)
	}
	x := &indexRun{d: d, a: a, stages: map[string]*indexStage{}}
	if x.s, err = d.NewStream(); err != nil {
		t.Fatal(err)
	}
	small, err := newIndexStage(d, a)
	if err != nil {
		t.Fatal(err)
	}
	large, err := newLargeIndexStage(d, a)
	if err != nil {
		t.Fatal(err)
	}
	x.stages["large"] = large
	if indexFits(a) {
		x.stages["small"] = small
	}
	x.describe(t)
	return x
}

func (x *indexRun) close() {
	for _, m := range x.kept {
		x.d.FreeMemory(m)
	}
	x.s.Close()
	x.d.Close()
}

// describe puts the Program on the device.
func (x *indexRun) describe(t testing.TB) {
	im := newImage(x.a, &trackTables{})
	m := x.alloc(t, len(im.blob))
	x.kept = append(x.kept, m)
	im.place(m.Address)
	x.program, x.address = im.program, m.Address
	if err := x.s.Upload(m.Address, im.blob); err != nil {
		t.Fatal(err)
	}
}

func (x *indexRun) alloc(t testing.TB, n int) device.Memory {
	m, err := x.d.Alloc(max(n, 1))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// indexed is what the device made of an input.
type indexed struct {
	counts                              kernels.Counts
	found, mark, recordLast, rowRecord  []uint32
	directive, fault, isData, dataBefor []uint32
	column                              []uint16
	value                               []byte
}

// run indexes in on the device, with contexts from the twin of the stage before.
func (x *indexRun) run(t testing.TB, stage *indexStage, in []byte, start dfa.StateID, final bool) *indexed {
	t.Helper()
	n := len(in)
	chunks := max(1, (n+kernels.Chunk-1)/kernels.Chunk)
	contexts := reference.Contexts(reference.Grid{Chunk: kernels.Chunk, Threads: 1}, x.a, in, start)
	states := make([]uint16, chunks)
	for i, s := range contexts {
		states[i] = uint16(s)
	}
	const directives = 5
	out := &indexed{
		found: make([]uint32, n+1), mark: make([]uint32, n+1), recordLast: make([]uint32, n+1), rowRecord: make([]uint32, n+1),
		directive: make([]uint32, directives), fault: make([]uint32, n/32+1),
		isData: make([]uint32, (n+31)/32), dataBefor: make([]uint32, chunks+1), column: make([]uint16, n+1), value: make([]byte, n),
	}
	var taken []device.Memory
	table := func(n int) uint64 { // of undefined content
		m := x.alloc(t, n)
		taken = append(taken, m)
		if err := x.s.Fill(m.Address, 0xa5, max(n, 1)); err != nil {
			t.Fatal(err)
		}
		return m.Address
	}
	defer func() {
		for _, m := range taken {
			x.d.FreeMemory(m)
		}
	}()
	upload := func(b []byte, padding int) uint64 {
		at := table(len(b) + padding)
		if err := x.s.Upload(at, b); err != nil {
			t.Fatal(err)
		}
		return at
	}
	job := kernels.Job{
		Data: upload(in, kernels.Padding), Size: uint32(n), State: uint32(start), DirectiveCapacity: directives,
		ChunkState: upload(raw(states), 0),
		Found:      table(4 * (n + 1)), Mark: table(4 * (n + 1)), RecordLast: table(4 * (n + 1)),
		Directive: table(4 * directives), Fault: table(len(out.fault) * 4),
		IsData: table(4 * len(out.isData)), DataBefore: table(4 * len(out.dataBefor)),
		Counts: table(int(unsafe.Sizeof(kernels.Counts{}))), ScratchSize: uint64(stage.scratch(n)),
	}
	if final {
		job.Final = 1
	}
	job.Scratch, job.Value = table(int(job.ScratchSize)), job.Data
	if x.program.Flags&kernels.HasColumns != 0 {
		job.Column = table(2 * (n + 1))
	}
	if x.program.Flags&kernels.HasKinds != 0 {
		job.RowRecord = table(4 * (n + 1))
	}
	if x.program.Flags&kernels.HasCoded != 0 {
		job.Value = table(n)
	}
	address := upload(raw([]kernels.Job{job}), 0)
	if err := x.s.Fill(job.Counts, 0, int(unsafe.Sizeof(kernels.Counts{}))); err != nil {
		t.Fatal(err)
	}
	if err := stage.launch(x.s, x.address, address, &job); err != nil {
		t.Fatal(err)
	}
	fetch := func(dst []byte, from uint64) {
		if from == 0 {
			return
		}
		if err := x.s.Download(dst, from); err != nil {
			t.Fatal(err)
		}
	}
	counts := []kernels.Counts{{}}
	fetch(raw(counts), job.Counts)
	out.counts = counts[0]
	for _, f := range []struct {
		to   []uint32
		from uint64
	}{
		{out.found, job.Found}, {out.mark, job.Mark}, {out.recordLast, job.RecordLast}, {out.rowRecord, job.RowRecord},
		{out.directive, job.Directive}, {out.fault, job.Fault}, {out.isData, job.IsData}, {out.dataBefor, job.DataBefore},
	} {
		fetch(raw(f.to), f.from)
	}
	fetch(raw(out.column), job.Column)
	fetch(out.value, job.Value)
	if err := x.s.Synchronize(); err != nil {
		t.Fatal(err)
	}
	return out
}

// check compares what both ways of the stage make of in with the twin.
func (x *indexRun) check(t testing.TB, in []byte, start dfa.StateID, final bool) {
	t.Helper()
	g := reference.Grid{Chunk: kernels.Chunk, Threads: 1}
	ix := reference.BuildIndex(g, x.a, in, reference.Contexts(g, x.a, in, start), final)
	want := x.expect(ix, in, final)
	for name, stage := range x.stages {
		got := x.run(t, stage, in, start, final)
		if diff := want.differs(got, x.program.Flags); diff != "" {
			if len(in) > 200 {
				t.Fatalf("%s, %d symbols from state %d, final %v: %s", name, len(in), start, final, diff)
			}
			t.Fatalf("%s, %q from state %d, final %v: %s", name, in, start, final, diff)
		}
	}
}

// expect puts the tables of the twin in the form of the device's, which has
// the fields of the last, open record too.
func (x *indexRun) expect(ix *reference.Index, in []byte, final bool) *indexed {
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
			w.dataBefor = append(w.dataBefor, w.counts.Data)
		}
		if r == reference.Control {
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
		w.dataBefor = append(w.dataBefor, 0)
	}
	w.dataBefor = append(w.dataBefor, w.counts.Data)
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
		{"data_before", got.dataBefor, w.dataBefor, true},
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
func firstOther[T comparable](got, want []T) string {
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
	for _, n := range []int{1, kernels.Chunk, warp, large, small, 3 * small} {
		sizes = append(sizes, n-1, n, n+1)
	}
	return append(sizes, 16, 31, 32, 33, 4*small+777)
}

// alphabetOf has a symbol of each group.
func alphabetOf(a *dfa.Automaton) (out []byte) {
	seen := map[dfa.GroupID]bool{}
	for c := 255; c >= 0; c-- {
		if g := a.Group[c]; !seen[g] {
			seen[g] = true
			out = append(out, byte(c))
		}
	}
	return out
}

// drawSymbols gives n symbols: of the alphabet, with now and then a long run of one.
func drawSymbols(r *rand.Rand, alphabet []byte, n int) []byte {
	out := make([]byte, 0, n)
	for len(out) < n {
		c := alphabet[r.IntN(len(alphabet))]
		run := 1
		if r.IntN(50) == 0 {
			run = r.IntN(300)
		}
		for ; run > 0 && len(out) < n; run-- {
			out = append(out, c)
		}
	}
	return out
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

func TestIndexOfMachines(t *testing.T) {
	for _, m := range enginetest.Machines(t) {
		t.Run(m.Name, func(t *testing.T) {
			x := openIndex(t, m.Automaton)
			defer x.close()
			r := rand.New(rand.NewPCG(1, 2))
			begin := beginnings(m.Automaton)
			for i, n := range indexSizes() {
				x.check(t, drawSymbols(r, []byte(m.Alphabet), n), m.Automaton.Start, i%3 != 0)
				x.check(t, drawSymbols(r, alphabetOf(m.Automaton), n), begin[r.IntN(len(begin))], i%2 == 0)
			}
		})
	}
}

func TestIndexOfDrawnMachines(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := enginetest.DrawAutomaton(rt, false)
		in := enginetest.DrawInput(rt, m.Alphabet, 300)
		final := rapid.Bool().Draw(rt, "final")
		x := openIndex(t, m.Automaton)
		defer x.close()
		x.check(t, in, m.Automaton.Start, final)
		x.check(t, slices.Repeat(in, 40), m.Automaton.Start, final)
	})
}

func TestIndexOfFormats(t *testing.T) {
	for _, name := range formats.Names() {
		spec, err := formats.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		a := spec.Program.Automaton
		t.Run(name, func(t *testing.T) {
			x := openIndex(t, a)
			defer x.close()
			r := rand.New(rand.NewPCG(3, 4))
			var real []byte
			for _, e := range spec.Examples {
				real = append(real, e.Input...)
			}
			real = append(real, '\n')
			for i, n := range indexSizes() {
				x.check(t, slices.Repeat(real, n/len(real)+1)[:n], a.Start, i%2 == 0)
			}
			for _, n := range []int{100, 5000, 2*indexThreads*kernels.Chunk + 3} {
				x.check(t, drawSymbols(r, alphabetOf(a), n), a.Start, true)
			}
		})
	}
}

// Every symbol ends a record, a field, or is an error: the most entries that a
// tile can have.
func TestIndexOfNothingButBoundaries(t *testing.T) {
	const n = 2*indexThreads*kernels.Chunk + 100
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
			x := openIndex(t, a)
			defer x.close()
			for _, size := range []int{0, 1, 64, indexThreads * kernels.Chunk, n} {
				x.check(t, make([]byte, size), 0, true)
				x.check(t, make([]byte, size), 0, false)
			}
		})
	}
}

// Automata whose transitions do not have slots for all, and those that just do.
func TestIndexOfLargeAutomata(t *testing.T) {
	for _, states := range []int{indexOtherSlots, indexFieldSlots, indexFieldSlots + 1, indexStates, 300} {
		t.Run(fmt.Sprint(states), func(t *testing.T) {
			a := ring(states)
			if err := a.Validate(); err != nil {
				t.Fatal(err)
			}
			if got, want := indexFits(a), states <= indexFieldSlots; got != want {
				t.Fatalf("%d fields have slots: %v", states, got)
			}
			x := openIndex(t, a)
			defer x.close()
			r := rand.New(rand.NewPCG(5, 6))
			for _, n := range []int{1000, indexThreads*kernels.Chunk + 11} {
				x.check(t, drawSymbols(r, []byte{0, 1, 2, 3}, n), a.Start, true)
			}
		})
	}
}

// ring has states in a circle: symbol 1 ends a field and goes on to the next,
// symbol 2 ends a record in the first few and goes back to the start.
func ring(states int) *dfa.Automaton {
	a := &dfa.Automaton{NGroups: 4, Emissions: []dfa.Emission{
		{Kind: dfa.Data}, {Kind: dfa.Field, Column: dfa.NextColumn}, {Kind: dfa.Record, Column: dfa.NextColumn}, {Kind: dfa.Skip},
	}}
	for c := range a.Group {
		a.Group[c] = dfa.GroupID(c % 4)
	}
	for s := range states {
		a.States = append(a.States, dfa.State{Name: fmt.Sprint("S", s)})
		a.AtEOF = append(a.AtEOF, 2)
	}
	for g := range 4 {
		for s := range states {
			next, emit := s, dfa.EmissionID(0)
			switch g {
			case 1:
				next, emit = (s+1)%states, 1
			case 2:
				next, emit = 0, 2
			case 3:
				next, emit = (s*7+3)%states, 3
			}
			a.Next, a.Emit = append(a.Next, dfa.StateID(next)), append(a.Emit, emit)
		}
	}
	return a
}

// ones of a chunk's bits are what the tests count by hand.
func TestDataBeforeCounts(t *testing.T) {
	x := openIndex(t, enginetest.Machines(t)[0].Automaton)
	defer x.close()
	in := slices.Repeat([]byte("a,\"b\"\"c\",\r\n"), 100)
	for _, stage := range x.stages {
		got := x.run(t, stage, in, x.a.Start, true)
		n := 0
		for _, w := range got.isData {
			n += bits.OnesCount32(w)
		}
		if n != 400 || got.counts.Data != 400 || got.counts.Records != 100 || got.counts.Fields != 300 {
			t.Errorf("%d data symbols, counts %+v", n, got.counts)
		}
	}
}
