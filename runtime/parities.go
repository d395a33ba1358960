package runtime

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// parities count the records of a text 64 symbols at a time, from any number of states at once.
// They take it that one symbol, such as a quote, toggles between two sides, and that the
// side and the last symbol are all that there is to know of the Outline's state. Where
// two neighbours show that this is not so, they are odd, and what follows is stepped symbol by
// symbol, until a side and a symbol go together again. Nothing is taken on trust, so
// whichever symbol is chosen, what is counted is right.
//
//	text            a , " b \n " \n x "      sides, from the first:  0 0 1 1 1 0 0 0 0
//	                               ^^^       odd: a quote after x, on the side 0
type parities struct {
	find   *symbols.Each
	group  [256]uint8        // of a symbol: the number that masks have in find and one more, 0 for all others
	n      int               // groups
	sides  int               // 1: nothing toggles
	toggle int               // group
	state  [2][5]dfa.StateID // of the Outline, by side and last symbol
	odd    [2][]neighbours   // by the side before the second
	loud   [5]bool           // by group: it is not quiet
	next   []uint16          // by state and symbol: the next state, and the top bit if a record ends
	still  []bool            // by state: quiet symbols leave it as it is
	ends   [2][5]bool        // by side before and group: a record ends
}

// neighbours are groups of two symbols, one behind the other.
type neighbours struct{ first, second uint8 }

const noGroup = 5

type plane = [symbols.Strip]uint64

// newParities is nil if more than a few symbols matter in o, or none ends records.
func newParities(o *dfa.Outline, start dfa.StateID) *parities {
	size := make([]int, o.NGroups)
	for _, g := range o.Group {
		size[g]++
	}
	p := &parities{n: 1, sides: 1}
	var other byte
	var found []byte // by group less 1
	filler := -1
	for g, is := range o.Quiet {
		if is && (filler < 0 || size[g] > size[filler]) {
			filler = g
		}
	}
	for symbol, g := range o.Group {
		switch {
		case int(g) == filler:
			other = byte(symbol)
		case size[g] > 1 || len(found) == symbols.MostEach:
			return nil
		default:
			found = append(found, byte(symbol))
			p.group[symbol] = uint8(len(found))
		}
	}
	if filler < 0 || len(found) == 0 {
		return nil
	}
	p.find, p.n = symbols.NewEach(found), len(found)+1
	all := append([]byte{other}, found...)
	step := func(s dfa.StateID, text ...byte) (dfa.StateID, bool) {
		ends := false
		for _, symbol := range text {
			to, e := o.Step(s, symbol)
			s, ends = to, e.Kind == dfa.Record
		}
		return s, ends
	}
	end := byte(0)
	for _, symbol := range found {
		if _, ends := step(start, other, symbol); ends {
			end = symbol
		}
	}
	begins, ends := step(start, other, end)
	if !ends {
		return nil
	}
	var within [2]dfa.StateID // a side
	within[0], _ = step(begins, other)
	for g, symbol := range all {
		inside, _ := step(begins, symbol, other)
		again, ended := step(inside, end)
		closed, _ := step(inside, symbol, end)
		if inside != within[0] && again == inside && !ended && closed == begins {
			p.sides, p.toggle, within[1] = 2, g, inside
		}
	}
	behind := func(side, g int) int { // the side
		if p.sides == 2 && g == p.toggle {
			return 1 - side
		}
		return side
	}
	for side := range p.sides {
		for g, symbol := range all {
			after, before := behind(side, g), within[side]
			if after > side {
				before = begins
			}
			p.state[after][g], _ = step(before, symbol)
			if _, ends := step(within[side], symbol); ends {
				p.ends[side][g] = true
			}
		}
	}
	for side := range p.sides {
		for first := range p.n {
			for second, symbol := range all {
				after := behind(side, second)
				to, ends := step(p.state[side][first], symbol)
				if to != p.state[after][second] || ends != p.ends[side][second] {
					p.odd[side] = append(p.odd[side], neighbours{uint8(first), uint8(second)})
				}
			}
		}
	}
	p.still, p.next = make([]bool, o.NStates()), make([]uint16, o.NStates()<<8)
	for s := range p.still {
		p.still[s] = true
		for symbol := range 256 {
			to, ends := step(dfa.StateID(s), byte(symbol))
			if p.next[s<<8|symbol] = uint16(to); ends {
				p.next[s<<8|symbol] |= 1 << 15
			}
			quiet := o.Quiet[o.Group[symbol]]
			p.loud[p.group[symbol]] = !quiet
			p.still[s] = p.still[s] && (!quiet || int(to) == s)
		}
	}
	return p
}

// side is that of a state behind a symbol, noSide if both do not go together.
func (p *parities) side(s dfa.StateID, symbol byte) int8 {
	for side := range p.sides {
		if p.state[side][p.group[symbol]] == s {
			return int8(side)
		}
	}
	return noSide
}

