package convert

import (
	"fmt"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// Differs says where a field that has code c is not in the form of a date or
// time: at which of its bytes, what stands there, and what should. It is empty
// for other types, and for fields that are in the form.
func (c Code) Differs(t *dfa.Type, field []byte) string {
	if c != BadDate && c != BadTime && c != BadTimestamp {
		return ""
	}
	at, want := -1, ""
	for _, form := range t.Forms() { // of several that of which most is there
		if there, missing := differs(&form, field); missing != "" && there > at {
			at, want = there, missing
		}
	}
	if want == "" {
		return ""
	}
	found := "the end"
	if at < len(field) {
		found = fmt.Sprintf("%q", excerptOf(field[at:]))
	}
	return fmt.Sprintf("%s where %s should be, after %s", found, want, afterWords(field[:at]))
}

// differs is the place where field leaves the one form of t, and what should be there.
func differs(t *dfa.Type, field []byte) (at int, want string) {
	switch l, err := layouts.of(t); {
	case t.Epoch:
		return -1, ""
	case t.Layout == "":
		return differsISO(t, field)
	case err == nil:
		return l.differs(field)
	}
	return -1, ""
}

// layouts are compiled ones that fields differ from: as a rule many from the same.
var layouts knownLayouts

type knownLayouts struct {
	sync.Mutex
	known map[string]*layout
}

// mostLayouts bounds how many are known.
const mostLayouts = 64

// of is layoutOf.
func (k *knownLayouts) of(t *dfa.Type) (*layout, error) {
	if !t.Names.None() {
		return layoutOf(t)
	}
	k.Lock()
	defer k.Unlock()
	if l := k.known[t.Layout]; l != nil {
		return l, nil
	}
	l, err := layoutOf(t)
	if err == nil {
		if k.known == nil || len(k.known) == mostLayouts {
			k.known = map[string]*layout{}
		}
		k.known[t.Layout] = l
	}
	return l, err
}

func afterWords(before []byte) string {
	if len(before) == 0 {
		return "nothing"
	}
	const most = 24
	if len(before) > most {
		cut := len(before) - most
		for cut < len(before) && !utf8.RuneStart(before[cut]) {
			cut++
		}
		return fmt.Sprintf("…%q", before[cut:])
	}
	return fmt.Sprintf("%q", before)
}

// excerptOf is the word, the number or the one character at the beginning of b.
func excerptOf(b []byte) []byte {
	const most = 24
	r, _ := utf8.DecodeRune(b)
	first := runeKind(r)
	end := 0
	for end < len(b) && end < most {
		r, n := utf8.DecodeRune(b[end:])
		if end > 0 && (first == 0 || runeKind(r) != first) {
			break
		}
		end += n
	}
	return b[:end]
}

// runeKind is 1 for letters, 2 for digits, 0 for others.
func runeKind(r rune) int {
	switch {
	case unicode.IsLetter(r):
		return 1
	case unicode.IsDigit(r):
		return 2
	}
	return 0
}

// differs is the place where b leaves the layout, and what the layout has
// there; want is empty if b is in it.
func (l *layout) differs(b []byte) (at int, want string) {
	var m moment
	n, rest := l.read(b, &m)
	at = len(b) - len(rest)
	switch {
	case n == len(l.ops) && len(rest) == 0:
		return at, ""
	case n == len(l.ops):
		return at, "the end"
	case l.ops[n].directive == 0:
		text := l.ops[n].text
		for text != "" && len(b) > at && b[at] == text[0] {
			text = text[1:]
			at++
		}
		return at, fmt.Sprintf("%q", text)
	}
	d := l.ops[n].directive
	if words := l.ops[n].words; words != nil {
		var names []string
		for _, w := range words {
			names = append(names, w.text)
		}
		return at, fmt.Sprintf("%%%c, one of %s,", d, tokenList(names))
	}
	if d == unpaddedMillis {
		return at, "%-L, milliseconds, 0 to 999,"
	}
	return at, fmt.Sprintf("%%%s%c, %s,", map[bool]string{true: "-"}[l.ops[n].bare], d, directiveWords[d])
}

// directiveWords says what each directive reads.
var directiveWords = map[byte]string{
	'Y': "a year of 4 digits", 'y': "a year of 2 digits", 'm': "a month, 01 to 12", 'b': "a month like Jan", 'B': "a month like January",
	'd': "a day, 01 to 31", 'e': "a day, padded with a space", 'j': "a day of the year, 001 to 366", 'a': "a weekday like Mon",
	'A': "a weekday like Monday", 'H': "an hour, 00 to 23", 'I': "an hour, 01 to 12", 'p': "AM or PM", 'M': "a minute, 00 to 59",
	'S': "a second, 00 to 60", 'f': "a fraction of 1 to 9 digits", 'L': "a fraction of 3 digits", 's': "seconds since 1970",
	'z': "an offset like +0100, +01:00 or Z", 'Z': "UTC, GMT or Z (of other names of zones it is not known which offset they mean)",
}

// isoPattern has a 0 for a digit, and a T for the T or space between date and time.
var isoPattern = map[dfa.TypeKind]string{dfa.Date: "0000-00-00", dfa.Time: "00:00:00", dfa.Timestamp: "0000-00-00T00:00:00"}

func differsISO(t *dfa.Type, b []byte) (at int, want string) {
	kind := t.Kind
	pattern := isoPattern[kind]
	for at = range len(pattern) {
		p := pattern[at]
		switch {
		case at == len(b), p == '0' && b[at]-'0' > 9, p == 'T' && b[at]|0x20 != 't' && b[at] != ' ', p != '0' && p != 'T' && b[at] != p:
			switch p {
			case '0':
				return at, "a digit"
			case 'T':
				return at, "a T or a space, and the time,"
			}
			return at, fmt.Sprintf("%q", string(p))
		}
	}
	at = len(pattern)
	if kind == dfa.Date {
		return at, "the end"
	}
	if at < len(b) && b[at] == '.' {
		if at++; at == len(b) || b[at]-'0' > 9 {
			return at, "a digit of the fraction"
		}
		for at < len(b) && b[at]-'0' <= 9 {
			at++
		}
	}
	switch {
	case kind == dfa.Time || t.NoZone:
		return at, "the end"
	case t.Zone == "":
		return at, "an offset like Z or +01:00"
	}
	return at, "an offset like Z or +01:00, or the end,"
}
