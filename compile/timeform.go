package compile

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// A field of a template ends where the text after it stands complete. A time
// stamp as "%b %e %T" before a space would end in its middle, and so would an
// enum with spaces in its tokens. Such a field gets a form: an automaton of
// what its type may look like, and ends where the form does. The form knows
// digits from letters, and no more: which day it is remains for the converter.

// formItem is one symbol of a form.
type formItem struct {
	set      dfa.Set
	optional bool     // it may be missing
	last     bool     // it may be missing, and all after it
	repeat   bool     // it may stand there again
	words    []string // instead of a symbol, one of these words, in any case
}

// maxForm bounds the symbols of a form, all alternatives together.
const maxForm = 1 << 12

var letter = dfa.Range('A', 'Z').Union(dfa.Range('a', 'z'))

// formDirectives say what each directive of a layout may look like.
var formDirectives = map[byte][]formItem{
	'Y': digitItems(4, 4), 'y': digitItems(2, 2), 'm': digitItems(1, 2), 'd': digitItems(1, 2),
	'e': append([]formItem{{set: blankSet, optional: true}}, digitItems(1, 2)...),
	'j': digitItems(1, 3), 'H': digitItems(1, 2), 'I': digitItems(1, 2), 'M': digitItems(1, 2), 'S': digitItems(1, 2),
	'f': digitItems(1, 9), 'L': digitItems(3, 3),
	's': {{set: dfa.Bytes('-'), optional: true}, {set: digit, repeat: true}},
	'b': {{set: letter}, {set: letter}, {set: letter}}, 'a': {{set: letter}, {set: letter}, {set: letter}},
	'B': {{set: letter, repeat: true}}, 'A': {{set: letter, repeat: true}}, 'Z': {{set: letter, repeat: true}},
	'p': {{set: letter}, {set: letter}},
	'z': {{set: dfa.Bytes('+', '-', 'Z', 'z')}, {set: digit, optional: true}, {set: digit, optional: true},
		{set: dfa.Bytes(':'), optional: true}, {set: digit, optional: true}, {set: digit, optional: true}},
	'n': {{set: dfa.Bytes('\n')}}, 't': {{set: dfa.Bytes('\t')}}, '%': {{set: dfa.Bytes('%')}},
}

// form is what a directive may look like. Of a number that has all of its digits
// none may be missing; the first of %e may be a space.
func (p *layoutPart) form() []formItem {
	items := formDirectives[p.directive]
	switch {
	case p.bare && p.directive == 'L':
		return digitItems(1, 3)
	case !p.full:
	case p.directive == 'e':
		return []formItem{{set: digit.Union(blankSet)}, {set: digit}}
	case strings.IndexByte("mdHIMS", p.directive) >= 0:
		return digitItems(2, 2)
	case p.directive == 'j':
		return digitItems(3, 3)
	}
	return items
}

func digitItems(least, most int) []formItem {
	items := make([]formItem, most)
	for i := range items {
		items[i] = formItem{set: digit, optional: i >= least}
	}
	return items
}

// formOf gives what the values of a column may look like, as alternatives, and
// in words; nil if its type does not say.
func formOf(c *dfa.Column) (alternatives [][]formItem, words string) {
	switch c.Type.Kind {
	case dfa.Timestamp, dfa.Date, dfa.Time:
		if len(c.Type.Or) == 0 && (c.Type.Layout == "" || c.Type.Epoch) {
			return nil, ""
		}
		for _, form := range c.Type.Forms() {
			items, err := clockItems(&form, false)
			if err != nil {
				return nil, ""
			}
			alternatives = append(alternatives, items...)
			words += when(words != "", " or ") + clockFormName(&form)
		}
		words = "a time as " + words + " is expected"
	case dfa.Enum:
		for _, tok := range c.Type.Tokens {
			alternatives = append(alternatives, textItems(tok))
		}
		words = fmt.Sprintf("one of the tokens %q is expected", c.Type.Tokens)
	default:
		return nil, ""
	}
	for _, tok := range c.NullTokens() {
		alternatives = append(alternatives, textItems(tok))
	}
	return slices.DeleteFunc(alternatives, func(a []formItem) bool { return len(a) == 0 }), words
}

func textItems(s string) []formItem {
	items := make([]formItem, len(s))
	for i := range items {
		items[i].set = dfa.Bytes(s[i])
	}
	return items
}

// place is before item At of alternative Alt; At may be its length. Of an item of words
// it is before byte In of a Word.
type place struct{ alt, at, word, in int }

// formMachine reads alternatives side by side.
type formMachine struct{ alternatives [][]formItem }