// count counts data[from:to], at most a strip, from all.
func (p *parities) count(t *tally, w *blocks, data []byte, from, to int, all []*counting) {
	w.data, w.n = data[from:to], (to-from)/symbols.Block
	some := p.find.Find((*[symbols.MostEach]plane)(w.in[1:]), w.data, w.n)
	w.last = noGroup
	if from > 0 {
		w.last = int(p.group[data[from-1]])
	}
	there := [noGroup + 1]bool{true}
	for g := 1; g < p.n; g++ {
		there[g] = some[g-1] != 0 || g == w.last
	}
	others, strange := false, uint64(0)
	w.even, w.records = false, [2]int64{}
	for side := range p.sides {
		clear(w.odd[side][:w.n])
		clear(w.ends[side][:w.n])
		for _, x := range p.odd[side] {
			if !there[x.first] || !there[x.second] {
				continue
			}
			if (x.first == 0 || x.second == 0) && !others {
				w.others(p.n)
				others = true
			}
			strange |= w.addOdd(side, x)
		}
		for g := 1; g < p.n; g++ {
			if p.ends[side][g] && there[g] {
				for i, x := range w.in[g][:w.n] {
					w.ends[side][i] |= x
				}
			}
		}
	}
	if p.sides == 2 && some[p.toggle-1] != 0 {
		w.toggle(p.toggle)
	} else {
		clear(w.sides[:w.n+1])
		w.even = strange == 0
	}
	if w.even {
		for side := range p.sides {
			for _, x := range w.ends[side][:w.n] {
				w.records[side] += int64(bits.OnesCount64(x))
			}
		}
	}
	for _, c := range all {
		p.step(t, w, c)
	}
}

// blocks are a text of some blocks, as masks. They are used again.
type blocks struct {
	data    []byte
	n       int                       // whole blocks
	last    int                       // group of the symbol before it
	in      [noGroup]plane            // symbols by group
	odd     [2]plane                  // by the side before them: the second of odd neighbours
	ends    [2]plane                  // the same: a record ends
	sides   [symbols.Strip + 1]uint64 // before each symbol, if the strip begins on side 0; behind them one bit more
	even    bool                      // nothing is odd, and nothing toggles: then so many records end
	records [2]int64                  // by side
}

// others sets the masks of the group of all other symbols.
func (w *blocks) others(ngroups int) {
	all := &w.in[0]
	for i, x := range w.in[1][:w.n] {
		all[i] = ^x
	}
	for g := 2; g < ngroups; g++ {
		for i, x := range w.in[g][:w.n] {
			all[i] &^= x
		}
	}
}

// addOdd adds where neighbours stand to what is odd, and gives the OR of it.
func (w *blocks) addOdd(side int, x neighbours) (some uint64) {
	odd, second := w.odd[side][:w.n], w.in[x.second][:w.n]
	before := uint64(0)
	if w.last == int(x.first) {
		before = 1
	}
	for i, first := range w.in[x.first][:w.n] {
		found := (first<<1 | before) & second[i]
		before = first >> 63
		odd[i] |= found
		some |= found
	}
	return some
}

// toggle sets the sides.
func (w *blocks) toggle(group int) {
	parity := uint64(0)
	for i, x := range w.in[group][:w.n] {
		x = symbols.PrefixXor(x) ^ -parity
		w.sides[i] = x<<1 | parity
		parity = x >> 63
	}
	w.sides[w.n] = parity
}

// step steps c over w.
func (p *parities) step(t *tally, w *blocks, c *counting) {
	side := c.side // at the beginning, as what follows has it
	if w.even && side >= 0 {
		c.records += w.records[side]
	} else {
		for i := range w.n {
			if side >= 0 {
				at := w.sides[i] ^ -uint64(side)
				if w.odd[0][i]&^at|w.odd[1][i]&at == 0 {
					c.records += int64(bits.OnesCount64(w.ends[0][i]&^at | w.ends[1][i]&at))
					continue
				}
			}
			side = p.stepOdd(w, i, c, side)
		}
	}
	if side >= 0 && w.n > 0 {
		side ^= int8(w.sides[w.n])
		c.state = p.state[side][p.group[w.data[w.n*symbols.Block-1]]]
	}
	if c.side = side; w.n*symbols.Block < len(w.data) {
		t.countWords(w.data[w.n*symbols.Block:], c)
		c.side = p.side(c.state, w.data[len(w.data)-1])
	}
}

// stepOdd steps c over a block in which something is odd, or whose side is not known, and gives
// the side at the strip's beginning that what follows the block has.
func (p *parities) stepOdd(w *blocks, i int, c *counting, side int8) int8 {
	block := w.data[i*symbols.Block:][:symbols.Block]
	loud := uint64(0)
	for g := 1; g < p.n; g++ {
		if p.loud[g] {
			loud |= w.in[g][i]
		}
	}
	for q := 0; q < symbols.Block; {
		if side >= 0 {
			at, left := w.sides[i]^-uint64(side), ^uint64(0)<<q
			upto := bits.TrailingZeros64((w.odd[0][i]&^at | w.odd[1][i]&at) & left)
			c.records += int64(bits.OnesCount64((w.ends[0][i]&^at | w.ends[1][i]&at) & left & (1<<upto - 1)))
			if upto == symbols.Block {
				break
			}
			before := w.last
			if upto > 0 {
				before = int(p.group[block[upto-1]])
			} else if i > 0 {
				before = int(p.group[w.data[i*symbols.Block-1]])
			}
			q, side, c.state = upto, noSide, p.state[at>>upto&1][before]
		}
		if p.still[c.state] {
			if q += bits.TrailingZeros64(loud >> q); q >= symbols.Block {
				break
			}
		}
		next := p.next[int(c.state)<<8|int(block[q])]
		c.records += int64(next >> 15)
		c.state = dfa.StateID(next &^ (1 << 15))
		side = p.side(c.state, block[q])
		if q++; side < 0 {
			continue
		}
		if q < symbols.Block {
			side ^= int8(w.sides[i] >> q & 1)
		} else {
			side ^= int8(w.sides[i+1] & 1)
		}
	}
	return side
}
