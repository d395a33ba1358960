package compile

import (
	"context"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// maxExplored bounds the states of all automata of a file, before they are
// minimised: with it no file takes more than seconds to compile.
const maxExplored = 2 * dfa.MaxStates

// formatStates is the work of a format besides its automata, in states.
const formatStates = 8

// Bounds of the tests of a format: each is a reading of its own, which costs as
// much as so many columns, and more with each column and state.
const (
	testColumns = 32
	maxTested   = 1 << 17
)

// tested is what the tests of a format cost.
func tested(d *dfa.Definition, examples []dfa.Example) int {
	each := testColumns + len(d.Columns)
	if d.Automaton != nil {
		each += d.Automaton.NStates() / 4
	}
	return len(examples) * each
}

// work is what compiling a file may still take, and what of it can be used again.
type work struct {
	*lower.Work
	values map[string]*value         // of lists and maps, by how they are written
	forms  map[string]reach          // of layouts, by what they are
	built  map[string]*dfa.Automaton // of forms, by what they are
}

// value is an automaton, or why there is none.
type value struct {
	automaton *dfa.Automaton
	err       error
}

func newWork(ctx context.Context) *work {
	return &work{lower.NewWork(ctx, maxExplored), map[string]*value{}, map[string]reach{}, map[string]*dfa.Automaton{}}
}

// list is the automaton of a list, the same for lists that are written alike.
func (w *work) list(l lower.List) (*dfa.Automaton, error) {
	escape := l.Escape
	l.Escape, l.Work = nil, nil
	return w.value(fmt.Sprintf("list %+v %+v", l, escapeText(escape)), func() (*dfa.Automaton, error) {
		l.Escape, l.Work = escape, w.Work
		return lower.BuildList(&l)
	})
}

// mapping is the automaton of a map, the same for maps that are written alike.
func (w *work) mapping(m lower.Map) (*dfa.Automaton, error) {
	escape := m.Escape
	m.Escape, m.Work = nil, nil
	return w.value(fmt.Sprintf("map %+v %+v", m, escapeText(escape)), func() (*dfa.Automaton, error) {
		m.Escape, m.Work = escape, w.Work
		return lower.BuildMap(&m)
	})
}

func escapeText(e *lower.Escape) string {
	if e == nil {
		return "none"
	}
	return fmt.Sprintf("%+v", *e)
}

func (w *work) value(key string, build func() (*dfa.Automaton, error)) (*dfa.Automaton, error) {
	v := w.values[key]
	if v == nil {
		a, err := build()
		v = &value{a, err}
		w.values[key] = v
	}
	return v.automaton, v.err
}
