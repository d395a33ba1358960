package charset

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Guess is which encoding a text is likely in.
type Guess struct {
	Name   string   // "" for UTF-8 and what is no text
	Sure   bool     // it can be no other
	Others []string // that fit about as well, and make another text of it; the likeliest first
}

// GuessOf guesses the encoding of the first bytes of a text; whole says that they are all of it.
func GuessOf(sample []byte, whole bool) Guess {
	switch {
	case bytes.HasPrefix(sample, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(sample, []byte("\x00\x00\xfe\xff")):
		return Guess{} // UTF-32
	case bytes.HasPrefix(sample, []byte("\xff\xfe")):
		return Guess{Name: "UTF-16LE", Sure: true}
	case bytes.HasPrefix(sample, []byte("\xfe\xff")):
		return Guess{Name: "UTF-16BE", Sure: true}
	case bytes.HasPrefix(sample, markUTF8):
		return Guess{Sure: true}
	}
	var zeros [2]int
	for i, c := range sample {
		if c == 0 {
			zeros[i%2]++
		}
	}
	if half := len(sample) / 2; half > 1 {
		switch {
		case zeros[1] > half/2 && zeros[0] == 0:
			return Guess{Name: "UTF-16LE", Sure: true}
		case zeros[0] > half/2 && zeros[1] == 0:
			return Guess{Name: "UTF-16BE", Sure: true}
		}
	}
	if bytes.Contains(sample, []byte("\x1b$B")) || bytes.Contains(sample, []byte("\x1b$@")) {
		return Guess{Name: "ISO-2022-JP", Sure: true}
	}
	switch valid, wrong := utf8Of(sample, whole); {
	case wrong == 0:
		return Guess{Sure: true}
	case valid > utf8Share*wrong:
		return Guess{} // what is wrong in it is none of any other encoding
	}
	for _, c := range sample {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			return Guess{}
		}
	}
	return likeliest(sample, whole)
}

// utf8Share is how many characters of UTF-8 there are for each byte that is none where a text is
// UTF-8 nevertheless.
const utf8Share = 4

// utf8Of counts characters of several bytes, and bytes that are no UTF-8.
func utf8Of(sample []byte, whole bool) (valid, wrong int) {
	for len(sample) > 0 {
		if sample[0] < utf8.RuneSelf {
			sample = sample[1:]
			continue
		}
		r, n := utf8.DecodeRune(sample)
		switch {
		case r != utf8.RuneError || n > 1:
			valid++
		case !whole && !utf8.FullRune(sample): // it is cut
		default:
			wrong++
		}
		sample = sample[n:]
	}
	return valid, wrong
}

// How much more another encoding may take that fits about as well: so many bits, or such a share.
const (
	closeBits  = 10
	closeShare = 0.08
)

// strange is how many bits each byte beyond ASCII takes of what is no text.
const strange = 11

// sureBits is how much less an encoding of several bytes a character takes than all others where it
// can be no other.
const sureBits = 60

// tellingBytes are as many of a text as are weighed.
const tellingBytes = 8 << 10

// tellingLines are the lines of a text that have more than ASCII, if they are many the first ones;
// cut says that their end may be within a character, as the text's is.
func tellingLines(sample []byte) (lines []byte, cut bool) {
	for line := range bytes.Lines(sample) {
		if !slices.ContainsFunc(line, func(c byte) bool { return c >= utf8.RuneSelf }) {
			continue
		}
		if len(lines) > 0 && len(lines)+len(line) > tellingBytes {
			break
		}
		lines, cut = append(lines, line...), line[len(line)-1] != '\n'
	}
	return lines, cut
}

// has reports whether a text has nothing that is none of the encoding.
func (c *candidate) has(src []byte, whole bool) bool {
	table, ok := c.of.(*charmap.Charmap)
	if !ok {
		_, _, err := tableStep(c.of)(nil, src, whole)
		return err == nil
	}
	var seen [256]bool
	for _, b := range src {
		seen[b] = true
	}
	for b, is := range seen {
		if is && table.DecodeByte(byte(b)) == utf8.RuneError {
			return false
		}
	}
	return true
}

// likeliest is the encoding in which a text takes the fewest bits.
func likeliest(sample []byte, whole bool) Guess {
	type rated struct {
		*candidate
		bits float64
		text []byte
	}
	var found []rated
	all := candidates()
	telling, cut := tellingLines(sample)
	for i := range all {
		if !all[i].has(sample, whole) {
			continue
		}
		if bits, text, ok := all[i].cost(telling, whole || !cut); ok {
			found = append(found, rated{&all[i], bits, text})
		}
	}
	if len(found) == 0 {
		return Guess{}
	}
	slices.SortStableFunc(found, func(a, b rated) int {
		switch {
		case a.bits < b.bits:
			return -1
		case a.bits > b.bits:
			return 1
		}
		return 0
	})
	best := found[0]
	beyond := 0
	for _, c := range telling {
		if c >= utf8.RuneSelf {
			beyond++
		}
	}
	if best.bits-best.prior > strange*float64(beyond) { // no text, or one that nothing is known of
		i := slices.IndexFunc(found, func(f rated) bool { return f.name == all[0].name })
		if i < 0 {
			return Guess{}
		}
		return Guess{Name: all[0].name}
	}
	g := Guess{Name: best.name, Sure: best.many != nil}
	texts := [][]byte{best.text}
	for _, f := range found[1:] {
		if slices.ContainsFunc(texts, func(text []byte) bool { return bytes.Equal(text, f.text) }) {
			continue // whatever it is called
		}
		texts = append(texts, f.text)
		if f.bits < best.bits+max(closeBits, closeShare*best.bits) {
			g.Others = append(g.Others, f.name)
		}
		g.Sure = g.Sure && f.bits > best.bits+sureBits
	}
	return g
}

// misreadLeast is how many characters of UTF-8 a text has at least that is not meant in an encoding of
// several bytes a character, where a few may be of both.
const misreadLeast = 16

// MisreadUTF8 reports whether a text that is read in an encoding is UTF-8 rather: it has characters of
// several bytes, and nothing else beyond ASCII. It gives the first of them, and what it is read as.
func MisreadUTF8(sample []byte, whole bool, encoding string) (read, meant string, is bool) {
	e, err := find(encoding)
	if err != nil || strings.HasPrefix(strings.ToUpper(e.name), "UTF-") {
		return "", "", false
	}
	valid, wrong := utf8Of(sample, whole)
	_, single := e.of.(*charmap.Charmap)
	if wrong > 0 || valid == 0 || !single && valid < misreadLeast {
		return "", "", false
	}
	at := bytes.IndexFunc(sample, func(r rune) bool { return r >= utf8.RuneSelf })
	_, n := utf8.DecodeRune(sample[at:])
	decoded, err := e.of.NewDecoder().Bytes(sample[at : at+n])
	if err != nil || string(decoded) == string(sample[at:at+n]) {
		return "", "", false
	}
	return string(decoded), string(sample[at : at+n]), true
}
