package gpu

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
)

func TestChooseTrack(t *testing.T) {
	found := automata(t)
	for name, want := range map[string]uint32{
		"csv": kernels.Track8, "tsv": kernels.Track8, "machine text": kernels.Track4,
		"apache_combined": kernels.TrackLive8, "w3c": kernels.TrackLive8, "syslog_rfc5424": kernels.TrackWalk,
	} {
		a := found[name]
		if got := chooseTrack(a, dfa.Analyse(a), 2*sharedRows); got.kind != want {
			t.Errorf("%s is tracked by %s, want %s", name, got, track{kind: want})
		}
	}
}

// TestTrackFits has less and less shared memory.
func TestTrackFits(t *testing.T) {
	found := automata(t)
	for _, c := range []struct {
		name   string
		shared int
		kind   uint32
		copies int
	}{
		{"csv", 32 << 10, kernels.Track8, 32}, {"csv", 31 << 10, kernels.Track8, 16}, {"csv", 1 << 10, kernels.Track8, 1},
		{"csv", 700, kernels.TrackLive8, 4}, {"csv", 256, kernels.TrackWalk, 8}, {"apache_combined", 32 << 10, kernels.TrackLive8, 32},
		{"apache_combined", 16 << 10, kernels.TrackLive8, 16},
	} {
		a := found[c.name]
		x := chooseTrack(a, dfa.Analyse(a), c.shared)
		room := c.shared
		if x.kind == kernels.TrackWalk {
			room += contextTile - x.threads*walkTile
		}
		if x.kind != c.kind || x.shared > room || x.words[wordCopiesLog] != uint64(bits.Len(uint(c.copies))-1) {
			t.Errorf("%s in %d bytes: %s, 1<<%d copies, %d bytes, want %d copies", c.name, c.shared, x, x.words[wordCopiesLog], x.shared, c.copies)
		}
	}
}

// TestTrackLarge has automata that no symbol leaves fewer states of: those of which a table
// fits are walked, and vectors take the place of others.
func TestTrackLarge(t *testing.T) {
	for _, c := range []struct {
		states, groups int
		kind           uint32
	}{{300, 8, kernels.TrackWalk}, {1000, 16, kernels.TrackWalk}, {dfa.MaxStates, 12, kernels.TrackVector}} {
		a := &dfa.Automaton{NGroups: c.groups, Emissions: []dfa.Emission{{Kind: dfa.Skip}}, States: make([]dfa.State, c.states)}
		for symbol := range a.Group {
			a.Group[symbol] = dfa.GroupID(symbol % c.groups)
		}
		for g := range c.groups {
			for s := range c.states {
				a.Next = append(a.Next, dfa.StateID((s+g)%c.states))
			}
		}
		a.Emit, a.AtEOF = make([]dfa.EmissionID, len(a.Next)), make([]dfa.EmissionID, c.states)
		if got := chooseTrack(a, dfa.Analyse(a), leastShared); got.kind != c.kind {
			t.Errorf("%d states of %d groups are tracked by %s, want %s", c.states, c.groups, got, track{kind: c.kind})
		}
	}
}

// nibble is the code after code in a row.
func nibble(x *trackTables, row, code int) int {
	if rows, ok := x.tables[wordRows].([]uint32); ok {
		return int(rows[row] >> (4 * code) & 15)
	}
	return int(x.tables[wordRows].([]uint64)[row] >> (4 * code) & 15)
}

// follow takes one state through in by the tables of x as the kernels read
// them, and says which code it is after each symbol. Places among the states
// that are possible begin with the first symbol.
func (x *trackTables) follow(a *dfa.Automaton, in []byte, s dfa.StateID) []int {
	enter := x.tables[wordEnter].([]uint16)
	var codes []int
	if x.kind == kernels.TrackLive8 || x.kind == kernels.TrackLive16 {
		groups := x.tables[wordGroups].([]byte)
		code := 0
		for i, symbol := range in {
			g := int(groups[symbol])
			if i == 0 {
				code = int(enter[g*a.NStates()+int(s)])
			} else {
				code = nibble(x, int(groups[in[i-1]])*a.NGroups+g, code)
			}
			codes = append(codes, code)
		}
		return codes
	}
	code := int(enter[s])
	for _, symbol := range in {
		row := int(symbol)
		if x.registers {
			row = x.match(symbol)
		}
		if code < x.tracked {
			code = nibble(x, row, code)
		}
		codes = append(codes, code)
	}
	return codes
}

// match is the row of a symbol by lookup registers.
func (x *trackTables) match(symbol byte) int {
	registers := x.tables[wordGroups].([]uint32)
	for i := range 4 * int(registers[0]) {
		if byte(registers[1+i/4]>>(8*(i%4))) == symbol {
			return i
		}
	}
	return 4 * int(registers[0])
}

