package cpu

import (
	"bytes"
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/runtime"
)

// Where records that masks leave come every few, most of what is marked behind one is marked in vain, and begun
// again behind the next. There a strip is looked up once, and records are indexed one by one from its bits, up to each
// that is to be left out: that one is stepped, and what follows is read from the same bits.
//
//	record     Oslo;1.2⏎⏎Rome;x⏎Bonn;3.4⏎
//	ends           1   11    1 1    1   1
//	odd                 1
type near struct {
	from, to int // the data whose bits these are
	until    int // where the next record to leave out is not near any more
	ends     [nearBlocks]uint64
	lasts    [nearBlocks]uint64            // those that end records
	returned [nearBlocks]uint64            // of these, those behind a return
	odd      [nearBlocks]uint64            // where what masks say ends, and enclosures
	bare     bool                          // these have been found
	of       *[nroles]*[stripBlocks]uint64 // the symbols of each role,
	none     *[stripBlocks]uint64          // and of one that has none
	oneByOne int                           // records before are indexed one by one
	gone     columns.Removal               // of together
	blocks   bool                          // it is marked block by block,
	lookedUp bool                          // and the symbols of each role are known
	quoted   bool                          // quotes of the strip may open fields,
	doubled  bool                          // and some may be doubled
	gaps     gaps

	lookup
}

// lookup finds the symbols of a strip.
type lookup struct {
	bitmaps *bitmaps
	strips  *strips
	classes uint8 // of the symbols of the strip, if they are in bitmaps
	mapped  bool  // whether they are
}

const (
	// nearBlocks is how many blocks are looked up at once.
	nearBlocks = 8 * laneBlocks

	// nearEnough symbols behind a record that was left out the next one is looked for so.
	nearEnough = 256

	// nearQuoted is that where fields are quoted.
	nearQuoted = 1024

	// nearTogether is that where those between are indexed together.
	nearTogether = 4096

	// nearAround is that where vector code marks them: see gaps.
	nearAround = 16384
)

// reset is for symbols of other roles.
func (x *near) reset(r *roles) {
	x.to = 0
	x.lookup.reset(r)
}

// reset is for symbols of other roles.
func (x *lookup) reset(r *roles) {
	x.strips = nil
	if x.bitmaps != nil {
		x.bitmaps.reset(r)
	}
}

// look begins a strip of data in which a record begins at from. It reports whether there is one. Its symbols are looked up,
// unless it is marked block by block.
func (x *near) look(k *masked, data []byte, from int) bool {
	n := min((len(data)-from)/blockSize, nearBlocks) / laneBlocks * laneBlocks
	x.oneByOne, x.doubled, x.bare = 0, false, false
	if x.from, x.to = from, from+n*blockSize; n == 0 {
		return false
	}
	x.blocks, x.lookedUp, x.quoted = k.marksBlocks() && k.opensSome(data[from:x.to]), false, true
	if !x.blocks {
		x.lookUp(k, data)
	}
	return true
}

// lookUp looks up the symbols of the strip, if that has not been done.
func (x *near) lookUp(k *masked, data []byte) {
	if x.lookedUp {
		return
	}
	x.lookedUp = true
	x.of, x.none = x.find(&k.marker, data[x.from:x.to])
	x.quoted = k.masks.Quote != nil && !k.masks.Quote.Escape && x.opens((x.to-x.from)/blockSize)
}

// findBare finds the bits of the strip as if all its fields were bare.
func (x *near) findBare() {
	if x.bare {
		return
	}
	x.bare = true
	n, of := (x.to-x.from)/blockSize, x.of
	fields, returns, odds, afterReturn := of[fieldRole], of[returnRole], of[oddRole], uint64(0)
	const top = blockSize - 1
	for i, last := range of[recordRole][:n] {
		behind := returns[i]<<1 | afterReturn
		afterReturn = returns[i] >> top
		x.ends[i], x.lasts[i], x.returned[i] = fields[i]|last, last, behind&last
		x.odd[i] = odds[i] | behind&^last
	}
	for _, role := range [...]*[stripBlocks]uint64{of[quoteRole], of[openRole], of[closeRole]} {
		if role != x.none {
			for i, set := range role[:n] {
				x.odd[i] |= set
			}
		}
	}
	if oddFirst, oddNext := of[oddFirstRole], of[oddNextRole]; oddFirst != x.none || oddNext != x.none {
		afterRecord, afterField := uint64(1), uint64(0)
		for i, last := range x.lasts[:n] {
			within := x.ends[i] &^ last
			x.odd[i] |= oddFirst[i]&(last<<1|afterRecord) | oddNext[i]&(within<<1|afterField)
			afterRecord, afterField = last>>top, within>>top
		}
	}
}

// find gives the symbols of each role in src, and those of roles that have none in it.
func (x *lookup) find(k *marker, src []byte) (of *[nroles]*[stripBlocks]uint64, none *[stripBlocks]uint64) {
	if !k.mapped() || len(src)%(laneBlocks*blockSize) != 0 {
		if x.strips == nil {
			x.strips = new(strips)
		}
		x.strips.find(k.symbolClasses, src)
		x.mapped = false
		return &x.strips.of, &x.strips.none
	}
	if x.bitmaps == nil {
		x.bitmaps = new(bitmaps)
		x.bitmaps.reset(k.roles)
	}
	x.classes, x.mapped = x.bitmaps.lookUp(k.roles, src), true
	return &x.bitmaps.of, &x.bitmaps.none
}

// mapped reports whether there is vector code that looks symbols up.
func (k *marker) mapped() bool { return hasLookUp() && k.vectors && k.few }

// reach is behind how many symbols the next record that is left out is near.
func (w *worker) reach() int {
	if w.brief {
		return w.masked.reach
	}
	return nearEnough
}

