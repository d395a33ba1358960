package lower

import (
	"bytes"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// BuildMap builds the automaton that reads one value of type Map: a field of
// column 0 is a key and one of column 1 its value; of groups column 0 is the
// outer key, 1 the key and 2 the value.
func BuildMap(m *Map) (*dfa.Automaton, error) {
	x := &mapping{Map: m, messages: newMessages(m.Work)}
	if err := x.check(); err != nil {
		return nil, err
	}
	var pairs [][]byte
	if m.Pair.Run {
		for _, b := range m.Pair.Text {
			pairs = append(pairs, []byte{b})
		}
	} else {
		pairs = [][]byte{m.Pair.Text}
	}
	keys := append(pairs[:len(pairs):len(pairs)], m.KeyValue)
	if err := checkLength("separators", keys); err != nil {
		return nil, err
	}
	x.pair, x.key = newMatcher(pairs), newMatcher(keys)
	if m.Quote == 0 {
		x.bare = m.Escape
	}
	if m.Groups {
		x.keyColumn = 1
	}
	return explore(&valued[mapState]{x}, x.messages)
}

func (x *mapping) check() error {
	switch {
	case len(x.Pair.Text) == 0:
		return &Fault{Where: "separator", What: "it is empty"}
	case len(x.KeyValue) == 0:
		return &Fault{Where: "key separator", What: "it is empty"}
	case bytes.HasPrefix(x.KeyValue, x.Pair.Text) || bytes.HasPrefix(x.Pair.Text, x.KeyValue),
		x.Pair.Run && bytes.IndexByte(x.Pair.Text, x.KeyValue[0]) >= 0:
		return &Fault{Where: "key separator", What: fmt.Sprintf("%q begins as the separator %q does", x.KeyValue, x.Pair.Text), Witness: x.KeyValue}
	case x.Quote != 0 && (bytes.IndexByte(x.Pair.Text, x.Quote) >= 0 || bytes.IndexByte(x.KeyValue, x.Quote) >= 0):
		return &Fault{Where: "quote", What: fmt.Sprintf("%q is in a separator too", x.Quote)}
	case x.QuotedKeys && x.Quote == 0:
		return &Fault{Where: "quote", What: "keys in quotes without a quote"}
	case x.Doubled && x.Quote == 0:
		return &Fault{Where: "quote", What: "doubled without a quote"}
	case x.Groups && x.Open == 0:
		return &Fault{Where: "brackets", What: "groups have none"}
	case x.Escape != nil && x.Quote != 0 && x.Escape.Lead == x.Quote:
		return &Fault{Where: "quote", What: fmt.Sprintf("%q both closes a value and leads an escape", x.Quote)}
	case x.Escape != nil && x.Quote == 0 && (bytes.IndexByte(x.Pair.Text, x.Escape.Lead) >= 0 || bytes.IndexByte(x.KeyValue, x.Escape.Lead) >= 0):
		return &Fault{Where: "escape", What: fmt.Sprintf("its lead %q is in a separator too", x.Escape.Lead)}
	}
	if err := x.Escape.check("escape"); err != nil {
		return err
	}
	return checkPair(x.Open, x.Close, append(bytes.Clone(x.Pair.Text), x.KeyValue...), x.Quote)
}

// mapping is the content of one map.
type mapping struct {
	*Map
	*messages
	pair, key *matcher
	bare      *Escape // outside quotes
	keyColumn int16
}

type mapState struct {
	at     mapPlace
	node   int16
	esc    escaping
	opened bool
	// A field that has ended, but whose end is not said yet, because no other
	// may follow; as in templateState.
	owed int16
	back uint16
}

type mapPlace uint8

const (
	mapStart mapPlace = iota
	mapFirst          // after Open: a key or Close
	mapGroup          // of groups: at the start of the outer key
	mapOuter          // of groups: in the outer key
	mapGap            // after a Pair
	mapKey
	mapKeyQuoted // in a key that is in quotes
	mapKeyQuote  // after its closer
	mapValue     // at the start of a value
	mapBare      // in a value that is not quoted
	mapQuoted    // in one that is
	mapQuote     // after its closer
	mapClosed    // after Close
	mapNil       // after Nil
)

func (x *mapping) first() mapState { return mapState{owed: -1} }

// column is the column of the field being read.
func (x *mapping) column(s mapState) int16 {
	switch s.at {
	case mapOuter, mapGroup:
		return 0
	case mapKey, mapKeyQuoted, mapKeyQuote:
		return x.keyColumn
	}
	return x.keyColumn + 1
}

func (x *mapping) symbol(s mapState, b byte) (mapState, dfa.Emission, *Fault) {
	next, e := x.step(s, b)
	if next.back > maxBack {
		return next, e, &Fault{Where: "separator", What: fmt.Sprintf("it is longer than %d bytes", maxBack)}
	}
	return next, e, nil
}

func (x *mapping) step(s mapState, b byte) (mapState, dfa.Emission) {
	if s.esc != unescaped {
		esc, e, ok := x.Escape.step(s.esc, b)
		if !ok {
			return s, x.fail(x.Escape.complaint(s.esc))
		}
		s.esc = esc
		return s, e
	}
	closes := b == x.Close && s.opened
	switch s.at {
	case mapStart:
		switch {
		case x.Nil != 0 && b == x.Nil:
			return mapState{at: mapNil, owed: -1}, skip
		case x.Open != 0 && b == x.Open:
			return x.openUp(), skip
		case x.Groups:
			return s, x.fail(fmt.Sprintf("expected %q", x.Open))
		}
		return x.beginPair(s, b)
	case mapFirst:
		if closes {
			return mapState{at: mapClosed, owed: -1}, skip
		}
		return x.beginPair(s, b)
	case mapGroup, mapOuter, mapKey:
		return x.inKey(s, b)
	case mapGap:
		return x.inGap(s, b)
	case mapValue, mapBare:
		return x.inValue(s, b)
	case mapQuoted:
		switch {
		case x.Escape.opens(b):
			s.esc = afterLead
			return s, x.Escape.open()
		case b != x.Quote:
			return s, data
		}
		s.at, s.node = mapQuote, 0
		return s, skip
	case mapQuote:
		return x.afterQuote(s, b)
	case mapKeyQuoted:
		switch {
		case x.Escape.opens(b):
			s.esc = afterLead
			return s, x.Escape.open()
		case b != x.Quote:
			return s, data
		}
		s.at, s.node = mapKeyQuote, 0
		return s, skip
	case mapKeyQuote:
		return x.afterKeyQuote(s, b)
	case mapClosed:
		if x.Groups && b == x.Open {
			if s.owed < 0 {
				return x.openUp(), skip
			}
			return x.openUp(), dfa.Emission{Kind: dfa.Field, Column: s.owed, Lag: s.back, Open: s.back}
		}
		return s, x.fail(fmt.Sprintf("nothing may follow the closing %q", x.Close))
	}
	return s, x.fail(fmt.Sprintf("nothing may follow %q", x.Nil))
}

func (x *mapping) openUp() mapState {
	if x.Groups {
		return mapState{at: mapGroup, opened: true, owed: -1}
	}
	return mapState{at: mapFirst, opened: true, owed: -1}
}

// beginPair reads the first symbol of a key.
func (x *mapping) beginPair(s mapState, b byte) (mapState, dfa.Emission) {
	if x.Pair.Run && bytes.IndexByte(x.Pair.Text, b) >= 0 {
		return s, skip
	}
	n := x.key.next(0, b)
	if x.key.match(n) > 0 {
		return s, x.fail(fmt.Sprintf("expected a key before %q", x.key.matched(n)))
	}
	if x.QuotedKeys && b == x.Quote {
		return mapState{at: mapKeyQuoted, opened: s.opened, owed: -1}, skip
	}
	if x.bare.opens(b) {
		return mapState{at: mapKey, opened: s.opened, owed: -1, esc: afterLead}, x.bare.open()
	}
	return mapState{at: mapKey, node: int16(n), opened: s.opened, owed: -1}, data
}

// inGap reads a symbol after a Pair, when the field before has ended.
func (x *mapping) inGap(s mapState, b byte) (mapState, dfa.Emission) {
	if b == x.Close && s.opened {
		return x.close(s), skip
	}
	if x.Pair.Run && bytes.IndexByte(x.Pair.Text, b) >= 0 {
		return s, skip
	}
	next, e := x.beginPair(s, b)
	if e.Kind == dfa.Error {
		return next, e
	}
	lag := max(s.back, 1)
	field := dfa.Emission{Kind: dfa.Field, Column: s.owed, Lag: lag, Open: lag - 1}
	if e.Kind == dfa.Skip {
		field.Open, field.Escape = lag, e.Escape
	}
	return next, field
}

// close is the state after Close in s, where a field is owed.
func (x *mapping) close(s mapState) mapState {
	next := mapState{at: mapClosed, owed: s.owed, back: s.back}
	if next.back > 0 {
		next.back++
	}
	return next
}

// owe is the state after a Pair of n bytes that has ended the field of s.
func (x *mapping) owe(s mapState, n int) mapState {
	next := mapState{at: mapGap, opened: s.opened, owed: x.column(s)}
	if n > 1 {
		next.back = uint16(n)
	}
	return next
}

func (x *mapping) inKey(s mapState, b byte) (mapState, dfa.Emission) {
	if b == x.Close && s.opened {
		if s.at == mapGroup {
			return s, x.fail("expected the name of a group")
		}
		return mapState{at: mapClosed, owed: x.column(s)}, skip
	}
	if x.bare.opens(b) {
		s.at, s.esc, s.node = max(s.at, mapOuter), afterLead, 0
		return s, x.bare.open()
	}
	m := x.key
	if s.at != mapKey {
		m = x.pair
	}
	n := m.next(int(s.node), b)
	size := m.match(n)
	switch {
	case size == 0:
		s.at, s.node = max(s.at, mapOuter), int16(n)
		return s, data
	case s.at == mapKey && bytes.Equal(m.matched(n), x.KeyValue):
		return mapState{at: mapValue, opened: s.opened, owed: -1},
			dfa.Emission{Kind: dfa.Field, Column: x.column(s), Lag: uint16(size - 1), Open: uint16(size - 1)}
	case s.at == mapGroup:
		return s, x.fail("expected the name of a group")
	}
	return x.owe(s, size), skip
}

func (x *mapping) inValue(s mapState, b byte) (mapState, dfa.Emission) {
	if b == x.Close && s.opened {
		return mapState{at: mapClosed, owed: x.column(s)}, skip
	}
	if s.at == mapValue && x.Quote != 0 && b == x.Quote {
		return mapState{at: mapQuoted, opened: s.opened, owed: -1}, skip
	}
	s.at = mapBare
	if x.bare.opens(b) {
		s.esc, s.node = afterLead, 0
		return s, x.bare.open()
	}
	n := x.pair.next(int(s.node), b)
	if size := x.pair.match(n); size > 0 {
		return x.owe(s, size), skip
	}
	s.node = int16(n)
	return s, data
}

// afterQuote reads a symbol after the closer of a value, and after the symbols
// of a Pair that have followed it.
func (x *mapping) afterQuote(s mapState, b byte) (mapState, dfa.Emission) {
	if x.Doubled && b == x.Quote && s.node == 0 {
		s.at = mapQuoted
		return s, data
	}
	if b == x.Close && s.opened && s.node == 0 {
		return mapState{at: mapClosed, owed: x.column(s)}, skip
	}
	n := x.pair.next(int(s.node), b)
	if x.pair.nodes[n].depth != x.pair.nodes[s.node].depth+1 {
		return s, x.fail(fmt.Sprintf("%q or the end must follow the closing %q", x.Pair.Text, x.Quote))
	}
	if size := x.pair.match(n); size > 0 {
		return x.owe(s, size), skip
	}
	s.node = int16(n)
	return s, skip // not data, which could be an escaped symbol too
}

// afterKeyQuote reads a symbol after the closer of a key, and after the symbols of a
// separator that have followed it.
func (x *mapping) afterKeyQuote(s mapState, b byte) (mapState, dfa.Emission) {
	if x.Doubled && b == x.Quote && s.node == 0 {
		s.at = mapKeyQuoted
		return s, data
	}
	if b == x.Close && s.opened && s.node == 0 {
		return mapState{at: mapClosed, owed: x.column(s)}, skip
	}
	n := x.key.next(int(s.node), b)
	if x.key.nodes[n].depth != x.key.nodes[s.node].depth+1 {
		return s, x.fail(fmt.Sprintf("%q, %q or the end must follow the closing %q", x.KeyValue, x.Pair.Text, x.Quote))
	}
	switch size := x.key.match(n); {
	case size == 0:
		s.node = int16(n)
		return s, skip
	case bytes.Equal(x.key.matched(n), x.KeyValue):
		return mapState{at: mapValue, opened: s.opened, owed: -1},
			dfa.Emission{Kind: dfa.Field, Column: x.column(s), Lag: uint16(size - 1), Open: uint16(size - 1)}
	default:
		return x.owe(s, size), skip
	}
}

func (x *mapping) end(s mapState) dfa.Emission {
	e := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	switch {
	case s.esc != unescaped:
		return x.broken(e, "the value ends inside an escape", dfa.BlameSymbol)
	case s.at == mapQuoted:
		return x.broken(e, fmt.Sprintf("a value that %q opens is never closed", x.Quote), dfa.BlameField)
	case s.at == mapKeyQuoted:
		return x.broken(e, fmt.Sprintf("a key that %q opens is never closed", x.Quote), dfa.BlameField)
	case s.at == mapKeyQuote && s.node != 0:
		return x.broken(e, fmt.Sprintf("%q, %q or the end must follow the closing %q", x.KeyValue, x.Pair.Text, x.Quote), dfa.BlameSymbol)
	case s.at == mapQuote && s.node != 0:
		return x.broken(e, fmt.Sprintf("%q or the end must follow the closing %q", x.Pair.Text, x.Quote), dfa.BlameSymbol)
	case s.at == mapStart && x.Groups && x.Nil != 0, s.opened:
		if s.opened {
			return x.broken(e, fmt.Sprintf("%q is never closed by %q", x.Open, x.Close), dfa.BlameSymbol)
		}
		return x.broken(e, fmt.Sprintf("expected %q or %q", x.Open, x.Nil), dfa.BlameSymbol)
	case s.owed >= 0:
		e.Column, e.Lag, e.Open = s.owed, s.back, s.back
		return e
	case s.at == mapKey || s.at == mapKeyQuote || s.at == mapValue || s.at == mapBare || s.at == mapQuote:
		e.Column = x.column(s)
		return e
	}
	return skip
}

func (x *mapping) describe(s mapState) dfa.State {
	var d dfa.State
	switch s.at {
	case mapStart, mapFirst:
		d = dfa.State{Name: "MAP", Doc: "at the start of a map"}
	case mapGroup:
		d = dfa.State{Name: "GRP", Doc: "at the start of a group"}
	case mapOuter:
		d = dfa.State{Name: "NAM", Doc: "in the name of a group"}
	case mapGap:
		d = dfa.State{Name: "GAP", Doc: "between two pairs"}
	case mapKey:
		d = dfa.State{Name: "KEY", Doc: "in a key"}
	case mapKeyQuoted:
		d = dfa.State{Name: "KEN", Doc: "in a quoted key"}
	case mapKeyQuote:
		d = dfa.State{Name: "KES", Doc: "after the quote that closes a key"}
	case mapValue:
		d = dfa.State{Name: "VAL", Doc: "at the start of a value"}
	case mapBare:
		d = dfa.State{Name: "TXT", Doc: "in a value"}
	case mapQuoted:
		d = dfa.State{Name: "ENC", Doc: "in a quoted value"}
	case mapQuote:
		d = dfa.State{Name: "ESC", Doc: "after the quote that closes a value"}
	case mapClosed:
		d = dfa.State{Name: "END", Doc: fmt.Sprintf("after the closing %q", x.Close)}
	case mapNil:
		d = dfa.State{Name: "NIL", Doc: fmt.Sprintf("after %q", x.Nil)}
	}
	d.Name += escapeNames[s.esc]
	d.Doc += escapeDocs[s.esc]
	if s.node != 0 {
		d.Name += "_SEP"
		d.Doc += ", where a separator may have begun"
	}
	return d
}
