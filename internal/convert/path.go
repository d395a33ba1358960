package convert

import (
	"math/bits"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// object is what is looked for in objects of JSON that are the value of one key.
//
//	user/id, user/name/last       user: id, name: last
type object struct {
	number int // of those that keys.seen counts
	keys   map[string]*member
	all    []*member      // of keys
	came   []expectedKeys // of the objects before, in order
}

// expectedKeys are those that came last with one number, in objects of several kinds.
type expectedKeys struct {
	keys []expectedKey // mostKinds at most
	next int           // the one to be forgotten for another, if there are so many
}

// expectedKey is a key as it stood in an object, with what is around it, `"id":`, and what is looked for in its value.
type expectedKey struct {
	text   []byte
	member *member // nil: nothing
}

// mostExpected is how many keys of an object are expected to come again, mostKinds how many of them may stand in one
// place, and longestExpected how long each is at most, with what is around it: what is remembered is bounded.
const mostExpected, mostKinds, longestExpected = 32, 8, 256

// expected is key number i, if text begins with one as it stood there in an object before, else nil.
func (o *object) expected(i int, text []byte) *expectedKey {
	if i >= len(o.came) || len(text) < 2 {
		return nil
	}
	keys := o.came[i].keys
	for k := range keys {
		e := &keys[k]
		// That most differ in the first symbol behind the quote costs no call.
		if n := len(e.text); n < len(text) && e.text[1] == text[1] && string(text[:n]) == string(e.text) {
			return e
		}
	}
	return nil
}

// expect makes a text, in quotes and with a colon, one of those of key number i.
func (o *object) expect(i int, text []byte, m *member) {
	if i >= mostExpected || i > len(o.came) || len(text) > longestExpected {
		return
	}
	if i == len(o.came) {
		o.came = append(o.came, expectedKeys{})
	}
	came := &o.came[i]
	if len(came.keys) < mostKinds {
		came.keys = append(came.keys, expectedKey{append([]byte(nil), text...), m})
		return
	}
	e := &came.keys[came.next]
	came.next = (came.next + 1) % mostKinds
	e.text, e.member = append(e.text[:0], text...), m
}

// member is what is looked for in the value of a key of an object.
type member struct {
	number int
	column int     // -1: it has no column itself
	in     *object // nil: nothing
}

// findPaths finds the columns of col whose names are paths.
func (k *keys) findPaths(col *dfa.Column) {
	number := len(col.Split.Columns)
	next := func() int { number++; return number - 1 }
	for i := range col.Split.Columns {
		if col.Split.Path == "" {
			break
		}
		path := strings.Split(col.Split.Columns[i].Name, col.Split.Path)
		if len(path) == 1 {
			continue
		}
		if k.paths == nil {
			k.paths = map[string]*object{}
		}
		o := k.paths[path[0]]
		if o == nil {
			o = &object{number: next(), keys: map[string]*member{}}
			k.paths[path[0]] = o
		}
		for at, key := range path[1:] {
			m := o.keys[key]
			if m == nil {
				m = &member{number: next(), column: -1}
				o.keys[key], o.all = m, append(o.all, m)
			}
			if at == len(path)-2 {
				m.column = i
				break
			}
			if m.in == nil {
				m.in = &object{number: next(), keys: map[string]*member{}}
			}
			o = m.in
		}
	}
	k.seen = make([]uint32, number)
}

// within calls yield with the columns of o and what they have in text, a value of JSON, until
// it is false: nil first, for there may have been another such value. It is false too if text
// is no JSON as far as it is read, and if a key is there twice where that is an error.
func (k *keys) within(o *object, text []byte, yield func(column int, text []byte) bool) bool {
	k.twice = ""
	k.forget(o, yield)
	rest, ok := k.object(o, trimJSON(text), yield)
	return ok && len(trimJSON(rest)) == 0
}

// forget takes back what columns of o have.
func (k *keys) forget(o *object, yield func(column int, text []byte) bool) {
	for _, m := range o.all {
		k.seen[m.number] = k.of - 1
		if m.column >= 0 {
			yield(m.column, nil)
		}
		if m.in != nil {
			k.forget(m.in, yield)
		}
	}
}

const jsonBlanks = " \t\r\n"

// trimJSON is text without the blanks that it begins with.
func trimJSON(text []byte) []byte {
	for len(text) > 0 && (text[0] == ' ' || text[0]-'\t' < 2 || text[0] == '\r') {
		text = text[1:]
	}
	return text
}

// object reads a value, of which o is looked for if it is an object. It gives what follows.
func (k *keys) object(o *object, text []byte, yield func(column int, text []byte) bool) (rest []byte, ok bool) {
	if len(text) == 0 || text[0] != '{' {
		n := jsonValue(text)
		return text[n:], n > 0
	}
	text = trimJSON(text[1:])
	if len(text) > 0 && text[0] == '}' {
		return text[1:], true
	}
	for i := 0; ; i++ {
		m, key, value := k.keyAt(o, i, text)
		if key == nil {
			return nil, false
		}
		text = trimJSON(value)
		n := jsonValue(text)
		if n == 0 || m != nil && !k.member(m, key, text[:n], yield) {
			return nil, false
		}
		if text = trimJSON(text[n:]); len(text) == 0 || text[0] != ',' && text[0] != '}' {
			return nil, false
		}
		end := text[0] == '}'
		if text = text[1:]; end {
			return text, true
		}
		text = trimJSON(text)
	}
}

// keyAt reads key number i of an object, with which text begins, and gives what follows its colon. The key is nil if
// there is none.
func (k *keys) keyAt(o *object, i int, text []byte) (m *member, key, rest []byte) {
	if e := o.expected(i, text); e != nil {
		n := len(e.text)
		return e.member, text[1 : n-2], text[n:]
	}
	n := jsonValue(text)
	if n < 2 || text[0] != '"' {
		return nil, nil, nil
	}
	key = text[1 : n-1]
	m = o.keys[string(k.meant(key))]
	rest = trimJSON(text[n:])
	if len(rest) == 0 || rest[0] != ':' {
		return nil, nil, nil
	}
	if text[n] == ':' {
		o.expect(i, text[:n+1], m)
	}
	return m, key, rest[1:]
}

// member takes the value of a key of an object.
func (k *keys) member(m *member, key, text []byte, yield func(column int, text []byte) bool) bool {
	again, fault := k.again(m.number, key)
	if fault != "" {
		k.twice = string(key)
		return false
	}
	if again {
		return true
	}
	if m.column >= 0 && !yield(m.column, text) {
		return false
	}
	if m.in == nil {
		return true
	}
	k.forget(m.in, yield)
	rest, ok := k.object(m.in, text, yield)
	return ok && len(rest) == 0
}

// jsonValue is how long the value is that text begins with, 0 if it has none. Of what is in
// objects and lists it is looked at that brackets and strings end.
func jsonValue(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			if i = jsonStringEnd(text, i+1); i >= len(text) {
				return 0
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				return 0
			}
		default:
			if depth > 0 {
				continue
			}
			n := i
			for n < len(text) && !endsJSONWord[text[n]] {
				n++
			}
			return n
		}
		if depth == 0 {
			return i + 1
		}
	}
	return 0
}

