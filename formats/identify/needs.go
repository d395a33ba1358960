package identify

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// A format that reads nothing of a sample need not be compiled to be found out: needs.bin has
// an automaton of each that says which texts may hold a record of it, for all texts that do and
// some that do not. TestNeeds makes it of the formats (-update writes it), and holds it to be
// that of the formats as they are.
//
//go:embed needs.bin
var needsFile []byte

// need is what a built-in format needs to read something of a text.
type need struct {
	refined bool   // it is never named, see refined in needs_test.go
	parent  string // the format that it changes, "" if none
	// The lines before the first that begins with one of until are skipped, or those that begin
	// with one of skipped.
	until, skipped []string
	read           machine // accepts the texts that may hold a record
	// more accepts the texts that have something else than records that any text may be, all of it in one
	// column: these say nothing for the format.
	more machine
}

// machine is an automaton: a text is accepted once it is in the state 0, and where it ends in one
// of those that are whole. No states: any text is.
type machine struct {
	group  [256]uint8
	next   []uint32 // by state, and in it by group: where the row of the next state begins
	whole  []bool
	groups int
}

// needs are those of all built-in formats, by their names.
var needs = sync.OnceValue(func() map[string]*need {
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(needsFile)))
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	number := func() int {
		n, size := binary.Uvarint(b)
		b = b[size:]
		return int(n)
	}
	text := func() string {
		size := number()
		s := string(b[:size])
		b = b[size:]
		return s
	}
	all := map[string]*need{}
	for range number() {
		name := text()
		n := &need{refined: number() == 1, parent: text()}
		all[name] = n
		for _, texts := range []*[]string{&n.until, &n.skipped} {
			for range number() {
				*texts = append(*texts, text())
			}
		}
		for _, m := range []*machine{&n.read, &n.more} {
			states := number()
			if states == 0 {
				continue
			}
			m.groups = number()
			for symbol := 0; symbol < len(m.group); {
				group := number()
				for range number() {
					m.group[symbol] = uint8(group)
					symbol++
				}
			}
			m.whole, m.next = make([]bool, states), make([]uint32, states*m.groups)
			for s := range m.whole {
				m.whole[s] = number() == 1
			}
			for i := range m.next {
				m.next[i] = uint32(number() * m.groups)
			}
		}
	}
	return all
})

// met is false where the format reads no record of a text.
func (n *need) met(text []byte) bool {
	text = dfa.WithoutMark(text)
	if len(n.until) > 0 {
		return slices.ContainsFunc(n.until, func(line string) bool { return bytes.Contains(text, []byte(line)) })
	}
	if slices.ContainsFunc(n.skipped, func(line string) bool { return bytes.HasPrefix(text, []byte(line)) }) {
		return true
	}
	return n.read.accepts(text)
}

// slight reports whether each record that the format reads of a text is any text.
func (n *need) slight(text []byte) bool {
	return len(n.more.whole) > 0 && utf8.Valid(text) && !n.more.accepts(dfa.WithoutMark(text))
}

func (m *machine) accepts(text []byte) bool {
	if len(m.whole) == 0 {
		return true
	}
	row := uint32(m.groups)
	for _, symbol := range text {
		if row = m.next[row+uint32(m.group[symbol])]; row == 0 {
			return true
		}
	}
	return m.whole[int(row)/m.groups]
}
