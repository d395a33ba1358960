package parquetfile

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"math/rand/v2"

	"github.com/apache/arrow/go/v17/arrow"
)

// texts encodes byte arrays: strings, bytes, and Arrow's dictionaries of
// strings.
type texts struct {
	dict    *textTable // nil: PLAIN from here on
	pays    payoff
	given   bool // the dictionary was given up: later chunks have none
	ending  bool // it is given up behind this page, which ends here
	indices []uint32
	keys    *textTable // a dictionary that was given up after pages
	plain   plain

	codes []uint32 // of an Arrow dictionary: 1 + number in dict; 0 unknown

	least, most []byte // of values that are in no dictionary; nil if there are none
}

func newTexts(p *press) *texts { return &texts{dict: newTextTable(), plain: plain{press: p}} }

func (t *texts) add(d arrow.ArrayData, s span) {
	n := s.len()
	if isDictionary(d) {
		entries, codes := textsOf(d.Dictionary()), codesOf(d)
		if t.dict != nil {
			t.addCodes(codes, d.Dictionary().Len(), entries, s)
			return
		}
		for k := range n {
			t.addPlain(entries.of(int(codes[s.row(k)])))
		}
		return
	}
	in, k := textsOf(d), 0
	for ; k < n && t.dict != nil; k++ {
		row := s.row(k)
		if in.offsets[row+1]-in.offsets[row] > maxDictBytes { // which would not pay, and be held twice
			t.giveUp()
			break
		}
		t.indices = append(t.indices, t.dict.number(in.data, int(in.offsets[row]), int(in.offsets[row+1])))
	}
	for ; k < n; k++ {
		t.addPlain(in.of(s.row(k)))
	}
	if t.dict != nil && !t.pays.keep(n, t.dict.len(), len(t.dict.body)) {
		t.end()
	}
}

func isDictionary(d arrow.ArrayData) bool { return d.DataType().ID() == arrow.DICTIONARY }

// arrowTexts are Arrow's strings or bytes.
type arrowTexts struct {
	data    []byte
	offsets []int32
}

func textsOf(d arrow.ArrayData) arrowTexts {
	a := arrowTexts{offsets: codesOf(d)}
	if d.Buffers()[2] != nil {
		a.data = d.Buffers()[2].Bytes()
	}
	return a
}

func (a arrowTexts) of(row int) []byte { return a.data[a.offsets[row]:a.offsets[row+1]] }

// codesOf are offsets, or the codes of a dictionary.
func codesOf(d arrow.ArrayData) []int32 {
	return arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset():]
}

// addCodes translates codes of Arrow's dictionary, which only grows from record
// to record, into numbers of the chunk's.
func (t *texts) addCodes(codes []int32, n int, entries arrowTexts, s span) {
	if n > len(t.codes) {
		t.codes = append(t.codes, make([]uint32, n-len(t.codes))...)
	}
	for k := range s.len() {
		code := codes[s.row(k)]
		at := &t.codes[code]
		if *at == 0 {
			*at = 1 + t.dict.number(entries.data, int(entries.offsets[code]), int(entries.offsets[code+1]))
		}
		t.indices = append(t.indices, *at-1)
	}
	if t.dict.len() > maxEntries || len(t.dict.body) > maxDictBytes {
		t.end()
	}
}

func (t *texts) addPlain(v []byte) {
	room := t.plain.room()
	if n := len(room) + 4 + len(v); len(v) >= longPage && n > cap(room) {
		room = append(make([]byte, 0, n+roomForLevels), room...)
	}
	t.plain.memory = append(binary.LittleEndian.AppendUint32(room, uint32(len(v))), v...)
	t.observe(v)
}

// observe takes v into account for the statistics. Of what is too long for them it
// is enough to keep that it is, and the beginning, by which it compares with what is not.
func (t *texts) observe(v []byte) {
	v = v[:min(len(v), maxStatistics+1)]
	if t.least == nil {
		t.least, t.most = append([]byte{}, v...), append([]byte{}, v...)
		return
	}
	if bytes.Compare(v, t.least) < 0 {
		t.least = append(t.least[:0], v...)
	} else if bytes.Compare(v, t.most) > 0 {
		t.most = append(t.most[:0], v...)
	}
}

// end gives the dictionary up, but behind the page if its values written out are long: few
// long ones that repeat would be many times what they take.
func (t *texts) end() {
	nbytes := 0
	for _, at := range t.indices {
		nbytes += len(t.dict.key(at))
	}
	if t.ending = nbytes >= longPage && nbytes >= 4*len(t.dict.body); !t.ending {
		t.giveUp()
	}
}