// TestTrackTables follows states by tables of vectors in registers.
func TestTrackTables(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fits := map[track]int{}
	for name, a := range automata(t) {
		analysis := dfa.Analyse(a)
		for _, way := range preferred {
			for _, way.registers = range []bool{false, true} {
				if way.width() == 0 || way.registers && way.kind > kernels.Track16 {
					continue
				}
				x, err := newTrackTables(a, analysis, way)
				if err != nil {
					continue
				}
				fits[way]++
				leave, span := x.tables[wordLeave].([]uint16), int(x.words[wordSpan])
				if x.words[wordRowCount]*x.words[wordStride] > sharedRows || x.words[wordStride] > bankRow {
					t.Errorf("%s by %s: %d rows, %d bytes from one to the next", name, way, x.words[wordRowCount], x.words[wordStride])
				}
				for range 20 {
					in := make([]byte, 1+rng.IntN(100))
					for i := range in {
						in[i] = symbolOf(a, rng)
					}
					s := dfa.StateID(rng.IntN(a.NStates()))
					for i, code := range x.follow(a, in, s) {
						s, _ = a.Step(s, in[i])
						if got := leave[int(in[i])*span+code]; dfa.StateID(got) != s {
							t.Fatalf("%s by %s: %q leads to state %d, code %d, want state %d", name, way, in[:i+1], got, code, s)
						}
					}
				}
			}
		}
	}
	for _, way := range preferred {
		if way.width() > 0 && fits[way] == 0 {
			t.Errorf("%s fits none of the automata", way)
		}
	}
}

// symbolOf draws a symbol of a group that is drawn before.
func symbolOf(a *dfa.Automaton, rng *rand.Rand) byte {
	g := dfa.GroupID(rng.IntN(a.NGroups))
	for {
		if symbol := byte(rng.Uint32()); a.Group[symbol] == g {
			return symbol
		}
	}
}

// TestStatesThatNoSymbolLeaves need no entry of four.
func TestStatesThatNoSymbolLeaves(t *testing.T) {
	// States 0 to 3 go round, a '!' leads to 4 and a '?' to 5, for good.
	a := &dfa.Automaton{NGroups: 4, Emissions: []dfa.Emission{{Kind: dfa.Skip}}, States: make([]dfa.State, 6)}
	a.Group['+'], a.Group['!'], a.Group['?'] = 1, 2, 3
	for g := range a.NGroups {
		for s := range 4 {
			next := []int{s, (s + 1) % 4, 4, 5}[g]
			a.Next = append(a.Next, dfa.StateID(next))
		}
		a.Next = append(a.Next, 4, 5)
	}
	a.Emit, a.AtEOF = make([]dfa.EmissionID, len(a.Next)), make([]dfa.EmissionID, 6)
	x, err := newTrackTables(a, dfa.Analyse(a), track{kind: kernels.Track4})
	if err != nil {
		t.Fatal(err)
	}
	leave := x.tables[wordLeave].([]uint16)
	for in, want := range map[string]dfa.StateID{"++": 3, "+!+": 4, "?!": 5, "+": 2} {
		codes := x.follow(a, []byte(in), 1)
		if got := leave[codes[len(codes)-1]]; dfa.StateID(got) != want {
			t.Errorf("%q leads to state %d, want %d", in, got, want)
		}
	}
	if codes := x.follow(a, []byte("+!?"), 5); leave[codes[2]] != 5 {
		t.Errorf("state 5 is left")
	}
}

// TestSegments holds vectors in memory to an eighth of the symbols.
func TestSegments(t *testing.T) {
	for _, n := range []int{1, 29, 256, 257, 300, 4095, dfa.MaxStates} {
		a := &dfa.Automaton{NGroups: 1, Emissions: []dfa.Emission{{Kind: dfa.Skip}}, States: make([]dfa.State, n)}
		for s := range n {
			a.Next = append(a.Next, dfa.StateID((s+1)%n))
		}
		a.Emit, a.AtEOF = make([]dfa.EmissionID, n), make([]dfa.EmissionID, n)
		x, err := newTrackTables(a, dfa.Analyse(a), track{kind: kernels.TrackVector})
		if err != nil {
			t.Fatal(err)
		}
		segment := int(x.words[wordMore])
		if x.tracked != n || segment%kernels.Chunk != 0 || 8*2*n > segment || segment < segmentLeast {
			t.Errorf("%d states: vectors of %d entries, segments of %d symbols", n, x.tracked, segment)
		}
	}
}
