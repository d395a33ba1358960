package gpu

import (
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
)

// # What is tracked
//
// A thread that does not know in which state its chunk begins reads it from
// every state at once. What it keeps for each is a code, of a few bits:
//
//	kernels.Track4, 8, 16     a state, or a class of dfa.Context: after the scan the class
//	                          and the symbol before a chunk give the state
//	kernels.TrackLive8, 16    a place among the states that are possible after the symbol
//	                          before, in increasing order: there are fewer of those
//	kernels.TrackMonoid       an element of the transition monoid
//	kernels.TrackVector       a state, a vector a segment of many chunks
//	kernels.TrackWalk         one state, which is guessed and then verified
//
// Of the first two the tables hold, per symbol or per pair of symbol groups,
// the code after each code: a nibble each.

// track says how states are tracked.
type track struct {
	kind      uint32 // kernels.Track4 to TrackWalk
	registers bool   // symbols are looked up by dfa.LookupRegisters, not in a table
	guess     bool   // of TrackWalk: whatever the automaton is
}

func (t track) String() string {
	name := [...]string{"4", "8", "16", "monoid", "vector", "live 8", "live 16", "walk"}[t.kind]
	if t.registers {
		name += ", lookup registers"
	}
	if t.guess {
		name += ", guessed"
	}
	return name
}

// width is the number of codes of a vector in registers, 0 if there is none.
func (t track) width() int {
	switch t.kind {
	case kernels.Track4:
		return 4
	case kernels.Track8, kernels.TrackLive8:
		return 8
	case kernels.Track16, kernels.TrackLive16:
		return 16
	}
	return 0
}

// preferred are the ways to track states, the cheapest first. For compute
// capability 9.0 a symbol takes 3 instructions with 4 codes, 5 with 8, 9 with 8
// that are live, 5 with a monoid, two of which wait for shared memory one after
// the other, 20 with 16 and 24 with 16 that are live. A walk takes 4 and two look-ups in shared
// memory, whatever the automaton, but only where guesses are right: those that are sure to be
// soon come before 16 codes.
var preferred = []track{
	{kind: kernels.Track4}, {kind: kernels.Track8}, {kind: kernels.TrackLive8}, {kind: kernels.TrackMonoid},
	{kind: kernels.TrackWalk}, {kind: kernels.Track16}, {kind: kernels.TrackLive16}, {kind: kernels.TrackWalk, guess: true}, {kind: kernels.TrackVector},
}

// contextTile is the shared memory of a block of vectors in registers beside the tables, in
// bytes.
const contextTile = contextThreads * kernels.Chunk

// chooseTrack gives the tables of the first that fits, on a device on which they
// may have so many bytes of a block's shared memory.
func chooseTrack(a *dfa.Automaton, analysis *dfa.Analysis, shared int) *trackTables {
	for _, t := range preferred {
		if tables, err := newTrackTables(a, analysis, t); err == nil && tables.fit(shared) {
			return tables
		}
	}
	panic("gpu: no way to track states") // TrackVector fits every automaton
}

// contextWords is how many words kernels.Program.ContextWords has; which word has
// what, kernels/context/tables.cuh says.
const contextWords = len(kernels.Program{}.ContextWords)

// trackTables are the tables of the stage context.
type trackTables struct {
	track
	tracked int                  // codes, elements, or entries of a vector
	words   [contextWords]uint64 // those that are numbers
	tables  [contextWords]any    // those that are tables
	shared  int                  // bytes of shared memory
	wide    bool                 // of TrackWalk: a state takes two bytes
	threads int                  // of TrackWalk: of a block
}

// Bounds of tables in shared memory, beside a tile.
const (
	sharedRows = 32 << 10 // bytes
	bankRow    = 128      // bytes that the banks of shared memory give at once
)

