package cpu

import (
	"bytes"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// word is what ends a part from a state on, as " from " does in `{user} from {ip}`: whatever
// comes before the first place where it stands is data for itself. So it is looked for, and the
// automaton is not stepped until then.
type word struct {
	text   []byte
	rare   int       // which of its symbols is looked for
	ends   dfa.Entry // at its last symbol
	needed bool      // what has no such place is a misfit
	rest   bool      // there is no word: all symbols are data to the end, in the state of ends
}

const (
	maxWord = 16
	// An automaton of more states has none.
	maxWordStates = 256
)

// wordFields is how many fields are taken apart before words are looked for, which takes a
// millisecond.
var wordFields = 4096 // less in tests

// in is where the word stands first in value, negative if nowhere.
func (w *word) in(value []byte) int {
	for at := 0; ; at++ {
		if at+len(w.text) > len(value) {
			return -1
		}
		q := bytes.IndexByte(value[at+w.rare:], w.text[w.rare])
		if q < 0 {
			return -1
		}
		if at += q; bytes.HasPrefix(value[at:], w.text) {
			return at
		}
	}
}

// frequent is symbols that are frequent in texts, the most frequent last.
const frequent = `bgfpw_,-"cumdl/hsr9876543ino21at.:0e `

// rareIn is a symbol of text that is rare in others.
func rareIn(text []byte) (rare int) {
	for i, c := range text {
		if strings.IndexByte(frequent, c) < strings.IndexByte(frequent, text[rare]) {
			rare = i
		}
	}
	return rare
}

// findWords finds the words of a split's automaton, by the state from which on they
// hold; a state without one has none of text.
func findWords(m *machine, a *dfa.Automaton) []word {
	if len(m.AtEOF) > maxWordStates {
		return nil
	}
	words := make([]word, len(m.AtEOF))
	symbols, found := oneOfEach(a), false
	for s := range words {
		row := m.Row(dfa.StateID(s))
		if to := m.Entries[row]; m.isData(row, to.Row()) && m.isData(to.Row(), to.Row()) {
			words[s], found = word{ends: to, rest: true}, true
			continue
		}
		if text := m.toField(dfa.StateID(s), symbols); len(text) > 0 && len(text) <= maxWord {
			words[s] = m.wordOf(dfa.StateID(s), text)
			found = found || words[s].text != nil
		}
	}
	if !found {
		return nil
	}
	return words
}

// isData reports whether each symbol is data for itself, and leads from one row to another.
func (m *machine) isData(row, to uint32) bool {
	for _, e := range m.Entries[row : row+256] {
		if e.Kind() != dfa.Data || e.Coded() || e.Row() != to {
			return false
		}
	}
	return true
}

// toField is the symbols on a shortest way from a state to the end of a field, those behind the field's
// boundary alone.
func (m *machine) toField(from dfa.StateID, symbols []byte) []byte {
	type step struct {
		before int
		state  dfa.StateID
		symbol byte
	}
	steps, seen := []step{{-1, from, 0}}, make([]bool, len(m.AtEOF))
	seen[from] = true
	for i := 0; i < len(steps); i++ {
		row := m.Row(steps[i].state)
		for _, c := range symbols {
			switch e := m.Entries[row|uint32(c)]; {
			case e.Kind() == dfa.Field:
				text := []byte{c}
				for k := i; steps[k].before >= 0 && len(text) <= int(m.Emission(e).Lag); k = steps[k].before {
					text = append(text, steps[k].symbol)
				}
				slices.Reverse(text)
				return text
			case e.Kind() == dfa.Data && !seen[e.Next()]:
				seen[e.Next()] = true
				steps = append(steps, step{i, e.Next(), c})
			}
		}
	}
	return nil
}

// wordOf is text as the word from a state on, none if it is no such: all ways are gone on which it has not
// been read yet.
func (m *machine) wordOf(from dfa.StateID, text []byte) (w word) {
	// How many symbols of text have been read behind each symbol, by how many had been.
	var after [maxWord][256]uint8
	for n := range text {
		read := append(text[:n:n], 0)
		for _, c := range text {
			read[n] = c
			k := n + 1
			for !bytes.Equal(text[:k], read[n+1-k:]) {
				k--
			}
			after[n][c] = uint8(k)
		}
	}
	type place struct {
		state dfa.StateID
		read  uint8
	}
	w.needed = true
	todo, seen := []place{{from, 0}}, make([][maxWord]bool, len(m.AtEOF))
	seen[from][0] = true
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		em := m.EOF(p.state)
		w.needed = w.needed && em.Kind == dfa.Record && em.Code != 0
		row := m.Row(p.state)
		for c, e := range m.Entries[row : row+256] {
			read := after[p.read][c]
			if int(read) < len(text) {
				if e.Kind() != dfa.Data || e.Coded() {
					return word{}
				}
				if next := (place{e.Next(), read}); !seen[next.state][read] {
					seen[next.state][read] = true
					todo = append(todo, next)
				}
				continue
			}
			if em := m.Emission(e); e.Kind() != dfa.Field || e.Coded() || em.Touch || int(em.Lag) != len(text)-1 || w.text != nil && e != w.ends {
				return word{}
			}
			w.text, w.rare, w.ends = text, rareIn(text), e
		}
	}
	return w
}
