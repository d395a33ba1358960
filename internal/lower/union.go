package lower

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// Several templates, of which a record matches one.
//
// They are read side by side, each by its own machine, as long as the record may
// be of more than one; one that does not go on is given up. What a symbol is must
// be the same in all that are left, for it is said at once: data in all, or the
// end of the same field in all. Where it is not, nothing tells the templates apart
// in time, and they are refused, with the shortest record that shows it. So are two
// that the same record matches: the order of shapes means nothing.
//
// Templates are the shapes of a Record, and within a shape, what becomes of it with
// each optional group that is Told and without it. Among these the order means
// something, as it does where a group begins with text: where one template has text
// or the end of a field and the others have data of a field that may be anything, the
// one that stands first goes on, and the group is there.
//
// One shape may be Otherwise: the records that none of the others is. It has one hole,
// which takes all. It is given up with the first field of another that ends.

// Shape is one of several kinds of records.
type Shape struct {
	Name      string
	Parts     []Part
	Otherwise bool // what none of the others is; Parts are one Hole ToEnd
}

// maxAlternatives bounds the templates that are read side by side.
const maxAlternatives = 64

// union is the content of records that match one of several templates.
type union struct {
	*messages
	alts    []alternative
	shapes  []Shape
	columns []HoleColumn
	of      [][]int // per shape: its columns
	members []member
	numbers map[member]int32 // of members
	steps   [][]memberStep   // of members, by symbol group, as far as they are known
	group   *[256]uint8      // of a symbol, nil: not known yet
	ngroups int
	sets    [][]int32  // of members
	ends    []unionEnd // of sets, as far as they are known
	ids     map[string]unionState
	reasons map[string]dfa.ErrorCode // see reason
	initial unionState

	said [3][]said // room for symbol
	set  []int32   // for reach
	key  []byte    // for intern and reason

	lax, keepBlank, whole bool
}

// alternative is one template of a union.
type alternative struct {
	*template
	shape     int
	column    []int16 // of the union, by those of the template
	otherwise bool
}

// member is a template that the record may still match, and where it stands there.
type member struct {
	alt   int
	state templateState
}

// unionState is a set of members, by number.
type unionState int32

// newUnion makes the union of shapes, whose Parts are tidy.
func newUnion(ms *messages, shapes []Shape) (*union, error) {
	u := &union{messages: ms, shapes: shapes, ids: map[string]unionState{}, numbers: map[member]int32{}, reasons: map[string]dfa.ErrorCode{}}
	number := map[string]int{} // name -> 1 + column
	for i := range shapes {
		s := &shapes[i]
		var own []int
		s.Parts = u.number(s.Parts, number, false, &own)
		u.of = append(u.of, own)
	}
	for i := range u.columns { // what some shape lacks
		for _, own := range u.of {
			u.columns[i].Optional = u.columns[i].Optional || !slices.Contains(own, i)
		}
	}
	for i, s := range shapes {
		all, err := expand(s.Parts)
		if err != nil {
			return nil, u.about(err, i)
		}
		for _, parts := range all {
			if len(u.alts) == maxAlternatives {
				return nil, &Fault{Where: "template", What: fmt.Sprintf("more than %d templates side by side: shapes, times two for each optional group that only a form tells", maxAlternatives)}
			}
			p, err := newInstructions(tidy(parts))
			if err != nil {
				return nil, u.about(err, i)
			}
			t, err := newTemplate(ms, p)
			if err != nil {
				return nil, u.about(err, i)
			}
			a := alternative{template: t, shape: i, column: make([]int16, len(t.columns)), otherwise: s.Otherwise}
			for pc := range t.ins {
				if x := &t.ins[pc]; x.op == opHole {
					a.column[x.col] = int16(x.hole.column)
				}
			}
			u.alts = append(u.alts, a)
		}
	}
	var set []int32
	for i := range u.alts {
		set = append(set, u.numberOf(member{i, u.alts[i].first()}))
	}
	u.initial, _ = u.intern(set)
	return u, nil
}

