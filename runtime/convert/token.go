package convert

import (
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// newEnum converts to the index of one of the type's tokens.
func newEnum(t *dfa.Type, _ Options) (appender, error) {
	index := make(map[string]int32, len(t.Tokens))
	for i, s := range t.Tokens {
		if _, twice := index[s]; !twice {
			index[s] = int32(i)
		}
	}
	last, lastIndex := t.Tokens[0], int32(0)
	return &fixed[int32]{parse: func(b []byte) (int32, Code) {
		if string(b) == last {
			return lastIndex, OK
		}
		i, ok := index[string(b)]
		if !ok {
			return 0, NotInEnum
		}
		last, lastIndex = t.Tokens[i], i
		return i, OK
	}}, nil
}

// dictionary converts strings to indices of tokens that it collects.
type dictionary struct {
	policy  dfa.UTF8Policy
	scratch []byte
}

func newDictionary(_ *dfa.Type, opt Options) (appender, error) {
	return &dictionary{policy: opt.UTF8}, nil
}

func (p *dictionary) append(c *Converter, dst *Column, f *Fields, errs []FieldError) []FieldError {
	base, n := dst.Len, f.Len()
	out := appendValues[int32](dst, n)
	dst.appendValid(n)
	for i := range out {
		b, ok := c.value(f, i)
		code := IsNull
		if ok {
			out[i], code = p.parse(c, dst, b)
		} else if c.def != nil {
			out[i], code = dst.intern(c.def.Children[0].Data)
		}
		if code == OK {
			continue
		}
		out[i] = 0
		dst.setNull(base + i)
		if ok || c.def != nil || c.required {
			errs = append(errs, FieldError{base + i, code})
		}
	}
	return errs
}

func (p *dictionary) parse(c *Converter, dst *Column, b []byte) (int32, Code) {
	// A token that is there has been checked.
	if i, ok := dst.dict[string(b)]; ok {
		return i, OK
	}
	if p.policy != dfa.KeepUTF8 && !utf8.Valid(b) {
		if p.policy == dfa.RejectUTF8 {
			return 0, InvalidUTF8
		}
		var n int
		p.scratch, n = replaceInvalid(p.scratch[:0], b)
		b, c.replaced = p.scratch, c.replaced+int64(n)
	}
	return dst.intern(b)
}

// intern is the index of a token in c, which it adds if need be.
func (c *Column) intern(b []byte) (int32, Code) {
	i, ok := c.token(b)
	if !ok {
		return 0, BatchFull
	}
	return i, OK
}
