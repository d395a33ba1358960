package input

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"
)

// KnownEncoding is an error if there is no encoding of that name.
func KnownEncoding(name string) error {
	if isAuto(name) {
		return nil
	}
	_, err := newDecoding(nil, name)
	return err
}

// AutoEncoding is the name of the encoding that each input's own beginning shows.
const AutoEncoding = "auto"

// Decode reads the input as text in an encoding, by a name that IANA has registered or
// AutoEncoding, as UTF-8.
func (in *Input) Decode(name string) error {
	if isAuto(name) {
		own, err := in.OwnEncoding()
		if err != nil || own == "" {
			return err
		}
		name = own
	}
	d, err := newDecoding(in.Reader, name)
	if err != nil {
		return err
	}
	if _, again := in.Reader.(io.Seeker); again {
		in.Reader = &decodedAgain{d}
	} else {
		in.Reader = d
	}
	in.Plain = nil
	return nil
}

// ownBytes are as many as an encoding is inferred from together with the dialect.
const ownBytes = 64 << 10

func isAuto(name string) bool { return strings.EqualFold(name, AutoEncoding) }

// OwnEncoding is the encoding that the input's beginning shows, "" for UTF-8.
func (in *Input) OwnEncoding() (name string, err error) {
	sample, whole, err := in.Sample(ownBytes, time.Second)
	if err == nil {
		name, _ = GuessEncoding(sample, whole)
	}
	return name, err
}

// GuessEncoding is the encoding that a sample is in, "" for UTF-8 and what is none.
// sure says that it can be no other.
func GuessEncoding(sample []byte, whole bool) (name string, sure bool) {
	switch {
	case bytes.HasPrefix(sample, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(sample, []byte("\x00\x00\xfe\xff")):
		return "", false // UTF-32
	case bytes.HasPrefix(sample, []byte("\xff\xfe")):
		return "UTF-16LE", true
	case bytes.HasPrefix(sample, []byte("\xfe\xff")):
		return "UTF-16BE", true
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
			return "UTF-16LE", true
		case zeros[0] > half/2 && zeros[1] == 0:
			return "UTF-16BE", true
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
		return "", true
	}
	for _, c := range sample {
		switch c {
		case 0x81, 0x8d, 0x8f, 0x90, 0x9d: // nothing in Windows-1252
			return "", false
		}
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' {
			return "", false
		}
	}
	return "windows-1252", false
}

// decoding reads text in some encoding as UTF-8.
type decoding struct {
	in   io.Reader
	name string
	step func(dst, src []byte, end bool) (out []byte, used int, err error)

	raw  []byte // read, and not decoded
	at   int64  // of raw in the input
	read int64  // given so far
	out  []byte // decoded, and not given
	mem  []byte
	err  error
	from io.Reader // the library's, where step is nil
}

func newDecoding(in io.Reader, name string) (*decoding, error) {
	d := &decoding{in: in, name: name}
	switch strings.ToUpper(strings.ReplaceAll(name, "_", "-")) {
	case "UTF-8", "UTF8":
		d.step = func(dst, src []byte, _ bool) ([]byte, int, error) { return append(dst, src...), len(src), nil }
		return d, nil
	case "UTF-16", "UTF16":
		d.step = utf16ByMark()
		return d, nil
	case "UTF-16LE", "UTF16LE":
		d.step = utf16Step(0, 1)
		return d, nil
	case "UTF-16BE", "UTF16BE":
		d.step = utf16Step(1, 0)
		return d, nil
	case "LATIN-1", "LATIN1":
		name = "ISO-8859-1"
	case "CP1252", "WINDOWS1252":
		name = "windows-1252"
	}
	e, err := ianaindex.IANA.Encoding(name)
	if err != nil || e == nil {
		return nil, fmt.Errorf("there is no encoding %q: want UTF-8, UTF-16LE, UTF-16BE, ISO-8859-1, windows-1252 or another name that IANA has registered", name)
	}
	if c, ok := e.(*charmap.Charmap); ok {
		d.step = charmapStep(c)
		return d, nil
	}
	if e == unicode.UTF8 {
		return newDecoding(in, "UTF-8")
	}
	if in != nil {
		d.library(e)
	}
	return d, nil
}

