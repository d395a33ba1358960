package lower

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// listing is a template that is a list of fields: all holes stand between the
// same one-byte separator, each bare or enclosed in quotes or brackets.
type listing struct {
	sep     byte
	columns []listed
}

type listed struct {
	hole        *Hole
	open, close byte
	enclosed    bool
}

// loose reports whether a closer inside the field may be data: a lone quote in
// quotes that know no escape.
func (c *listed) loose() bool { return c.enclosed && c.hole.Escape == nil && c.open == c.close }

// loose reports whether any column is.
func (l *listing) loose() bool {
	return slices.ContainsFunc(l.columns, func(c listed) bool { return c.loose() })
}

// asList reads parts as a listing, if they are one. Two columns that the same
// byte opens must be enclosed and escaped in the same way.
func asList(parts []Part) (*listing, bool) {
	var l listing
	var sep []byte
	gap := "" // literal text since the last hole
	for _, part := range parts {
		switch v := part.(type) {
		case Literal:
			gap = v.Text
			continue
		case Hole:
			if v.Embedded != nil || v.ToEnd {
				return nil, false
			}
			col := listed{hole: &v}
			if n := len(l.columns); n > 0 {
				before := &l.columns[n-1]
				if before.enclosed && gap != "" {
					before.close, gap = gap[0], gap[1:]
				}
				if gap == "" {
					return nil, false
				}
				sep, gap = append(sep, gap[0]), gap[1:]
			}
			if len(gap) > 1 {
				return nil, false
			}
			if gap != "" {
				col.enclosed, col.open = true, gap[0]
			}
			l.columns, gap = append(l.columns, col), ""
		default:
			return nil, false
		}
	}
	if len(l.columns) < 2 {
		return nil, false
	}
	last := &l.columns[len(l.columns)-1]
	if last.enclosed && len(gap) == 1 {
		last.close, gap = gap[0], ""
	}
	if gap != "" {
		return nil, false
	}
	l.sep = sep[0]
	return &l, len(bytes.Trim(sep, string(sep[:1]))) == 0 && l.uniform()
}

// separated reports whether the separator alone ends fields: two bare ones stand side by side, none is bare,
// or a rest follows. In others it is the beginning of a longer text: {msg} ({code}) takes messages with spaces.
func (l *listing) separated(rest string) bool {
	bare := 0
	for i, c := range l.columns {
		if c.enclosed {
			continue
		}
		if bare++; i > 0 && !l.columns[i-1].enclosed {
			return true
		}
	}
	return bare == 0 || rest != ""
}

// uniform reports whether one lexical machine reads every column.
func (l *listing) uniform() bool {
	for i, c := range l.columns {
		if !c.enclosed {
			if c.hole.Escape != nil {
				return false
			}
			continue
		}
		if !encloses(c.open, c.close) || c.open == l.sep || c.close == l.sep {
			return false
		}
		if e := c.hole.Escape; e != nil && (e.Lead == c.close || e.Lead == l.sep) {
			return false
		}
		for _, d := range l.columns[:i] {
			if d.enclosed && d.open == c.open && (d.close != c.close || !sameEscape(d.hole.Escape, c.hole.Escape)) {
				return false
			}
		}
	}
	return true
}

// encloses reports whether two symbols are quotes or brackets. Others around a hole are its text:
// in #{id}: {message} a field ends at a colon and a space, and the message may hold spaces.
func encloses(open, close byte) bool {
	switch open {
	case '"', '\'', '`':
		return close == open
	case '[', '{', '(', '<':
		return close == map[byte]byte{'[': ']', '{': '}', '(': ')', '<': '>'}[open]
	}
	return false
}

func sameEscape(a, b *Escape) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.Lead != b.Lead || a.Hex != b.Hex || a.Octal != b.Octal || a.Other != b.Other {
		return false
	}
	for s := range 256 {
		x, inA := a.To[byte(s)]
		y, inB := b.To[byte(s)]
		if x != y || inA != inB {
			return false
		}
	}
	return true
}

// openers are the symbols that open an enclosed column.
func (l *listing) openers() (s dfa.Set) {
	for _, c := range l.columns {
		if c.enclosed {
			s = s.Union(dfa.Bytes(c.open))
		}
	}
	return s
}

// instructions compiles l position by position; rest says whether separated fields
// may follow the columns.
func (l *listing) instructions(rest string) *instructions {
	p := &instructions{ins: []instruction{{op: opEnd}}}
	next := 0
	for i := len(l.columns) - 1; i >= 0; i-- {
		c := &l.columns[i]
		hole := instruction{op: opHole, hole: c.hole, col: i, listed: true}
		var closer []byte
		if c.enclosed {
			closer = []byte{c.close}
			hole.enclosed, hole.commits = true, !c.loose()
			if c.loose() {
				hole.closer = closer
			}
		} else {
			hole.not = l.openers()
		}
		between := append(closer[:len(closer):len(closer)], l.sep)
		last := i == len(l.columns)-1
		switch {
		case !last:
			next = p.add(instruction{op: opLiteral, text: between, next: next})
		case rest != "":
			more := p.add(instruction{op: opRest, col: len(l.columns), next: 0})
			more = p.add(instruction{op: opLiteral, text: between, next: more})
			if c.enclosed {
				next = p.add(instruction{op: opLiteral, text: closer, anchored: true, next: 0})
			}
			next = p.add(instruction{op: opSplit, next: more, alt: next})
		case c.enclosed:
			next = p.add(instruction{op: opLiteral, text: closer, anchored: true, next: 0})
			if c.loose() {
				more := p.add(instruction{op: opNone})
				more = p.add(instruction{op: opLiteral, text: between, next: more})
				next = p.add(instruction{op: opSplit, next: more, alt: next})
			}
		default:
			hole.never = dfa.Bytes(l.sep)
		}
		hole.next = next
		next = p.add(hole)
		if c.enclosed {
			next = p.add(instruction{op: opLiteral, text: []byte{c.open}, next: next})
		}
	}
	p.entry = next
	for _, c := range l.columns {
		p.columns = append(p.columns, HoleColumn{Name: c.hole.Name})
	}
	if rest != "" {
		p.columns = append(p.columns, HoleColumn{Name: rest, Optional: true})
	}
	return p
}

// lexer is the lexical machine of l, with the class of each column.
func (l *listing) lexer(ms *messages) (*lexer, []string, []uint8, error) {
	classes := []string{"any"}
	var encs []enclosure
	byOpen := map[byte]uint8{}
	if l.openers().Empty() {
		x, err := newLexer(ms, []Separator{{Text: []byte{l.sep}}}, nil, nil, nil)
		return x, classes, make([]uint8, len(l.columns)), err
	}
	const bare = 1
	classes = append(classes, "not enclosed")
	of := make([]uint8, len(l.columns))
	for i, c := range l.columns {
		of[i] = bare
		if !c.enclosed {
			continue
		}
		class, ok := byOpen[c.open]
		if !ok {
			words := fmt.Sprintf("enclosed in %c%c", c.open, c.close)
			classes = append(classes, words)
			class = uint8(len(classes) - 1)
			byOpen[c.open] = class
			encs = append(encs, enclosure{open: c.open, close: c.close, escape: c.hole.Escape,
				loose: c.loose(), class: class, words: words})
		}
		of[i] = class
	}
	x, err := newLexer(ms, []Separator{{Text: []byte{l.sep}}}, encs, nil, nil)
	if err == nil {
		x.bareClass = bare
	}
	return x, classes, of, err
}
