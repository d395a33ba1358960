package render

import (
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
)

// appendNested appends a list as a JSON array, a map as a JSON object.
func appendNested(dst []byte, f arrow.Field, a arrow.Array, row int) []byte {
	switch a := a.(type) {
	case *array.List:
		elem := f.Type.(*arrow.ListType).ElemField()
		values := a.ListValues()
		dst = append(dst, '[')
		from, to := a.ValueOffsets(row)
		for i := from; i < to; i++ {
			if i > from {
				dst = append(dst, ',')
			}
			dst = AppendJSON(dst, elem, values, int(i))
		}
		return append(dst, ']')
	case *array.Map:
		t := f.Type.(*arrow.MapType)
		keyField, itemField := t.KeyField(), t.ItemField()
		keys, items := a.Keys(), a.Items()
		dst = append(dst, '{')
		from, to := a.ValueOffsets(row)
		for i := from; i < to; i++ {
			if i > from {
				dst = append(dst, ',')
			}
			dst = appendKey(dst, keyField, keys, int(i))
			dst = append(dst, ':')
			dst = AppendJSON(dst, itemField, items, int(i))
		}
		return append(dst, '}')
	}
	return dst
}

// appendKey appends a map's key, always a JSON string.
func appendKey(dst []byte, f arrow.Field, a arrow.Array, row int) []byte {
	start := len(dst)
	dst = AppendJSON(dst, f, a, row)
	if dst[start] == '"' {
		return dst
	}
	dst = append(dst, 0, '"')
	copy(dst[start+1:], dst[start:len(dst)-2])
	dst[start] = '"'
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string (RFC 8259, section 7): only what
// must be escaped is, and each byte that is not UTF-8 becomes U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	from := 0 // s[from:i] is still to be copied
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && n == 1 {
				dst = append(append(dst, s[from:i]...), "\uFFFD"...)
				from = i + 1
			}
			i += n
			continue
		}
		dst = append(dst, s[from:i]...)
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		i++
		from = i
	}
	return append(append(dst, s[from:]...), '"')
}
