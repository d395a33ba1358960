package convert

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// keys are those of a map that have columns of their own.
//
//	a=1 b=2 c=3     of a and c     a: 1    c: 3    the map: b=2
type keys struct {
	index     map[string]int // key -> column
	policy    dfa.Duplicates
	json      bool
	truth     []string           // by column: what a key without a value is, "" if it is null
	fast      *lexer             // of the map, nil if there is none
	leads     []byte             // symbols without which nothing is escaped, where it matters to a column
	paths     map[string]*object // by their first key: what is looked for in its value; nil if there are none
	seen      []uint32           // by column, and then by object: the value it was last seen in
	of        uint32             // the value looked at, counted, so that seen is not cleared for each
	unescaped []byte             // scratch memory
	key       []byte             // the same, of meant
	twice     string             // the key that was, in an object
	others    bool               // the value has keys that have no column
	known     []known            // those met last, by their slots
	bridges   *bridges           // between its values; nil if there are none
	batches   *keyBatches        // of maps that masks take apart; nil if there are none
}

// known is a key that has been looked up.
type known struct {
	key    []byte // as it is written
	column int    // -1: it has none
	object *object
}

const (
	mostKnown   = 256
	longestKept = 128 // symbols of a key
)

// lookUp is what a key is. Most are among those met last.
func (k *keys) lookUp(key []byte) *known {
	if k.known == nil {
		k.known = make([]known, mostKnown)
	}
	n := len(key)
	slot := n
	if n > 0 {
		slot += 7*int(key[0]) + 31*int(key[n/2]) + 13*int(key[n-1])
	}
	is := &k.known[slot%mostKnown]
	if is.key != nil && string(is.key) == string(key) {
		return is
	}
	if n > longestKept {
		is = &known{}
	}
	meant := k.meant(key)
	is.key, is.column, is.object = append(is.key[:0], key...), -1, k.paths[string(meant)]
	if is.key == nil {
		is.key = []byte{}
	}
	if c, ok := k.index[string(meant)]; ok {
		is.column = c
	}
	return is
}

func newKeys(col *dfa.Column) *keys {
	k := &keys{index: keyIndex(col), policy: col.Type.Duplicates, json: col.Split.JSON}
	for i := range col.Split.Columns {
		truth := ""
		if t := &col.Split.Columns[i].Type; t.Kind == dfa.Bool {
			if truth = "true"; len(t.True) > 0 {
				truth = t.True[0]
			}
		}
		k.truth = append(k.truth, truth)
	}
	k.findPaths(col)
	return k
}

// keyIndex has the keys of col that have columns, nil if there are none.
func keyIndex(col *dfa.Column) map[string]int {
	if col.Split == nil || !col.Split.Keyed {
		return nil
	}
	index := map[string]int{}
	for i := range col.Split.Columns {
		if name := col.Split.Columns[i].Name; col.Split.Path == "" || !strings.Contains(name, col.Split.Path) {
			index[name] = i
		}
	}
	return index
}

// lexed takes value apart into s.pieces if that can be done fast.
func (k *keys) lexed(s *Splitter, value []byte) (ok bool) {
	if k == nil || k.fast == nil {
		return false
	}
	s.pieces, s.decoded, ok = k.fast.fields(value, s.pieces[:0], s.decoded[:0])
	return ok
}

// escaped reports whether something may be escaped in value that matters to a column.
func (k *keys) escaped(value []byte) bool {
	return slices.ContainsFunc(k.leads, func(lead byte) bool { return bytes.IndexByte(value, lead) >= 0 })
}

// leadsOf are the symbols of which one is in every value of a in which something is escaped:
// those of escapes, but for what only stands in an escape that has begun.
func leadsOf(a *dfa.Automaton) (leads []byte) {
	begun, other := make([]bool, a.NStates()), make([]bool, a.NStates())
	other[a.Start] = true
	each := func(yield func(s, next dfa.StateID, symbol byte, escape bool)) {
		for s := range a.NStates() {
			for c := range 256 {
				if next, e := a.Step(dfa.StateID(s), byte(c)); e.Kind != dfa.Error {
					yield(dfa.StateID(s), next, byte(c), e.Escape)
				}
			}
		}
	}
	each(func(_, next dfa.StateID, _ byte, escape bool) {
		begun[next] = begun[next] || escape
		other[next] = other[next] || !escape
	})
	each(func(s, _ dfa.StateID, symbol byte, escape bool) {
		if escape && (!begun[s] || other[s]) && !slices.Contains(leads, symbol) {
			leads = append(leads, symbol)
		}
	})
	return leads
}