// enter adds a place, and those behind it if what stands there may be missing.
func (m *formMachine) enter(set []place, p place) []place {
	for {
		items := m.alternatives[p.alt]
		for p.word = range max(1, p.words(items)) {
			if !slices.Contains(set, p) {
				set = append(set, p)
			}
		}
		p.word = 0
		switch {
		case p.at == len(items):
			return set
		case items[p.at].last:
			p.at = len(items)
		case items[p.at].optional:
			p.at++
		default:
			return set
		}
	}
}

// words is how many words may stand at p.
func (p place) words(items []formItem) int {
	if p.at == len(items) {
		return 0
	}
	return len(items[p.at].words)
}

// step adds the places after b at those of set.
func (m *formMachine) step(next, set []place, b byte) []place {
	for _, p := range set {
		items := m.alternatives[p.alt]
		switch {
		case p.at == len(items):
			continue
		case items[p.at].words != nil:
			word := items[p.at].words[p.word]
			if lowerCase(b) != lowerCase(word[p.in]) {
				continue
			}
			if p.in+1 < len(word) {
				p.in++
				next = append(next, p)
				continue
			}
		case !items[p.at].set.Has(b):
			continue
		case items[p.at].repeat:
			next = m.enter(next, p)
		}
		next = m.enter(next, place{alt: p.alt, at: p.at + 1})
	}
	return next
}

func lowerCase(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}

// alike are the symbols, each set those that every place treats alike, by their first.
func (m *formMachine) alike() (sets []dfa.Set) {
	sets = []dfa.Set{dfa.All()}
	seen := map[dfa.Set]bool{}
	split := func(s dfa.Set) {
		if seen[s] {
			return
		}
		seen[s] = true
		for i := range sets {
			if in, out := sets[i].And(s), sets[i].Minus(s); !in.Empty() && !out.Empty() {
				sets[i] = in
				sets = append(sets, out)
			}
		}
	}
	for _, items := range m.alternatives {
		for i := range items {
			if items[i].words == nil {
				split(items[i].set)
			}
			for _, word := range items[i].words {
				for _, b := range []byte(word) {
					b = lowerCase(b)
					if s := dfa.Bytes(b); 'a' <= b && b <= 'z' {
						split(s.Union(dfa.Bytes(b &^ 0x20)))
					} else {
						split(s)
					}
				}
			}
		}
	}
	slices.SortFunc(sets, func(a, b dfa.Set) int { return int(a.First()) - int(b.First()) })
	return sets
}

// holds reports whether text may stand inside a value.
func (m *formMachine) holds(text string) bool {
	var set []place
	for alt, items := range m.alternatives {
		for at := range items {
			for word := range max(1, len(items[at].words)) { // all places, of which none is twice
				set = append(set, place{alt: alt, at: at, word: word})
			}
		}
	}
	for i := range len(text) {
		set = m.step(nil, set, text[i])
	}
	return len(set) > 0
}

// endsAndGoesOn reports whether a value is complete where one of texts may go on with
// it, and which.
func (m *formMachine) endsAndGoesOn(texts []string) (value string, is bool) {
	search := onlyLast{machine: m, seen: map[string]bool{}}
	for search.start(); len(search.queue) > 0 && len(search.seen) < maxReadings; {
		at := search.next()
		if _, complete := search.ends(at.set); !complete {
			continue
		}
		for _, text := range texts {
			set := at.set
			for i := 0; i < len(text) && len(set) > 0; i++ {
				set = m.step(nil, set, text[i])
			}
			if len(set) > 0 {
				return at.text, true
			}
		}
	}
	return "", false
}

// build makes the automaton; what it refuses it calls words.
func (m *formMachine) build(words string) (*dfa.Automaton, error) {
	b := dfa.NewBuilder()
	code := b.Message(words)
	var sets [][]place
	ids := map[string]dfa.StateID{}
	var key []byte
	state := func(set []place) dfa.StateID {
		slices.SortFunc(set, comparePlaces)
		key = appendPlaces(key[:0], set)
		id, ok := ids[string(key)]
		if !ok {
			id = b.AddState(fmt.Sprintf("FORM%d", len(sets)), "inside a value of fixed form")
			ids[string(key)] = id
			sets = append(sets, slices.Clone(set))
		}
		return id
	}
	var start []place
	for alt := range m.alternatives {
		start = m.enter(start, place{alt: alt})
	}
	state(start)
	type arc struct {
		from, to dfa.StateID
		symbols  dfa.Set
	}
	var arcs []arc
	var next, last []place
	alike := m.alike()
	for i := 0; i < len(sets) && i <= dfa.MaxStates; i++ {
		first := len(arcs)
		last = last[:0] // what the symbols before led to, and which state that is
		var to dfa.StateID
		for _, symbols := range alike {
			next = m.step(next[:0], sets[i], symbols.First())
			if len(next) == 0 {
				continue
			}
			if !slices.Equal(next, last) {
				last = append(last[:0], next...)
				to = state(next)
			}
			at := first + slices.IndexFunc(arcs[first:], func(a arc) bool { return a.to == to })
			if at < first {
				at = len(arcs)
				arcs = append(arcs, arc{from: dfa.StateID(i), to: to})
			}
			arcs[at].symbols = arcs[at].symbols.Union(symbols)
		}
	}
	failed := b.AddState("FAILED", "after a value of another form")
	record := dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	for _, a := range arcs {
		b.On(a.from, a.symbols, a.to, dfa.Emission{Kind: dfa.Data})
	}
	for i, set := range sets {
		b.Otherwise(dfa.StateID(i), failed, dfa.Emission{Kind: dfa.Error, Code: code})
		end := record
		if !slices.ContainsFunc(set, func(p place) bool { return p.at == len(m.alternatives[p.alt]) }) {
			end.Code = code
		}
		b.EOF(dfa.StateID(i), end)
	}
	b.Otherwise(failed, failed, dfa.Emission{Kind: dfa.Skip})
	b.EOF(failed, record)
	return b.Build()
}