// newTrackTables makes the tables of t, or says why it does not fit.
func newTrackTables(a *dfa.Automaton, analysis *dfa.Analysis, t track) (*trackTables, error) {
	x := &trackTables{track: t}
	switch t.kind {
	case kernels.Track4, kernels.Track8, kernels.Track16:
		return x, x.direct(a, analysis)
	case kernels.TrackLive8, kernels.TrackLive16:
		return x, x.live(a)
	case kernels.TrackMonoid:
		return x, x.monoid(a)
	case kernels.TrackWalk:
		return x, x.walk(a, analysis)
	}
	x.vector(a)
	return x, nil
}

// codes is a numbering of what is tracked: codes 0 to tracked-1 have an entry
// in a vector, and the code after each is next.
type codes struct {
	tracked int
	of      []uint16 // per state
	next    func(g dfa.GroupID, code int) int
	leave   []uint16 // leave[symbol*span+code] is the state
	span    int
}

// directCodes numbers the states, or else their classes, with at most width
// entries. With four entries, codes 4 to 7 are states that no symbol leaves.
func directCodes(a *dfa.Automaton, analysis *dfa.Analysis, width int) (*codes, error) {
	n := a.NStates()
	var order []dfa.StateID // by code
	kept := func(s int) bool {
		for g := range a.NGroups {
			if a.Row(dfa.GroupID(g))[s] != dfa.StateID(s) {
				return false
			}
		}
		return width == 4
	}
	var absorbing []dfa.StateID
	for s := range n {
		if kept(s) {
			absorbing = append(absorbing, dfa.StateID(s))
		} else {
			order = append(order, dfa.StateID(s))
		}
	}
	if len(order) <= width && len(absorbing) <= 4 {
		c := &codes{tracked: len(order), of: make([]uint16, n), leave: make([]uint16, max(width, 8))}
		for i, s := range order {
			c.of[s], c.leave[i] = uint16(i), uint16(s)
		}
		for i, s := range absorbing {
			c.of[s], c.leave[width+i] = uint16(width+i), uint16(s)
		}
		c.next = func(g dfa.GroupID, code int) int { return int(c.of[a.Row(g)[order[code]]]) }
		return c, nil
	}
	x := analysis.Context()
	if x == nil || x.Classes > width || analysis.NReachable < n { // any state may be the first of a partition
		return nil, fmt.Errorf("%d states, more than %d, and so are their classes", n, width)
	}
	c := &codes{tracked: x.Classes, of: make([]uint16, n), leave: make([]uint16, len(a.Group)*x.Classes), span: x.Classes}
	for s, class := range x.Class {
		c.of[s] = uint16(class)
	}
	c.next = func(g dfa.GroupID, code int) int { return x.Next[int(g)*x.Classes+code] }
	for symbol, g := range a.Group {
		for class := range x.Classes {
			if s := x.Full[class*a.NGroups+int(g)]; s != dfa.NoState {
				c.leave[symbol*c.span+class] = uint16(s)
			}
		}
	}
	return c, nil
}

// direct makes the tables of a row for each symbol.
func (x *trackTables) direct(a *dfa.Automaton, analysis *dfa.Analysis) error {
	c, err := directCodes(a, analysis, x.width())
	if err != nil {
		return err
	}
	groups := a.Group[:]
	if x.registers {
		l, err := dfa.NewLookupRegisters(a)
		if err != nil {
			return err
		}
		registers := make([]uint32, 1+dfa.MaxLookupSymbols/4)
		registers[0] = uint32(len(l.Registers))
		for i := range registers[1:] {
			if i < len(l.Registers) {
				registers[1+i] = l.Registers[i]
			} else {
				registers[1+i] = registers[1]
			}
		}
		x.tables[wordGroups], groups = registers, l.Groups
	}
	rows := make([]uint64, len(groups))
	for i, g := range groups {
		for code := range x.width() {
			next := code
			if code < c.tracked {
				next = c.next(g, code)
			}
			rows[i] |= uint64(next) << (4 * code)
		}
	}
	x.tracked = c.tracked
	x.tables[wordEnter], x.tables[wordLeave], x.words[wordSpan] = c.of, c.leave, uint64(c.span)
	return x.setRows(rows)
}

