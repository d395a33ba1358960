package dfa

import (
	goruntime "runtime"
	"slices"
	"sync"
	"weak"
)

// Table is an automaton flattened for serial execution: one entry for each
// state and symbol, found without the symbol's group.
//
//	i := t.Row(state)
//	for _, symbol := range in {
//		e := t.Entries[i|uint32(symbol)]
//		… e.Kind(), e.Emission() …
//		i = e.Row()
//	}
type Table struct {
	Entries   []Entry      // state<<8 | symbol
	AtEOF     []EmissionID // per state, the automaton's
	Emissions []Emission   // the automaton's
	Start     StateID
	ordinary  uint32 // a symbol of the group with most of them
}

// Entry is one transition, packed:
//
//	bit  31..29  28..20      19..8       7..1  0
//	     kind    emission    next state  0     coded
//
// The next state stands where it is the next row's index already. Coded is what
// Emission.Coded says.
type Entry uint32

const (
	entryKind     = 29
	entryEmission = 20
	entryState    = 8
	entryRow      = (MaxStates - 1) << entryState
	entryCoded    = 1
)

// Next is the state that follows.
func (e Entry) Next() StateID { return StateID(e & entryRow >> entryState) }

// Row is Next as an index into Table.Entries: its entry for symbol 0.
func (e Entry) Row() uint32 { return uint32(e & entryRow) }

// Emission is the index of the emission.
func (e Entry) Emission() EmissionID { return EmissionID(e >> entryEmission & (MaxEmissions - 1)) }

// Kind is the emission's kind.
func (e Entry) Kind() Kind { return Kind(e >> entryKind) }

// Coded reports whether the emission belongs to an escape: of data, the symbol
// decodes to another byte.
func (e Entry) Coded() bool { return e&entryCoded != 0 }

// Boundary reports whether the emission ends a field.
func (e Entry) Boundary() bool { return e.Kind() == Field || e.Kind() == Record }

func newEntry(next StateID, id EmissionID, e *Emission) Entry {
	x := Entry(e.Kind)<<entryKind | Entry(id)<<entryEmission | Entry(next)<<entryState
	if e.Coded() {
		x |= entryCoded
	}
	return x
}

// Row is the index of state s's entry for symbol 0.
func (t *Table) Row(s StateID) uint32 { return uint32(s) << entryState }

// Entry is the transition of s for symbol.
func (t *Table) Entry(s StateID, symbol byte) Entry { return t.Entries[t.Row(s)|uint32(symbol)] }

// Emission is what the transition e emits.
func (t *Table) Emission(e Entry) *Emission { return &t.Emissions[e.Emission()] }

// EOF is the emission at the end of the input in state s.
func (t *Table) EOF(s StateID) *Emission { return &t.Emissions[t.AtEOF[s]] }

func newTable(a *Automaton) *Table {
	n := len(a.States)
	t := &Table{Entries: make([]Entry, n<<entryState), AtEOF: a.AtEOF, Emissions: a.Emissions, Start: a.Start}
	t.ordinary = uint32(slices.Index(a.Group[:], a.largestGroup()))
	for symbol, g := range a.Group {
		row := int(g) * n
		for s := range n {
			id := a.Emit[row+s]
			t.Entries[s<<entryState|symbol] = newEntry(a.Next[row+s], id, &a.Emissions[id])
		}
	}
	return t
}

// largestGroup is the group with most symbols, of several the first.
func (a *Automaton) largestGroup() (largest GroupID) {
	size := make([]int, a.NGroups)
	for _, g := range a.Group {
		size[g]++
	}
	for g, n := range size {
		if n > size[largest] {
			largest = GroupID(g)
		}
	}
	return largest
}

// tables holds the Table of each automaton that was asked for one, for as long
// as the automaton lives: an Automaton is plain data that can be compared and
// copied, so it does not carry its Table. A Table may not point to its
// Automaton, which would then live for ever.
var tables sync.Map // weak.Pointer[Automaton] -> *tableOnce

type tableOnce struct {
	once  sync.Once
	table *Table
}

// Table is a flattened. It is made when it is first asked for; a must be valid
// and may not change from then on. Safe for concurrent use.
func (a *Automaton) Table() *Table {
	key := weak.Make(a)
	got, ok := tables.Load(key)
	if !ok {
		var loaded bool
		if got, loaded = tables.LoadOrStore(key, new(tableOnce)); !loaded {
			goruntime.AddCleanup(a, func(k weak.Pointer[Automaton]) { tables.Delete(k) }, key)
		}
	}
	o := got.(*tableOnce)
	o.once.Do(func() { o.table = newTable(a) })
	return o.table
}
