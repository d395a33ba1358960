package charset

import (
	"bytes"
	"unicode/utf8"
)

// Guess is which encoding a text is likely in.
type Guess struct {
	Name string // "" for UTF-8 and what is no text
	Sure bool   // it can be no other
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
	if !whole { // its last character may be cut
		for i := 0; i < utf8.UTFMax && len(sample) > 0 && !utf8.Valid(sample[max(0, len(sample)-utf8.UTFMax):]); i++ {
			if r, n := utf8.DecodeLastRune(sample); r != utf8.RuneError || n != 1 {
				break
			}
			sample = sample[:len(sample)-1]
		}
	}
	if utf8.Valid(sample) {
		return Guess{Sure: true}
	}
	for _, c := range sample {
		switch c {
		case 0x81, 0x8d, 0x8f, 0x90, 0x9d: // nothing in Windows-1252
			return Guess{}
		}
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			return Guess{}
		}
	}
	return Guess{Name: "windows-1252"}
}
