package runtime

import (
	"math"
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
	broken []neighbours      // on side 0, those that lead to lost
	lost   dfa.StateID       // of a malformed record: end alone leads out of it, to side 0, and is the end of a record; noState if there is none
	end    int               // group
	plain  bool              // on side 1 nothing is odd, and nothing ends
	next   []parityStep      // by state and symbol
	exits  []uint8           // by state: a bit a group, of those that do not leave it as it is
	ends   [2][5]bool        // by side before and group: a record ends
}

// parityStep is a step of the Outline.
type parityStep struct {
	to   dfa.StateID
	side int8  // of that state behind that symbol, noSide if both do not go together
	ends uint8 // 1: a record ends
}

// neighbours are groups of two symbols, one behind the other.
type neighbours struct{ first, second uint8 }

const noGroup = 5

// noState is none of an Outline: a tally's are few.
const noState = dfa.StateID(math.MaxUint16)

type plane = [symbols.Strip]uint64

// paritiesMaker makes parities of an Outline.
type paritiesMaker struct {
	*parities
	outline *dfa.Outline
	symbols []byte // one of each group, first one that does not matter
	last    byte   // ends records
}

// newParities is nil if more than a few symbols matter in o, or none ends records.
func newParities(o *dfa.Outline, start dfa.StateID) *parities {
	p := &paritiesMaker{parities: &parities{n: 1, sides: 1, lost: noState}, outline: o}
	if !p.findGroups() || !p.findSides(start) {
		return nil
	}
	p.findSteps()
	p.findNeighbours()
	return p.parities
}

// step is the state behind a text, and whether its last symbol ends a record.
func (p *paritiesMaker) step(s dfa.StateID, text ...byte) (_ dfa.StateID, ends bool) {
	for _, symbol := range text {
		to, e := p.outline.Step(s, symbol)
		s, ends = to, e.Kind == dfa.Record
	}
	return s, ends
}

// findGroups finds the symbols that matter; false: there are none, or too many.
func (p *paritiesMaker) findGroups() bool {
	o := p.outline
	size := make([]int, o.NGroups)
	for _, g := range o.Group {
		size[g]++
	}
	filler := -1
	for g, is := range o.Quiet {
		if is && (filler < 0 || size[g] > size[filler]) {
			filler = g
		}
	}
	var other byte
	var found []byte // by group less 1
	for symbol, g := range o.Group {
		switch {
		case int(g) == filler:
			other = byte(symbol)
		case size[g] > 1 || len(found) == symbols.MostEach:
			return false
		default:
			found = append(found, byte(symbol))
			p.group[symbol] = uint8(len(found))
		}
	}
	if filler < 0 || len(found) == 0 {
		return false
	}
	p.find, p.n = symbols.NewEach(found), len(found)+1
	p.symbols = append([]byte{other}, found...)
	return true
}

// findSides finds the symbol that ends records, the one that changes sides, if one does, and the
// states behind each symbol on each; false: nothing ends records.
func (p *paritiesMaker) findSides(start dfa.StateID) bool {
	other := p.symbols[0]
	for _, symbol := range p.symbols[1:] {
		if _, ends := p.step(start, other, symbol); ends {
			p.last = symbol
		}
	}
	begins, ends := p.step(start, other, p.last)
	if !ends {
		return false
	}
	p.end = int(p.group[p.last])
	var within [2]dfa.StateID // a side
	within[0], _ = p.step(begins, other)
	for g, symbol := range p.symbols {
		inside, _ := p.step(begins, symbol, other)
		again, ended := p.step(inside, p.last)
		closed, _ := p.step(inside, symbol, p.last)
		if inside != within[0] && again == inside && !ended && closed == begins {
			p.sides, p.toggle, within[1] = 2, g, inside
		}
	}
	for side := range p.sides {
		for g, symbol := range p.symbols {
			after, before := p.behind(side, g), within[side]
			if after > side {
				before = begins
			}
			p.state[after][g], _ = p.step(before, symbol)
			if _, ends := p.step(within[side], symbol); ends {
				p.ends[side][g] = true
			}
		}
	}
	return true
}

// behind is the side behind a symbol of group g.
func (p *paritiesMaker) behind(side, g int) int {
	if p.sides == 2 && g == p.toggle {
		return 1 - side
	}
	return side
}

