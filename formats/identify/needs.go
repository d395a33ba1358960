package identify

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"io"
	"sync"
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
	// The automaton: a record was read once it is in the state 0, and where the text ends in one
	// of those that are whole. No states: any text may hold a record.
	group  [256]uint8
	next   []uint16 // by state, and in it by group
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
		states := number()
		if states == 0 {
			continue
		}
		n.groups = number()
		for symbol := 0; symbol < len(n.group); {
			group := number()
			for range number() {
				n.group[symbol] = uint8(group)
				symbol++
			}
		}
		n.whole, n.next = make([]bool, states), make([]uint16, states*n.groups)
		for s := range n.whole {
			n.whole[s] = number() == 1
		}
		for i := range n.next {
			n.next[i] = uint16(number())
		}
	}
	return all
})

// met is false where the format reads no record of a text.
func (n *need) met(text []byte) bool {
	if len(n.whole) == 0 {
		return true
	}
	state := 1
	for _, symbol := range bytes.TrimPrefix(text, []byte{0xEF, 0xBB, 0xBF}) {
		if state = int(n.next[state*n.groups+int(n.group[symbol])]); state == 0 {
			return true
		}
	}
	return n.whole[state]
}