func (d *decoding) library(e encoding.Encoding) {
	d.from = transform.NewReader(d.in, e.NewDecoder())
}

// charmapStep decodes one byte after the other.
func charmapStep(c *charmap.Charmap) func(dst, src []byte, _ bool) ([]byte, int, error) {
	var table [256][]byte
	plain := true
	for i := range table {
		if r := c.DecodeByte(byte(i)); r != utf8.RuneError {
			table[i] = utf8.AppendRune(nil, r)
		}
		plain = plain && (i >= utf8.RuneSelf || len(table[i]) == 1 && table[i][0] == byte(i))
	}
	return func(dst, src []byte, _ bool) ([]byte, int, error) {
		for i := 0; i < len(src); {
			if plain {
				from := i
				for i < len(src) && src[i] < utf8.RuneSelf {
					i++
				}
				dst = append(dst, src[from:i]...)
				if i == len(src) {
					break
				}
			}
			text := table[src[i]]
			if text == nil {
				return dst, i, fmt.Errorf("byte 0x%02X", src[i])
			}
			dst = append(dst, text...)
			i++
		}
		return dst, len(src), nil
	}
}

// utf16Step decodes units of two bytes, whose lower and higher byte are at low and high.
func utf16Step(low, high int) func(dst, src []byte, end bool) ([]byte, int, error) {
	return func(dst, src []byte, end bool) ([]byte, int, error) {
		i := 0
		for ; i+2 <= len(src); i += 2 {
			unit := rune(src[i+low]) | rune(src[i+high])<<8
			switch {
			case unit < utf8.RuneSelf:
				dst = append(dst, byte(unit))
				continue
			case !utf16.IsSurrogate(unit):
				dst = utf8.AppendRune(dst, unit)
				continue
			}
			if i+4 > len(src) {
				if end {
					return dst, i, fmt.Errorf("half a pair, 0x%04X", unit)
				}
				return dst, i, nil
			}
			r := utf16.DecodeRune(unit, rune(src[i+2+low])|rune(src[i+2+high])<<8)
			if r == utf8.RuneError {
				return dst, i, fmt.Errorf("half a pair, 0x%04X", unit)
			}
			dst = utf8.AppendRune(dst, r)
			i += 2
		}
		if end && i < len(src) {
			return dst, i, errors.New("half a unit at the end")
		}
		return dst, i, nil
	}
}

// utf16ByMark goes by the byte order mark; without one the lower byte is first.
func utf16ByMark() func(dst, src []byte, end bool) ([]byte, int, error) {
	var step func(dst, src []byte, end bool) ([]byte, int, error)
	return func(dst, src []byte, end bool) ([]byte, int, error) {
		if step == nil {
			if len(src) < 2 && !end {
				return dst, 0, nil
			}
			step = utf16Step(0, 1)
			if bytes.HasPrefix(src, []byte("\xfe\xff")) {
				step = utf16Step(1, 0)
			}
		}
		return step(dst, src, end)
	}
}

const decodedAtOnce = 64 << 10

// Read implements io.Reader.
func (d *decoding) Read(p []byte) (int, error) {
	for len(d.out) == 0 {
		if d.err != nil {
			return 0, d.err
		}
		d.more()
	}
	n := copy(p, d.out)
	d.out = d.out[n:]
	d.read += int64(n)
	return n, nil
}

// more decodes what comes next.
func (d *decoding) more() {
	if cap(d.raw) == 0 {
		d.raw = make([]byte, 0, decodedAtOnce)
	}
	var n int
	if d.from != nil {
		n, d.err = d.from.Read(d.raw[:cap(d.raw)])
		d.out = d.raw[:n]
		if i := bytes.Index(d.out, []byte("\uFFFD")); i >= 0 { // what the library makes of what is none
			d.out, d.err = d.out[:i], fmt.Errorf("after %d bytes of it as UTF-8: no %s", d.at+int64(i), d.name)
		}
		d.at += int64(n)
		return
	}
	n, d.err = d.in.Read(d.raw[len(d.raw):cap(d.raw)])
	d.raw = d.raw[:len(d.raw)+n]
	out, used, err := d.step(d.mem[:0], d.raw, d.err == io.EOF)
	if err != nil {
		d.err = fmt.Errorf("at byte %d: no %s: %w", d.at+int64(used), d.name, err)
	}
	d.mem, d.out, d.at = out, out, d.at+int64(used)
	d.raw = d.raw[:copy(d.raw, d.raw[used:])]
}

