package parquetfile

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"slices"

	"github.com/apache/arrow/go/v17/arrow"
)

// texts encodes byte arrays: strings, bytes, and Arrow's dictionaries of
// strings.
type texts struct {
	dict    *textTable // nil: PLAIN from here on
	pays    payoff
	given   bool // the dictionary was given up: later chunks have none
	indices []uint32
	keys    *textTable // a dictionary that was given up after pages
	plain   []byte     // of the page

	codes []uint32 // of an Arrow dictionary: 1 + number in dict; 0 unknown

	least, most []byte // of values that are in no dictionary; nil if there are none
}

func newTexts() *texts { return &texts{dict: newTextTable()} }

func (t *texts) add(d arrow.ArrayData, s span) {
	value := valuesOf(d)
	if isDictionary(d) {
		entry, codes := valuesOf(d.Dictionary()), codesOf(d)
		if t.dict != nil {
			t.addCodes(codes, d.Dictionary().Len(), entry, s)
			return
		}
		value = func(row int) []byte { return entry(int(codes[row])) }
	}
	n := s.len()
	for k := range n {
		v := value(s.row(k))
		if t.dict != nil && len(v) > maxDictBytes { // which would not pay, and be held twice
			t.giveUp()
		}
		if t.dict != nil {
			t.indices = append(t.indices, t.dict.number(v))
		} else {
			t.addPlain(v)
		}
	}
	if t.dict != nil && !t.pays.keep(n, t.dict.len(), len(t.dict.body)) {
		t.giveUp()
	}
}

func isDictionary(d arrow.ArrayData) bool { return d.DataType().ID() == arrow.DICTIONARY }

// valuesOf looks up strings or bytes.
func valuesOf(d arrow.ArrayData) func(row int) []byte {
	if isDictionary(d) {
		return nil
	}
	offsets := codesOf(d)
	var data []byte
	if d.Buffers()[2] != nil {
		data = d.Buffers()[2].Bytes()
	}
	return func(row int) []byte { return data[offsets[row]:offsets[row+1]] }
}

// codesOf are offsets, or the codes of a dictionary.
func codesOf(d arrow.ArrayData) []int32 {
	return arrow.Int32Traits.CastFromBytes(d.Buffers()[1].Bytes())[d.Offset():]
}

// addCodes translates codes of Arrow's dictionary, which only grows from record
// to record, into numbers of the chunk's.
func (t *texts) addCodes(codes []int32, n int, entry func(int) []byte, s span) {
	if n > len(t.codes) {
		t.codes = append(t.codes, make([]uint32, n-len(t.codes))...)
	}
	for k := range s.len() {
		code := codes[s.row(k)]
		at := &t.codes[code]
		if *at == 0 {
			*at = 1 + t.dict.number(entry(int(code)))
		}
		t.indices = append(t.indices, *at-1)
	}
	if t.dict.len() > maxEntries || len(t.dict.body) > maxDictBytes {
		t.giveUp()
	}
}

func (t *texts) addPlain(v []byte) {
	if n := len(t.plain) + 4 + len(v); len(v) >= longPage && n > cap(t.plain) {
		t.plain = append(make([]byte, 0, n+roomForLevels), t.plain...)
	}
	t.plain = binary.LittleEndian.AppendUint32(t.plain, uint32(len(v)))
	t.plain = append(t.plain, v...)
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

// giveUp writes the values of the page out, and has no dictionary any more; its
// keys are kept for the pages before.
func (t *texts) giveUp() {
	t.keys, t.dict, t.given = t.dict, nil, true
	for _, at := range t.indices {
		t.addPlain(t.keys.key(at))
	}
	t.indices = t.indices[:0]
}

func (t *texts) size() int { return len(t.plain) }

func (t *texts) flush(dst []byte) ([]byte, bool) {
	if t.dict == nil && len(t.plain) >= longPage {
		page := slices.Insert(t.plain, 0, dst...)
		t.plain = nil
		return page, false
	}
	if t.dict == nil {
		dst = append(dst, t.plain...)
		t.plain = t.plain[:0]
		return dst, false
	}
	dst = appendIndices(dst, t.indices, t.dict.len())
	t.indices = t.indices[:0]
	return dst, true
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

type textSlot struct {
	hash uint32
	at   uint32 // 1 + number of the text; 0: free
}

var textSeed = maphash.MakeSeed() // has no influence on the numbers

func newTextTable() *textTable { return &textTable{slots: make([]textSlot, 256)} }

func (t *textTable) len() int { return len(t.ends) }

func (t *textTable) key(k uint32) []byte {
	from := uint32(0)
	if k > 0 {
		from = t.ends[k-1]
	}
	return t.body[from+4 : t.ends[k]]
}

// number is the number of a text, a new one if it is new.
func (t *textTable) number(v []byte) uint32 {
	hash := maphash.Bytes(textSeed, v)
	mask := len(t.slots) - 1
	for i := int(hash) & mask; ; i = (i + 1) & mask {
		s := &t.slots[i]
		if s.at == 0 {
			t.body = binary.LittleEndian.AppendUint32(t.body, uint32(len(v)))
			t.body = append(t.body, v...)
			t.ends = append(t.ends, uint32(len(t.body)))
			s.hash, s.at = uint32(hash>>32), uint32(len(t.ends))
			at := s.at - 1
			if 2*len(t.ends) > len(t.slots) {
				t.grow()
			}
			return at
		}
		if s.hash == uint32(hash>>32) && bytes.Equal(t.key(s.at-1), v) {
			return s.at - 1
		}
	}
}

func (t *textTable) grow() {
	t.slots = make([]textSlot, 4*len(t.slots))
	mask := len(t.slots) - 1
	for k := range t.len() {
		hash := maphash.Bytes(textSeed, t.key(uint32(k)))
		i := int(hash) & mask
		for t.slots[i].at != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = textSlot{uint32(hash >> 32), uint32(k + 1)}
	}
}
