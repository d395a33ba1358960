package charset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/transform"
)

// step decodes what src begins with, and appends it to dst: all of it but what may be the beginning
// of a character, unless src is the end of the text. used is what it has decoded; what is after
// that at an error is none of the encoding.
type step func(dst, src []byte, end bool) (out []byte, used int, err error)

// Reader reads text in an encoding as UTF-8.
type Reader struct {
	in    io.Reader
	name  string
	step  step
	ascii bool // see OnlyASCII
	utf8  bool // the encoding is, or what comes first says so

	raw  []byte // read, and not decoded
	at   int64  // of raw in the input
	read int64  // given so far
	out  []byte // decoded, and not given
	mem  []byte
	err  error
	from io.Reader // the library's, where step is nil
}

// NewReader reads text in an encoding of that name. What it gives can be read again where in can
// be.
func NewReader(in io.Reader, name string) (Decoded, error) {
	r, err := newReader(in, name)
	if err != nil {
		return nil, err
	}
	if _, again := in.(io.Seeker); again {
		return &readAgain{r}, nil
	}
	return r, nil
}

// Decoded is what NewReader gives.
type Decoded interface {
	io.Reader
	// OnlyASCII makes a character that is none of ASCII an error, the byte order mark apart.
	OnlyASCII()
}

func newReader(in io.Reader, name string) (*Reader, error) {
	e, err := find(name)
	if err != nil {
		return nil, err
	}
	r := &Reader{in: in, name: name, step: e.step(), utf8: e.unicode != ""}
	if r.step == nil {
		r.from = transform.NewReader(in, e.of.NewDecoder())
	}
	return r, nil
}

// charmapStep decodes one byte after the other.
func charmapStep(c *charmap.Charmap) step {
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

// tableStep decodes characters of several bytes, each of which is told by these alone.
func tableStep(e encoding.Encoding) step {
	decoder := e.NewDecoder()
	whole := func(dst, src []byte, end bool) ([]byte, int, error) {
		used := 0
		for {
			dst = slices.Grow(dst, 3*(len(src)-used)+utf8.UTFMax)
			n, k, err := decoder.Transform(dst[len(dst):cap(dst)], src[used:], end)
			dst, used = dst[:len(dst)+n], used+k
			if err != transform.ErrShortDst {
				return dst, used, nil
			}
		}
	}
	return func(dst, src []byte, end bool) ([]byte, int, error) {
		from := len(dst)
		out, used, err := whole(dst, src, end)
		if bytes.Contains(out[from:], replacement) || end && used < len(src) { // what the decoder makes of what is none
			return oneByOne(whole, dst[:from], src)
		}
		return out, used, err
	}
}

// replacement is the character U+FFFD.
var replacement = []byte("\uFFFD")

// oneByOne decodes src, which has what is no character, up to there.
func oneByOne(whole step, dst, src []byte) ([]byte, int, error) {
	const longest = 4
	at := 0
	for at < len(src) {
		var out []byte
		used := 0
		for n := 1; used == 0 && n <= min(longest, len(src)-at); n++ {
			out, used, _ = whole(nil, src[at:at+n], false)
		}
		if used == 0 || bytes.Equal(out, replacement) {
			break
		}
		dst, at = append(dst, out...), at+used
	}
	return dst, at, fmt.Errorf("bytes % X", src[at:min(at+2, len(src))])
}

// utf16Step decodes units of two bytes, whose lower and higher byte are at low and high.
func utf16Step(low, high int) step {
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
func utf16ByMark() step {
	var step step
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
func (d *Reader) Read(p []byte) (int, error) {
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
func (d *Reader) more() {
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
	if d.at == 0 && !d.utf8 {
		if len(d.raw) < len(markUTF8) && d.err == nil {
			return
		}
		if bytes.HasPrefix(d.raw, markUTF8) {
			d.err = fmt.Errorf("at byte 0: no %s: the byte order mark of UTF-8", d.name)
			return
		}
	}
	out, used, err := d.step(d.mem[:0], d.raw, d.err == io.EOF)
	if err != nil {
		d.err = fmt.Errorf("at byte %d: no %s: %w", d.at+int64(used), d.name, err)
	}
	d.mem = out
	if d.ascii {
		out = d.cutAtOther(out)
	}
	d.out, d.at = out, d.at+int64(used)
	d.raw = d.raw[:copy(d.raw, d.raw[used:])]
}

var markUTF8 = []byte("\xef\xbb\xbf")

// OnlyASCII implements Decoded.
func (d *Reader) OnlyASCII() { d.ascii = true }

// cutAtOther is out, which is what d.raw begins with, up to the first character that is none of
// ASCII, and sets the error of that.
func (d *Reader) cutAtOther(out []byte) []byte {
	from := 0
	if d.at == 0 && bytes.HasPrefix(out, markUTF8) {
		from = len(markUTF8)
	}
	i := bytes.IndexFunc(out[from:], func(r rune) bool { return r >= utf8.RuneSelf })
	if i < 0 {
		return out
	}
	i += from
	r, _ := utf8.DecodeRune(out[i:])
	at, _ := encodedOffset(bytes.NewReader(d.raw), d.name, int64(i))
	d.err = fmt.Errorf("at byte %d of text in %s: %q has another length in UTF-8, where bytes are counted: columns that are told by their widths read ASCII alone from another encoding than UTF-8", d.at+at, d.name, r)
	return out[:i]
}

// readAgain can be read again from its beginning; Seek knows no other place.
type readAgain struct{ *Reader }

func (d *readAgain) Seek(offset int64, whence int) (int64, error) {
	if offset == 0 && whence == io.SeekCurrent {
		return d.read, nil
	}
	if offset != 0 || whence != io.SeekStart {
		return 0, fmt.Errorf("text in %s cannot be sought to %d", d.name, offset)
	}
	if _, err := d.in.(io.Seeker).Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	again, err := newReader(d.in, d.name)
	if err == nil {
		again.ascii = d.ascii
		*d.Reader = *again
	}
	return 0, err
}
