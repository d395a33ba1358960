package convert

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// bridges take maps apart whose keys are columns, and maps whose pairs are not found by masks, as keys in
// quotes are not. What stands between two values, and in front of the first, is mostly what stood there in
// the record before: the end of a value, a key, what ends it. So it is kept with the state that the automaton was in and the one that it comes to, and where the same
// symbols come in the same state, they are passed over at once, and their key is known.
//
//	{"at": 17, "by": "Ann", "n": 3}      {"at": 18, "by": "Bob", "n": 4}
//	└─────┘  └───────┘    └──────┘       └─────┘  └───────┘    └──────┘
//
// A value is data and nothing else, in one piece: what has it otherwise is left to the lexer.
type bridges struct {
	lex    *lexer
	keys   *keys              // that are columns; nil: there are none
	maps   *maps              // that the pairs are put into; nil: they are not
	first  bridge             // what stands before a map
	number map[string]uint8   // of keys of the maps in ASCII, the first that have come
	all    map[string]*bridge // by the state and the symbols
	vain   []uint8            // by state: special symbols in a value where no bridge began, since one did
	again  int                // values until it is tried again in all states
	id     []byte             // scratch memory: a key of all
	pairs  []keyedValue       // of the value looked at: the first npairs
	npairs int
	passed bool    // stop has gone over special symbols
	others *others // gets the pairs of keys that have no column, nil if nobody asks
	off    int     // values that are left to the lexer, as there were too many: keys are data
	rest   int     // and how many it was last time
}

// bridge is what stands between two values.
type bridge struct {
	text   []byte
	packed        // the text
	from   uint32 // the row before it
	row    uint32 // the row behind it
	ends   int    // where the field before it ends at the latest, from its beginning on
	leads  uint8  // how many of its first symbols, 1 or none, are of the value before it
	begun  uint8  // how many of its last symbols are of the value behind it
	key    known
	at     uint16    // of the key, from the beginning of the text on
	end    uint16    // the same
	taken  bool      // the maps lack the key
	number uint8     // of the key among those of the maps, from 1 on; 0: it has none
	behind []*bridge // that have come next, those that come often in front
}

// others are the pairs of the values of a round whose keys have no column, so that values are not read again for
// the map: Splitter.Row and Splitter.Rows note them, and the map's Converter comes for them.
type others struct {
	rows                 []otherRow
	at                   int // the row that is asked for next
	keyStart, keyEnd     []uint32
	valueStart, valueEnd []uint32
}

// otherRow is a row that lies in src from start up to end, and where its pairs end in others.
type otherRow struct {
	start, end uint32
	pairs      int
}

// forget begins another round.
func (o *others) forget() {
	o.rows, o.at = o.rows[:0], 0
	o.keyStart, o.keyEnd, o.valueStart, o.valueEnd = o.keyStart[:0], o.keyEnd[:0], o.valueStart[:0], o.valueEnd[:0]
}

// note notes those of the value that x has found, which lies from start up to end, its pairs from base on.
func (o *others) note(x *bridges, start, end, base uint32) {
	for i := range x.pairs[:x.npairs] {
		if p := &x.pairs[i]; p.bridge.key.column < 0 {
			o.keyStart, o.keyEnd = append(o.keyStart, base+p.from+uint32(p.bridge.at)), append(o.keyEnd, base+p.from+uint32(p.bridge.end))
			o.valueStart, o.valueEnd = append(o.valueStart, base+p.start), append(o.valueEnd, base+p.end)
		}
	}
	o.noteRow(start, end)
}

// noteRow notes the row from start up to end, of which all pairs are noted.
func (o *others) noteRow(start, end uint32) {
	o.rows = append(o.rows, otherRow{start, end, len(o.keyStart)})
}

// npairs is how many pairs the rows have that were noted; there may be more of the next one.
func (o *others) npairs() int {
	if len(o.rows) == 0 {
		return 0
	}
	return o.rows[len(o.rows)-1].pairs
}

// lie reports whether no value of the next row is decoded.
func (o *others) lie() bool {
	return !slices.ContainsFunc(o.valueStart[o.npairs():], func(s uint32) bool { return s >= InDecoded && s != Absent })
}

// drop forgets the pairs of the next row.
func (o *others) drop() {
	n := o.npairs()
	o.keyStart, o.keyEnd, o.valueStart, o.valueEnd = o.keyStart[:n], o.keyEnd[:n], o.valueStart[:n], o.valueEnd[:n]
}