// giveUp writes the values of the page out, and has no dictionary any more; its
// keys are kept for the pages before.
func (t *texts) giveUp() {
	t.keys, t.dict, t.given = t.dict, nil, true
	for _, at := range t.indices {
		t.addPlain(t.keys.key(at))
	}
	t.indices = t.indices[:0]
}

func (t *texts) size() int {
	if t.ending {
		return pageBytes
	}
	return t.plain.size()
}

func (t *texts) flush(levels []byte) (raw, bool) {
	if t.dict == nil {
		return t.plain.flush(levels), false
	}
	page := t.plain.press.indices(levels, t.indices, t.dict.len())
	t.indices = t.indices[:0]
	if t.ending {
		t.ending = false
		t.giveUp()
	}
	return page, true
}

func (t *texts) finish() (dictionary, []byte, []byte) {
	keys := t.keys
	if t.dict != nil {
		keys = t.dict
	}
	var dict dictionary
	if keys != nil {
		for k := range keys.len() {
			t.observe(keys.key(uint32(k)))
		}
		dict = dictionary{keys.body, keys.len()}
	}
	least, most := t.least, t.most
	t.keys, t.codes, t.pays, t.least, t.most = nil, t.codes[:0], payoff{always: t.pays.always}, nil, nil
	clear(t.codes[:cap(t.codes)])
	if !t.given {
		t.dict = newTextTable()
	}
	return dict, least, most
}

// textTable numbers distinct texts in the order of their first occurrence.
type textTable struct {
	body  []byte   // the texts, PLAIN
	ends  []uint32 // of them in body
	slots []textSlot
}

// textSlot has of a text its number, and what tells it from others: its first and its last eight
// symbols, which are all of one of up to sixteen.
type textSlot struct {
	ends ends
	hash uint32
	at   uint32 // 1 + number of the text; 0: free
}

// ends are the length of a text and its first and last eight symbols; of a shorter one it is the
// first that has them all, zeros behind.
type ends struct {
	first, last uint64
	len         uint32
}

const wholeByEnds = 16 // symbols

// The seeds have no influence on the numbers.
var (
	textSeed  = maphash.MakeSeed()
	endsSeeds = [2]uint64{rand.Uint64() | 1, rand.Uint64() | 1}
)

func endsOf(data []byte, from, to int) ends {
	n := to - from
	e := ends{len: uint32(n)}
	switch {
	case n >= 8:
		e.first, e.last = binary.LittleEndian.Uint64(data[from:]), binary.LittleEndian.Uint64(data[to-8:])
	case from+8 <= len(data):
		e.first = binary.LittleEndian.Uint64(data[from:]) & (1<<(8*n) - 1)
	default:
		for k, symbol := range data[from:to] {
			e.first |= uint64(symbol) << (8 * k)
		}
	}
	return e
}

// hash is one of v, whose ends e are.
func (e *ends) hash(v []byte) uint64 {
	if e.len > wholeByEnds {
		return maphash.Bytes(textSeed, v)
	}
	high, low := bits.Mul64(e.first^endsSeeds[0], e.last^uint64(e.len)^endsSeeds[1])
	return high ^ low
}

func newTextTable() *textTable { return &textTable{slots: make([]textSlot, 256)} }

func (t *textTable) len() int { return len(t.ends) }

func (t *textTable) key(k uint32) []byte {
	from := uint32(0)
	if k > 0 {
		from = t.ends[k-1]
	}
	return t.body[from+4 : t.ends[k]]
}

// number is the number of the text that is data from an offset to another, a new one if it is new.
func (t *textTable) number(data []byte, from, to int) uint32 {
	v, e := data[from:to], endsOf(data, from, to)
	hash := e.hash(v)
	mask := len(t.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.at == 0 {
			t.body = binary.LittleEndian.AppendUint32(t.body, uint32(len(v)))
			t.body = append(t.body, v...)
			t.ends = append(t.ends, uint32(len(t.body)))
			*s = textSlot{e, uint32(hash), uint32(len(t.ends))}
			if 2*len(t.ends) > len(t.slots) {
				t.grow()
			}
			return uint32(len(t.ends) - 1)
		}
		if s.ends == e && (len(v) <= wholeByEnds || s.hash == uint32(hash) && bytes.Equal(t.key(s.at-1), v)) {
			return s.at - 1
		}
	}
}

func (t *textTable) grow() {
	old := t.slots
	t.slots = make([]textSlot, 4*len(old))
	mask := len(t.slots) - 1
	for _, s := range old {
		if s.at == 0 {
			continue
		}
		i := int(s.hash) & mask
		for t.slots[i].at != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = s
	}
}
