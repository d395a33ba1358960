package input

import (
	"bytes"
	"encoding/binary"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/internal/charset"
)

// KnownEncoding is an error if there is no encoding of that name.
func KnownEncoding(name string) error {
	if isAuto(name) {
		return nil
	}
	_, err := charset.Canonical(name)
	return err
}

// AutoEncoding is the name of the encoding that each input's own beginning shows.
const AutoEncoding = "auto"

// Decode reads the input as text in an encoding, by a name that IANA has registered or
// AutoEncoding, as UTF-8.
func (in *Input) Decode(name string) error {
	name, err := in.EncodingOf(name)
	if err != nil || name == "" {
		return err
	}
	decoded, err := charset.NewReader(in.Reader, name)
	if err != nil {
		return err
	}
	in.Reader, in.Plain = decoded, nil
	return nil
}

// OnlyASCII makes a character that is none of ASCII an error, if the input is decoded.
func (in *Input) OnlyASCII() {
	if d, ok := in.Reader.(charset.Decoded); ok {
		d.OnlyASCII()
	}
}

// ownBytes are as many as an encoding is inferred from together with the dialect.
const ownBytes = 64 << 10

func isAuto(name string) bool { return strings.EqualFold(name, AutoEncoding) }

// EncodingOf is the encoding that the input has by a name for Decode, "" for UTF-8 where it shows its own.
func (in *Input) EncodingOf(name string) (string, error) {
	if isAuto(name) {
		return in.ownEncoding()
	}
	return name, nil
}

// ownEncoding is the encoding that the input shows, "" for UTF-8.
func (in *Input) ownEncoding() (name string, err error) {
	sample, whole, err := in.Sample(ownBytes, time.Second)
	if err == nil {
		name = in.GuessEncoding(sample, whole).Name
	}
	return name, err
}

// How far a file is looked through for the first character beyond ASCII, and in how many pieces, of
// ownBytes each, what is behind that is looked at.
const (
	lookedThrough = 64 << 20
	lookedPieces  = 256
)

// GuessEncoding guesses the encoding of an input that begins with sample; whole says that this is all
// of it. Where all of it is ASCII, and the input is a file, the first other character further on
// tells, if it is found.
func (in *Input) GuessEncoding(sample []byte, whole bool) charset.Guess {
	g := charset.GuessOf(sample, whole)
	if g.Name != "" || whole || in.Plain == nil || beyondASCII(sample) >= 0 {
		return g
	}
	behind := in.Base + int64(len(sample))
	text := make([]byte, ownBytes) // which stays in the cache
	at := behind
	for ; at < min(in.Size, behind+lookedThrough); at += int64(len(text)) {
		n, _ := in.Plain.ReadAt(text, at)
		if i := beyondASCII(text[:n]); i >= 0 {
			return in.guessFrom(at + int64(i))
		}
	}
	for piece := int64(0); at < in.Size && piece < lookedPieces; piece++ {
		from := at + (in.Size-at)/lookedPieces*piece
		n, _ := in.Plain.ReadAt(text, from)
		begin := bytes.IndexByte(text[:n], '\n') + 1 // a character may be cut before it
		if i := beyondASCII(text[begin:n]); i >= 0 {
			return in.guessFrom(from + int64(begin+i))
		}
	}
	return g
}

// guessFrom guesses by the line of a file in which a place lies, and what follows.
func (in *Input) guessFrom(at int64) charset.Guess {
	const before = 1 << 10
	text := make([]byte, ownBytes)
	from := max(in.Base, at-before)
	n, _ := in.Plain.ReadAt(text, from)
	line := bytes.LastIndexByte(text[:min(int64(n), at-from)], '\n') + 1
	return charset.GuessOf(text[line:n], from+int64(n) >= in.Size)
}

// beyondASCII is where the first byte is that is none of ASCII, -1 if there is none.
func beyondASCII(text []byte) int {
	i := 0
	for ; i+32 <= len(text); i += 32 {
		four, e := text[i:i+32], binary.LittleEndian // its method in a variable would be called
		if (e.Uint64(four)|e.Uint64(four[8:])|e.Uint64(four[16:])|e.Uint64(four[24:]))&0x8080808080808080 != 0 {
			break
		}
	}
	for ; i < len(text); i++ {
		if text[i] >= 0x80 {
			return i
		}
	}
	return -1
}
