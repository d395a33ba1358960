package runtime

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
)

// This file looks at the first bytes of an input for what is not meant to be
// read as it stands: another encoding, an archive, line ends that the format
// does not know. Much of it could be read, as rows of rubbish or none at all. What
// is refused can be nothing else; what only may be, is read.

// ErrForeign is the kind of the errors of an input that is no text, or text of
// another encoding or with other line ends.
var ErrForeign = errors.New("the input is of another kind")

const (
	glance = 1 << 10  // bytes that are looked at
	gaze   = 64 << 10 // and as long as there is no line end
)

// look gives the first bytes of the input, which are read again, and whether
// they are all of it.
func (e *entry) look() (head []byte, whole bool, err error) {
	if l, ok := e.in.(*live); ok {
		head, whole = l.look(glance)
		return head, whole, nil
	}
	p := &peeked{in: e.in}
	if e.memory == nil {
		e.in = p
		if s, ok := p.in.(io.Seeker); ok {
			e.in = &seekable{p, s}
		}
	}
	p.fill(glance)
	if bytes.IndexByte(p.head, '\n') < 0 {
		p.fill(gaze)
	}
	if s, ok := e.in.(io.Seeker); e.memory != nil && ok {
		if _, err := s.Seek(0, io.SeekStart); err != nil {
			return nil, false, err
		}
	}
	return p.head, p.err == io.EOF, nil
}

// peeked is an input of which the first bytes have been looked at.
type peeked struct {
	in   io.Reader
	head []byte // read, and not given again yet
	err  error  // that came after them
}

// fill makes head n bytes long, unless the input ends or fails before.
func (p *peeked) fill(n int) {
	have := len(p.head)
	if have >= n || p.err != nil {
		return
	}
	head := append(p.head, make([]byte, n-have)...)
	var more int
	more, p.err = fill(p.in, head[have:], nil)
	p.head = head[:have+more]
}

// Read implements io.Reader.
func (p *peeked) Read(b []byte) (int, error) {
	switch {
	case len(p.head) > 0:
		n := copy(b, p.head)
		p.head = p.head[n:]
		return n, nil
	case p.err != nil:
		return 0, p.err
	}
	return p.in.Read(b)
}

// seekable is peeked and can be sought.
type seekable struct {
	*peeked
	seeker io.Seeker
}

// Seek implements io.Seeker.
func (s *seekable) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekCurrent {
		if offset == 0 { // who only asks keeps the head
			at, err := s.seeker.Seek(0, io.SeekCurrent)
			return at - int64(len(s.head)), err
		}
		offset -= int64(len(s.head))
	}
	at, err := s.seeker.Seek(offset, whence)
	if err == nil {
		s.head, s.err = nil, nil
	}
	return at, err
}

// foreign says what an input is instead of text that p can read, nil if it may be
// such text. It begins with head, which is all of it if it is whole.
func (r *Reader) foreign(head []byte, whole bool, p *dfa.Program) error {
	if len(p.Cells) > 0 {
		return nil
	}
	what := encodingByMark(head)
	if what == "" {
		what = archive(head)
	}
	if what == "" && isData(p.Automaton, 0) {
		what = wideText(head, whole)
	}
	if what == "" && loneReturns(dfa.WithoutMark(head), whole, p, r.o.skipLines > 0) {
		what = `has CR line ends and no LF`
		if bytes.HasSuffix(head, []byte("\n")) {
			what += " before its end"
		}
		what += `, and CR ends no record in this format; it reads them with "eol any", or convert them to LF first`
	}
	if what == "" {
		return nil
	}
	return fmt.Errorf("%s: %w", render.Printable(r.o.name), &foreignError{"the input " + what})
}

// foreignError is an ErrForeign in words.
type foreignError struct{ text string }

func (e *foreignError) Error() string { return e.text }

func (e *foreignError) Unwrap() error { return ErrForeign }