// addRows adds the pairs of the rows of f from row i on to keys and values, up to row to, one that was not noted or has no eight
// symbols behind it, or so many keys that a block is full; and gives how many rows these are. ends gets where the pairs of each
// end, relative to those of the first. Rows are asked for in order, some perhaps again.
func (o *others) addRows(f *Fields, i, to int, keys, values *Fields, ends []int32) []int32 {
	if f.Start[i] >= InDecoded {
		return ends
	}
	for o.at > 0 && o.rows[o.at-1].start >= f.Start[i] {
		o.at--
	}
	for o.at < len(o.rows) && o.rows[o.at].start < f.Start[i] {
		o.at++
	}
	from := 0
	if o.at > 0 {
		from = o.rows[o.at-1].pairs
	}
	pairs, full := from, from+blockElements-keys.Len()
	for ; i < to && o.at < len(o.rows) && pairs < full && uint64(f.End[i])+8 <= uint64(len(f.Src)); i++ {
		row := &o.rows[o.at]
		if row.start != f.Start[i] || row.end != f.End[i] {
			break
		}
		pairs = row.pairs
		ends = append(ends, int32(pairs-from))
		o.at++
	}
	keys.Start, keys.End = append(keys.Start, o.keyStart[from:pairs]...), append(keys.End, o.keyEnd[from:pairs]...)
	values.Start, values.End = append(values.Start, o.valueStart[from:pairs]...), append(values.End, o.valueEnd[from:pairs]...)
	return ends
}

// TakeOthers makes c, which converts the map of which s has keys, take the pairs of the others from s, which is
// given the same fields before it, and told by Forget where others begin.
func (c *Converter) TakeOthers(s *Splitter) {
	n, ok := c.impl.(*nested)
	if !ok || s.keys == nil || s.trim {
		return
	}
	of := new(others)
	if x := s.keys.bridges; x != nil && n.bridges != nil {
		s.others, n.others, x.others = of, of, of
	}
	if x := s.keys.batches; x != nil && (n.pairs != nil || n.bridges != nil) {
		s.others, n.others, x.noted = of, of, of
	}
}

// Forget is called before fields that do not lie where those before did.
func (s *Splitter) Forget() {
	if s.others != nil {
		s.others.forget()
	}
}

// keyedValue is a pair of a map.
type keyedValue struct {
	bridge     *bridge // before it, which has the key
	from       uint32  // where that begins
	start, end uint32  // of the value
	plain      bool    // it has no special symbols but those that it begins and ends with
}

const (
	mostBridges   = 1 << 12
	mostNumbers   = 63 // bits of a word but one
	longestBridge = 256
	mostBehind    = 8
	mostInVain    = 200
	triedAgain    = 1 << 12 // values after which what was in vain may be so no more
	longestRest   = 1 << 20
)

// newBridges is nil if there are none for maps with such keys.
func newBridges(k *keys) *bridges {
	if k.fast == nil {
		return nil
	}
	x := bridgesOf(k.fast)
	x.keys = k
	return x
}

func bridgesOf(lex *lexer) *bridges {
	return &bridges{lex: lex, all: map[string]*bridge{}, number: map[string]uint8{}, vain: make([]uint8, len(lex.smooth))}
}

// rest reports whether the bridge begins at p in memory, of which n symbols are the value, where its first eight
// symbols do.
func (b *bridge) rest(memory []byte, p, n int) bool {
	size := len(b.text)
	return p+size <= n && (size <= 8 || binary.LittleEndian.Uint64(memory[p+size-8:]) == b.last && (size <= 16 || string(memory[p+8:p+size-8]) == string(b.text[8:size-8])))
}