// live makes the tables of a row for each two groups that follow each other.
func (x *trackTables) live(a *dfa.Automaton) error {
	n := a.NStates()
	live := make([][]dfa.StateID, a.NGroups) // per group, in increasing order
	place := make([][]uint16, a.NGroups)     // per group, of a state among these
	for g := range live {
		live[g], place[g] = image1(a, dfa.GroupID(g))
		x.tracked = max(x.tracked, len(live[g]))
	}
	if x.tracked > x.width() {
		return fmt.Errorf("%d states are possible after one symbol, more than %d", x.tracked, x.width())
	}
	rows := make([]uint64, a.NGroups*a.NGroups)
	enter := make([]uint16, a.NGroups*n)
	for g := range a.NGroups {
		next := a.Row(dfa.GroupID(g))
		for s, t := range next {
			enter[g*n+s] = place[g][t]
		}
		for before := range a.NGroups {
			for code := range x.width() {
				after := code
				if code < len(live[before]) {
					after = int(place[g][next[live[before][code]]])
				}
				rows[before*a.NGroups+g] |= uint64(after) << (4 * code)
			}
		}
	}
	leave := make([]uint16, len(a.Group)*x.tracked)
	for symbol, g := range a.Group {
		for code, s := range live[g] {
			leave[symbol*x.tracked+code] = uint16(s)
		}
	}
	x.tables[wordEnter], x.tables[wordLeave], x.words[wordSpan] = enter, leave, uint64(x.tracked)
	x.tables[wordGroups], x.shared = groupBytes(a), len(a.Group)
	return x.setRows(rows)
}

// image1 gives the states that a symbol of group g leads to, in increasing
// order, and per state its place among them.
func image1(a *dfa.Automaton, g dfa.GroupID) (states []dfa.StateID, place []uint16) {
	in := make([]bool, a.NStates())
	for _, t := range a.Row(g) {
		in[t] = true
	}
	place = make([]uint16, a.NStates())
	for s, live := range in {
		if live {
			place[s] = uint16(len(states))
			states = append(states, dfa.StateID(s))
		}
	}
	return states, place
}

// groupBytes is the group of each symbol.
func groupBytes(a *dfa.Automaton) []byte {
	b := make([]byte, len(a.Group))
	for symbol, g := range a.Group {
		b[symbol] = byte(g)
	}
	return b
}

// setRows takes rows of width nibbles, and lays out as many copies as fit.
func (x *trackTables) setRows(rows []uint64) error {
	size := 4
	x.tables[wordRows] = rows
	if x.width() <= 8 {
		narrow := make([]uint32, len(rows))
		for i, row := range rows {
			narrow[i] = uint32(row)
		}
		x.tables[wordRows] = narrow
	} else {
		size = 8
	}
	if len(rows)*size > sharedRows {
		return fmt.Errorf("%d rows of %d bytes, more than %d bytes", len(rows), size, sharedRows)
	}
	log := 0
	for size<<(log+1) <= bankRow && len(rows)*size<<(log+1) <= sharedRows {
		log++
	}
	x.words[wordRowCount], x.words[wordCopiesLog], x.words[wordStride] = uint64(len(rows)), uint64(log), uint64(size<<log)
	x.shared += len(rows) * size << log
	return nil
}

// fit leaves out copies of rows until the tables take no more than so many bytes
// of shared memory. It says false if one copy is too much.
func (x *trackTables) fit(shared int) bool {
	if x.kind == kernels.TrackWalk { // what its threads have is at most three fifths of all, or less if one copy is much
		all := shared + contextTile
		least := x.shared >> x.words[wordCopiesLog]
		for x.threads = walkThreads; x.threads > 128 && (5*x.threads*walkTile > 3*all || x.threads*walkTile+least > all); {
			x.threads /= 2
		}
		shared = all - x.threads*walkTile
		for ; x.shared > shared && x.words[wordCopiesLog] > 0; x.words[wordCopiesLog]-- {
			x.shared /= 2
		}
	}
	if x.width() > 0 {
		for x.shared > shared && x.words[wordCopiesLog] > 0 {
			x.shared -= int(x.words[wordRowCount] * x.words[wordStride] / 2)
			x.words[wordCopiesLog]--
			x.words[wordStride] /= 2
		}
	}
	return x.shared <= shared
}

