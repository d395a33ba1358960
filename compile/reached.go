package compile

import (
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// reached reports whether a field fits the last of forms and none before it, and if
// not, a shortest one that fits the last.
func (w *work) reached(forms []dfa.Type) (witness string, is bool, err error) {
	key := "forms"
	for i := range forms {
		key += " " + forms[i].String()
	}
	if known, ok := w.forms[key]; ok {
		return known.witness, known.is, nil
	}
	var m formMachine
	last := 0
	for i := range forms {
		items, err := clockItems(&forms[i], true)
		if err != nil {
			return "", true, nil // it has been said
		}
		last = len(m.alternatives)
		m.alternatives = append(m.alternatives, items...)
	}
	search := onlyLast{machine: &m, last: last, seen: map[string]bool{}}
	witness, is = search.run()
	w.forms[key] = reach{witness, is}
	return witness, is, w.Take(len(search.seen))
}

// reach is what reached has found.
type reach struct {
	witness string
	is      bool
}

// onlyLast looks for a text that the alternatives from last on read, and none before.
type onlyLast struct {
	machine *formMachine
	last    int
	seen    map[string]bool
	queue   []reading
	alike   []dfa.Set
	set     []place // room for next
	key     []byte  // for add
}

// reading is where the machine is after a text.
type reading struct {
	set  []place
	text string
}

// maxReadings bounds the search: where it ends without an answer, the last
// alternative is taken for one that is reached.
const maxReadings = 1 << 11

func (x *onlyLast) run() (witness string, reached bool) {
	read, found := "", false
	for x.start(); len(x.queue) > 0 && len(x.seen) < maxReadings; {
		at := x.next()
		first, last := x.ends(at.set)
		switch {
		case last && !first:
			return "", true
		case last && !found:
			read, found = at.text, true
		}
	}
	return read, !found || len(x.queue) > 0
}

func (x *onlyLast) start() {
	var start []place
	for alt := range x.machine.alternatives {
		start = x.machine.enter(start, place{alt: alt})
	}
	x.alike = x.machine.alike()
	x.add(start, "")
}

// next takes the shortest reading, and adds those that are longer by a symbol.
func (x *onlyLast) next() reading {
	at := x.queue[0]
	x.queue = x.queue[1:]
	for _, symbols := range x.alike {
		x.set = x.machine.step(x.set[:0], at.set, symbols.First())
		x.add(x.set, at.text, symbols.First())
	}
	return at
}

// ends reports whether an alternative before last ends in the set, and whether one
// from last on does.
func (x *onlyLast) ends(set []place) (first, last bool) {
	for _, p := range set {
		if p.at == len(x.machine.alternatives[p.alt]) {
			first, last = first || p.alt < x.last, last || p.alt >= x.last
		}
	}
	return first, last
}

// add adds the reading of a text with more after it, unless one that leads to the same
// places is there, or none of the last alternatives is among them.
func (x *onlyLast) add(set []place, text string, more ...byte) {
	if !slices.ContainsFunc(set, func(p place) bool { return p.alt >= x.last }) {
		return
	}
	slices.SortFunc(set, comparePlaces)
	x.key = appendPlaces(x.key[:0], set)
	if !x.seen[string(x.key)] {
		x.seen[string(x.key)] = true
		x.queue = append(x.queue, reading{slices.Clone(set), text + string(more)})
	}
}

// appendPlaces adds bytes to key by which a set differs from every other.
func appendPlaces(key []byte, set []place) []byte {
	for _, p := range set {
		for _, n := range [...]int{p.alt, p.at, p.word, p.in} {
			key = binary.AppendUvarint(key, uint64(n))
		}
	}
	return key
}

func comparePlaces(a, b place) int {
	return cmp.Or(a.alt-b.alt, a.at-b.at, a.word-b.word, a.in-b.in)
}
