package convert

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// booleans converts a column of truth values into a bitmap.
type booleans struct {
	yes, no []string
	anyCase bool
}

func newBool(t *dfa.Type, _ Options) (appender, error) {
	return &booleans{t.True, t.False, len(t.True)+len(t.False) == 0}, nil
}

func (p *booleans) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	base, n := dst.Len, f.Len()
	dst.Fixed = columns.GrowBits(dst.Fixed, base, n)
	dst.AppendValid(n)
	for i := range n {
		row := base + i
		b, ok := c.value(f, i)
		var v bool
		code := IsNull
		switch {
		case ok:
			v, code = p.parse(b)
		case c.def != nil:
			v, code = c.def.Fixed[0]&1 == 1, OK
		}
		if v && code == OK {
			dst.Fixed[row>>3] |= 1 << (row & 7)
		}
		if code == OK {
			continue
		}
		dst.SetNull(row)
		if ok || c.required {
			errs = append(errs, FieldError{row, code})
		}
	}
	return errs
}

func (p *booleans) parse(b []byte) (bool, Code) {
	if p.anyCase {
		return anyBool(b)
	}
	for _, s := range p.yes {
		if string(b) == s {
			return true, OK
		}
	}
	for _, s := range p.no {
		if string(b) == s {
			return false, OK
		}
	}
	return false, BadBool
}

// anyBool reads the tokens that a column without its own has.
func anyBool(b []byte) (bool, Code) {
	if len(b) == 0 || len(b) > 5 {
		return false, BadBool
	}
	switch b[0] {
	case '1':
		return true, badUnless(len(b) == 1)
	case '0':
		return false, badUnless(len(b) == 1)
	case 't', 'T':
		return true, badUnless(len(b) == 1 || equalFold(b, "true"))
	case 'f', 'F':
		return false, badUnless(len(b) == 1 || equalFold(b, "false"))
	case 'y', 'Y':
		return true, badUnless(len(b) == 1 || equalFold(b, "yes"))
	case 'n', 'N':
		return false, badUnless(len(b) == 1 || equalFold(b, "no"))
	}
	if equalFold(b, "on") {
		return true, OK
	}
	return false, badUnless(equalFold(b, "off"))
}

func badUnless(ok bool) Code {
	if ok {
		return OK
	}
	return BadBool
}
