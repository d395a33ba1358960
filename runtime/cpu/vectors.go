package cpu

import (
	"encoding/binary"
	"slices"
)

// Where many states stay apart, as in brackets that may be any number deep, to step each of them costs as
// often as much as to step one. But of all the vectors of states that there may be, a chunk mostly comes to a
// few again and again. So each is kept, with those that follow it by symbol group once they have come, and a
// chunk takes one look a symbol. Where more come than are kept, states are stepped one by one.
const (
	fewLive     = 4       // so many states are stepped one by one
	vectorStrip = 1 << 16 // symbols after which it is looked whether states have become the same
	notKnown    = -1

	mostVectorStates = 1 << 18
)

// mostVectors are kept of one chunk; fewer in tests.
var mostVectors = 1 << 12

// vectorsFrom is how many symbols states are stepped one by one before, as most become few soon; less in
// tests.
var vectorsFrom = stripSize

// vectorTable is the vectors that have come.
type vectorTable struct {
	c       *contexts
	vectors [][]int
	next    []int32          // by row of a vector and group: the row of the next, or notKnown
	rows    map[string]int32 // by vector
	key     []byte           // scratch memory
	nstates int              // of all vectors
	full    bool
}

func newVectorTable(c *contexts) *vectorTable {
	return &vectorTable{c: c, rows: map[string]int32{}}
}

// row is that of a vector, notKnown if there is no room for it.
func (t *vectorTable) row(vector []int) int32 {
	t.key = t.key[:0]
	for _, s := range vector {
		t.key = binary.LittleEndian.AppendUint16(t.key, uint16(s))
	}
	if row, ok := t.rows[string(t.key)]; ok {
		return row
	}
	if t.nstates += len(vector); len(t.vectors) == mostVectors || t.nstates > mostVectorStates {
		t.full = true
		return notKnown
	}
	row := int32(len(t.next))
	t.vectors, t.rows[string(t.key)] = append(t.vectors, slices.Clone(vector)), row
	for range t.c.ngroups {
		t.next = append(t.next, notKnown)
	}
	return row
}

// walk steps the states of live over as many symbols of part as there is room for vectors, and gives how many
// these are.
func (t *vectorTable) walk(part []byte, live []int) (n int) {
	row := t.row(live)
	if row == notKnown {
		return 0
	}
	group, next := &t.c.group, t.next
	for i, symbol := range part {
		to := next[int(row)+int(group[symbol])]
		if to == notKnown {
			vector := t.vectors[int(row)/t.c.ngroups]
			for k, s := range vector {
				live[k] = int(t.c.states.next[s<<8|int(symbol)] >> 8)
			}
			at := int(row) + int(group[symbol])
			if to = t.row(live); to == notKnown {
				return i + 1
			}
			t.next[at], next = to, t.next
		}
		row = to
	}
	copy(live, t.vectors[int(row)/t.c.ngroups])
	return len(part)
}
