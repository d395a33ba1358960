package charset

import (
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// This file says how unlikely a text is in an encoding, in bits: roughly what it takes to say which
// characters beyond ASCII it has, and where. A text that is read in another encoding than its own has
// characters that its language does not have, capitals within words, signs between letters, and so it
// takes more.

// candidate is an encoding that a text may be in.
type candidate struct {
	name  string
	prior float64 // how unlikely it is before the text is seen
	of    encoding.Encoding
	// alphabets are those of its languages, of which a text has one for the most part.
	alphabets []string
	script    string // its letters, the most frequent first, where they are not Latin ones
	many      *many  // of encodings with two bytes a character and more; nil for others
}

// many is what is known of an encoding of thousands of characters.
type many struct {
	length func(src []byte) int // of the character that src begins with
	known  func() map[rune]bool // characters that texts have most
	// cost of another character, by its bytes.
	cost func(src []byte, r rune) float64
}

// setOf is the set of the characters of a text.
func setOf(text string) func() map[rune]bool {
	return sync.OnceValue(func() map[rune]bool {
		set := map[rune]bool{}
		for _, r := range text {
			set[r] = true
		}
		return set
	})
}

// candidates are in the order in which they are named.
var candidates = sync.OnceValue(func() []candidate {
	return []candidate{
		{name: "windows-1252", of: charmap.Windows1252, alphabets: western},
		{name: "windows-1250", prior: 6, of: charmap.Windows1250, alphabets: central},
		{name: "ISO-8859-2", prior: 8, of: charmap.ISO8859_2, alphabets: central},
		{name: "ISO-8859-15", prior: 6, of: charmap.ISO8859_15, alphabets: western},
		{name: "windows-1251", prior: 3, of: charmap.Windows1251, script: cyrillic},
		{name: "KOI8-R", prior: 4, of: charmap.KOI8R, script: cyrillic},
		{name: "IBM866", prior: 6, of: charmap.CodePage866, script: cyrillic},
		{name: "ISO-8859-5", prior: 8, of: charmap.ISO8859_5, script: cyrillic},
		{name: "windows-1253", prior: 5, of: charmap.Windows1253, script: greek},
		{name: "windows-1254", prior: 5, of: charmap.Windows1254, alphabets: turkish},
		{name: "windows-1255", prior: 6, of: charmap.Windows1255, script: hebrew},
		{name: "windows-1256", prior: 6, of: charmap.Windows1256, script: arabic},
		{name: "windows-1257", prior: 8, of: charmap.Windows1257, alphabets: baltic},
		{name: "windows-874", prior: 6, of: charmap.Windows874, script: thai},
		{name: "macintosh", prior: 8, of: charmap.Macintosh, alphabets: western},
		{name: "IBM850", prior: 10, of: charmap.CodePage850, alphabets: western},
		{name: "Shift_JIS", prior: 3, of: japanese.ShiftJIS, many: &many{shiftJISLength, setOf(kanji), shiftJISCost}},
		{name: "EUC-JP", prior: 4, of: japanese.EUCJP, many: &many{eucLength, setOf(kanji), eucJPCost}},
		{name: "GB18030", prior: 3, of: simplifiedchinese.GB18030, many: &many{gbLength, setOf(simplified), gbCost}},
		{name: "Big5", prior: 3, of: traditionalchinese.Big5, many: &many{pairLength, setOf(traditional), big5Cost}},
		{name: "EUC-KR", prior: 3, of: korean.EUCKR, many: &many{pairLength, setOf(hangul), eucKRCost}},
	}
})

// Bits that it takes.
const (
	impossible = 30.0 // no text has it
	unusual    = 14.0
	foreign    = 9.0 // a letter of another alphabet
	sign       = 7.0
	misplaced  = 8.0 // more, where no text has it there
)

// cost is how unlikely the text src is, and what it is in UTF-8; ok is false if it is none of the
// encoding. whole says that its last character is not cut.
func (c *candidate) cost(src []byte, whole bool) (bits float64, text []byte, ok bool) {
	if c.many != nil {
		bits, text, ok = c.manyCost(src, whole)
		return c.prior + bits, text, ok
	}
	table := c.of.(*charmap.Charmap)
	letters := map[rune]int{}
	seen := 0
	decoded := func(i int) rune {
		switch {
		case i < 0 || i >= len(src):
			return ' '
		case src[i] < utf8.RuneSelf:
			return rune(src[i])
		}
		return table.DecodeByte(src[i])
	}
	for i, b := range src {
		if b < utf8.RuneSelf {
			text = append(text, b)
			continue
		}
		r := table.DecodeByte(b)
		if r == utf8.RuneError {
			return 0, nil, false
		}
		text = utf8.AppendRune(text, r)
		before, after := decoded(i-1), decoded(i+1)
		if !unicode.IsLetter(r) && !unicode.IsMark(r) || r == 'ª' || r == 'º' {
			bits += signCost(before, r, after)
			continue
		}
		bits += c.placeCost(before, r, after)
		letters[r]++
		seen++
	}
	least := math.Inf(1)
	for _, alphabet := range append([]string{""}, c.alphabets...) {
		sum := 0.0
		for r, n := range letters {
			sum += float64(n) * c.letterCost(r, alphabet)
		}
		least = min(least, sum)
	}
	if c.script != "" && seen < someLetters {
		least += misplaced
	}
	return c.prior + bits + least, text, true
}

// someLetters are as many as a text has at least in another script.
const someLetters = 3

// manyCost is cost of text of several bytes a character.
func (c *candidate) manyCost(src []byte, whole bool) (bits float64, text []byte, ok bool) {
	text, used, err := tableStep(c.of)(nil, src, whole)
	if err != nil {
		return 0, nil, false
	}
	rest, before := text, ' '
	for at := 0; at < used; {
		n := 1
		if src[at] >= utf8.RuneSelf {
			n = c.many.length(src[at:used])
		}
		r, size := utf8.DecodeRune(rest)
		if n > used-at || size == 0 {
			return 0, nil, false
		}
		rest = rest[size:]
		if r >= utf8.RuneSelf {
			after, _ := utf8.DecodeRune(rest)
			switch {
			case c.many.known()[r]:
				bits += 7
			case strings.ContainsRune(wide, r):
				bits += 6
			default:
				bits += c.many.cost(src[at:at+n], r)
			}
			bits += beside(before, after)
			if isHalf(r) && !isHalf(before) && !isHalf(after) {
				bits += misplaced
			}
		}
		before, at = r, at+n
	}
	return bits, text, len(rest) == 0
}

// letterCost is how unlikely a letter is wherever it stands.
func (c *candidate) letterCost(r rune, alphabet string) float64 {
	lower := unicode.ToLower(r)
	capital := 0.0
	if lower != r {
		capital = 2
	}
	switch {
	case c.script != "":
		switch i := strings.IndexRune(c.script, lower); {
		case i < 0 && unicode.IsMark(r):
			return foreign
		case i < 0:
			return unusual
		case utf8.RuneCountInString(c.script[:i]) < 10:
			return 3.5 + capital
		case utf8.RuneCountInString(c.script[:i]) < 20:
			return 5 + capital
		}
		return 6.5 + capital
	case strings.ContainsRune(alphabet, lower):
		return 3.5 + capital
	}
	for _, other := range c.alphabets {
		if strings.ContainsRune(other, lower) {
			return foreign + capital
		}
	}
	return unusual
}

// placeCost is how unlikely it is that a letter stands between two characters.
func (c *candidate) placeCost(before, r, after rune) (bits float64) {
	for _, other := range []rune{before, after} {
		switch latin := other < utf8.RuneSelf; {
		case !unicode.IsLetter(other):
		case latin && c.script != "":
			bits += misplaced // of two scripts
		case !latin && c.script == "":
			bits += 1.5 // letters of ASCII are more frequent
		}
	}
	if unicode.IsUpper(r) && unicode.IsLower(before) || unicode.IsLower(r) && unicode.IsUpper(after) {
		bits += misplaced
	}
	if unicode.ToLower(r) == 'þ' && unicode.IsLetter(before) && !unicode.IsLetter(after) {
		bits += misplaced // no word of Icelandic ends in it
	}
	return bits
}

// signCost is how unlikely a sign is between two characters.
func signCost(before, r, after rune) float64 {
	letter, next := unicode.IsLetter(before), unicode.IsLetter(after)
	apart := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) && r < utf8.RuneSelf }
	within := 0.0
	if letter && next {
		within = misplaced
	}
	const well = 4
	switch {
	case unicode.IsControl(r) || unicode.Is(unicode.Co, r):
		return impossible
	case r == '’' && letter, strings.ContainsRune("“„«‘", r) && apart(before) && !apart(after), strings.ContainsRune("”“»’", r) && !apart(before) && apart(after),
		strings.ContainsRune("–—", r) && apart(before) && apart(after), strings.ContainsRune("€£§•©®", r) && !letter && !next, r == '…' && apart(after),
		strings.ContainsRune("°²³", r) && !apart(before) && !next, strings.ContainsRune("¿¡", r) && apart(before) && next, r == '°' && strings.ContainsRune("CFNSEW", after):
		return well
	case r == '\u00a0' && (apart(before) || apart(after)):
		return well - 1
	case r == '\u00a0':
		return sign + within/2
	case strings.ContainsRune("“”„«»", r) && letter && next:
		return unusual + within
	case strings.ContainsRune("–—’“”„‘«»°€£§…•", r):
		return sign + within
	case strings.ContainsRune("²³½¼¾°ºª", r) && next:
		return sign + misplaced
	case strings.ContainsRune("©®™²³½¼¾µ·±×ªº¿¡´№", r):
		return sign + 2 + within
	}
	return unusual + within
}

