package infer

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// trial is a candidate that fits so far.
type trial struct {
	*candidate
	converter *convert.Converter
	column    *columns.Column
	shown     shown // by the values so far
}

func newTrial(of *candidate) (*trial, error) {
	converter, err := convert.NewConverter(&dfa.Column{Type: of.typ}, convert.Options{})
	if err != nil {
		return nil, err
	}
	return &trial{candidate: of, converter: converter, column: convert.NewColumn(&of.typ)}, nil
}

// probes are trials of all candidates, by which the first value of a column is looked at.
var probes = sync.Pool{New: func() any { return &probe{make([]*trial, len(types()))} }}

type probe struct{ all []*trial }

// of is the trial of a candidate, which is made when it is wanted: most never are.
func (p *probe) of(i int) (t *trial, err error) {
	if p.all[i] == nil {
		p.all[i], err = newTrial(&types()[i])
	}
	return p.all[i], err
}

// thousands reports whether the commas of b may be those between thousands.
func thousands(b []byte) bool {
	parts := bytes.Split(bytes.TrimPrefix(b, []byte("-")), []byte(","))
	for i, p := range parts {
		if i > 0 && len(p) != 3 || i == 0 && len(p) > 3 {
			return false
		}
	}
	return true
}

// misfit is the first of fields that is not of the type, -1 if all are.
func (t *trial) misfit(c *Column, f *convert.Fields) int {
	c.ask(t, f)
	switch {
	case t.text == "dec":
		return t.misfitDecimal(c, f)
	case t.text == commaFloat && (!c.decided || c.pairs && !c.fraction):
		for i := range f.Len() {
			b, _ := f.At(i)
			c.decided = c.decided || bytes.IndexByte(b, ',') >= 0 && !thousands(b)
			c.commas(b)
		}
	case t.groups() && !c.grouped:
		for i := range f.Len() {
			b, _ := f.At(i)
			c.grouped = c.grouped || t.showsGroups(b)
		}
	}
	bad := -1
	if t.number && t == c.lead {
		for _, i := range c.odd {
			if b, _ := f.At(int(i)); !isUsualNumber(b) && !t.accepts(b) {
				bad = int(i)
				break
			}
		}
	} else if t.accepts != nil {
		for i, from := range f.Start {
			if !t.accepts(f.Src[from:f.End[i]]) {
				bad = i
				break
			}
		}
	}
	t.column.Reset()
	if errs := t.converter.Append(t.column, f, nil); len(errs) > 0 && (bad < 0 || errs[0].Row < bad) {
		bad = errs[0].Row
	}
	for i := 0; bad < 0 && t.column.Nulls > 0; i++ { // a value that was taken for none
		if !t.column.IsValid(i) {
			bad = i
		}
	}
	return bad
}

// misfitDecimal finds out how many digits decimals have.
func (t *trial) misfitDecimal(c *Column, f *convert.Fields) int {
	for i := range f.Len() {
		b, _ := f.At(i)
		whole, part, ok := decimal(b)
		if !ok || max(c.whole, whole)+max(c.scale, part) > t.typ.Precision {
			return i
		}
		c.whole, c.scale = max(c.whole, whole), max(c.scale, part)
	}
	return -1
}

// refuses reports whether the first of fields is not of the type.
func (t *trial) refuses(f *convert.Fields) bool {
	var one convert.Fields
	f.Slice(&one, 0, 1)
	t.column.Reset()
	return len(t.converter.Append(t.column, &one, nil)) > 0 || t.column.Nulls > 0
}

// name is the type as in a spec.
func (t *trial) name(c *Column) string {
	if t.text == "dec" {
		return fmt.Sprintf("dec(%d, %d)", c.whole+c.scale, c.scale)
	}
	return t.text
}
