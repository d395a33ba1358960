package charset

import (
	"io"
	"slices"
	"unicode/utf8"
)

// encodedOffset is where in raw, which is text in an encoding, the byte is that is at
// an offset of it as UTF-8; ok is false where nobody knows.
func encodedOffset(raw io.Reader, name string, offset int64) (at int64, ok bool) {
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
	step             step   // nil: nobody knows
	raw              []byte // read, from the mark on
	at               int    // in raw
	encoded, decoded int64  // of at
	mark             struct{ encoded, decoded int64 }
	out              []byte
	err              error
}

// NewOffsets begins at the beginning of raw, which is text in an encoding.
func NewOffsets(raw io.Reader, name string) *Offsets {
	o := &Offsets{in: raw}
	if e, err := find(name); err == nil {
		o.step = e.step()
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