// decodedAgain can be read again from its beginning; Seek knows no other place.
type decodedAgain struct{ *decoding }

func (d *decodedAgain) Seek(offset int64, whence int) (int64, error) {
	if offset == 0 && whence == io.SeekCurrent {
		return d.read, nil
	}
	if offset != 0 || whence != io.SeekStart {
		return 0, fmt.Errorf("text in %s cannot be sought to %d", d.name, offset)
	}
	if _, err := d.in.(io.Seeker).Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	again, err := newDecoding(d.in, d.name)
	if err == nil {
		*d.decoding = *again
	}
	return 0, err
}

// EncodedOffset is where in raw, which is text in an encoding, the byte is that is at
// an offset of it as UTF-8; ok is false where nobody knows.
func EncodedOffset(raw io.Reader, name string, offset int64) (at int64, ok bool) {
	return NewOffsets(raw, name).Encoded(offset)
}

// DecodedOffset is where in raw as UTF-8 the character is that the byte at an offset of raw,
// which is text in an encoding, is of; ok is false where nobody knows.
func DecodedOffset(raw io.Reader, name string, offset int64) (at int64, ok bool) {
	o := NewOffsets(raw, name)
	for o.encoded <= offset {
		if at = o.decoded; o.encoded == offset {
			return at, true
		}
		if !o.pass(1) {
			return at, false
		}
	}
	return at, true
}

// Offsets finds places in text in an encoding by those in it as UTF-8, from its beginning on.
type Offsets struct {
	in               io.Reader
	step             func(dst, src []byte, end bool) (out []byte, used int, err error) // nil: nobody knows
	raw              []byte                                                            // read, from the mark on
	at               int                                                               // in raw
	encoded, decoded int64                                                             // of at
	mark             struct{ encoded, decoded int64 }
	out              []byte
	err              error
}

// NewOffsets begins at the beginning of raw, which is text in an encoding.
func NewOffsets(raw io.Reader, name string) *Offsets {
	o := &Offsets{in: raw}
	if d, err := newDecoding(nil, name); err == nil {
		o.step = d.step
	}
	return o
}

// Encoded is where the byte is that is at an offset of the text as UTF-8; ok is false where
// nobody knows, and before the mark.
func (o *Offsets) Encoded(offset int64) (at int64, ok bool) {
	if offset < o.mark.decoded || o.step == nil {
		return 0, false
	}
	if offset < o.decoded {
		o.at, o.encoded, o.decoded = 0, o.mark.encoded, o.mark.decoded
	}
	for o.decoded < offset {
		const most = utf8.UTFMax * encodedAtOnce // that so many bytes come to
		n := 1
		if offset-o.decoded >= most {
			n = encodedAtOnce
		}
		if !o.pass(n) {
			return 0, false
		}
	}
	return o.encoded, o.decoded == offset
}

// Mark is where a later place may be at the soonest: where the last was.
func (o *Offsets) Mark() {
	o.raw, o.at = o.raw[o.at:], 0
	o.mark.encoded, o.mark.decoded = o.encoded, o.decoded
}

const encodedAtOnce = 4 << 10

// pass goes on by n bytes, or as many more or less as whole characters need, and reports whether
// there were any.
func (o *Offsets) pass(n int) bool {
	for o.step != nil {
		for len(o.raw)-o.at < n && o.err == nil {
			o.more()
		}
		src := o.raw[o.at:]
		if len(src) == 0 {
			return false
		}
		out, used, err := o.step(o.out[:0], src[:min(n, len(src))], false)
		if o.out = out; used > 0 {
			o.at, o.encoded, o.decoded = o.at+used, o.encoded+int64(used), o.decoded+int64(len(out))
			return true
		}
		if err != nil || len(src) < n {
			return false
		}
		n++
	}
	return false
}

func (o *Offsets) more() {
	o.raw = slices.Grow(o.raw, decodedAtOnce)
	var n int
	n, o.err = o.in.Read(o.raw[len(o.raw):cap(o.raw)])
	o.raw = o.raw[:len(o.raw)+n]
}
