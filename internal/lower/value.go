package lower

import (
	"bytes"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// Values that hold several: lists and maps.
//
//	list   element { separator element }, read as separated fields are
//	map    pair { Pair pair };  pair = key [ KeyValue value ]
//	groups Open key { Pair pair } Close, any number one after the other
//
// The empty value is the empty list or map. If there is an Open, a value that
// begins with it must end with its Close; otherwise both are ordinary symbols.
// A run as a separator may also stand at the start and the end; any Pair
// separator may stand at the end. A key ends at the first KeyValue or Pair, a
// value at the first Pair, so a value may hold a KeyValue. After the closer of
// a quoted element or value only a separator, Close or the end may follow.

// BuildList builds the automaton that reads one value of type List.
func BuildList(l *List) (*dfa.Automaton, error) {
	ms := newMessages(l.Work)
	encs, bare, err := quoted(l.Quote, l.Doubled, l.Escape)
	if err != nil {
		return nil, err
	}
	x, err := newLexer(ms, []Separator{l.Separator}, encs, bare, nil)
	if err != nil {
		return nil, err
	}
	x.unit = "value"
	x.lines, x.leading, x.trailing = true, l.Separator.Run, l.Separator.Run
	v := &list{lexer: x, open: l.Open, close: l.Close}
	if err := checkPair(l.Open, l.Close, l.Separator.Text, l.Quote); err != nil {
		return nil, err
	}
	return explore(&valued[listState]{v}, ms)
}

func quoted(quote byte, doubled bool, escape *Escape) ([]enclosure, *Escape, error) {
	if quote == 0 {
		if doubled {
			return nil, nil, &Fault{Where: "quote", What: "doubled without a quote"}
		}
		return nil, escape, nil
	}
	words := fmt.Sprintf("in quotes %c", quote)
	return []enclosure{{open: quote, close: quote, doubled: doubled, escape: escape, exclusive: true, words: words}}, nil, nil
}

// checkPair refuses an Open and Close that something else uses.
func checkPair(open, close byte, sep []byte, quote byte) error {
	if open == 0 && close == 0 {
		return nil
	}
	switch {
	case open == 0 || close == 0:
		return &Fault{Where: "brackets", What: "one without the other"}
	case bytes.IndexByte(sep, open) >= 0 || bytes.IndexByte(sep, close) >= 0:
		return &Fault{Where: "brackets", What: fmt.Sprintf("one of %q is in the separator too", []byte{open, close})}
	case quote != 0 && (quote == open || quote == close):
		return &Fault{Where: "brackets", What: fmt.Sprintf("%q is the quote too", quote)}
	}
	return nil
}

// list is the content of one list.
type list struct {
	*lexer
	open, close byte
}

type listState struct {
	in     lexState
	opened bool
	closed bool
}

func (l *list) first() listState { return listState{in: l.lexer.first()} }

func (l *list) symbol(s listState, b byte) (listState, dfa.Emission, *Fault) {
	outside := s.in.at != inEnclose && s.in.esc == unescaped
	switch {
	case s.closed:
		return s, l.fail(fmt.Sprintf("nothing may follow the closing %q", l.close)), nil
	case l.open != 0 && b == l.open && s == l.first():
		return listState{in: s.in, opened: true}, skip, nil
	case s.opened && outside && b == l.close:
		s.closed = true
		return s, skip, nil
	}
	next, e, fault := l.lexer.symbol(s.in, b)
	if s.in.at == inClosed && next.at == inClosed && e.Kind == dfa.Data {
		e = skip // of a separator, which must follow: were it data, it could be an escaped symbol too
	}
	return listState{in: next, opened: s.opened}, e, fault
}

func (l *list) end(s listState) dfa.Emission {
	if s.opened && !s.closed {
		return l.broken(dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn},
			fmt.Sprintf("the list that %q opens is never closed by %q", l.open, l.close), dfa.BlameSymbol)
	}
	return l.lexer.end(s.in)
}

func (l *list) describe(s listState) dfa.State {
	d := l.lexer.describe(s.in)
	switch {
	case s.closed:
		return dfa.State{Name: "END", Doc: "after the list"}
	case s.in.at == atRecord:
		d = dfa.State{Name: "LIST", Doc: "at the start of a list"}
	}
	return d
}