// about is err as one of shape i.
func (u *union) about(err error, i int) error {
	if f, ok := err.(*Fault); ok && u.named() {
		f.Shape = u.shapes[i].Name
	}
	return err
}

// number gives the holes of parts their columns: those of one name have one, and so
// have the first of each shape that are hidden, the second and so on.
func (u *union) number(parts []Part, by map[string]int, optional bool, own *[]int) (out []Part) {
	for _, part := range parts {
		switch v := part.(type) {
		case Hole:
			name := v.Name
			for n := 1; name == hiddenHole || v.Name == hiddenHole && slices.Contains(*own, by[name]-1); n++ {
				name = fmt.Sprintf("%s%d ", hiddenHole, n) // no name has a blank
			}
			c := by[name] - 1
			if c < 0 {
				c = len(u.columns)
				u.columns = append(u.columns, HoleColumn{Name: v.Name})
				by[name] = c + 1
			}
			u.columns[c].Optional = u.columns[c].Optional || optional
			v.column = c
			*own = append(*own, c)
			part = v
		case Optional:
			v.Parts = u.number(v.Parts, by, true, own)
			part = v
		}
		out = append(out, part)
	}
	return out
}

// hiddenHole is the name of holes that are columns of nobody.
const hiddenHole = "_"

// expand gives what parts may be with and without each optional group that is Told,
// those with a group before those without it.
func expand(parts []Part) (all [][]Part, err error) {
	all = [][]Part{nil}
	for _, part := range parts {
		o, ok := part.(Optional)
		if !ok || !o.Told {
			for i := range all {
				all[i] = append(all[i][:len(all[i]):len(all[i])], part)
			}
			continue
		}
		in, err := expand(o.Parts)
		if err != nil {
			return nil, err
		}
		if len(all)*(len(in)+1) > maxAlternatives {
			return nil, &Fault{Where: "template", What: fmt.Sprintf("optional groups that only a form tells may be there in more than %d ways", maxAlternatives)}
		}
		var next [][]Part
		for _, before := range all {
			for _, group := range in {
				next = append(next, slices.Concat(before, group))
			}
			next = append(next, before[:len(before):len(before)])
		}
		all = next
	}
	return all, nil
}

// numberOf is the number of a member.
func (u *union) numberOf(m member) int32 {
	n, ok := u.numbers[m]
	if !ok {
		n = int32(len(u.members))
		u.members, u.steps = append(u.members, m), append(u.steps, nil)
		u.numbers[m] = n
	}
	return n
}

// memberStep is what a symbol does to a member.
type memberStep struct {
	next  int32
	emit  dfa.Emission // of the union
	fault *Fault
	known bool
}

// step is what b does to a member, which is found out once: it is of many sets.
func (u *union) step(number int32, b byte) *memberStep {
	if u.group == nil {
		u.numberGroups()
	}
	if u.steps[number] == nil {
		u.steps[number] = make([]memberStep, u.ngroups)
	}
	x := &u.steps[number][u.group[b]]
	if !x.known || checked {
		m := u.members[number]
		a := &u.alts[m.alt]
		next, e, fault := a.symbol(m.state, b)
		if fault != nil {
			fault = u.about(fault, a.shape).(*Fault)
		}
		to := number
		if fault == nil && e.Kind != dfa.Error && next != m.state {
			to = u.numberOf(member{m.alt, next})
		}
		*x = memberStep{to, u.in(m.alt, e), fault, true}
	}
	return x
}

// numberGroups gives the groups of symbols their numbers.
func (u *union) numberGroups() {
	u.group = new([256]uint8)
	for b, first := range u.groups().of {
		if int(first) == b {
			u.group[b] = uint8(u.ngroups)
			u.ngroups++
		}
		u.group[b] = u.group[first]
	}
}