// jsonStringEnd is the place from i on of the quote that ends a string of text, or the length of text or more.
func jsonStringEnd(text []byte, i int) int {
	const quotes, leads, ones, highs = '"' * eachByte, '\\' * eachByte, eachByte, 0x80 * eachByte
	for ; i+8 <= len(text); i += 8 {
		w := word(text, uint32(i))
		q, l := w^quotes, w^leads
		found := ((q-ones)&^q | (l-ones)&^l) & highs
		if found == 0 {
			continue
		}
		if i += bits.TrailingZeros64(found) / 8; text[i] == '"' {
			return i
		}
		i += 2 - 8
	}
	for ; i < len(text) && text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}

// endsJSONWord has the symbols before which a number or word ends.
var endsJSONWord = func() (ends [256]bool) {
	for _, c := range []byte("\"{}[],:" + jsonBlanks) {
		ends[c] = true
	}
	return ends
}()

// isStringOrNull reports whether a text of JSON is one that stands for something else.
func isStringOrNull(text []byte) bool {
	return string(text) == "null" || len(text) > 0 && text[0] == '"'
}

// json makes what a text of JSON stands for row i of a part, nothing of none. It is false if it
// is no text of JSON.
func (s *Splitter) json(text []byte, i int, part *Fields) (ok bool) {
	x := s.keys
	switch {
	case text == nil || string(text) == "null":
		part.Start[i], part.End[i] = Absent, 0
	case text[0] == '"':
		if x.unescaped, ok = jsonString(x.unescaped[:0], text); !ok {
			return false
		}
		part.set(i, x.unescaped)
	default:
		part.set(i, text)
	}
	return true
}