// following are the texts that may stand after the parts before parts: what
// parts begin with, or, past optional groups, after.
func following(parts []part, after []string) []string {
	var out []string
	for _, p := range parts {
		switch p.kind {
		case literalPart:
			return append(out, p.text)
		case blanksPart:
			return append(out, " ", "\t")
		case holePart:
			return out
		case optionalPart:
			out = append(out, following(p.in, nil)...)
		}
	}
	return append(out, after...)
}

// formFor gives the form that the hole of a column needs, nil if it needs none or has
// none. It needs one if it touches another hole, or is to be told from one.
func (d *definer) formFor(h part, texts []string, touches, told bool) *dfa.Automaton {
	if h.hole.width > 0 {
		return d.formAutomaton(h, [][]formItem{widthItems(h.hole.width)}, fmt.Sprintf("%d bytes are expected", h.hole.width))
	}
	c, ok := d.columns[h.hole.name]
	if !ok || h.hole.toEnd {
		return nil
	}
	if h.hole.dash {
		c.Nulls = merge(c.Nulls, []string{"-"})
	}
	alternatives, words := formOf(&c)
	plain := alternatives == nil && (touches || told)
	if plain {
		alternatives, words = plainForm(&c)
	}
	m := formMachine{alternatives}
	holds := m.holds
	if c.Type.Kind == dfa.Enum {
		holds = func(text string) bool {
			return slices.ContainsFunc(c.Type.Tokens, func(tok string) bool { return strings.Contains(tok, text) })
		}
	}
	switch inside := slices.ContainsFunc(texts, holds); {
	case alternatives == nil, !touches && !told && !inside:
		return nil
	case plain && inside && !touches: // it ends at the first of texts, as it would elsewhere
		return nil
	}
	if len(c.Type.Or) > 0 {
		if witness, goesOn := m.endsAndGoesOn(texts); goesOn {
			d.bad.addf(h.pos, "field %s: after %q a time is complete, and what follows may end the field or belong to another of its layouts", h.hole.name, witness)
			return nil
		}
	}
	if !touches && !d.told[h.hole.name] && slices.Contains(c.NullTokens(), "") {
		alternatives = append(slices.Clip(alternatives), nil)
	}
	return d.formAutomaton(h, alternatives, words)
}

// formAutomaton is the automaton of a hole with a form, nil after a fault.
func (d *definer) formAutomaton(h part, alternatives [][]formItem, words string) *dfa.Automaton {
	m := formMachine{alternatives}
	size := 0
	for _, a := range alternatives {
		size += len(a)
	}
	if size > maxForm {
		d.bad.addf(h.pos, "field %s: its tokens are %d bytes together; at most %d can be told from the text that ends the field", h.hole.name, size, maxForm)
		return nil
	}
	key := m.key(words)
	if a, ok := d.bad.work.built[key]; ok {
		return a
	}
	a, err := m.build(words)
	if err != nil {
		d.bad.addf(h.pos, "field %s: %v", h.hole.name, err)
		return a
	}
	d.bad.work.built[key] = a
	return a
}

// key is by what the machine and its words differ from all others.
func (m *formMachine) key(words string) string {
	key := binary.AppendUvarint(nil, uint64(len(words)))
	key = append(key, words...)
	for _, items := range m.alternatives {
		key = binary.AppendUvarint(key, uint64(len(items)))
		for i := range items {
			x := &items[i]
			for _, w := range x.set {
				key = binary.LittleEndian.AppendUint64(key, w)
			}
			for _, is := range [...]bool{x.optional, x.last, x.repeat} {
				if is {
					key = append(key, 1)
				} else {
					key = append(key, 0)
				}
			}
			key = binary.AppendUvarint(key, uint64(len(x.words)))
			for _, w := range x.words {
				key = binary.AppendUvarint(key, uint64(len(w)))
				key = append(key, w...)
			}
		}
	}
	return string(key)
}