// beside is how unlikely it is that a character of two bytes stands between two others.
func beside(before, after rune) float64 {
	isASCII := func(r rune) bool { return r < utf8.RuneSelf && unicode.IsLetter(r) }
	switch {
	case isASCII(before) && isASCII(after):
		return 2*4 + 15
	case isASCII(before) || isASCII(after):
		return 4
	}
	return 0
}

func pairLength([]byte) int { return 2 }

func shiftJISLength(src []byte) int {
	if src[0] == 0x80 || src[0] >= 0xa1 && src[0] <= 0xdf {
		return 1
	}
	return 2
}

func eucLength(src []byte) int {
	if src[0] == 0x8f {
		return 3
	}
	return 2
}

func gbLength(src []byte) int {
	switch {
	case src[0] == 0x80: // a euro sign
		return 1
	case len(src) > 1 && src[1] >= 0x30 && src[1] < 0x40: // as the decoder has it; the standard ends at 0x39
		return 4
	}
	return 2
}

// Characters of other scripts than the encoding's own, and signs.
func otherCost(r rune) float64 {
	switch {
	case unicode.Is(unicode.Co, r):
		return impossible
	case r >= 0xff01 && r <= 0xff5e:
		return 9 // Latin letters and digits as wide as others
	case unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Cyrillic, unicode.Greek):
		return 18
	}
	return unusual
}

