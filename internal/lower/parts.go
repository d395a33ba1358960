package lower

import (
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// A template is compiled to instructions, after Thompson's construction: each
// names what stands at one place and where to go on; a split goes on at two
// places, with an optional group and without it.

type instruction struct {
	op   op
	text []byte // opLiteral
	hole *Hole  // opHole
	col  int    // opHole, opRest: its column
	next int
	alt  int // opSplit: without the group

	anchored bool    // opLiteral: it ends the hole before only where the record ends too
	listed   bool    // opHole: of a listing
	enclosed bool    // opHole: it has a closer in a listing
	closer   []byte  // opHole: and that is loose
	commits  bool    // opHole: the first byte of what follows ends it, the rest must come
	not      dfa.Set // opHole: symbols that the field cannot begin with
	never    dfa.Set // opHole: symbols that it cannot hold
}

type op uint8

const (
	opEnd op = iota
	opLiteral
	opHole
	opBlanks
	opSplit
	opRest // separated fields up to the end of the record
	opNone // nothing: a listing has one field too many
)

// instructions are a template, compiled; 0 is opEnd.
type instructions struct {
	ins     []instruction
	entry   int
	columns []HoleColumn
}

func (p *instructions) add(i instruction) int {
	p.ins = append(p.ins, i)
	return len(p.ins) - 1
}

// tidy joins literals that stand side by side and drops empty ones.
func tidy(parts []Part) []Part {
	var out []Part
	for _, part := range parts {
		switch v := part.(type) {
		case Literal:
			if v.Text == "" {
				continue
			}
			if n := len(out); n > 0 {
				if before, ok := out[n-1].(Literal); ok {
					out[n-1] = Literal{before.Text + v.Text}
					continue
				}
			}
		case Optional:
			v.Parts = tidy(v.Parts)
			if len(v.Parts) == 0 {
				continue
			}
			part = v
		}
		out = append(out, part)
	}
	return out
}

// newInstructions compiles parts in the general way.
func newInstructions(parts []Part) (*instructions, error) {
	p := &instructions{ins: []instruction{{op: opEnd}}}
	cols := p.number(parts, false)
	var err error
	p.entry, err = p.compile(parts, 0, &cols)
	return p, err
}

// number lists the columns of parts in order and gives how many there are.
func (p *instructions) number(parts []Part, optional bool) int {
	for _, part := range parts {
		switch v := part.(type) {
		case Hole:
			p.columns = append(p.columns, HoleColumn{Name: v.Name, Optional: optional})
		case Optional:
			p.number(v.Parts, true)
		}
	}
	return len(p.columns)
}

// compile goes from the last part to the first; left is how many columns lie
// before.
func (p *instructions) compile(parts []Part, next int, left *int) (int, error) {
	for i := len(parts) - 1; i >= 0; i-- {
		switch v := parts[i].(type) {
		case Literal:
			next = p.add(instruction{op: opLiteral, text: []byte(v.Text), next: next})
		case Blanks:
			next = p.add(instruction{op: opBlanks, next: next})
		case Hole:
			*left--
			if err := checkHole(&v); err != nil {
				return 0, err
			}
			if v.ToEnd && (i < len(parts)-1 || next != 0) {
				return 0, &Fault{Where: "field " + v.Name, What: "it takes all up to the end of the record, but more follows"}
			}
			next = p.add(instruction{op: opHole, hole: &v, col: *left, next: next, commits: v.Escape != nil})
		case Optional:
			entry, err := p.compile(v.Parts, next, left)
			if err != nil {
				return 0, err
			}
			next = p.add(instruction{op: opSplit, next: entry, alt: next})
		default:
			return 0, &Fault{What: fmt.Sprintf("unknown part %T", v)}
		}
	}
	return next, nil
}

func checkHole(h *Hole) error {
	where := "field " + h.Name
	if h.Embedded != nil && (h.Escape != nil || h.ToEnd) {
		return &Fault{Where: where, What: "a field with a form of its own has no escapes and does not run to the end"}
	}
	if h.Embedded != nil {
		if err := h.Embedded.Validate(); err != nil {
			return fmt.Errorf("%s: %w", where, err)
		}
	}
	return h.Escape.check(where)
}
