package dfa

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
)

// Set is a set of symbols.
type Set [4]uint64

// Bytes is the set of the symbols given.
func Bytes(symbols ...byte) (s Set) {
	for _, b := range symbols {
		s[b>>6] |= 1 << (b & 63)
	}
	return s
}

// Range is the set of the symbols from lo through hi.
func Range(lo, hi byte) (s Set) {
	for b := int(lo); b <= int(hi); b++ {
		s[b>>6] |= 1 << (b & 63)
	}
	return s
}

// All is the set of all 256 symbols.
func All() Set { return Set{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)} }

// Has reports whether b is in s.
func (s Set) Has(b byte) bool { return s[b>>6]>>(b&63)&1 == 1 }

// Union is s ∪ t.
func (s Set) Union(t Set) Set { return Set{s[0] | t[0], s[1] | t[1], s[2] | t[2], s[3] | t[3]} }

// Minus is s \ t.
func (s Set) Minus(t Set) Set { return Set{s[0] &^ t[0], s[1] &^ t[1], s[2] &^ t[2], s[3] &^ t[3]} }

// And is s ∩ t.
func (s Set) And(t Set) Set { return Set{s[0] & t[0], s[1] & t[1], s[2] & t[2], s[3] & t[3]} }

// Empty reports whether s has no symbol.
func (s Set) Empty() bool { return s == Set{} }

// First is the smallest symbol in s, 0 if there is none.
func (s Set) First() byte {
	for k, w := range s {
		if w != 0 {
			return byte(64*k + bits.TrailingZeros64(w))
		}
	}
	return 0
}

// Len is the number of symbols in s.
func (s Set) Len() int {
	return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) + bits.OnesCount64(s[2]) + bits.OnesCount64(s[3])
}

// ConflictError says that a state has two transitions for one symbol.
type ConflictError struct {
	State  State
	Symbol byte
	Was    Emission
	Now    Emission
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("state %s (%s) has two transitions for %s: %s and %s", e.State.Name, e.State.Doc, FormatSymbol(e.Symbol), e.Was, e.Now)
}

// Builder collects the states and transitions of an Automaton. A transition
// that is said twice differently is a conflict; one that is never said goes to
// Otherwise, if the state has one, and is a fault of the caller if not: Build
// reports both.
type Builder struct {
	states   []building
	messages []string
	sets     map[Set]bool // of symbols that transitions were defined for
	err      error
}

type building struct {
	State
	set    Set // of the symbols that have a transition
	to     []transition
	eof    Emission
	hasEOF bool
}

// transition is that of symbols of which no other transition of the state has one.
type transition struct {
	symbols Set
	next    StateID
	emit    Emission
}

// of is the transition for symbol c, which there is.
func (s *building) of(c byte) *transition {
	for i := range s.to {
		if s.to[i].symbols.Has(c) {
			return &s.to[i]
		}
	}
	return nil
}

// NewBuilder is an empty Builder; the first state added is the start state.
func NewBuilder() *Builder { return &Builder{sets: map[Set]bool{}} }

// AddState adds a state. Names must differ: the minimised automaton keeps the
// first of the names that it merges.
func (b *Builder) AddState(name, doc string) StateID {
	b.states = append(b.states, building{State: State{name, doc}})
	return StateID(len(b.states) - 1)
}

// Message gives the error code of a message, the same for the same text.
func (b *Builder) Message(text string) ErrorCode {
	for i, m := range b.messages {
		if m == text {
			return ErrorCode(i + 1)
		}
	}
	b.messages = append(b.messages, text)
	return ErrorCode(len(b.messages))
}

// On defines the transition of s for every symbol of set.
func (b *Builder) On(s StateID, set Set, next StateID, e Emission) {
	st := &b.states[s]
	b.sets[set] = true
	for said := set.And(st.set); !said.Empty() && b.err == nil; {
		c := said.First()
		if was := st.of(c); was.next != next || was.emit != e {
			b.err = &ConflictError{st.State, c, was.emit, e}
		}
		said = said.Minus(Bytes(c))
	}
	if more := set.Minus(st.set); !more.Empty() {
		st.to = append(st.to, transition{more, next, e})
		st.set = st.set.Union(more)
	}
}

// Otherwise defines the transition of s for every symbol that has none yet.
func (b *Builder) Otherwise(s StateID, next StateID, e Emission) {
	b.On(s, b.Free(s), next, e)
}

// Free is the set of symbols for which s has no transition yet.
func (b *Builder) Free(s StateID) Set { return All().Minus(b.states[s].set) }

// EOF defines what the end of the input means in s.
func (b *Builder) EOF(s StateID, e Emission) {
	b.states[s].eof, b.states[s].hasEOF = e, true
}

// Build gives the minimised automaton with its symbol groups, validated.
func (b *Builder) Build() (*Automaton, error) {
	if b.err != nil {
		return nil, b.err
	}
	a := &Automaton{Messages: b.messages}
	firsts := b.group(a)
	n := len(b.states)
	if n == 0 {
		return nil, errors.New("automaton: no states")
	}
	if n > MaxStates {
		return nil, fmt.Errorf("automaton: %d states before minimisation, at most %d", n, MaxStates)
	}
	ids := map[Emission]EmissionID{}
	id := func(e Emission) EmissionID {
		i, ok := ids[e]
		if !ok {
			i = EmissionID(len(a.Emissions))
			ids[e] = i
			a.Emissions = append(a.Emissions, e)
		}
		return i
	}
	a.Next = make([]StateID, a.NGroups*n)
	a.Emit = make([]EmissionID, a.NGroups*n)
	for i := range b.states {
		st := &b.states[i]
		if free := b.Free(StateID(i)); !free.Empty() {
			return nil, fmt.Errorf("state %s: no transition for %d symbols", st.Name, free.Len())
		}
		if !st.hasEOF {
			return nil, fmt.Errorf("state %s: no action at the end of the input", st.Name)
		}
		a.States = append(a.States, st.State)
		a.AtEOF = append(a.AtEOF, id(st.eof))
		for k := range st.to {
			t := &st.to[k]
			if int(t.next) >= n {
				return nil, fmt.Errorf("state %s: %s leads to state %d of %d", st.Name, FormatSymbol(t.symbols.First()), t.next, n)
			}
			emit := id(t.emit)
			for g, c := range firsts {
				if t.symbols.Has(c) {
					a.Next[g*n+i], a.Emit[g*n+i] = t.next, emit
				}
			}
		}
		if len(a.Emissions) > 1<<16 {
			return nil, fmt.Errorf("automaton: more than %d emissions before minimisation", 1<<16)
		}
	}
	a = a.Minimise()
	return a, a.Validate()
}

// group gives a the groups of symbols that every set has all or none of, by their first
// symbols, which it returns: a table of these is a fraction of one of all symbols.
func (b *Builder) group(a *Automaton) (firsts []byte) {
	groups := []Set{All()}
	for set := range b.sets {
		for i := range groups {
			if in, out := groups[i].And(set), groups[i].Minus(set); !in.Empty() && !out.Empty() {
				groups[i] = in
				groups = append(groups, out)
			}
		}
	}
	slices.SortFunc(groups, func(x, y Set) int { return int(x.First()) - int(y.First()) })
	for g, set := range groups {
		firsts = append(firsts, set.First())
		for c := range a.Group {
			if set.Has(byte(c)) {
				a.Group[c] = GroupID(g)
			}
		}
	}
	a.NGroups = len(groups)
	return firsts
}
