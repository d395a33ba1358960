package cpu

import (
	"math/bits"

	"github.com/dfaparse/dfaparse/internal/symbols"
)

// symbolClass is the symbols that have the same roles.
type symbolClass struct {
	roles uint16 // as bits
	words *symbols.Words
}

// strips is what reading without vector code finds in a strip: the symbols of each
// role. Symbols are looked for class by class.
type strips struct {
	of     [nroles]*[stripBlocks]uint64
	none   [stripBlocks]uint64
	found  [][stripBlocks]uint64       // by class
	unions [nroles][stripBlocks]uint64 // of roles that several classes have
	marked [stripBlocks]uint64         // the ends that get a mark,
	quoted [stripBlocks]uint64         // those of them that have markQuoted
	others [stripBlocks]uint64         // and markBracket
}

// find looks for the symbols of all classes in src. It gives the roles that some may
// have, as bits.
func (s *strips) find(classes []symbolClass, src []byte) (present uint16) {
	if s.found == nil {
		s.found = make([][stripBlocks]uint64, len(classes))
	}
	n := len(src) / blockSize
	for role := range s.of {
		s.of[role] = &s.none
	}
	for i := range classes {
		found := &s.found[i]
		if !classes[i].words.Find(found[:n], src) {
			continue
		}
		for roles := classes[i].roles; roles != 0; roles &= roles - 1 {
			role := bits.TrailingZeros16(roles)
			if present>>role&1 == 0 {
				s.of[role] = found
				continue
			}
			union, others := &s.unions[role], s.of[role]
			for b, mask := range found[:n] {
				union[b] = others[b] | mask
			}
			s.of[role] = union
		}
		present |= classes[i].roles
	}
	return present
}

const (
	bracketRoles   = 1<<openRole | 1<<closeRole
	enclosureRoles = 1<<quoteRole | bracketRoles
)

// stripGeneric reads the blocks of src, at most a strip, in Go, and gives how many
// there are before one in which something is odd.
func (k *marker) stripGeneric(src []byte, marks []mark, records []uint32) int {
	if k.inGo == nil {
		k.inGo = new(strips)
	}
	s, n := k.inGo, len(src)/blockSize
	present := s.find(k.symbolClasses, src)
	passing := k.takePassed(&s.of, n)
	brackets := present&bracketRoles != 0 || k.bracketed|k.afterBracket|k.afterBracketReturn != 0
	led := present>>leadRole&1|uint16(k.afterLead) != 0
	if !led && !brackets && present&enclosureRoles == 0 && k.quoted|k.afterQuote|k.afterQuoteReturn|k.doubled == 0 {
		n = k.bareBlocks(n, marks, records)
		if passing {
			k.leavePassed(n)
		}
		return n
	}
	read, offset := 0, mark(k.offset)
	for ; read < n; read++ {
		if !led && k.quoted&^(s.of[quoteRole][read]|s.of[oddQuotedRole][read]) == ^uint64(0) {
			s.marked[read], s.quoted[read], s.others[read] = 0, 0, 0
			k.offset += blockSize // nothing but content, as the symbol before it is
		} else if !k.block(read, brackets, led, records) {
			break
		}
	}
	into := marks[k.nmarks:]
	k.nmarks += emit(into, s.marked[:read], offset)
	enclose(into, s.marked[:read], s.quoted[:], s.others[:])
	if passing {
		k.leavePassed(read)
	}
	return read
}

// enclose says of marks, of the ends in blocks, which are of enclosed fields: those that have markQuoted and markBracket.
func enclose(marks []mark, ends, allQuoted, allOthers []uint64) {
	for at, set := range ends {
		quoted, others := allQuoted[at], allOthers[at]
		for enclosed := quoted | others; enclosed != 0; enclosed &= enclosed - 1 {
			below := (enclosed - 1) &^ enclosed
			i := bits.OnesCount64(below) & (blockSize - 1)
			marks[bits.OnesCount64(set&below)] |= mark(quoted>>i)<<31 | mark(others>>i&1)<<markEnclosed
		}
		marks = marks[bits.OnesCount64(set):]
	}
}

// bareBlocks reads the first n blocks of a strip in which there are no enclosures, up
// to one in which something is odd, and gives how many it has read.
func (k *marker) bareBlocks(n int, marks []mark, records []uint32) int {
	s := k.inGo
	fields, lasts, allReturns := s.of[fieldRole][:n], s.of[recordRole][:n], s.of[returnRole][:n]
	odds, oddFirst, oddNext := s.of[oddRole][:n], s.of[oddFirstRole][:n], s.of[oddNextRole][:n]
	afterRecord, afterField, afterReturn := k.afterRecord, k.afterField, k.afterReturn
	number, ended, read := k.number, k.nrecords, n
	for at, last := range lasts {
		ends, returns := fields[at]|last, allReturns[at]
		first, next := last<<1|afterRecord, (ends&^last)<<1|afterField
		odd := odds[at] | oddFirst[at]&first | oddNext[at]&next | (returns<<1|afterReturn)&^last
		if odd != 0 {
			k.odd, read = odd, at
			break
		}
		for set := last; set != 0; set &= set - 1 {
			records[ended] = uint32(number + bits.OnesCount64(ends&(set-1)&^set))
			ended++
		}
		number += bits.OnesCount64(ends)
		s.marked[at] = ends & (last | k.all)
		const top = blockSize - 1
		afterRecord, afterField, afterReturn = last>>top, (ends&^last)>>top, returns>>top
		k.anyReturn |= returns
	}
	if read > 0 {
		k.afterRecord, k.afterField, k.afterReturn = afterRecord, afterField, afterReturn
		k.afterBlank = afterRecord | afterField
	}
	k.nmarks += emit(marks[k.nmarks:], s.marked[:read], mark(k.offset))
	k.number, k.nrecords = number, ended
	k.offset += read * blockSize
	return read
}