// find finds the pairs of value. It is false if that is left to the lexer.
func (x *bridges) find(value []byte) bool {
	n := len(value)
	if n == 0 || x.rests() {
		return false
	}
	x.lex.mark(value)
	x.npairs = 0
	memory, start := value[:cap(value)], x.lex.table.Row(x.lex.table.Start)
	b := x.next(&x.first, memory, 0, n, start)
	if b == nil {
		if b = x.learn(&x.first, value, 0, start); b == nil {
			return false
		}
	}
	for p := 0; ; {
		if x.npairs == len(x.pairs) {
			x.pairs = append(x.pairs, make([]keyedValue, len(x.pairs)+32)...)
		}
		pair := &x.pairs[x.npairs]
		x.npairs++
		pair.bridge, pair.from = b, uint32(p)
		p += len(b.text)
		x.passed, pair.plain = false, false
		q, row := x.run(value, p, b.row)
		if n-q <= phraseSize {
			if last, ok := x.end(value, q, row); ok {
				pair.set(p-int(b.begun), q, q+last)
				return true
			}
		}
		if next := x.next(b, memory, q, n, row); next != nil { // as nearly always
			pair.set(p-int(b.begun), q+int(next.leads), q+next.ends)
			pair.plain = !x.passed
			p, b = q, next
			continue
		}
		v := valueAt{p: p, start: p - int(b.begun), end: p, row: b.row}
		if !x.over(&v, b, value) {
			return false
		}
		next := v.next
		if next == nil {
			if n-v.p <= phraseSize {
				if last, ok := x.end(value, v.p, v.row); ok {
					pair.set(v.start, v.end, v.p+last)
					return true
				}
			}
			if v.p == n {
				return false
			}
			if next = x.next(b, memory, v.p, n, v.row); next == nil {
				if next = x.learn(b, value, v.p, v.row); next == nil {
					return false
				}
			}
		}
		if next.leads > 0 {
			if v.start == v.end {
				v.start = v.p
			} else if v.end != v.p {
				return false
			}
			v.end = v.p + 1
		}
		pair.set(v.start, v.end, v.p+next.ends)
		p, b = v.p, next
	}
}

// run goes over what most values are, from p on: symbols that do not leave a state, behind one that leads there; or
// what is in brackets. Behind that stands q, in row; all before it is data.
func (x *bridges) run(value []byte, p int, row uint32) (q int, _ uint32) {
	lex := x.lex
	if lex.smooth[row>>8] {
		return x.stop(value, p, row), row
	}
	if p == len(value) {
		return p, row
	}
	entries := lex.table.Entries
	e := entries[row|uint32(value[p])]
	if e.Kind() != dfa.Data || e.Coded() {
		return p, row
	}
	row = e.Row()
	if p++; lex.smooth[row>>8] {
		return x.stop(value, p, row), row
	}
	if r := lex.enclosing[row>>8]; r != nil {
		if end, ok := lex.enclosed(r, value, p); ok {
			return end, r.after
		}
	}
	for stays := lex.stays[row>>8]; p < len(value) && entries[row|uint32(value[p])] == stays; {
		p++
	}
	return p, row
}

// rests reports whether a value is left to the lexer as there were too many bridges.
func (x *bridges) rests() bool {
	if x.again--; x.again < 0 {
		clear(x.vain)
		x.again = triedAgain
	}
	if x.off == 0 {
		return false
	}
	if x.off--; x.off == 0 { // others may have fewer
		clear(x.all)
		x.first = bridge{}
	}
	return true
}

// valueAt is where a value lies, up to p.
type valueAt struct {
	p, start, end int
	row           uint32
	next          *bridge // that begins at p, if it is known
}

// over goes over the data of a value behind bridge b, before which something may be skipped. It is false if
// that is left to the lexer.
func (x *bridges) over(v *valueAt, b *bridge, value []byte) bool {
	n, memory := len(value), value[:cap(value)]
	entries, smooth := x.lex.table.Entries, x.lex.smooth
	p, start, end, row := v.p, v.start, v.end, v.row
	for p < n {
		stopped := smooth[row>>8]
		if stopped {
			if q := x.stop(value, p, row); q > p {
				if start == end {
					start = p
				} else if end != p {
					return false
				}
				if p, end = q, q; p == n {
					break
				}
			}
			if x.vain[row>>8] == mostInVain {
				stopped = false
			} else if v.next = x.next(b, memory, p, n, row); v.next != nil {
				x.vain[row>>8] = 0
				break
			}
		}
		i := row | uint32(value[p])
		e := entries[i]
		if e.Kind() == dfa.Skip && start == end && !e.Coded() {
			row = e.Row()
			p++
			continue
		}
		if e.Kind() != dfa.Data {
			break
		}
		if stopped && e.Row() != row && n-p > phraseSize {
			if v.next = x.learn(b, value, p, row); v.next != nil {
				break
			}
			x.vain[row>>8]++
		}
		if start == end {
			start = p
		} else if end != p {
			return false
		}
		if e.Coded() {
			return false
		}
		stays := e.Row() == row
		row = e.Row()
		p++
		if r := x.lex.enclosing[row>>8]; r != nil && !stays {
			if to, ok := x.lex.enclosed(r, value, p); ok {
				p, row = to, r.after
			}
		} else if stays && !smooth[row>>8] {
			for ; p < n && entries[row|uint32(value[p])] == e; p++ { // and so on, as digits do
			}
		}
		end = p
	}
	v.p, v.start, v.end, v.row = p, start, end, row
	return true
}

