package convert

import (
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// text converts a column of strings. The bytes are copied first and checked
// for UTF-8 all at once afterwards; only a round that has a fault is done again
// row by row.
type text struct {
	policy   dfa.UTF8Policy
	measured measured
}

func newText(_ *dfa.Type, opt Options) (appender, error) { return &text{policy: opt.UTF8}, nil }

func (t *text) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	rows, nulls, nerrs := dst.Len, dst.Nulls, len(errs)
	from := len(dst.Data)
	copied, seen := t.copy(c, dst, f)
	if !copied {
		errs = t.copyRows(c, dst, f, errs)
	} else if m := &t.measured; m.any {
		dst.SetNulls(rows, m.nulls)
		if c.required {
			for i := m.nulls.next(0, none); i < f.Len(); i = m.nulls.next(i+1, none) {
				errs = append(errs, FieldError{rows + i, IsNull})
			}
		}
	}
	if seen == allUTF8 || t.policy == dfa.KeepUTF8 || validRows(dst, rows, from, seen) {
		return errs
	}
	dst.Truncate(rows, nulls)
	return t.checkRows(c, dst, f, errs[:nerrs])
}

// copy appends all rows of f, null ones as empty, unless their bytes are not
// simply those of the fields, or too many.
func (t *text) copy(c *Converter, dst *columns.Column, f *Fields) (copied bool, seen seenUTF8) {
	if c.trim || c.def != nil || len(f.Literal) > 0 {
		return false, noUTF8
	}
	had := len(dst.Offsets)
	dst.GrowOffsets(f.Len())
	offsets := dst.Offsets[had-1:]
	if t.measured.measure(c, f, offsets) > uint64(columns.MaxData-len(dst.Data)) {
		dst.Offsets = dst.Offsets[:had]
		return false, noUTF8
	}
	seen = copyFields(dst, f, &t.measured, offsets)
	dst.AppendValid(f.Len())
	return true, seen
}

// copyRows appends the rows of f one by one, their bytes as they are.
func (t *text) copyRows(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	n, row := f.Len(), dst.Len
	dst.AppendValid(n)
	offsets := dst.GrowOffsets(n)
	for i := range offsets {
		b, ok := c.value(f, i)
		code := OK
		if !ok && c.def != nil {
			b = c.def.Data
		} else if !ok {
			code = IsNull
		}
		if code == OK && len(dst.Data)+len(b) > columns.MaxData {
			ok, code = true, BatchFull
		}
		if code == OK {
			dst.AppendData(b)
		} else {
			dst.SetNull(row + i)
			if ok || c.required {
				errs = append(errs, FieldError{row + i, code})
			}
		}
		offsets[i] = int32(len(dst.Data))
	}
	return errs
}

// checkRows appends the rows of f one by one as the policy has it.
func (t *text) checkRows(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	var scratch []byte
	for i := range f.Len() {
		b, ok := c.value(f, i)
		if !ok {
			errs = c.appendNoText(dst, errs)
			continue
		}
		if !utf8.Valid(b) {
			if t.policy == dfa.RejectUTF8 {
				dst.AppendNull()
				errs = append(errs, FieldError{dst.Len - 1, InvalidUTF8})
				continue
			}
			var n int
			scratch, n = replaceInvalid(scratch[:0], b)
			b, c.replaced = scratch, c.replaced+int64(n)
		}
		if !dst.AppendText(b) {
			errs = append(errs, FieldError{dst.Len - 1, BatchFull})
		}
	}
	return errs
}

// appendNoText appends what a null of a column of strings or binaries becomes.
func (c *Converter) appendNoText(dst *columns.Column, errs []FieldError) []FieldError {
	switch {
	case c.def != nil:
		if !dst.AppendText(c.def.Data) {
			errs = append(errs, FieldError{dst.Len - 1, BatchFull})
		}
	case c.required:
		dst.AppendNull()
		errs = append(errs, FieldError{dst.Len - 1, IsNull})
	default:
		dst.AppendNull()
	}
	return errs
}

// validRows reports whether the rows from first on, whose bytes begin at from,
// are UTF-8. They are if their concatenation is and no row begins inside a
// sequence, which may have been seen.
func validRows(c *columns.Column, first, from int, seen seenUTF8) bool {
	b := c.Data[from:]
	if isASCII(b) {
		return true
	}
	if !validUTF8(b) {
		return false
	}
	if seen == apartUTF8 {
		return true
	}
	data, offsets := c.Data, c.Offsets[first:len(c.Offsets)-1]
	for len(offsets) > 0 && int(offsets[len(offsets)-1]) == len(data) { // texts at the end are empty
		offsets = offsets[:len(offsets)-1]
	}
	for ; len(offsets) >= 4; offsets = offsets[4:] {
		inside := func(o int32) byte { return data[o]&^0x3f ^ 0x80 } // 0 of bytes that continue a sequence
		if a, b, c, d := inside(offsets[0]), inside(offsets[1]), inside(offsets[2]), inside(offsets[3]); a == 0 || b == 0 || c == 0 || d == 0 {
			return false
		}
	}
	for _, o := range offsets {
		if !utf8.RuneStart(data[o]) {
			return false
		}
	}
	return true
}

// replaceInvalid appends b to dst with U+FFFD for each invalid byte, and
// counts these.
func replaceInvalid(dst, b []byte) ([]byte, int) {
	n := 0
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			dst = utf8.AppendRune(dst, utf8.RuneError)
			n++
		} else {
			dst = append(dst, b[i:i+size]...)
		}
		i += size
	}
	return dst, n
}
