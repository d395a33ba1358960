package lower

import (
	"fmt"

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
	x := explorer[S]{b: dfa.NewBuilder(), ids: map[S]dfa.StateID{}, names: map[string]int{}, groups: groupsOf(m)}
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
	groups  *groups // nil: each symbol is one
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
	type target struct {
		next dfa.StateID
		emit dfa.Emission
	}
	s := x.visited[i].state
	var order []target
	var sets []dfa.Set // of each
	index := map[target]int{}
	var before S // most symbols do what the one before does
	var same target
	at := -1
	var places [256]int // 1 + index of the set, by group
	for _, symbol := range symbolOrder {
		if x.groups != nil && places[x.groups.of[symbol]] > 0 {
			same := places[x.groups.of[symbol]] - 1
			sets[same] = sets[same].Union(dfa.Bytes(symbol))
			if checked {
				if next, e, fault := m.step(s, symbol); fault != nil || e != order[same].emit || x.add(m, next, i, symbol) != order[same].next {
					panic(fmt.Sprintf("%q is not like the others of its group", symbol))
				}
			}
			continue
		}
		next, e, fault := m.step(s, symbol)
		if fault != nil {
			if fault.Witness == nil {
				fault.Witness = append(x.path(i), symbol)
			}
			return fault
		}
		if at < 0 || next != before || e != same.emit {
			before, same = next, target{x.add(m, next, i, symbol), e}
			var ok bool
			if at, ok = index[same]; !ok {
				at = len(order)
				index[same] = at
				order, sets = append(order, same), append(sets, dfa.Set{})
			}
		}
		sets[at] = sets[at].Union(dfa.Bytes(symbol))
		if x.groups != nil {
			places[x.groups.of[symbol]] = at + 1
		}
	}
	id := x.ids[s]
	for j, t := range order {
		x.b.On(id, sets[j], t.next, t.emit)
	}
	x.b.EOF(id, m.eof(s))
	return nil
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