// findSteps finds what each symbol does in each state, and the state that only the end of a record leaves.
func (p *paritiesMaker) findSteps() {
	nstates := p.outline.NStates()
	p.exits, p.next = make([]uint8, nstates), make([]parityStep, nstates<<8)
	for s := range p.exits {
		for symbol := range 256 {
			to, ends := p.step(dfa.StateID(s), byte(symbol))
			x := &p.next[s<<8|symbol]
			x.to, x.side = to, p.side(to, byte(symbol))
			if ends {
				x.ends = 1
			}
			if ends || int(to) != s {
				p.exits[s] |= 1 << p.group[symbol]
			}
		}
	}
	var only [noGroup]bool
	if only[p.end] = true; p.ends[0] == only {
		for s, exits := range p.exits {
			if x := p.next[s<<8|int(p.last)]; exits == 1<<p.end && x.side == 0 && x.ends == 1 {
				p.lost = dfa.StateID(s)
			}
		}
	}
}

// findNeighbours finds the symbols behind which another one does not do what it does elsewhere on its side.
func (p *paritiesMaker) findNeighbours() {
	for side := range p.sides {
		for first := range p.n {
			for second, symbol := range p.symbols {
				to, ends := p.step(p.state[side][first], symbol)
				switch {
				case to == p.state[p.behind(side, second)][second] && ends == p.ends[side][second]:
				case to == p.lost && !ends && side == 0:
					p.broken = append(p.broken, neighbours{uint8(first), uint8(second)})
				default:
					p.odd[side] = append(p.odd[side], neighbours{uint8(first), uint8(second)})
				}
			}
		}
	}
	p.plain = len(p.odd[1]) == 0 && p.ends[1] == [noGroup]bool{}
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
	others := false
	add := func(dst *plane, all []neighbours) (some uint64) {
		clear(dst[:w.n])
		for _, x := range all {
			if !there[x.first] || !there[x.second] {
				continue
			}
			if (x.first == 0 || x.second == 0) && !others {
				w.others(p.n)
				others = true
			}
			some |= w.add(dst, x)
		}
		return some
	}
	odd, broken := uint64(0), add(&w.broken, p.broken)
	for side := range p.sides {
		odd |= add(&w.odd[side], p.odd[side])
		clear(w.ends[side][:w.n])
		for g := 1; g < p.n; g++ {
			if p.ends[side][g] && there[g] {
				for i, x := range w.in[g][:w.n] {
					w.ends[side][i] |= x
				}
			}
		}
	}
	toggles := p.sides == 2 && some[p.toggle-1] != 0
	if toggles {
		w.toggle(p.toggle)
	} else {
		clear(w.sides[:w.n+1])
	}
	if w.even = p.plain && odd == 0; w.even {
		w.total(toggles, broken != 0)
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
	broken  plane                     // the same on side 0, of those that are broken
	ends    [2]plane                  // the same: a record ends
	sides   [symbols.Strip + 1]uint64 // before each symbol, if the strip begins on side 0; behind them one bit more
	even    bool                      // nothing is odd, and on side 1 nothing ends; then there are
	records [2]int64                  // by side at the beginning: records that end if nothing is broken
	bad     [2]uint64                 // the same: a bit for each block in which something is
}

// others sets the masks of the group of all other symbols.
func (w *blocks) others(ngroups int) {
	last := ngroups - 1
	one, two, three, four := w.in[1][:w.n], w.in[min(2, last)][:w.n], w.in[min(3, last)][:w.n], w.in[last][:w.n]
	for i := range w.in[0][:w.n] {
		w.in[0][i] = ^(one[i] | two[i] | three[i] | four[i])
	}
}

// total sets records and bad.
func (w *blocks) total(toggles, broken bool) {
	all, inside := 0, 0
	for _, ends := range w.ends[0][:w.n] {
		all += bits.OnesCount64(ends)
	}
	if toggles {
		for i, ends := range w.ends[0][:w.n] {
			inside += bits.OnesCount64(ends & w.sides[i])
		}
	}
	w.records, w.bad = [2]int64{int64(all - inside), int64(inside)}, [2]uint64{}
	if !broken {
		return
	}
	bit := func(x uint64) uint64 { return (x | -x) >> 63 } // 1 if x is not 0
	var one, other uint64
	for i, x := range w.broken[:w.n] {
		at := w.sides[i]
		one |= bit(x&^at) << (i & 63)
		other |= bit(x&at) << (i & 63)
	}
	w.bad = [2]uint64{one, other}
}

// add adds where the second of neighbours stands, and gives the OR of it.
func (w *blocks) add(dst *plane, x neighbours) (some uint64) {
	all, second := dst[:w.n], w.in[x.second][:w.n]
	before := uint64(0)
	if w.last == int(x.first) {
		before = 1
	}
	for i, first := range w.in[x.first][:w.n] {
		found := (first<<1 | before) & second[i]
		before = first >> 63
		all[i] |= found
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
	side, done := c.side, false // at the beginning, as what follows has it
	if w.even && w.n > 0 {
		side, done = p.stepEven(w, c, side)
	}
	for i := 0; i < w.n && !done; i++ {
		if side >= 0 {
			at := w.sides[i] ^ -uint64(side)
			if (w.odd[0][i]|w.broken[i])&^at|w.odd[1][i]&at == 0 {
				c.records += int64(bits.OnesCount64(w.ends[0][i]&^at | w.ends[1][i]&at))
				continue
			}
		}
		side = p.stepOdd(w, i, c, side)
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

// stepEven steps c over all of w, which is even, if the side behind each broken record is the one
// before it: then as many records end as if none were broken, and a processor need not wait
// for one to find the next. It gives the side at the beginning that what follows w has.
func (p *parities) stepEven(w *blocks, c *counting, side int8) (behind int8, done bool) {
	if side < 0 && c.state != p.lost {
		return side, false
	}
	i, left := 0, ^uint64(0) // the block, and what of it lies behind the last broken record
	for was := side; ; was = side {
		if side >= 0 {
			broken := uint64(0)
			for bad := w.bad[side] >> i << i; bad != 0; bad &= bad - 1 {
				if k := bits.TrailingZeros64(bad); k != i {
					i, left = k, ^uint64(0)
				}
				if broken = w.broken[i] &^ (w.sides[i] ^ -uint64(side)) & left; broken != 0 {
					break
				}
			}
			if broken == 0 {
				c.records += w.records[side]
				return side, true
			}
			left = -(broken & -broken)
		}
		end := w.in[p.end][i] & left
		for end == 0 {
			if i++; i == w.n {
				if c.state = p.lost; side >= 0 {
					c.records += w.records[side]
				}
				return noSide, true
			}
			end = w.in[p.end][i]
		}
		behind := w.behind(i, bits.TrailingZeros64(end))
		if was >= 0 && behind != was {
			return c.side, false
		}
		side, left = behind, -(end&-end)<<1
	}
}

// behind is the side at the strip's beginning of a text that is on side 0 behind a symbol of a block.
func (w *blocks) behind(i, q int) int8 {
	return int8((w.sides[i]>>1 | w.sides[i+1]<<63) >> q & 1)
}

// stepOdd steps c over a block in which something is odd, or whose side is not known, and gives
// the side at the strip's beginning that what follows the block has.
func (p *parities) stepOdd(w *blocks, i int, c *counting, side int8) int8 {
	block := (*[symbols.Block]byte)(w.data[i*symbols.Block:])
	sides, left := w.sides[i], ^uint64(0) // what has not been counted
	for {
		if side >= 0 {
			at := sides ^ -uint64(side)
			odd := ((w.odd[0][i]|w.broken[i])&^at | w.odd[1][i]&at) & left
			ends := (w.ends[0][i]&^at | w.ends[1][i]&at) & left
			if odd == 0 {
				c.records += int64(bits.OnesCount64(ends))
				return side
			}
			c.records += int64(bits.OnesCount64(ends & (odd&-odd - 1)))
			q := bits.TrailingZeros64(odd)
			before := w.last
			if q > 0 {
				before = int(p.group[block[q-1]])
			} else if i > 0 {
				before = int(p.group[w.data[i*symbols.Block-1]])
			}
			c.state, left = p.state[at>>q&1][before], ^uint64(0)<<q
		}
		found := left
		if exits := p.exits[c.state]; exits&1 == 0 {
			some := uint64(0)
			for g := 1; g < p.n; g++ {
				some |= w.in[g][i] & -uint64(exits>>g&1)
			}
			found &= some
		}
		if found == 0 {
			return noSide
		}
		q := bits.TrailingZeros64(found)
		next := p.next[int(c.state)<<8|int(block[q])]
		c.records += int64(next.ends)
		c.state, side = next.to, next.side
		left = ^uint64(1) << q
		if side >= 0 {
			side ^= w.behind(i, q)
		}
		if left == 0 {
			return side
		}
	}
}
