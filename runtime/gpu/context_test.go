//go:build cuda

package gpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// tracks are all ways to track states, in order of Track.
func tracks() []track {
	var all []track
	for kind := uint32(kernels.Track4); kind <= kernels.TrackWalk; kind++ {
		all = append(all, track{kind: kind})
		if kind == kernels.TrackWalk {
			all = append(all, track{kind: kind, guess: true})
		}
		if kind <= kernels.Track16 {
			all = append(all, track{kind: kind, registers: true})
		}
	}
	return all
}

// contexts runs the stage over data, from each of the states.
func (b *bench) contexts(t *trackTables, a *dfa.Automaton, data []byte, starts []dfa.StateID) [][]uint16 {
	b.t.Helper()
	p, err := newProgramOf(b.d, a, t)
	b.ok(err)
	defer func() { b.ok(p.Close()) }()
	stage, err := newContextStage(b.d, p)
	b.ok(err)
	var found [][]uint16
	for _, start := range starts {
		part := b.newPartition(p, data, start, true, stage.scratch(len(data)))
		b.ok(stage.launch(b.s, part.address, &part.job))
		n := len(data)/kernels.Chunk + 2 // all entries, those beyond the last chunk too
		found = append(found, table[uint16](part, part.job.ChunkState, n))
		part.free()
	}
	return found
}

// checkContexts compares the stage with its twin.
func checkContexts(b *bench, t *trackTables, a *dfa.Automaton, data []byte, starts []dfa.StateID) error {
	grid := reference.Grid{Chunk: kernels.Chunk, Threads: 1}
	for i, got := range b.contexts(t, a, data, starts) {
		want := reference.Contexts(grid, a, data, starts[i])
		for c, s := range want {
			if dfa.StateID(got[c]) != s {
				return fmt.Errorf("%s, %d symbols from state %d: chunk %d of %d begins in state %d, want %d",
					t, len(data), starts[i], c, len(want), got[c], s)
			}
		}
		for c, s := range got[len(want):] {
			if s != rubbish<<8|rubbish {
				return fmt.Errorf("%s, %d symbols: %#x written behind the last chunk, entry %d of %d", t, len(data), s, len(want)+c, len(want))
			}
		}
	}
	return nil
}

// checkSteps compares the contexts of chunks with the states that one symbol after the other
// leads to.
func checkSteps(a *dfa.Automaton, data []byte, start dfa.StateID, got []uint16) error {
	s := start
	for p, symbol := range data {
		if c := p / kernels.Chunk; p%kernels.Chunk == 0 && dfa.StateID(got[c]) != s {
			return fmt.Errorf("%d states, %d symbols: chunk %d begins in state %d, want %d", a.NStates(), len(data), c, got[c], s)
		}
		s, _ = a.Step(s, symbol)
	}
	return nil
}

// contextSizes are sizes around a chunk, a strip and a block's strips, and many
// of those.
func contextSizes() []int {
	sizes := []int{0, 1, 63, 64, 65, 127, 128, 1000, 4095, 4096, 4097}
	for _, unit := range []int{32 * kernels.Chunk, contextTile, 2 * contextTile} {
		sizes = append(sizes, unit-1, unit, unit+1, unit+kernels.Chunk)
	}
	return append(sizes, 5*contextTile+12345)
}