// next is the bridge behind b that begins at p in memory, of which n symbols are the value, in row; nil if it
// is none of those that have come there.
func (x *bridges) next(b *bridge, memory []byte, p, n int, row uint32) *bridge {
	var word uint64
	if p+8 <= len(memory) {
		word = binary.LittleEndian.Uint64(memory[p:])
	} else {
		var last [8]byte
		copy(last[:], memory[p:])
		word = binary.LittleEndian.Uint64(last[:])
	}
	for i, o := range b.behind {
		if o.from == row && (word^o.first)&o.own == 0 && o.rest(memory, p, n) {
			if i > 0 {
				b.behind[i-1], b.behind[i] = o, b.behind[i-1]
			}
			return o
		}
	}
	return nil
}

// set says where the value lies.
func (p *keyedValue) set(start, end, boundary int) {
	end = max(min(end, boundary), 0)
	p.start, p.end = uint32(min(start, end)), uint32(end)
}

// end steps over what is left of a map from p on, in row, behind the last value, and gives where that ends
// at the latest, from p on. It is not ok if something else comes.
func (x *bridges) end(value []byte, p int, row uint32) (last int, ok bool) {
	t, ended := x.lex.table, false
	for q := p; q < len(value); q++ {
		i := row | uint32(value[q])
		e := t.Entries[i]
		em := t.Emission(e)
		switch {
		case x.lex.careful[i] || e.Coded() || em.Escape:
			return 0, false
		case e.Kind() == dfa.Skip:
		case e.Kind() == dfa.Record && !ended && (em.Column == dfa.NextColumn || em.Column == 1):
			ended, last = true, q-int(em.Lag)-p
		default:
			return 0, false
		}
		row = e.Row()
	}
	switch em := t.EOF(dfa.StateID(row >> 8)); {
	case em.Kind != dfa.Record:
		return last, ended && em.Code == 0
	case ended || em.Code != 0 || em.Record != dfa.DataRecord || em.Column != dfa.NextColumn && em.Column != 1:
		return 0, false
	default:
		return len(value) - int(em.Lag) - p, true
	}
}

// learn makes the bridge that begins at p in value, in row, one of those behind another one. It gives nil if
// there is none.
func (x *bridges) learn(before *bridge, value []byte, p int, row uint32) *bridge {
	t, b := x.lex.table, bridge{from: row}
	inKey := before == &x.first
	column := 1 // of the field that is read, where nothing else is said
	if inKey {
		column = 0
	}
	start, end := p, p // of the key
	loose := -1        // the first data apart from those before, which a separator has to take back
	known, q := false, p
	for ; q < len(value); q++ {
		i := row | uint32(value[q])
		e := t.Entries[i]
		if known && e.Kind() != dfa.Skip {
			if e.Kind() == dfa.Data && !e.Coded() && x.lex.smooth[e.Next()] && !x.lex.smooth[row>>8] && x.lex.special.has[value[q]] { // a quote
				b.begun, row = 1, e.Row()
				q++
			}
			break
		}
		if x.lex.careful[i] || e.Coded() || q-p == longestBridge {
			return nil
		}
		switch em := t.Emission(e); e.Kind() {
		case dfa.Skip:
		case dfa.Data:
			switch {
			case !inKey && q > p, inKey && start < end && end != q, loose >= 0:
				if loose < 0 {
					loose = q
				}
			case !inKey:
				b.leads = 1
			default:
				if start == end {
					start = q
				}
				end = q + 1
			}
		case dfa.Field, dfa.Record:
			if em.Column != dfa.NextColumn {
				column = int(em.Column)
			}
			boundary, opens := q-int(em.Lag), em.Opens(q)
			if loose >= 0 && loose < boundary {
				return nil
			}
			loose = -1
			switch {
			case !inKey && column == 1:
				b.ends, inKey = boundary-p, true
				if start, end = opens, q+1; start < p {
					return nil
				}
				if column++; e.Kind() == dfa.Record {
					column = 0
				}
			case inKey && column == 0 && e.Kind() == dfa.Field && opens > q:
				end = min(end, boundary)
				if start = min(start, end); start < p {
					return nil
				}
				known = true
			default:
				return nil
			}
		default:
			return nil
		}
		row = e.Row()
	}
	if !known {
		return nil
	}
	b.text, b.row = value[p:q], row
	x.id = append(binary.LittleEndian.AppendUint32(x.id[:0], b.from), b.text...)
	if kept := x.all[string(x.id)]; kept != nil {
		return kept.behindOf(before)
	}
	if len(x.all) == mostBridges {
		x.rest = min(max(2*x.rest, triedAgain), longestRest)
		x.off = x.rest
		return nil
	}
	if x.keys != nil {
		b.key = *x.keys.lookUp(value[start:end])
		b.key.key = slices.Clone(b.key.key)
	}
	if x.maps != nil {
		b.taken, b.number = x.maps.takenBy(value[start:end]) >= 0, x.numberOf(value[start:end])
	}
	b.at, b.end = uint16(start-p), uint16(end-p)
	b.text = slices.Clone(b.text)
	b.packed = pack(b.text)
	kept := new(bridge)
	*kept = b // most that are tried are none
	x.all[string(x.id)] = kept
	return kept.behindOf(before)
}

