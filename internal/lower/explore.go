package lower

import (
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// machine is a transducer written as code: S is its state, step its
// transitions. A Fault from step says that the construct has no one meaning at
// that point.
type machine[S comparable] interface {
	start() S
	step(s S, b byte) (S, dfa.Emission, *Fault)
	eof(s S) dfa.Emission
	describe(s S) dfa.State
}

// explore builds the automaton of m. States are visited breadth first, so a
// Fault gets a shortest input that leads to it as its witness.
func explore[S comparable](m machine[S], messages *messages) (*dfa.Automaton, error) {
	x := explorer[S]{b: dfa.NewBuilder(), ids: map[S]dfa.StateID{}, names: map[string]int{}, tried: triedBy(groupsOf(m))}
	for _, text := range messages.texts {
		x.b.Message(text)
	}
	x.add(m, m.start(), -1, 0)
	for i := 0; i < len(x.visited); i++ {
		if err := messages.work.Take(1); err != nil {
			return nil, err
		}
		if err := x.expand(m, i); err != nil {
			return nil, err
		}
		if len(x.visited) > dfa.MaxStates {
			return nil, &Fault{What: fmt.Sprintf("needs more than %d states", dfa.MaxStates)}
		}
	}
	// Messages made while exploring have codes that follow those made before.
	for _, text := range messages.texts {
		x.b.Message(text)
	}
	return x.b.Build()
}

type explorer[S comparable] struct {
	b       *dfa.Builder
	ids     map[S]dfa.StateID
	names   map[string]int
	visited []visit[S]
	tried   []alike
	order   []target  // room for expand
	sets    []dfa.Set // of each
}

// target is where symbols lead to, and what they emit.
type target struct {
	next dfa.StateID
	emit dfa.Emission
}

// checked compares all symbols of a group: for tests.
var checked = false

type visit[S comparable] struct {
	state  S
	from   int // index of the state it was reached from, -1 for the start
	symbol byte
}

func (x *explorer[S]) add(m machine[S], s S, from int, symbol byte) dfa.StateID {
	if id, ok := x.ids[s]; ok {
		return id
	}
	d := m.describe(s)
	x.names[d.Name]++
	if n := x.names[d.Name]; n > 1 {
		d.Name = fmt.Sprintf("%s_%d", d.Name, n)
	}
	id := x.b.AddState(d.Name, d.Doc)
	x.ids[s] = id
	x.visited = append(x.visited, visit[S]{s, from, symbol})
	return id
}

func (x *explorer[S]) expand(m machine[S], i int) error {
	s := x.visited[i].state
	order, sets := x.order[:0], x.sets[:0]
	defer func() { x.order, x.sets = order, sets }()
	var before S // most symbols do what the one before does
	at := -1
	for _, symbols := range x.tried {
		symbol := symbols.first
		next, e, fault := m.step(s, symbol)
		if fault != nil {
			if fault.Witness == nil {
				fault.Witness = append(x.path(i), symbol)
			}
			return fault
		}
		if at < 0 || next != before || e != order[at].emit {
			before = next
			to := target{x.add(m, next, i, symbol), e}
			if at = slices.Index(order, to); at < 0 {
				at = len(order)
				order, sets = append(order, to), append(sets, dfa.Set{})
			}
		}
		sets[at] = sets[at].Union(symbols.set)
		if checked {
			for _, other := range symbolOrder {
				if !symbols.set.Has(other) {
					continue
				}
				if next, e, fault := m.step(s, other); fault != nil || e != order[at].emit || x.add(m, next, i, other) != order[at].next {
					panic(fmt.Sprintf("%q is not like the others of its group", other))
				}
			}
		}
	}
	id := x.ids[s]
	for j, t := range order {
		x.b.On(id, sets[j], t.next, t.emit)
	}
	x.b.EOF(id, m.eof(s))
	return nil
}

// alike is symbols that a machine treats alike in every state.
type alike struct {
	first byte // in the order in which symbols are tried
	set   dfa.Set
}

// triedBy are the symbols of each group, nil: each symbol is one.
func triedBy(g *groups) (tried []alike) {
	var places [256]int // 1 + index of the set, by group
	for _, symbol := range symbolOrder {
		of := symbol
		if g != nil {
			of = g.of[symbol]
		}
		if places[of] == 0 {
			tried = append(tried, alike{first: symbol})
			places[of] = len(tried)
		}
		t := &tried[places[of]-1]
		t.set = t.set.Union(dfa.Bytes(symbol))
	}
	return tried
}

// path is an input that leads to state i.
func (x *explorer[S]) path(i int) []byte {
	var rev []byte
	for ; x.visited[i].from >= 0; i = x.visited[i].from {
		rev = append(rev, x.visited[i].symbol)
	}
	out := make([]byte, 0, len(rev)+1)
	for j := len(rev) - 1; j >= 0; j-- {
		out = append(out, rev[j])
	}
	return out
}

// symbolOrder is the order in which symbols are tried: those that are good to
// read in a witness come first.
var symbolOrder = dfa.ReadableSymbols()

// messages hands out error codes.
type messages struct {
	work  *Work // of the automaton, nil: any
	texts []string
	codes map[string]dfa.ErrorCode
}

func newMessages(w *Work) *messages { return &messages{work: w, codes: map[string]dfa.ErrorCode{}} }

// code is the code of a message, the same for the same text.
func (m *messages) code(text string) dfa.ErrorCode {
	c, ok := m.codes[text]
	if !ok {
		m.texts = append(m.texts, text)
		c = dfa.ErrorCode(len(m.texts))
		m.codes[text] = c
	}
	return c
}

// The emissions that need no words.
var (
	data = dfa.Emission{Kind: dfa.Data}
	skip = dfa.Emission{Kind: dfa.Skip}
	lead = dfa.Emission{Kind: dfa.Skip, Escape: true} // of an escape, or a digit of it but the last
)

// fail is the emission of a symbol that has no transition.
func (m *messages) fail(text string) dfa.Emission {
	return dfa.Emission{Kind: dfa.Error, Code: m.code(text)}
}

// broken is e, a Record, as the end of a malformed record.
func (m *messages) broken(e dfa.Emission, text string, blame dfa.Blame) dfa.Emission {
	e.Code, e.Blame = m.code(text), blame
	return e
}
