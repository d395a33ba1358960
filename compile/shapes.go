package compile

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// maxShapes bounds the shapes of a format.
const maxShapes = 32

// recordShapes: several templates, or columns of fixed width, of which a record matches
// one. Fields whose types have a form have it: it tells the shapes apart.
func (d *definer) recordShapes(pos lexer.Position) {
	before := len(d.bad.list)
	lines, options := d.lineOptions()
	r := &lower.Record{Lines: lines}
	d.allTold = true
	defer func() { d.allTold = false }()
	var all []part
	var last []string
	var templates [][]part
	otherwise := ""
	_, fixed := d.lexing.(*Fixed)
	for _, s := range d.shapes {
		if is := s.fixed != nil; is != fixed {
			d.bad.addf(s.pos, "shape %s is %s, and others are not; all are templates, or all fixed", s.name, map[bool]string{true: "fixed", false: "a template"}[is])
			continue
		}
		var parts []part
		x := lower.Shape{Name: s.name}
		if s.fixed != nil {
			x.Parts, parts = d.fixedParts(s.fixed)
		} else {
			for _, t := range s.templates {
				parts = append(parts, parseTemplate(t, d.bad)...)
			}
			d.checkHoles(holes(parts))
			d.checkGroups(parts)
			if !d.checkSize(parts, s.pos) {
				continue
			}
			x.Parts = d.lowerParts(parts, surroundings{})
			if len(parts) == 1 && parts[0].hole.toEnd {
				if x.Otherwise = true; otherwise != "" {
					d.bad.addf(s.pos, "shape %s takes what is no other shape, and so does %s", s.name, otherwise)
				}
				otherwise = s.name
			}
		}
		templates = append(templates, parts)
		own := holes(parts)
		if n := len(own); n > 0 {
			last = append(last, own[n-1].hole.name)
		}
		all = append(all, own...)
		r.Shapes = append(r.Shapes, x)
	}
	if n := len(d.shapes); n > maxShapes {
		d.bad.addf(pos, "%d shapes, at most %d", n, maxShapes)
	}
	if otherwise != "" && len(d.shapes) == 1 {
		d.bad.addf(pos, "shape %s takes what is no other shape, and there is none", otherwise)
	}
	if d.rest != nil {
		d.bad.addf(d.rest.Pos, "rest goes with one template; end that of a shape with {%s...}", d.rest.Name)
	}
	if d.multiline != nil {
		r.Multiline = d.multilineOf(d.multiline, templates, last)
	}
	if d.shape != nil && slices.ContainsFunc(all, func(h part) bool { return h.hole.name == d.shape.Name.String() }) {
		d.bad.addf(d.shape.Pos, "shape: there is a column %q already", d.shape.Name)
	}
	if len(d.bad.list) > before {
		d.shapeColumns(all)
		return
	}
	shape, err := lower.BuildRecord(r)
	if err != nil {
		d.bad.add(d.shapeFault(err, d.blameHole(err, d.blame(err, pos, options), all)))
		d.shapeColumns(all)
		return
	}
	d.def.Automaton, d.def.Classes = shape.Automaton, shape.Classes
	for i, s := range d.shapes {
		d.def.Shapes = append(d.def.Shapes, dfa.Shape{Name: s.name, Columns: shape.Shapes[i]})
	}
	for i, hc := range shape.Columns {
		if shape.Absent(i) {
			d.warnAbsent(hc.Name, all)
		}
		c := d.columnNamed(hc.Name)
		c.Optional, c.Hidden, c.Keep = c.Optional || hc.Optional, hc.Name == hiddenName, d.kept[hc.Name]
		if slices.ContainsFunc(all, func(h part) bool { return h.hole.name == hc.Name && h.hole.dash }) && !c.Hidden {
			c.Nulls = merge(c.Nulls, []string{"-"})
		}
		if fixed && !isTextKind(c.Type.Kind) {
			c.Trim = true
		} else if hc.Optional && c.Required {
			d.bad.warnf(d.fieldPos(hc.Name), "column %q may be missing in a record, and is required", hc.Name)
		}
		d.def.Columns = append(d.def.Columns, c)
	}
	if d.shape != nil {
		name := d.shape.Name.String()
		if x := d.typeOf(name); x != nil {
			d.used[name] = true
			d.bad.addf(x.Pos, "column %q is an enum of the names of the shapes; it has no other type", name)
		}
		d.def.Columns = append(d.def.Columns, dfa.Column{Name: name, Shape: true,
			Type: dfa.Type{Kind: dfa.Enum, Tokens: d.def.ShapeNames()}})
	}
}