// intern gives the number of a set, and whether it is a new one.
func (u *union) intern(set []int32) (id unionState, added bool) {
	u.key = u.key[:0]
	for _, n := range set {
		u.key = binary.AppendUvarint(u.key, uint64(n))
	}
	id, ok := u.ids[string(u.key)]
	if !ok {
		id = unionState(len(u.sets))
		u.sets = append(u.sets, slices.Clone(set))
		u.ids[string(u.key)] = id
	}
	return id, !ok
}

// named reports whether the templates are those of shapes.
func (u *union) named() bool { return u.shapes[0].Name != "" }

func (u *union) first() unionState { return u.initial }

// said is what one member makes of a symbol, or of the end of the record.
type said struct {
	member int32 // that it is after the symbol
	alt    int
	emit   dfa.Emission
}

// in is e with the columns of the union, and the class of its shape where a record ends.
func (u *union) in(alt int, e dfa.Emission) dfa.Emission {
	a := &u.alts[alt]
	if !e.Boundary() {
		return e
	}
	if e.Column >= 0 {
		e.Column = a.column[e.Column]
	}
	if e.Kind == dfa.Record && e.Code == 0 && u.named() {
		e.Class = uint8(1 + a.shape)
	}
	return e
}

func (u *union) symbol(s unionState, b byte) (unionState, dfa.Emission, *Fault) {
	all, other, failed := u.said[0][:0], u.said[1][:0], u.said[2][:0]
	for _, n := range u.sets[s] {
		step := u.step(n, b)
		if step.fault != nil {
			return s, step.emit, step.fault
		}
		x := said{step.next, u.members[n].alt, step.emit}
		switch {
		case x.emit.Kind == dfa.Error:
			failed = append(failed, x)
		case u.alts[x.alt].otherwise:
			other = append(other, x)
		default:
			all = append(all, x)
		}
	}
	u.said = [3][]said{all, other, failed}
	if len(all) == 0 {
		if len(other) == 0 {
			return s, u.failure(failed), nil
		}
		return u.reach(other, other[0].emit)
	}
	all, fault := u.agreed(all)
	if fault != nil {
		return s, skip, fault
	}
	e := all[0].emit
	switch {
	case len(other) == 0 || e.Boundary():
		other = nil
	case other[0].emit != e && u.columns[u.alts[other[0].alt].column[0]].Name != hiddenHole:
		return s, skip, u.conflict(all[0], other[0], "the byte is text of one and data of the other", "let {_...} take what is no other shape")
	}
	return u.reach(append(all, other...), e)
}

// reach is the transition to what is left after a symbol.
func (u *union) reach(left []said, e dfa.Emission) (unionState, dfa.Emission, *Fault) {
	u.set = u.set[:0]
	for i := range left {
		u.set = append(u.set, left[i].member)
	}
	next, added := u.intern(u.set)
	if !added {
		return next, e, nil
	}
	_, _, fault := u.endOf(next)
	return next, e, fault
}

// agreed gives those of all that are left where they do not say the same.
func (u *union) agreed(all []said) ([]said, *Fault) {
	first := -1 // that says something else than data
	for i := range all {
		if all[i].emit != data && first < 0 {
			first = i
		}
	}
	if first < 0 {
		return all, nil
	}
	var left []said
	for i := range all {
		x := &all[i]
		switch {
		case x.emit == all[first].emit:
			left = append(left, *x)
		case x.emit != data || u.alts[x.alt].shape != u.alts[all[first].alt].shape || i < first:
			what := "a field ends in one, and goes on in the other"
			if x.emit != data {
				what = "it is not the same field that ends, or no field"
			}
			return nil, u.conflict(all[first], *x, what, "")
		}
	}
	return left, nil
}