// emitGeneric writes a mark for each bit of sets, and up to three more, and gives their number. The
// first is of offset.
func emitGeneric(marks []mark, sets []uint64, offset mark) (n int) {
	for _, set := range sets {
		out := marks[n:]
		n += bits.OnesCount64(set)
		for set != 0 {
			four := (*[4]mark)(out)
			four[0] = offset + mark(firstBit(set))
			set &= set - 1
			four[1] = offset + mark(firstBit(set))
			set &= set - 1
			four[2] = offset + mark(firstBit(set))
			set &= set - 1
			four[3] = offset + mark(firstBit(set))
			set &= set - 1
			out = out[4:]
		}
		offset += blockSize
	}
	return n
}

// block reads block number at of a strip. It reports whether there is nothing odd in
// it, without which it does nothing. Without brackets there are none in the strip, nor
// left to it, and without led no leads.
func (k *marker) block(at int, brackets, led bool, records []uint32) bool {
	of := &k.inGo.of
	unled, unledBare, leads, afterLead := ^uint64(0), ^uint64(0), uint64(0), uint64(0)
	if led {
		lead := of[leadRole][at]
		if lead == ^uint64(0) {
			k.odd = lead
			return false
		}
		leads = leadsOf(lead &^ k.afterLead)
		escaped := leads<<1 | k.afterLead
		afterLead = leads >> (blockSize - 1)
		unled, unledBare = ^escaped, ^(escaped & k.ledBare)
	}
	// inside has the symbols within enclosures, the opening one too.
	quotes := of[quoteRole][at] & unled
	quoted := symbols.PrefixXor(quotes) ^ k.quoted
	opens, closes := quotes&quoted, quotes&^quoted
	afterQuote := closes<<1 | k.afterQuote
	odd := of[oddQuotedRole][at] & quoted

	blank := (of[fieldRole][at] | of[recordRole][at]) & unledBare &^ quoted
	var shut, bracketed, afterBracket uint64
	if brackets {
		open := of[openRole][at] & (blank<<1 | k.afterBlank) &^ quoted
		shut = of[closeRole][at] & unledBare &^ quoted
		bracketed = symbols.PrefixXor(open|shut) ^ k.bracketed
		odd |= open&^bracketed | shut&bracketed | of[oddBracketedRole][at]&bracketed
		afterBracket = shut<<1 | k.afterBracket
	}

	inside := quoted | bracketed
	ends := blank &^ inside
	last := of[recordRole][at] & ends
	first, next := last<<1|k.afterRecord, (ends&^last)<<1|k.afterField
	returns := of[returnRole][at] & unledBare &^ inside
	odd |= of[quoteRole][at] & unledBare &^ (unled | quoted)
	odd |= of[oddRole][at]&unledBare&^inside | of[oddFirstRole][at]&first | of[oddNextRole][at]&next
	odd |= (returns<<1 | k.afterReturn) &^ last

	again := opens & afterQuote & k.doubling
	odd |= opens &^ (first | next | again)
	odd |= (afterQuote | afterBracket) &^ (ends | returns | again)
	if k.odd = odd; odd != 0 {
		return false
	}

	inQuotes := (afterQuote | (afterQuote&returns)<<1 | k.afterQuoteReturn) & ends
	inBrackets := (afterBracket | (afterBracket&returns)<<1 | k.afterBracketReturn) & ends
	// A doubled quote is carried through what is no end, up to the next end.
	sum, doubled := bits.Add64(^ends, again, k.doubled)
	doubledEnds := sum & ends

	if leads &= quoted&k.ledQuotes | k.ledBare&^quoted; leads != 0 {
		k.leads.blocks[k.leads.n] = ledBlock{leads, ends, k.number, k.offset}
		k.leads.n++
	}
	for set := last; set != 0; set &= set - 1 {
		records[k.nrecords] = uint32(k.number + bits.OnesCount64(ends&(set-1)&^set))
		k.nrecords++
	}
	k.number += bits.OnesCount64(ends)
	set, other := ends&(last|k.all), inBrackets|doubledEnds
	k.inGo.marked[at], k.inGo.quoted[at], k.inGo.others[at] = set, inQuotes&set, other&set
	k.offset += blockSize

	const top = blockSize - 1
	k.quoted, k.bracketed = uint64(int64(quoted)>>top), uint64(int64(bracketed)>>top)
	k.afterRecord, k.afterField, k.afterBlank = last>>top, (ends&^last)>>top, blank>>top
	k.afterQuote, k.afterBracket, k.afterReturn = closes>>top, shut>>top, returns>>top
	k.afterQuoteReturn, k.afterBracketReturn = (afterQuote&returns)>>top, (afterBracket&returns)>>top
	k.doubled, k.afterLead = doubled, afterLead
	k.anyDoubled |= doubledEnds
	k.anyReturn |= returns
	return true
}