func TestContexts(t *testing.T) {
	b := newBench(t)
	for _, m := range machines(t) {
		t.Run(m.name, func(t *testing.T) {
			b := &bench{t, b.d, b.s}
			rng := rand.New(rand.NewPCG(1, uint64(len(m.name))))
			tables := chooseTrack(m.automaton, dfa.Analyse(m.automaton), 2*sharedRows)
			for _, n := range contextSizes() {
				starts := []dfa.StateID{m.automaton.Start, dfa.StateID(rng.IntN(m.automaton.NStates()))}
				if err := checkContexts(b, tables, m.automaton, m.input(rng, n), starts); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestContextsEveryWay forces each way to track states on each automaton that it
// fits.
func TestContextsEveryWay(t *testing.T) {
	b := newBench(t)
	fits := map[track]int{}
	for _, m := range machines(t) {
		analysis := dfa.Analyse(m.automaton)
		for _, way := range tracks() {
			tables, err := newTrackTables(m.automaton, analysis, way)
			if err != nil || !tables.fit(b.d.Info().MaxShared-contextTile) {
				continue
			}
			fits[way]++
			rng := rand.New(rand.NewPCG(uint64(way.kind), uint64(len(m.name))))
			for _, most := range []int{3 * contextTile, 5000, 200} {
				n := rng.IntN(most)
				starts := []dfa.StateID{m.automaton.Start, dfa.StateID(rng.IntN(m.automaton.NStates()))}
				if err := checkContexts(b, tables, m.automaton, m.input(rng, n), starts); err != nil {
					t.Fatalf("%s: %v", m.name, err)
				}
			}
		}
	}
	for _, way := range tracks() {
		if fits[way] == 0 {
			t.Errorf("%s fits none of the machines", way)
		}
	}
}

// TestContextsOfDrawnMachines holds every way that fits against drawn automata,
// from every state.
func TestContextsOfDrawnMachines(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		m := drawMachine(t)
		data := enginetest.DrawInput(t, string(m.alphabet), 400)
		var starts []dfa.StateID
		for s := range m.automaton.NStates() {
			starts = append(starts, dfa.StateID(s))
		}
		analysis := dfa.Analyse(m.automaton)
		for _, way := range tracks() {
			tables, err := newTrackTables(m.automaton, analysis, way)
			if err != nil || !tables.fit(b.d.Info().MaxShared-contextTile) {
				continue
			}
			if err := checkContexts(b, tables, m.automaton, data, starts); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// drawMachine draws an automaton of up to 20 states of which only the
// transitions count. Some have states that no symbol leaves.
func drawMachine(t *rapid.T) machine {
	n, groups := rapid.IntRange(1, 20).Draw(t, "states"), rapid.IntRange(1, 6).Draw(t, "groups")
	absorbing := rapid.IntRange(0, 3).Draw(t, "absorbing")
	a := &dfa.Automaton{NGroups: groups, Emissions: []dfa.Emission{{Kind: dfa.Skip}}, States: make([]dfa.State, n)}
	for symbol := range a.Group {
		a.Group[symbol] = dfa.GroupID(symbol % groups)
	}
	for range groups {
		for s := range n {
			next := dfa.StateID(s)
			if s < n-absorbing {
				next = dfa.StateID(rapid.IntRange(0, n-1).Draw(t, "next"))
			}
			a.Next = append(a.Next, next)
		}
	}
	a.Emit, a.AtEOF = make([]dfa.EmissionID, len(a.Next)), make([]dfa.EmissionID, n)
	if err := a.Validate(); err != nil {
		t.Fatal(err)
	}
	return machine{name: "drawn", automaton: a, alphabet: []byte("abcdefghijkl")}
}

// chain is an automaton of n states in which a symbol counts: no two states
// ever become one.
func chain(n int) *dfa.Automaton {
	a := &dfa.Automaton{NGroups: 2, Emissions: []dfa.Emission{{Kind: dfa.Skip}}, States: make([]dfa.State, n)}
	a.Group['+'] = 1
	for g := range a.NGroups {
		for s := range n {
			a.Next = append(a.Next, dfa.StateID((s+g)%n))
		}
	}
	a.Emit, a.AtEOF = make([]dfa.EmissionID, len(a.Next)), make([]dfa.EmissionID, n)
	return a
}

// TestContextsOfManyStates is for vectors in memory: over segments, and over
// groups of them.
func TestContextsOfManyStates(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct{ states, segment, size int }{
		{17, kernels.Chunk, 3*groupSegments*kernels.Chunk + 500}, {33, 4 * kernels.Chunk, 2 * groupSegments * 4 * kernels.Chunk},
		{40, segmentLeast, 30_000}, {300, 2 << 10, 3*(2<<10) + 1}, {dfa.MaxStates, 4 * kernels.Chunk, 5 * 4 * kernels.Chunk},
	} {
		a := chain(c.states)
		analysis := dfa.Analyse(a)
		tables, err := newTrackTables(a, analysis, track{kind: kernels.TrackVector})
		b.ok(err)
		tables.words[wordMore] = uint64(c.segment)
		m := machine{automaton: a, alphabet: []byte("+.")}
		rng := rand.New(rand.NewPCG(3, uint64(c.states)))
		data := m.input(rng, c.size)
		if err := checkSteps(a, data, 5, b.contexts(tables, a, data, []dfa.StateID{5})[0]); err != nil {
			t.Fatal(err)
		}
	}
}

// packed is a state-transition vector as kernels/context/vectors.cuh packs it
// for scans, of codes that are states.
func packed(t track, v dfa.STV) []uint32 {
	words := make([]uint32, max(1, t.width()/8))
	for code := range t.width() {
		next := uint32(code)
		if code < len(v) {
			next = uint32(v[code])
		}
		shift := 8 * code
		if t.width() > 4 {
			shift = 8*(code&3) + code&4
		}
		words[code/8] |= next << shift
	}
	return words
}

// TestContextsBehindAggregates is for the second step, over many tiles of
// strips: from vectors of strips to the codes in which they begin. Tiles look
// back over many that have not published what all before them come to, as
// happens where blocks run at once.
func TestContextsBehindAggregates(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		states int
		kind   uint32
	}{{3, kernels.Track4}, {7, kernels.Track8}, {13, kernels.Track16}} {
		for _, published := range []int{0, 1, 2, 31, 32, 33, 34, 64, 65, 70} { // tiles; of the first, all
			a := chain(c.states)
			tables, err := newTrackTables(a, dfa.Analyse(a), track{kind: c.kind})
			b.ok(err)
			p, err := newProgramOf(b.d, a, tables)
			b.ok(err)
			stage, err := newContextStage(b.d, p)
			b.ok(err)

			// Strips of so many pluses each.
			size := ((published+2)*scanTile+100)*contextStrip + 17
			strips := stage.strips(size)
			zeroed, all := lookBackScratch(strips.tiles, 4*len(packed(tables.track, nil)))
			scratch := make([]byte, strips.code)
			binary.LittleEndian.PutUint32(scratch, uint32(published)) // the next tile
			rng := rand.New(rand.NewPCG(5, uint64(published)))
			counted := func(pluses int) []uint32 {
				v := make(dfa.STV, c.states)
				for s := range v {
					v[s] = dfa.StateID((s + pluses) % c.states)
				}
				return packed(tables.track, v)
			}
			put := func(at int, value []uint32) {
				for i, word := range value {
					binary.LittleEndian.PutUint32(scratch[at+4*i:], word)
				}
			}
			want := make([]uint16, strips.count)
			const start = 1
			pluses := 0
			for tile := range strips.tiles {
				before := pluses
				for i := tile * scanTile; i < min((tile+1)*scanTile, strips.count); i++ {
					n := rng.IntN(100)
					put(strips.value+i*4*len(packed(tables.track, nil)), counted(n))
					want[i] = uint16((start + pluses) % c.states)
					pluses += n
				}
				if tile >= published {
					continue
				}
				state, value := uint32(1), counted(pluses-before)
				if tile == 0 {
					state = 2
				}
				if len(value) == 1 {
					put(64+8*tile, []uint32{state, value[0]})
				} else {
					put(64+4*tile, []uint32{state})
					put(zeroed+(2*tile+int(state)-1)*8, value)
				}
			}
			if all > strips.value {
				t.Fatalf("the look-back has %d bytes, and vectors begin at %d", all, strips.value)
			}
			part := &partition{bench: b, program: p}
			part.job = kernels.Job{Size: uint32(size), State: start}
			part.job.Scratch = part.alloc(strips.bytes, rubbish)
			b.ok(b.s.Upload(part.job.Scratch, scratch))
			part.upload()
			b.ok(stage.launchKernel(b.s, 1, part.address, &part.job))
			got := table[uint16](part, part.job.Scratch+uint64(strips.code), strips.count)
			for i := published * scanTile; i < strips.count; i++ {
				if got[i] != want[i] {
					t.Errorf("%s behind %d tiles: strip %d of %d begins with code %d, want %d", tables, published, i, strips.count, got[i], want[i])
					break
				}
			}
			part.free()
			b.ok(p.Close())
		}
	}
}

// TestContextsOfLongRecords has records around how far a lane looks back, and around
// segments; some are mended, some are not.
func TestContextsOfLongRecords(t *testing.T) {
	b := newBench(t)
	rng := rand.New(rand.NewPCG(11, 12))
	for _, m := range logMachines(t) {
		tables, err := newTrackTables(m.automaton, dfa.Analyse(m.automaton), track{kind: kernels.TrackWalk})
		b.ok(err)
		lengths := []int{kernels.Chunk, walkLeast, walkReach, walkReach + walkLeast, 70_000}
		if testing.Short() {
			lengths = []int{walkReach, 40_000}
		}
		for _, n := range lengths {
			for _, n := range []int{n - 1, n + rng.IntN(2), n + 2*kernels.Chunk} {
				data := m.sample
				for range 3 {
					data = append(data[:len(data):len(data)], m.sample[:rng.IntN(len(m.sample)-1)]...)
					for range n {
						symbol := m.alphabet[rng.IntN(len(m.alphabet))]
						if symbol == '\n' {
							symbol = ' '
						}
						data = append(data, symbol)
					}
					data = append(data, m.sample...)
				}
				start := dfa.StateID(rng.IntN(m.automaton.NStates()))
				for rounds := range mendRounds + 1 {
					got, _ := b.walked(tables, m.automaton, data, start, rounds)
					if err := checkSteps(m.automaton, data, start, got); err != nil {
						t.Errorf("%s with lines of %d: %v", m.name, n, err)
					}
				}
			}
		}
	}
}

// drawLargeMachine draws an automaton of up to 300 states, in some of which symbols only
// exchange states, so that no two ever become one.
func drawLargeMachine(t *rapid.T) machine {
	n, groups := rapid.IntRange(1, 300).Draw(t, "states"), rapid.IntRange(1, 9).Draw(t, "groups")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	a := &dfa.Automaton{NGroups: groups, Emissions: []dfa.Emission{{Kind: dfa.Skip}, {Kind: dfa.Record}, {Kind: dfa.Data}}, States: make([]dfa.State, n)}
	for symbol := range a.Group {
		a.Group[symbol] = dfa.GroupID(symbol % groups)
	}
	a.Group['!'] = dfa.GroupID(groups) // the only one of its group: it may tell the state
	a.NGroups++
	for g := range a.NGroups {
		kind := rapid.SampledFrom([]string{"exchange", "any", "few", "stay"}).Draw(t, "kind")
		exchanged, few := rng.Perm(n), 1+rng.IntN(6)
		for s := range n {
			next, emission := s, 2*rng.IntN(2)
			switch kind {
			case "exchange":
				next = exchanged[s]
			case "any":
				next = rng.IntN(n)
			case "few":
				next = rng.IntN(min(few, n))
			}
			if g+1 == a.NGroups {
				emission = rng.IntN(2)
			}
			a.Next, a.Emit = append(a.Next, dfa.StateID(next)), append(a.Emit, dfa.EmissionID(emission))
		}
	}
	a.AtEOF = make([]dfa.EmissionID, n)
	if err := a.Validate(); err != nil {
		t.Fatal(err)
	}
	return machine{automaton: a, alphabet: []byte("abcdefghijk!")}
}

// TestContextsOfLargeDrawnMachines has states guessed of automata of which some never
// forget where they began, over many segments.
func TestContextsOfLargeDrawnMachines(t *testing.T) {
	b := newBench(t)
	rapid.Check(t, func(t *rapid.T) {
		m := drawLargeMachine(t)
		tables, err := newTrackTables(m.automaton, dfa.Analyse(m.automaton), track{kind: kernels.TrackWalk, guess: true})
		if err != nil {
			t.Fatal(err)
		}
		for log := rapid.Uint64Range(0, tables.words[wordCopiesLog]).Draw(t, "copies"); tables.words[wordCopiesLog] > log; {
			tables.words[wordCopiesLog]--
			tables.shared /= 2
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		data := m.input(rng, rng.IntN(20_000))
		start := dfa.StateID(rng.IntN(m.automaton.NStates()))
		got, _ := b.walked(tables, m.automaton, data, start, rapid.IntRange(0, mendRounds).Draw(t, "rounds"))
		if err := checkSteps(m.automaton, data, start, got); err != nil {
			t.Fatal(err)
		}
	})
}

// walked is what contexts of a walk are, mended in so many rounds, and whether vectors
// were needed in the end. How many rounds are needed depends on the order in which threads
// run: on the host build each sees what the one before has mended.
func (b *bench) walked(tables *trackTables, a *dfa.Automaton, data []byte, start dfa.StateID, rounds int) (states []uint16, vectors bool) {
	b.t.Helper()
	if !tables.fit(b.d.Info().MaxShared - contextTile) {
		b.t.Fatalf("%s does not fit", tables)
	}
	p, err := newProgramOf(b.d, a, tables)
	b.ok(err)
	defer func() { b.ok(p.Close()) }()
	stage, err := newContextStage(b.d, p)
	b.ok(err)
	part := &partition{bench: b, program: p}
	defer part.free()
	part.job = kernels.Job{Size: uint32(len(data)), State: uint32(start)}
	part.job.Data = part.alloc(len(data)+kernels.Padding, rubbish)
	b.ok(b.s.Upload(part.job.Data, data))
	part.job.ChunkState = part.alloc(2*(len(data)/kernels.Chunk+2), rubbish)
	part.job.Scratch = part.alloc(stage.scratch(len(data)), rubbish)
	part.upload()
	for i := range stage.kernels {
		if i <= rounds || i > mendRounds {
			b.ok(stage.launchKernel(b.s, i, part.address, &part.job))
		}
	}
	return table[uint16](part, part.job.ChunkState, len(data)/kernels.Chunk+1), table[uint32](part, part.job.Scratch, 1)[0] != 0
}

// TestContextsWalk is about when guesses are right, when they are mended, and when
// vectors take their place.
func TestContextsWalk(t *testing.T) {
	b := newBench(t)
	spec, err := compile.Compile("nested", gen.NestedSpec(40))
	b.ok(err)
	nested := spec.Program.Automaton
	r := rand.New(rand.NewPCG(1, 2))
	var records []byte
	for i := 0; len(records) < 60_000; i++ {
		records = gen.NestedLine(records, i, r)
	}
	again := func(s string, n int) []byte { return bytes.Repeat([]byte(s), n) }
	log, err := gen.Spec("syslog")
	b.ok(err)
	var lines bytes.Buffer
	b.ok(gen.Write(&lines, "syslog", 60_000, 5))
	java, err := gen.Spec("java_multiline")
	b.ok(err)
	var traces bytes.Buffer
	b.ok(gen.Write(&traces, "java_multiline", 60_000, 5))
	for _, c := range []struct {
		name    string
		a       *dfa.Automaton
		data    []byte
		rounds  int
		vectors bool
	}{
		{"records", nested, records, 0, false},
		{"one longer than lanes look back", nested, slices.Concat(records, []byte("1|a|["), again("x", 2*walkReach), []byte("]|1\n"), records), mendRounds, false},
		{"line ends within brackets", nested, slices.Concat(records, []byte("1|a|[["), again("x\n", 2*walkLeast), []byte("]]|1\n"), records), 0, true},
		{"the same, mended", nested, slices.Concat(records, []byte("1|a|[["), again("x\n", 2*walkLeast), []byte("]]|1\n"), records), mendRounds, false},
		{"lines", log.Program.Automaton, lines.Bytes(), 0, false},
		{"a line longer than lanes look back", log.Program.Automaton, slices.Concat(lines.Bytes()[:30_001], again("x", 2*walkReach), lines.Bytes()[30_001:]), mendRounds, false},
		{"records of several lines", java.Program.Automaton, traces.Bytes(), 0, false},
		{"no two states become one", chain(50), again("+--", 10_000), 0, true},
		{"a segment", chain(50), again("+--", walkLeast/3), 0, false},
		{"two, of which one is mended", chain(50), again("+--", walkLeast/3+1), 1, false},
	} {
		tables, err := newTrackTables(c.a, dfa.Analyse(c.a), track{kind: kernels.TrackWalk, guess: true})
		b.ok(err)
		got, vectors := b.walked(tables, c.a, c.data, c.a.Start, c.rounds)
		if err := checkSteps(c.a, c.data, c.a.Start, got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if vectors != c.vectors {
			t.Errorf("%s: vectors %v", c.name, vectors)
		}
	}
}

// TestContextsWalkFar has a partition so large that segments are longer than the least.
func TestContextsWalkFar(t *testing.T) {
	b := newBench(t)
	spec, err := gen.Spec("syslog")
	b.ok(err)
	var lines bytes.Buffer
	b.ok(gen.Write(&lines, "syslog", 1_000_000, 5))
	a := spec.Program.Automaton
	data := bytes.Repeat(lines.Bytes(), walkLanes*walkLeast/lines.Len()+1)
	tables, err := newTrackTables(a, dfa.Analyse(a), track{kind: kernels.TrackWalk})
	b.ok(err)
	got, vectors := b.walked(tables, a, data, a.Start, 0)
	if !slices.Equal(got[:len(data)/kernels.Chunk], chunkStates(a, data)[:len(data)/kernels.Chunk]) {
		t.Error("other states than one symbol after the other leads to")
	}
	if vectors {
		t.Error("vectors")
	}
}

// TestWalkedRows reads formats whose contexts are walked to, with symbols exchanged, in
// flights: rows, counts and errors are those of the CPU.
func TestWalkedRows(t *testing.T) {
	newBench(t)
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range []string{"nested", "java_multiline", "syslog", "postfix"} {
		spec, err := gen.Spec(name)
		if name == "nested" {
			spec, err = compile.Compile(name, gen.NestedSpec(40))
		}
		if err != nil {
			t.Fatal(err)
		}
		if track := chooseTrack(spec.Program.Automaton, spec.Program.Analysis(), 64<<10); track.kind != kernels.TrackWalk {
			t.Fatalf("%s is tracked by %s", name, track)
		}
		var file bytes.Buffer
		switch name {
		case "nested":
			for i := range 700 {
				file.Write(gen.NestedLine(nil, i, r))
			}
		case "postfix":
			for i := 0; file.Len() < 60_000; i++ {
				file.WriteString(spec.Examples[i%len(spec.Examples)].Input)
			}
		default:
			if err := gen.Write(&file, name, 60_000, 5); err != nil {
				t.Fatal(err)
			}
		}
		alphabet := groupSymbols(spec.Program.Automaton)
		for _, spoilt := range []int{0, 3, 300} {
			in := bytes.Clone(file.Bytes())
			for range spoilt {
				in[r.IntN(len(in))] = alphabet[r.IntN(len(alphabet))]
			}
			opts := []runtime.Option{runtime.WithErrorMode(dfa.Reject)}
			want, wantStats, wantErr := readRows(cpu.Engine, spec.Program, string(in), opts...)
			for _, flight := range []int{5000, DefaultFlight} {
				got, stats, err := readRows(New(WithFlight(flight), WithGeneralPath()), spec.Program, string(in), opts...)
				if got != want || stats.Rows != wantStats.Rows || stats.Rejected != wantStats.Rejected || fmt.Sprint(err) != fmt.Sprint(wantErr) {
					t.Errorf("%s, %d symbols exchanged, flights of %d: %d rows, %d rejected, %v, want %d, %d, %v, and the same values", name, spoilt, flight,
						stats.Rows, stats.Rejected, err, wantStats.Rows, wantStats.Rejected, wantErr)
				}
			}
		}
	}
}