func encodingByMark(head []byte) string {
	for _, m := range []struct{ mark, name, instead string }{
		{"\xff\xfe\x00\x00", "UTF-32", ""}, {"\x00\x00\xfe\xff", "UTF-32", ""},
		{"\xff\xfe", "UTF-16", decodes("UTF-16")}, {"\xfe\xff", "UTF-16", decodes("UTF-16")},
	} {
		if strings.HasPrefix(string(head[:min(len(head), 4)]), m.mark) {
			return fmt.Sprintf("is %s by its byte order mark; %sconvert it to UTF-8 first", m.name, m.instead)
		}
	}
	return ""
}

// decodes says what reads an input in an encoding.
func decodes(encoding string) string { return "--encoding " + encoding + " reads it, or " }

// isData reports whether a symbol is data as others are, where a record begins
// and within a field.
func isData(a *dfa.Automaton, symbol byte) bool {
	within, _ := a.Step(a.Start, plain)
	return isPlain(a, a.Start, symbol) && isPlain(a, within, symbol)
}

// plain is a symbol that no format gives a meaning.
const plain = 0x01

// isPlain reports whether a symbol does in a state what the plain one does.
func isPlain(a *dfa.Automaton, s dfa.StateID, symbol byte) bool {
	next, e := a.Step(s, symbol)
	plainNext, plainEmission := a.Step(s, plain)
	return next == plainNext && *e == *plainEmission
}

// archive says which binary format the first bytes are of.
func archive(head []byte) string {
	for _, m := range []struct{ magic, what string }{
		{"PK\x03\x04", "a zip archive (as .xlsx and .ods are too); unpack it first"},
		{"PK\x05\x06", "an empty zip archive"},
		{"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"},
		{"\x1f\x8b\x08", "compressed with gzip; decompress it first"},
		{"\x28\xb5\x2f\xfd", "compressed with zstd; decompress it first"},
		{"\xfd7zXZ\x00", "compressed with xz; decompress it first"},
		{"\x04\x22\x4d\x18", "compressed with lz4; decompress it first"},
		{"\x02\x21\x4c\x18", `compressed with lz4 in its legacy frame (lz4 -l), which is not read; decompress it first ("lz4 -dc")`},
		{"PAR1\x15", "a Parquet file"},
		{"ARROW1\x00\x00", "an Arrow file"},
		{"Obj\x01", "an Avro file"},
		{"SQLite format 3\x00", "an SQLite database"},
		{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "a file of an old Office (.xls, .doc); save it as CSV first"},
		{"%PDF-", "a PDF document"},
		{"\x89PNG\r\n\x1a\n", "a PNG image"},
		{"\xff\xd8\xff", "a JPEG image"},
		{"\x7fELF", "a program or a library (ELF)"},
	} {
		if strings.HasPrefix(string(head[:min(len(head), 16)]), m.magic) {
			return "is " + m.what
		}
	}
	if isLZMA(head) {
		return `is compressed with LZMA as before xz (.lzma), which is not read; decompress it first ("xz -dc --format=lzma")`
	}
	if name, ok := tarMember(head); ok {
		return fmt.Sprintf("is a tar archive, whose first member is %q; unpack it first", name)
	}
	return ""
}

// isLZMA reports whether head is of a file of LZMA alone, which has no magic: the properties that
// all programs choose, the size of a dictionary, of 64 KiB or more, that of the text, which is
// below 4 GiB or not said, and the zero with which the data begin.
func isLZMA(head []byte) bool {
	if len(head) < 14 || head[0] != 0x5d || head[1] != 0 || head[2] != 0 || head[3]|head[4] == 0 || head[13] != 0 {
		return false
	}
	size := binary.LittleEndian.Uint64(head[5:])
	return size == math.MaxUint64 || size <= math.MaxUint32
}