// pairs puts the values of keys into row i of parts, which is absent so far. It reports
// whether s.pieces are pairs, and no key that has a column is there twice where that
// is an error.
func (s *Splitter) pairs(f *Fields, i int, value []byte, at uint32, settle bool, parts []Fields) bool {
	ok := false
	if _, _, ok = misplaced(s.pieces, 1); ok {
		ok = s.eachPair(value, func(column, piece int) bool {
			return s.pair(f, i, column, piece, value, at, settle, &parts[column])
		}, func(column int, text []byte) bool {
			return s.json(text, i, &parts[column])
		}) == ""
	}
	if !ok {
		ResetRow(parts, i)
	}
	return ok
}

// eachPair calls yield with the columns of keys and the pieces of their values, -1 if they
// have none, until it is false, and inside with those of paths and their texts of JSON, nil if
// there is none after all. What is wrong it gives in words.
func (s *Splitter) eachPair(value []byte, yield func(column, piece int) bool, inside func(column int, text []byte) bool) (fault string) {
	x := s.keys
	x.next()
	for k := range s.pieces {
		p := &s.pieces[k]
		if p.Column != 0 {
			continue
		}
		key := p.Of(value, s.decoded)
		piece := -1
		if k+1 < len(s.pieces) && s.pieces[k+1].Column == 1 {
			piece = k + 1
		}
		is := x.lookUp(key)
		c := is.column
		if o := is.object; o != nil && piece >= 0 {
			if again, fault := x.again(o.number, key); fault != "" {
				return fault
			} else if !again && !x.within(o, s.pieces[piece].Of(value, s.decoded), inside) {
				return x.fault(key)
			}
		}
		if c < 0 {
			x.others = true
			continue
		}
		if again, fault := x.again(c, key); fault != "" {
			return fault
		} else if again {
			continue
		}
		if !yield(c, piece) {
			return x.fault(key)
		}
	}
	return ""
}

// next begins a value.
func (k *keys) next() {
	k.others = false
	if k.of++; k.of == 0 {
		clear(k.seen)
		k.of = 1
	}
}

// again reports whether the key of a column or object was there before, and the first one counts.
func (k *keys) again(number int, key []byte) (again bool, fault string) {
	if k.seen[number] == k.of {
		switch k.policy {
		case dfa.FirstDuplicate:
			return true, ""
		case dfa.NoDuplicates:
			return true, fmt.Sprintf("the key %q is there twice", key)
		}
	}
	k.seen[number] = k.of
	return false, ""
}

// fault says why the value of key has no columns.
func (k *keys) fault(key []byte) string {
	if k.twice != "" {
		return fmt.Sprintf("the key %q is there twice in the value of %q", k.twice, key)
	}
	return fmt.Sprintf("the value of %q is no text of JSON", key)
}

// pair makes piece row i of a part. It is false if it is no text of JSON.
func (s *Splitter) pair(f *Fields, i, column, piece int, value []byte, at uint32, settle bool, part *Fields) bool {
	x := s.keys
	part.Start[i], part.End[i] = Absent, 0 // where the last value counts
	if piece < 0 {
		if x.truth[column] != "" {
			part.set(i, []byte(x.truth[column]))
		}
		return true
	}
	p, start := &s.pieces[piece], f.Start[i]
	if x.json {
		text := p.Of(value, s.decoded)
		if n := len(text); start < InDecoded && !p.Decoded && n > 1 && text[0] == '"' && text[n-1] == '"' && bytes.IndexByte(text, '\\') < 0 {
			part.Start[i], part.End[i] = start+at+p.Start+1, start+at+p.End-1
			return true
		}
		if isStringOrNull(text) {
			return s.json(text, i, part)
		}
	}
	if start < InDecoded && !p.Decoded {
		part.Start[i], part.End[i] = start+at+p.Start, start+at+p.End
	} else {
		part.set(i, p.Of(value, s.decoded))
	}
	if settler := s.settlers[column]; settle && settler != nil {
		settler.Settle(part, i, &s.written[piece])
	}
	return true
}

// meant is what a key stands for: one of JSON may be written with escapes. It is good until
// the next one is asked for.
func (k *keys) meant(key []byte) []byte {
	if !k.json {
		return key
	}
	return meantKey(key, &k.key)
}

// JSONKey is what a key of JSON stands for, given what is between its quotes.
func JSONKey(key string) string {
	if strings.IndexByte(key, '\\') < 0 {
		return key
	}
	var scratch []byte
	return string(meantKey([]byte(key), &scratch))
}

// meantKey is what a key of JSON stands for, in scratch memory if anything of it is escaped.
func meantKey(key []byte, scratch *[]byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key
	}
	text, ok := jsonText((*scratch)[:0], key)
	if *scratch = text; !ok {
		return key
	}
	return text
}

