package convert

import "github.com/dfaparse/dfaparse/dfa"

// booleans converts a column of truth values into a bitmap.
type booleans struct {
	yes, no []string
	anyCase bool
}

func newBool(t *dfa.Type, _ Options) (appender, error) {
	p := &booleans{yes: t.True, no: t.False}
	if len(p.yes)+len(p.no) == 0 {
		p.anyCase = true
		p.yes = []string{"true", "t", "yes", "y", "1", "on"}
		p.no = []string{"false", "f", "no", "n", "0", "off"}
	}
	return p, nil
}

func (p *booleans) append(c *Converter, dst *Column, f *Fields, errs []FieldError) []FieldError {
	base, n := dst.Len, f.Len()
	dst.Fixed = growBits(dst.Fixed, base, n)
	dst.appendValid(n)
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
		if v {
			dst.Fixed[row>>3] |= 1 << (row & 7)
		}
		if code == OK {
			continue
		}
		dst.setNull(row)
		if ok || c.required {
			errs = append(errs, FieldError{row, code})
		}
	}
	return errs
}

func (p *booleans) parse(b []byte) (bool, Code) {
	if !p.anyCase {
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
	for i := range p.yes {
		if equalFold(b, p.yes[i]) {
			return true, OK
		}
		if equalFold(b, p.no[i]) {
			return false, OK
		}
	}
	return false, BadBool
}