// conflict is the fault of two templates that say different things of a symbol.
func (u *union) conflict(x, y said, what, hint string) *Fault {
	a, b := &u.alts[x.alt], &u.alts[y.alt]
	f := &Fault{Where: "template"}
	if hint == "" {
		hint = "a type with a form, a dfa, a width or text that differs before this place tells them apart"
	}
	f.Hint = hint
	if a.shape != b.shape {
		f.Shape, f.Other = u.shapes[min(a.shape, b.shape)].Name, u.shapes[max(a.shape, b.shape)].Name
		f.What = fmt.Sprintf("nothing tells shape %s from shape %s before this place, where %s", f.Shape, f.Other, what)
		return f
	}
	f.Fields = []string{u.place(x), u.place(y)}
	f.What = fmt.Sprintf("field %s or field %s may stand here, and nothing tells which", f.Fields[0], f.Fields[1])
	return f
}

// place is the field that a member is in, or comes to.
func (u *union) place(x said) string {
	if x.emit.Boundary() && x.emit.Column >= 0 {
		return u.columns[x.emit.Column].Name
	}
	t := u.alts[x.alt].template
	state := &u.members[x.member].state
	if state.hole >= 0 {
		return t.columns[t.ins[state.hole].col].Name
	}
	for _, c := range t.sets[state.set] {
		if t.ins[c.pc].op == opHole {
			return t.columns[t.ins[c.pc].col].Name
		}
	}
	return t.columns[len(t.columns)-1].Name
}

// failure is the emission where nothing goes on.
func (u *union) failure(failed []said) dfa.Emission {
	e := failed[0].emit
	e.Code = u.reason(failed)
	return e
}

// reason is the code of why, which is the same in many places.
func (u *union) reason(failed []said) dfa.ErrorCode {
	u.key = u.key[:0]
	for i := range failed {
		u.key = binary.AppendUvarint(binary.AppendUvarint(u.key, uint64(u.alts[failed[i].alt].shape)), uint64(failed[i].emit.Code))
	}
	code, ok := u.reasons[string(u.key)]
	if !ok {
		key := string(u.key)
		code = u.code(u.why(failed))
		u.reasons[key] = code
	}
	return code
}

// why says of all that do not go on, or cannot end, what was expected.
func (u *union) why(failed []said) string {
	var texts []string
	for shape := range u.shapes {
		var own []string
		for _, x := range failed {
			if text := u.texts[x.emit.Code-1]; u.alts[x.alt].shape == shape && !slices.Contains(own, text) {
				own = append(own, text)
			}
		}
		switch {
		case len(own) == 0:
		case !u.named():
			texts = append(texts, strings.Join(own, "; or "))
		default:
			texts = append(texts, fmt.Sprintf("shape %s: %s", u.shapes[shape].Name, strings.Join(own, "; or ")))
		}
	}
	return strings.Join(texts, "; ")
}

// unionEnd is what the end of the record means in a state, and whether it holds a \r there.
type unionEnd struct {
	e     dfa.Emission
	holds bool
	fault *Fault
	known bool
}

// endOf is the unionEnd of s, which is asked for often.
func (u *union) endOf(s unionState) (e dfa.Emission, holds bool, fault *Fault) {
	for int(s) >= len(u.ends) {
		u.ends = append(u.ends, unionEnd{})
	}
	if !u.ends[s].known {
		e, holds, fault = u.findEnd(s)
		u.ends[s] = unionEnd{e, holds, fault, true}
	}
	x := &u.ends[s]
	return x.e, x.holds, x.fault
}