// tarMember is the name of the first member of a tar archive: a block of 512
// bytes, which holds the sum of its bytes in octal digits.
func tarMember(head []byte) (name string, ok bool) {
	const sumAt, sumEnd, block = 148, 156, 512
	if len(head) < block {
		return "", false
	}
	want, digits := 0, 0
	for _, c := range bytes.Trim(head[sumAt:sumEnd], " \x00") {
		if c < '0' || c > '7' {
			return "", false
		}
		want, digits = want<<3|int(c-'0'), digits+1
	}
	sum := 0
	for i, c := range head[:block] {
		if i >= sumAt && i < sumEnd {
			c = ' '
		}
		sum += int(c)
	}
	name, _, _ = strings.Cut(string(head[:100]), "\x00")
	return name, digits > 0 && sum == want
}

// wideText says in which of the encodings of several bytes a character head is
// text, though it has no mark.
func wideText(head []byte, whole bool) string {
	if len(head) > glance {
		head, whole = head[:glance], false
	}
	for _, e := range []struct {
		name  string
		width int
		rune  func(b []byte) rune
	}{
		{"UTF-32LE", 4, func(b []byte) rune { return rune(b[0]) | rune(b[1])<<8 | rune(b[2])<<16 | rune(b[3])<<24 }},
		{"UTF-32BE", 4, func(b []byte) rune { return rune(b[3]) | rune(b[2])<<8 | rune(b[1])<<16 | rune(b[0])<<24 }},
		{"UTF-16LE", 2, func(b []byte) rune { return rune(b[0]) | rune(b[1])<<8 }},
		{"UTF-16BE", 2, func(b []byte) rune { return rune(b[1]) | rune(b[0])<<8 }},
	} {
		if (!whole || len(head)%e.width == 0) && isWide(head, e.width, e.rune) {
			instead := ""
			if e.width == 2 {
				instead = decodes(e.name)
			}
			return fmt.Sprintf("looks like %s without a byte order mark: NUL bytes stand beside its characters; %sconvert it to UTF-8 first, as by iconv -f %s -t UTF-8", e.name, instead, e.name)
		}
	}
	return ""
}

// isWide reports whether head is text of characters of so many bytes, enough of
// them of ASCII to be sure: with NUL bytes then, in the same places.
func isWide(head []byte, width int, char func(b []byte) rune) bool {
	const least = 4
	ascii, ends, n := 0, 0, len(head)/width
	for i := range n {
		c := char(head[i*width:])
		switch surrogate := width == 2 && c >= 0xd800 && c < 0xe000; {
		case c == '\n' || c == '\r':
			ascii, ends = ascii+1, ends+1
		case c == '\t' || c >= ' ' && c < 0x7f:
			ascii++
		case c < 0xa0 || !surrogate && !utf8.ValidRune(c) || c >= 0xfff0 && c <= 0xffff:
			return false // no text has it
		}
	}
	if ends == 0 && bytes.IndexByte(head, '\n') >= 0 {
		return false // a line end of one byte
	}
	return ascii >= max(least, n/8)
}

// loneReturns reports whether the lines of an input end at CR, which ends none
// in p: where LF would mean something, there is a CR instead, and there is no LF
// before the end.
func loneReturns(head []byte, whole bool, p *dfa.Program, skips bool) bool {
	a := p.Automaton
	lf := bytes.IndexByte(head, '\n')
	if p.LinesEndAtCR() || isData(a, '\n') || lf >= 0 && !(whole && lf == len(head)-1) {
		return false
	}
	enough := 2
	if whole {
		enough = 1
	}
	s := a.Start
	all, outside := 0, 0 // CR, of which those that stand where LF would mean something
	text := bytes.TrimSuffix(head, []byte("\n"))
	for i, symbol := range text {
		if symbol == '\r' && i+1 < len(text) {
			all++
			if !isPlain(a, s, '\n') {
				outside++
			}
		}
		s, _ = a.Step(s, symbol)
	}
	// In lines that are passed over quotes mean nothing. Where all are closed, they are meant all the same.
	if skips = skips || len(p.Skip) > 0 || p.Header.Lines() > 0; skips && (!whole || isPlain(a, s, '\n')) {
		return all >= enough
	}
	return outside >= enough
}