// jsonString appends what a string of JSON, with its quotes, stands for to dst. Half a
// surrogate pair is U+FFFD.
func jsonString(dst, text []byte) (_ []byte, ok bool) {
	if len(text) < 2 || text[len(text)-1] != '"' {
		return dst, false
	}
	return jsonText(dst, text[1:len(text)-1])
}

// jsonText is jsonString of what stands between the quotes.
func jsonText(dst, text []byte) (_ []byte, ok bool) {
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 {
			return append(dst, text...), true
		}
		dst = append(dst, text[:at]...)
		if text = text[at+1:]; len(text) == 0 {
			return dst, false
		}
		c := text[0]
		if text = text[1:]; c != 'u' {
			k := bytes.IndexByte([]byte(`"\/bfnrt`), c)
			if k < 0 {
				return dst, false
			}
			dst = append(dst, "\"\\/\b\f\n\r\t"[k])
			continue
		}
		r, ok := fourDigits(text)
		if !ok {
			return dst, false
		}
		text = text[4:]
		if utf16.IsSurrogate(r) {
			second := rune(-1)
			if len(text) >= 6 && text[0] == '\\' && text[1] == 'u' {
				second, _ = fourDigits(text[2:])
			}
			if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
				text = text[6:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
}

// fourDigits is the number that text begins with, in four hexadecimal digits.
func fourDigits(text []byte) (r rune, ok bool) {
	if len(text) < 4 {
		return -1, false
	}
	for _, c := range text[:4] {
		d := bytes.IndexByte([]byte("0123456789abcdef"), c|0x20)
		if d < 0 || c < '0' {
			return -1, false
		}
		r = r<<4 | rune(d)
	}
	return r, true
}

// PartFinder finds parts of values of one column, which has columns by key.
type PartFinder struct {
	splitter *Splitter
	value    Fields
	parts    []Fields
}

// NewPartFinder is that of col.
func NewPartFinder(col *dfa.Column) *PartFinder {
	s := newSplitter(col)
	return &PartFinder{splitter: s, parts: make([]Fields, len(s.settlers))}
}

// Find is the part of a value as the part's converter sees it, valid until the next call; ok if there is
// one. The value was written so, nil if nothing of it was escaped.
func (x *PartFinder) Find(value []byte, written *dfa.Written, part int) (text []byte, ok bool) {
	f := &x.value
	f.Reset(nil)
	f.PushDecoded(value)
	if written != nil {
		f.Literal = append(f.Literal, Literal{Start: f.Start[0], As: written})
	}
	ResetParts(f, x.parts)
	if !x.splitter.Row(f, 0, x.parts) {
		return nil, false
	}
	return x.parts[part].At(0)
}

// KeyFault says in words why a value, of which nothing was escaped, has no columns by key, and
// at which byte if that is known: at is not -1 then.
func KeyFault(col *dfa.Column, value []byte) (what string, at int) {
	if what, at, ok := BadMap.Fault(&col.Type, value); ok {
		return what, at
	}
	s := newSplitter(col)
	s.pieces, s.decoded, _ = s.lex.FieldsWritten(value, nil, s.opaqueOf(value, nil), nil, nil, nil)
	isJSON := func(text []byte) bool {
		_, ok := jsonString(nil, text)
		return ok || len(text) == 0 || text[0] != '"'
	}
	return s.eachPair(value, func(_, piece int) bool {
		return !s.keys.json || piece < 0 || isJSON(s.pieces[piece].Of(value, s.decoded))
	}, func(_ int, text []byte) bool { return isJSON(text) }), -1
}

// taking makes the map that c converts lack some keys.
func (c *Converter) taking(col *dfa.Column) {
	if taken := keyIndex(col); taken != nil {
		n := c.impl.(*nested)
		m := n.elements.(*maps)
		m.taken, m.json = taken, col.Split.JSON
		m.known = newKnownKeys(m.takenBy)
		n.keysAhead, n.packer = nil, nil // they find no keys
	}
}

// others are the pieces of a map less those of keys that are taken, which lie where the
// pieces lay.
func (m *maps) others(pieces []dfa.Piece, value, decoded []byte) []dfa.Piece {
	taken := false
	return slices.DeleteFunc(pieces, func(p dfa.Piece) bool {
		if p.Column == 0 {
			taken = m.takenBy(p.Of(value, decoded)) >= 0
		}
		return taken
	})
}

// takenBy is the column that a key has of its own, -1 if it has none.
func (m *maps) takenBy(key []byte) int {
	if m.json {
		key = meantKey(key, &m.key)
	}
	if column, is := m.taken[string(key)]; is {
		return column
	}
	return -1
}