func (u *union) findEnd(s unionState) (e dfa.Emission, holds bool, fault *Fault) {
	var ends, other, failed []said
	for _, n := range u.sets[s] {
		m := u.members[n]
		a := &u.alts[m.alt]
		x := said{n, m.alt, u.in(m.alt, a.endRecord(m.state))}
		switch {
		case x.emit.Code != 0:
			failed = append(failed, x)
			holds = holds || a.holds(m.state, '\r')
		case a.otherwise:
			other = append(other, x)
		default:
			ends = append(ends, x)
		}
	}
	if len(ends) == 0 && len(other) > 0 {
		ends = other
	}
	if len(ends) == 0 {
		e = failed[0].emit
		e.Code = u.reason(failed)
		return e, holds, nil
	}
	for _, x := range ends[1:] {
		if x.emit == ends[0].emit {
			continue
		}
		a, b := &u.alts[ends[0].alt], &u.alts[x.alt]
		if a.shape != b.shape {
			return ends[0].emit, false, &Fault{Where: "template", Shape: u.shapes[a.shape].Name, Other: u.shapes[b.shape].Name,
				What: fmt.Sprintf("a record may be of shape %s and of shape %s", u.shapes[a.shape].Name, u.shapes[b.shape].Name),
				Hint: "a type with a form, a width or text that differs tells them apart"}
		}
		if !a.hasForm(u.members[ends[0].member].state) || b.hasForm(u.members[x.member].state) {
			return ends[0].emit, false, u.conflict(ends[0], x, "", "")
		}
	}
	return ends[0].emit, false, nil
}

// hasForm reports whether s is in a field with a form of its own.
func (t *template) hasForm(s templateState) bool {
	return s.hole >= 0 && t.ins[s.hole].op == opHole && t.ins[s.hole].hole.Embedded != nil
}

// inLast is s as a state in the last field, if that is what comes next or what is
// being read in some template; of several the one that counts is left.
func (u *union) inLast(s unionState) (unionState, bool) {
	var left, other []int32
	for _, n := range u.sets[s] {
		m := u.members[n]
		a := &u.alts[m.alt]
		state, ok := a.inLast(m.state)
		switch {
		case ok && a.otherwise:
			other = append(other, u.numberOf(member{m.alt, state}))
		case ok:
			left = append(left, u.numberOf(member{m.alt, state}))
		}
	}
	if len(left) == 0 {
		left = other
	}
	if len(left) == 0 {
		return s, false
	}
	next, _ := u.intern(left[:1:1]) // two shapes that may end here have been refused
	return next, true
}

// lastField is the end of a record in its last field.
func (u *union) lastField(s unionState) dfa.Emission {
	m := u.members[u.sets[s][0]]
	return u.in(m.alt, u.alts[m.alt].lastField(m.state))
}

func (u *union) endRecord(s unionState) dfa.Emission {
	e, _, _ := u.endOf(s)
	return e
}

func (u *union) lineEnd(s unionState) (dfa.Emission, lineRule) {
	rule := lineRuleOf(u.lax)
	if !u.whole && !u.keepBlank && s == u.initial {
		return dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn, Record: dfa.DroppedRecord}, rule
	}
	e, holds, _ := u.endOf(s)
	if e.Code != 0 && holds {
		rule = feedLine
	}
	return e, rule
}

func (u *union) end(s unionState) dfa.Emission {
	if !u.whole && s == u.initial {
		return skip
	}
	e, _, _ := u.endOf(s)
	return e
}

func (u *union) describe(s unionState) dfa.State {
	set := u.sets[s]
	first := u.members[set[0]]
	d := u.alts[first.alt].describe(first.state)
	if u.named() {
		d.Doc += " of shape " + u.shapes[u.alts[first.alt].shape].Name
	}
	docs := []string{d.Doc}
	for _, n := range set[1:] {
		m := u.members[n]
		x := u.alts[m.alt].describe(m.state)
		if u.named() {
			x.Doc += " of shape " + u.shapes[u.alts[m.alt].shape].Name
		}
		if !slices.Contains(docs, x.Doc) {
			docs = append(docs, x.Doc)
		}
	}
	if len(docs) > 1 {
		d.Name += "_OR"
		d.Doc = strings.Join(docs, ", or ")
	}
	return d
}

func (u *union) groups() *groups {
	g := new(groups)
	for i := range u.alts {
		g = merged(g, u.alts[i].groups())
	}
	return g
}

// classes are the lexeme classes: those of a Program with shapes are those of the
// fields that end records.
func (u *union) classes() []string {
	classes := []string{"any"}
	if u.named() {
		for _, s := range u.shapes {
			classes = append(classes, "the last of shape "+s.Name)
		}
	}
	return classes
}