// numberOf is the number of a key, which is given one if there are any left.
func (x *bridges) numberOf(key []byte) uint8 {
	n, ok := x.number[string(key)]
	if !ok && len(x.number) < mostNumbers && isASCII(key) {
		n = uint8(len(x.number) + 1)
		x.number[string(key)] = n
	}
	return n
}

// behindOf makes b one of those behind another one.
func (b *bridge) behindOf(before *bridge) *bridge {
	if len(before.behind) == mostBehind {
		before.behind = before.behind[:mostBehind-1]
	}
	before.behind = append(before.behind, b)
	return b
}

// special is the first special symbol from p on, or n, in the value whose special symbols the lexer has.
func (x *bridges) special(p, n int) int {
	if p >= n {
		return n
	}
	i, masks := p/maskBlock, x.lex.masks
	for m := masks[i] >> (p % maskBlock) << (p % maskBlock); ; m = masks[i] {
		if m != 0 {
			return min(i*maskBlock+bits.TrailingZeros64(m), n)
		}
		if i++; i == len(masks) {
			return n
		}
	}
}

// stop is the first symbol from p on that leaves the smooth state of row, but for one that the symbol behind it
// leads back from, or the value's length.
func (x *bridges) stop(value []byte, p int, row uint32) int {
	n := len(value)
	turns := x.lex.turns[row>>8*maxSpecial:][:maxSpecial]
	for p = x.special(p, n); p < n; {
		r, next := &turns[x.lex.special.number[value[p]]%maxSpecial], p+1
		if !r.stays {
			if !r.leads || next == n || !isData(x.lex.table.Entries[r.row|uint32(value[next])], dfa.StateID(row>>8)) {
				break
			}
			next++
		}
		x.passed = true
		p = x.special(next, n)
	}
	return p
}

// has reports whether a symbol is in value[start:end], of which the special symbols are known.
func (x *bridges) has(symbol byte, value []byte, start, end int) bool {
	if x.lex.special.has[symbol] && x.special(start, end) == end {
		return false
	}
	return bytes.IndexByte(value[start:end], symbol) >= 0
}

// leads reports whether a backslash is a special symbol.
func (x *bridges) leads() bool { return x.lex.special.has['\\'] }

