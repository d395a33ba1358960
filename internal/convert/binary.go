package convert

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// encoded converts a column of encoded binaries.
type encoded struct {
	// decode appends what b stands for.
	decode func(dst, b []byte) ([]byte, Code)
}

func newBinary(t *dfa.Type, _ Options) (appender, error) {
	switch t.Encoding {
	case dfa.Hex:
		return encoded{decodeHex}, nil
	case dfa.Base64:
		return encoded{decodeBase64}, nil
	}
	return &text{policy: dfa.KeepUTF8}, nil
}

func (p encoded) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	for i := range f.Len() {
		b, ok := c.value(f, i)
		if !ok {
			errs = c.appendNoText(dst, errs)
			continue
		}
		code := BatchFull
		if had := len(dst.Data); had+len(b) <= columns.MaxData {
			if dst.Data, code = p.decode(dst.Data, b); code == OK {
				dst.EndText()
				continue
			}
			dst.Data = dst.Data[:had]
		}
		dst.AppendNull()
		errs = append(errs, FieldError{dst.Len - 1, code})
	}
	return errs
}

func decodeHex(dst, b []byte) ([]byte, Code) {
	if len(b)&1 != 0 {
		return dst, BadHex
	}
	for i := 0; i < len(b); i += 2 {
		hi, lo := hexValue[b[i]], hexValue[b[i+1]]
		if hi|lo > 15 {
			return dst, BadHex
		}
		dst = append(dst, hi<<4|lo)
	}
	return dst, OK
}

// base64Value is the value of a digit of either alphabet of RFC 4648, 255 of
// any other byte.
var base64Value = func() (t [256]byte) {
	for i := range t {
		t[i] = 255
	}
	const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	for i := range len(digits) {
		t[digits[i]] = byte(i)
	}
	t['-'], t['_'] = 62, 63
	return t
}()

// decodeBase64 wants the bits after the last byte to be 0 (RFC 4648, 3.5): no
// two texts give the same bytes.
func decodeBase64(dst, b []byte) ([]byte, Code) {
	if n := len(b); n > 0 && n&3 == 0 && b[n-1] == '=' {
		b = b[:n-1]
		if b[n-2] == '=' {
			b = b[:n-2]
		}
	}
	var bits uint32
	for i, c := range b {
		d := base64Value[c]
		if d > 63 {
			return dst, BadBase64
		}
		bits = bits<<6 | uint32(d)
		if i&3 == 3 {
			dst = append(dst, byte(bits>>16), byte(bits>>8), byte(bits))
			bits = 0
		}
	}
	switch len(b) & 3 {
	case 1:
		return dst, BadBase64
	case 2:
		if bits&0xf != 0 {
			return dst, BadBase64
		}
		dst = append(dst, byte(bits>>4))
	case 3:
		if bits&3 != 0 {
			return dst, BadBase64
		}
		dst = append(dst, byte(bits>>10), byte(bits>>2))
	}
	return dst, OK
}
