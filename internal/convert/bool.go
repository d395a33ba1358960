package convert

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// booleans converts a column of truth values into a bitmap.
type booleans struct {
	yes, no []string
	anyCase bool
	words   tokenWords // of all tokens: 1 for those that are true
	easy    bool       // fields are looked for among them
	found   []int32    // scratch memory, by row
}

func newBool(t *dfa.Type, _ Options) (appender, error) {
	p := &booleans{yes: t.True, no: t.False, anyCase: len(t.True)+len(t.False) == 0}
	tokens := map[string]int32{}
	add := func(all []string, value int32) {
		for _, s := range all {
			if _, twice := tokens[s]; !twice {
				tokens[s] = value
			}
		}
	}
	add(p.yes, 1)
	add(p.no, 0)
	if p.anyCase {
		add(inAnyCase("1", "t", "y", "on", "yes", "true"), 1)
		add(inAnyCase("0", "f", "n", "no", "off", "false"), 0)
	}
	p.easy = p.words.place(tokens)
	return p, nil
}

// inAnyCase is words of letters that are small, each letter small or not.
func inAnyCase(words ...string) (all []string) {
	for _, w := range words {
		for upper := range 1 << len(w) {
			b := []byte(w)
			for i := range b {
				if upper>>i&1 != 0 && b[i] >= 'a' {
					b[i] -= 'a' - 'A'
				}
			}
			all = append(all, string(b))
		}
	}
	return all
}

// prepare gives up easy rows if a null token looks like a value.
func (p *booleans) prepare(c *Converter) {
	for _, token := range c.nulls {
		if _, code := p.parse([]byte(token)); code == OK {
			p.easy = false
		}
	}
}

func (p *booleans) giveUp() { p.easy = false }

func (p *booleans) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	base, n := dst.Len, f.Len()
	dst.Fixed = columns.GrowBits(dst.Fixed, base, n)
	dst.AppendValid(n)
	easy := p.easy && !c.trim && len(f.Literal) == 0
	if easy && cap(p.found) < n {
		p.found = make([]int32, n)
	}
	for i := 0; i < n; i++ {
		if easy {
			from := i
			if p.words.most <= 8 {
				i = p.words.runShort(p.found[:n], f, i)
			} else {
				i = p.words.run(p.found[:n], f, i)
			}
			setBits(dst.Fixed, base+from, p.found[from:i])
			if i == n {
				break
			}
		}
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

// setBits sets bit at+i of b, which is not set, where values[i] is 1.
func setBits(b []byte, at int, values []int32) {
	for len(values) > 0 && at&7 != 0 {
		b[at>>3] |= byte(values[0]) << (at & 7)
		at, values = at+1, values[1:]
	}
	for ; len(values) >= 8; at, values = at+8, values[8:] {
		v := values[:8]
		b[at>>3] = byte(v[0] | v[1]<<1 | v[2]<<2 | v[3]<<3 | v[4]<<4 | v[5]<<5 | v[6]<<6 | v[7]<<7)
	}
	for i, v := range values {
		b[at>>3] |= byte(v) << i
	}
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