// monoid makes the tables of a monoid: the element after a symbol, composition,
// and the elements as vectors.
func (x *trackTables) monoid(a *dfa.Automaton) error {
	if a.NGroups*monoidElements > sharedRows {
		return fmt.Errorf("%d symbol groups, more than %d", a.NGroups, sharedRows/monoidElements)
	}
	m, ok := dfa.NewMonoid(a, monoidElements)
	if !ok {
		return fmt.Errorf("a monoid of more than %d elements", monoidElements)
	}
	n := len(m.Elements)
	after := make([]byte, a.NGroups*monoidElements)
	compose := make([]byte, n*monoidElements)
	leave := make([]uint16, 0, n*m.NStates)
	product := m.Table()
	for e, v := range m.Elements {
		for g := range a.NGroups {
			after[g*monoidElements+e] = byte(m.Step(dfa.ElementID(e), dfa.GroupID(g)))
		}
		for later := range n {
			compose[e*monoidElements+later] = byte(product[e*n+later])
		}
		for _, s := range v {
			leave = append(leave, uint16(s))
		}
	}
	x.tracked = n
	x.tables[wordGroups], x.tables[wordRows], x.words[wordRowCount] = groupBytes(a), after, uint64(a.NGroups)
	x.tables[wordMore], x.tables[wordLeave] = compose, leave
	x.shared = len(a.Group) + len(after)
	return nil
}

// Bounds of a segment, the symbols that have one vector in memory: so many
// symbols for each entry at least, so that vectors take an eighth of the
// partition's size at most.
const (
	segmentLeast    = 4 << 10
	segmentPerEntry = 16
)

// vector makes the tables of vectors in memory: [group*states+state] the next
// state, and its place among those that the group leads to; [group*span+place]
// these.
func (x *trackTables) vector(a *dfa.Automaton) {
	n := a.NStates()
	live := make([][]dfa.StateID, a.NGroups)
	enter := make([]uint16, 0, len(a.Next))
	next := make([]uint16, 0, len(a.Next))
	for g := range a.NGroups {
		var place []uint16
		live[g], place = image1(a, dfa.GroupID(g))
		x.tracked = max(x.tracked, len(live[g]))
		for _, t := range a.Next[g*n : (g+1)*n] {
			next, enter = append(next, uint16(t)), append(enter, place[t])
		}
	}
	leave := make([]uint16, a.NGroups*x.tracked)
	for g, states := range live {
		for i, s := range states {
			leave[g*x.tracked+i] = uint16(s)
		}
	}
	segment := segmentLeast
	for segment < segmentPerEntry*x.tracked {
		segment *= 2
	}
	x.tables[wordEnter], x.tables[wordLeave], x.tables[wordRows] = enter, leave, next
	x.tables[wordGroups] = groupBytes(a)
	x.words[wordSpan], x.words[wordMore] = uint64(x.tracked), uint64(segment)
}

// walkMostLog: of the tables of a walk there are up to 32 copies, one for each lane.
const walkMostLog = 5

// walk makes the tables of a state that is guessed. It is sure to be found soon if a symbol
// leads to one state from every state, or leaves few that become one. Otherwise, the symbol
// at which most states end a record is likely to tell it, by the state that most of them
// lead to then.
func (x *trackTables) walk(a *dfa.Automaton, analysis *dfa.Analysis) error {
	n := a.NStates()
	x.words[wordSyncSymbol] = noSymbol
	if _, ok := analysis.LocalSync(); !ok && !fewRemain(a) {
		if !x.guess {
			return fmt.Errorf("no symbol leads to one state from every state, or to %d that become one", fewStates)
		}
		if symbol, state := endSymbol(a); symbol >= 0 {
			x.words[wordSyncSymbol], x.words[wordSyncState] = uint64(symbol), uint64(state)
		}
	}
	x.words[wordWalkState] = uint64(stayingState(a))
	x.vector(a)
	each := 4 // entries of a word
	if x.wide = n > 1<<8; x.wide {
		each = 2
	}
	perState := (a.NGroups-1)/each + 1
	rows := make([]uint32, n*perState)
	for g := range a.NGroups {
		for s, next := range a.Row(dfa.GroupID(g)) {
			rows[s*perState+g/each] |= uint32(next) << (g % each * (32 / each))
		}
	}
	x.tables[wordWalkRows] = rows
	x.threads = walkThreads
	x.words[wordCopiesLog], x.shared = walkMostLog, (len(rows)+256)*4<<walkMostLog
	return nil
}