func isTextKind(k dfa.TypeKind) bool {
	return k == dfa.String || k == dfa.Dictionary || k == dfa.Binary
}

// shapeColumns makes columns of all holes, each name once, after a fault.
func (d *definer) shapeColumns(all []part) {
	seen := map[string]bool{}
	d.holeColumns(slices.DeleteFunc(slices.Clone(all), func(h part) bool {
		was := seen[h.hole.name]
		seen[h.hole.name] = true
		return was
	}))
	if d.shape != nil {
		d.def.Columns = append(d.def.Columns, dfa.Column{Name: d.shape.Name.String()})
	}
}

// shapeFault is a fault of lower that may be about two shapes, at the second of them.
func (d *definer) shapeFault(err error, pos lexer.Position) *Fault {
	var f *lower.Fault
	if !errors.As(err, &f) || f.Shape == "" {
		return lowered(err, pos, "")
	}
	at := func(name string) (p lexer.Position) {
		for _, s := range d.shapes {
			if s.name == name {
				p = s.pos
			}
		}
		return p
	}
	if f.Other == "" {
		return lowered(err, at(f.Shape), fmt.Sprintf("shape %s: ", f.Shape))
	}
	first := at(f.Shape)
	prefix := ""
	if first.Line > 0 {
		prefix = fmt.Sprintf("shapes %s (line %d) and %s (line %d): ", f.Shape, first.Line, f.Other, at(f.Other).Line)
	}
	return lowered(err, at(f.Other), prefix)
}

// fixedParts are the columns of a shape of fixed width, of which a record may lack the
// last ones: holes side by side. The first bytes are those of its when.
func (d *definer) fixedParts(it *Fixed) ([]lower.Part, []part) {
	begins := ""
	if it.When != nil {
		begins = it.When.Value()
	} else {
		d.bad.addf(it.Pos, "fixed %s does not say how its records begin: fixed %s when '1' { … }", it.Shape.Value, it.Shape.Value)
	}
	if len(it.Columns) == 0 {
		d.bad.addf(it.Pos, "fixed has no columns: fixed %s when '1' { id 5  name 20 }", it.Shape.Value)
	}
	var list []lower.Hole
	var all []part
	must := 0 // how many columns the record has at least
	seen := map[string]bool{}
	at, states := 0, 0
	for _, w := range it.Columns {
		name := w.Name.String()
		n, err := strconv.Atoi(w.Bytes)
		if err != nil || n < 1 || n > maxWidth {
			d.bad.addf(w.Pos, "column %s: a width is a number of bytes from 1 to %d, not %s", name, maxWidth, w.Bytes)
			continue
		}
		if states += n; states > dfa.MaxStates {
			d.bad.addf(w.Pos, "a shape of more than %d bytes cannot be told from others", dfa.MaxStates)
			break
		}
		if seen[name] && name != hiddenName {
			d.bad.addf(w.Pos, "column %q is there twice", name)
		}
		seen[name] = true
		items := widthItems(n)
		for i := range items {
			if at+i < len(begins) {
				items[i].set = dfa.Bytes(begins[at+i])
				must = len(list) + 1
			} else {
				items[i].last = i > 0
			}
		}
		h := part{pos: w.Pos, kind: holePart, hole: hole{name: name, hidden: name == hiddenName, width: n}}
		words := fmt.Sprintf("%d bytes are expected", n)
		if at < len(begins) {
			words = fmt.Sprintf("a record of shape %s begins with %q", it.Shape.Value, begins)
		}
		list = append(list, lower.Hole{Name: name, Embedded: d.formAutomaton(h, [][]formItem{items}, words)})
		all = append(all, h)
		at += n
	}
	if at < len(begins) {
		d.bad.addf(it.When.Pos, "%q is longer than the record", begins)
	}
	var parts []lower.Part
	for i, h := range slices.Backward(list) {
		parts = append([]lower.Part{h}, parts...)
		if i >= must && i > 0 {
			parts = []lower.Part{lower.Optional{Parts: parts}}
		}
	}
	return parts, all
}