// bridged is the rest of Row, for a value that lies at base in f.Src, if the bridges of its keys find its
// pairs; done is false if they do not.
func (s *Splitter) bridged(f *Fields, i int, value []byte, base uint32, parts []Fields) (ok, done bool) {
	x := s.keys
	if x == nil || x.bridges == nil || f.Start[i] >= InDecoded || !x.bridges.find(value) {
		return false, false
	}
	x.next()
	ok = true
	if x.bridges.others != nil {
		x.bridges.others.note(x.bridges, f.Start[i], f.End[i], base)
	}
	for k := range x.bridges.pairs[:x.bridges.npairs] {
		p := &x.bridges.pairs[k]
		if o := p.bridge.key.object; o != nil {
			if ok = s.pathsWithin(o, p.bridge.key.key, value[p.start:p.end], f, i, parts); !ok {
				break
			}
		}
		c := p.bridge.key.column
		if c < 0 {
			x.others = true
			continue
		}
		if x.seen[c] == x.of && x.policy == dfa.FirstDuplicate {
			continue
		}
		if ok = x.seen[c] != x.of || x.policy != dfa.NoDuplicates; !ok {
			break
		}
		x.seen[c] = x.of
		part, start, end := &parts[c], p.start, p.end
		if x.json && end-start >= 2 && value[start] == '"' && value[end-1] == '"' && (p.plain && x.bridges.leads() || !x.bridges.has('\\', value, int(start)+1, int(end)-1)) {
			start, end = start+1, end-1
		} else if x.json && isStringOrNull(value[start:end]) {
			if ok = s.json(value[start:end], i, part); !ok {
				break
			}
			continue
		}
		part.Start[i], part.End[i] = base+start, base+end
	}
	if !ok {
		ResetRow(parts, i)
	}
	return ok, true
}

// pathsWithin makes what paths have in an object, the value of key, row i of parts. It is a part of f.Src. It is false if
// that is wrong.
func (s *Splitter) pathsWithin(o *object, key, value []byte, f *Fields, i int, parts []Fields) bool {
	x := s.keys
	again, fault := x.again(o.number, key)
	if again || fault != "" {
		return fault == ""
	}
	return x.within(o, value, func(column int, text []byte) bool {
		return s.jsonWithin(text, f, i, &parts[column])
	})
}

// jsonWithin is json for a text that is a part of f.Src: what needs no decoding stays where it is.
func (s *Splitter) jsonWithin(text []byte, f *Fields, i int, part *Fields) bool {
	switch n := len(text); {
	case n > 1 && text[0] == '"' && text[n-1] == '"' && bytes.IndexByte(text, '\\') < 0:
		text = text[1 : n-1]
	case n == 0 || isStringOrNull(text):
		return s.json(text, i, part)
	}
	at := uint32(cap(f.Src) - cap(text)) // what is cut off in front of a slice is cut off its capacity
	part.Start[i], part.End[i] = at, at+uint32(len(text))
	return true
}

// bridge makes p find the pairs of its maps by bridges, if it can.
func (p *nested) bridge() {
	if p.fast != nil && p.maps != nil {
		p.bridges = bridgesOf(p.fast)
		p.bridges.maps = p.maps
	}
}

// addBridged collects row i of f, if the bridges of its keys find its pairs; else it is false.
func (p *nested) addBridged(c *Converter, f *Fields, i int) bool {
	s, e := f.Start[i], f.End[i]
	if s == Absent || s < InDecoded && uint64(e)+8 > uint64(len(f.Src)) || s >= InDecoded && p.maps.unifiesEarly() {
		return false
	}
	value, _ := f.At(i)
	if c.isNull(value) {
		return false
	}
	keys, values := &p.maps.keys[0].fields, &p.maps.values.fields
	at, first := keys.Len(), values.Len()
	if !p.bridges.find(value) {
		return false
	}
	of, ofValues := s, s // where the value lies
	if s >= InDecoded {
		of, ofValues = InDecoded|uint32(len(keys.Decoded)), InDecoded|uint32(len(values.Decoded))
		keys.Decoded, values.Decoded = append(keys.Decoded, value...), append(values.Decoded, value...)
	}
	pairs := p.bridges.pairs[:p.bridges.npairs]
	keys.grow(len(pairs))
	values.grow(len(pairs))
	k := at
	seen, again := uint64(1), uint64(0) // numbers of keys, and those that come again; what has none may be another's
	for i := range pairs {
		pair := &pairs[i]
		b := pair.bridge
		if b.taken {
			continue
		}
		number := uint64(1) << (b.number % 64)
		again |= seen & number
		seen |= number
		keys.Start[k], keys.End[k] = of+pair.from+uint32(b.at), (of+pair.from+uint32(b.end))&^InDecoded
		v := first + k - at
		values.Start[v], values.End[v] = ofValues+pair.start, (ofValues+pair.end)&^InDecoded
		k++
	}
	keys.cut(k)
	values.cut(first + k - at)
	end := int32(k)
	if again != 0 {
		end = p.maps.addRow(int32(at), int32(first), s, e)
	} else if p.maps.lists != nil {
		p.maps.addHeads(int32(first), int32(k-at))
	}
	p.rows = append(p.rows, nestedRow{end: int(end)})
	return true
}
