package runtime

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// tally counts the data records that end in a text, and knows nothing of their fields: it
// steps the automaton's Outline, and of that only the symbols that are no filler, which in
// most logs are the ends of lines.
type tally struct {
	of    []dfa.StateID // Outline.Of
	next  []uint32      // row of a state | symbol -> row of the next, and counts if a data record ends
	gap   []uint32      // the same where filler stands before the symbol
	after []uint32      // by state: the row after filler
	rest  *symbols.Set  // what is no filler
	light bool          // that is little: nothing counts faster
}

const (
	rowOf    = ^uint32(0xff) // of an entry: the row, a state times 256
	countsIn = uint32(1)     // and this bit

	lightSymbols = 2       // that are looked for, if a tally is light
	tallyStrip   = 4 << 10 // symbols that are looked through at once
)

// newTally is nil if the automaton's Outline has no filler.
func newTally(a *dfa.Automaton) *tally {
	o := a.Outline()
	if !o.OK {
		return nil
	}
	n := o.NStates()
	t := &tally{of: o.Of, next: make([]uint32, n<<8), gap: make([]uint32, n<<8), after: make([]uint32, n)}
	for i := range t.next {
		to, e := o.Step(dfa.StateID(i>>8), byte(i))
		t.next[i] = uint32(to) << 8
		if e.Kind == dfa.Record {
			t.next[i] |= countsIn
		}
	}
	var rest dfa.Set
	for symbol, g := range o.Group {
		if g != o.Filler {
			rest = rest.Union(dfa.Bytes(byte(symbol)))
		}
	}
	for s, to := range o.Row(o.Filler) {
		t.after[s] = uint32(to) << 8
		copy(t.gap[s<<8:][:256], t.next[int(to)<<8:])
	}
	t.rest, t.light = symbols.NewSet(rest), rest.Len() <= lightSymbols
	return t
}

// count gives how many data records end in data, which begin in a state of the Outline, and the
// state behind them.
func (t *tally) count(data []byte, state dfa.StateID) (records int64, end dfa.StateID) {
	next, gap := t.next, t.gap[:len(t.next)]
	row := uint32(state) << 8
	var mask [tallyStrip / symbols.Block]uint64
	for len(data) > 0 {
		part := data[:min(tallyStrip, len(data))]
		data = data[len(part):]
		t.rest.Find(mask[:], part)
		at := 0
		for b := range (len(part) + symbols.Block - 1) / symbols.Block {
			for set := mask[b]; set != 0; set &= set - 1 {
				q := b*symbols.Block + bits.TrailingZeros64(set)
				i := row&rowOf | uint32(part[q])
				if row = next[i]; q != at {
					row = gap[i]
				}
				records += int64(row & countsIn)
				at = q + 1
			}
		}
		if at < len(part) {
			row = t.after[row>>8]
		}
	}
	return records, dfa.StateID(row >> 8)
}