// byNear indexes records from w.at on as long as the next one that is left out is near. It ends before the first that
// is for others.
func (w *worker) byNear(ck *chunk, limit int) (why ended) {
	k, x, begin := w.masked, w.masked.near, w.row
	x.until = w.at + w.reach()
	for w.row == begin && w.at < x.until {
		if (w.at < x.from || w.at >= x.to) && !x.look(k, ck.part.Data, w.at) {
			return goOn
		}
		if w.together(ck, limit) {
			if w.full() {
				return roundFull
			}
			continue
		}
		from := w.at
		u, why := w.upToNear(ck, limit)
		switch {
		case why != goOn:
			return why
		case u.at >= 0:
			ok := false
			if why, ok = w.stepMalformed(ck, limit, u.at+maxFaultless, u); !ok || why != goOn {
				return why
			}
			x.until = w.at + w.reach()
		case w.at == from && from == x.from: // the record is longer than a strip
			return goOn
		}
	}
	return goOn
}

// upToNear indexes records from w.at on, up to the one that is odd, of which it gives what is unread; its place is
// negative if there is none up to until.
func (w *worker) upToNear(ck *chunk, limit int) (u unread, why ended) {
	k, x, data, columns := w.masked, w.masked.near, ck.part.Data, w.plainColumns
	x.lookUp(k, data)
	at, row, base, begin, n := w.at, w.nrows, w.base, k.masks.Begin, 0
	block, first := (at-x.from)/blockSize, uint((at-x.from)%blockSize)
	start, nblocks, quote := at, (x.to-x.from)/blockSize, -1
	if x.quoted {
		quote = int(k.masks.Quote.Open)
	}
	if k.masks.OddFirst.Has(data[at]) { // the record before may have ended elsewhere than others do
		return w.unreadFrom(0, at), goOn
	}
	var b nearBlock
	var ends, lasts, returns, odd uint64
	if x.quoted {
		ends, lasts, returns, odd = b.read(x, k, block, first)
	} else {
		x.findBare()
		ends, lasts, returns, odd = x.ends[block]>>first<<first, x.lasts[block], x.returned[block], x.odd[block]>>first<<first
	}
	u.at = -1
	for at < x.until {
		if ends == 0 && odd == 0 {
			if block++; block == nblocks {
				x.to = x.from // which holds from this record on
				break
			}
			if x.quoted {
				ends, lasts, returns, odd = b.read(x, k, block, blockSize)
			} else {
				ends, lasts, returns, odd = x.ends[block], x.lasts[block], x.returned[block], x.odd[block]
			}
			continue
		}
		next := ends & -ends
		if ends == 0 || odd&(next|(next-1)) != 0 || n == len(columns) {
			u = w.unreadFrom(n, start)
			if odd&(next-1) != 0 {
				bit := bits.TrailingZeros64(odd)
				u = w.unreadAt(u, data, x.from+block*blockSize+bit, x.quoted && b.inside>>bit&1 == 0)
			}
			break
		}
		end := x.from + block*blockSize + bits.TrailingZeros64(next)
		returned := returns&next != 0 && end > at
		c, from, to := &columns[n], start, end
		if returned {
			to--
		}
		quoted := int(data[start]) == quote && start < end
		if quoted {
			from, to = from+1, to-1
		}
		if c.start[row], c.end[row] = uint32(from-base), uint32(to-base); quoted && x.doubled && c.wanted && bytes.IndexByte(data[from:to], data[start]) >= 0 {
			w.undouble(ck, &w.fields[w.dest[n]], row)
		}
		start, n = end+1, n+1
		ends &^= next
		if lasts&next == 0 {
			continue
		}
		boundary := end
		if returned && k.masks.ReturnEnds {
			boundary--
		}
		r := &w.rows[row]
		if r.set(at, boundary, begin, 0); boundary == end {
			r.about |= k.line
		}
		if long := boundary-at > w.plan.MaxRecord; long || n <= w.fewest {
			problem := runtime.Problem{What: runtime.TooFew, Output: -1, Field: -1, Offset: boundary}
			if long {
				problem.What, problem.Offset = runtime.TooLong, at
			}
			w.nrows = row
			w.reject(ck, start, &problem)
			x.until, row = start+w.reach(), w.nrows
		} else {
			w.lacksBehind(n, row, 1)
			row++
		}
		if at, n = start, 0; boundary >= limit || row == w.maxRows || len(w.omitted) == w.maxRows {
			if why = roundFull; boundary >= limit && (boundary >= ck.end || at >= ck.stop) {
				why = chunkDone
			}
			break
		}
	}
	if at != w.at {
		w.nrows = row
		w.leave(ck, at, w.row)
	}
	return u, why
}

// unreadFrom is what is left of a record from a field on, which begins at start.
func (w *worker) unreadFrom(field, start int) unread {
	if field == 0 {
		return unread{start, w.row, 0, start}
	}
	return unread{start, w.machine.Row(w.masked.masks.Next), field, start}
}

// unreadAt is u, which is from the beginning of a field on, from the symbol on before the first that is odd, if it is known
// in which state that is; closed: outside of quotes, if the field is in some.
func (w *worker) unreadAt(u unread, data []byte, odd int, closed bool) unread {
	k := w.masked
	q, b := k.masks.Quote, k.masks.Bracket
	switch first := data[u.at]; {
	case odd-1 <= u.at || k.leading || k.filler < 0 || b != nil && first == b.Open:
	case q == nil || first != q.Open: // all in front of it is content
		u.at, u.row = odd-1, w.machine.Entries[w.machine.Row(k.masks.Next)|uint32(k.filler)].Row()
	case closed && data[odd-1] == q.Close:
		u.at, u.row = odd-1, k.inside(w.machine)
	}
	return u
}