// japaneseCost is that of kana and of signs; ok is false of other characters.
func japaneseCost(r rune) (bits float64, ok bool) {
	switch {
	case isHalf(r):
		return 6, true
	case unicode.Is(unicode.Hiragana, r):
		return 5.5, true
	case unicode.Is(unicode.Katakana, r):
		return 6.5, true
	case !unicode.Is(unicode.Han, r):
		return otherCost(r), true
	}
	return 0, false
}

// isHalf reports whether a character is one of the kana that have half the width.
func isHalf(r rune) bool { return r >= 0xff61 && r <= 0xff9f }

// level is what a character takes that is not among the first: less if it is of the standard's first
// level, whose leads are from low to high.
func level(lead, low, high byte) float64 {
	if lead >= low && lead <= high {
		return 11.5
	}
	return 17
}

func shiftJISCost(src []byte, r rune) float64 {
	bits, ok := japaneseCost(r)
	if !ok {
		return level(src[0], 0x88, 0x98)
	}
	return bits
}

func eucJPCost(src []byte, r rune) float64 {
	bits, ok := japaneseCost(r)
	switch {
	case ok:
		return bits
	case len(src) == 3:
		return 20
	}
	return level(src[0], 0xb0, 0xcf)
}

func gbCost(src []byte, r rune) float64 {
	switch {
	case len(src) == 4:
		return 25
	case !unicode.Is(unicode.Han, r):
		return otherCost(r)
	case src[1] < 0xa1:
		return 17
	}
	return level(src[0], 0xb0, 0xd7)
}

func big5Cost(src []byte, r rune) float64 {
	if !unicode.Is(unicode.Han, r) {
		return otherCost(r)
	}
	return level(src[0], 0xa4, 0xc6)
}

func eucKRCost(src []byte, r rune) float64 {
	switch {
	case unicode.Is(unicode.Han, r):
		return 19
	case !unicode.Is(unicode.Hangul, r):
		return otherCost(r)
	case src[0] >= 0xb0 && src[0] <= 0xc8 && src[1] >= 0xa1:
		return 9
	}
	return 17
}