// stayingState is the state, of those that input without an error leads to, that most
// symbols leave as it is, which are data there.
func stayingState(a *dfa.Automaton) dfa.StateID {
	n := a.NStates()
	kind := func(g, s int) dfa.Kind { return a.Emissions[a.Emit[g*n+s]].Kind }
	sound := make([]bool, n)
	sound[a.Start] = true
	for todo := []dfa.StateID{a.Start}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for g := range a.NGroups {
			if next := a.Next[g*n+int(s)]; !sound[next] && kind(g, int(s)) != dfa.Error {
				sound[next] = true
				todo = append(todo, next)
			}
		}
	}
	stays := make([]int, n)
	for _, g := range a.Group {
		for s, next := range a.Row(g) {
			if dfa.StateID(s) == next && sound[s] && kind(int(g), s) == dfa.Data {
				stays[s]++
			}
		}
	}
	return dfa.StateID(slices.Index(stays, slices.Max(stays)))
}

// endSymbol is the symbol, the only one of its group, at which most states end a record,
// and the state that most of them lead to; -1 if there is none.
func endSymbol(a *dfa.Automaton) (symbol int, state dfa.StateID) {
	of := make([]int, a.NGroups) // symbols
	for _, g := range a.Group {
		of[g]++
	}
	symbol = -1
	most := 0
	for i, g := range a.Group {
		if of[g] != 1 {
			continue
		}
		ends, to := 0, make([]int, a.NStates())
		for s, next := range a.Row(g) {
			if e := &a.Emissions[a.Emit[int(g)*a.NStates()+s]]; e.Kind == dfa.Record && e.Lag == 0 {
				ends++
				to[next]++
			}
		}
		if ends > most {
			symbol, state, most = i, dfa.StateID(slices.Index(to, slices.Max(to))), ends
		}
	}
	return symbol, state
}

// fewStates is how many states a symbol may leave that become one.
const fewStates = 4

// fewRemain reports whether a symbol, the only one of its group, leaves few states, of which
// some input makes one.
func fewRemain(a *dfa.Automaton) bool {
	of := make([]int, a.NGroups) // symbols
	for _, g := range a.Group {
		of[g]++
	}
	for _, g := range a.Group {
		if of[g] == 1 {
			if states, _ := image1(a, g); len(states) <= fewStates && merges(a, states) {
				return true
			}
		}
	}
	return false
}

// merges reports whether each of the states and the first become one by some
// input that is an error in neither.
func merges(a *dfa.Automaton, states []dfa.StateID) bool {
	n := a.NStates()
	for _, s := range states[1:] {
		type pair struct{ a, b dfa.StateID }
		seen := map[pair]bool{{states[0], s}: true}
		todo := []pair{{states[0], s}}
		found := false
		for len(todo) > 0 && !found {
			p := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for g := range a.NGroups {
				if a.Emissions[a.Emit[g*n+int(p.a)]].Kind == dfa.Error || a.Emissions[a.Emit[g*n+int(p.b)]].Kind == dfa.Error {
					continue
				}
				q := pair{a.Next[g*n+int(p.a)], a.Next[g*n+int(p.b)]}
				if found = q.a == q.b; found {
					break
				}
				if !seen[q] {
					seen[q] = true
					todo = append(todo, q)
				}
			}
		}
		if !found {
			return false
		}
	}
	return true
}
