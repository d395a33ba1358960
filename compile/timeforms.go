package compile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// A date or time may be written in several ways, ts("%F %T" | epoch(s)). The first
// that fits is the one that counts: fits says which symbols stand where, and nothing
// of which day it is. So whether a later one can be reached is known beforehand.

// maxForms bounds the layouts of a column.
const maxForms = 16

// forms reads alternatives: layouts, rfc3339 and epochs.
func (r *typeReader) forms(a *Arg) {
	if k := r.typ.Kind; k != dfa.Date && k != dfa.Time && k != dfa.Timestamp {
		r.fault(a.Or[0].Pos, "| stands between the layouts of a date, time or ts; %s has none", r.expr.Name)
		return
	}
	if len(a.Atoms) > 1 {
		r.fault(a.Pos, "the alternatives of a %s are layouts, which stand alone between | and |", r.expr.Name)
		return
	}
	if r.typ.Layout != "" || r.typ.Epoch || r.given["rfc3339"] != nil {
		r.fault(a.Pos, "a second layout; alternatives stand together, with | between them")
		return
	}
	if len(a.Or) >= maxForms {
		r.fault(a.Or[maxForms-1].Pos, "more than %d layouts", maxForms)
		return
	}
	before := len(r.bad.list)
	atoms := append([]*Atom{a.Atoms[0]}, a.Or...)
	var all []dfa.ClockForm
	for _, atom := range atoms {
		all = append(all, r.clockForm(atom))
	}
	if len(r.bad.list) > before {
		return
	}
	r.typ.Layout, r.typ.Epoch, r.typ.CountUnit, r.typ.Or = all[0].Layout, all[0].Epoch, all[0].CountUnit, all[1:]
	r.alternatives = atoms
}

// clockForm reads one alternative.
func (r *typeReader) clockForm(a *Atom) (f dfa.ClockForm) {
	switch w := a.Word; {
	case a.Text != nil && !a.Run:
		f.Layout = r.checkedLayout(a.Text)
	case w != nil && w.Name == "epoch" && r.typ.Kind == dfa.Timestamp:
		f.Epoch, f.CountUnit = true, r.epoch(w)
	case w != nil && w.Name == "rfc3339" && r.typ.Kind == dfa.Timestamp && len(w.Args) == 0:
	case r.typ.Kind == dfa.Timestamp:
		r.fault(a.Pos, "the alternatives of a ts are layouts, rfc3339 and epoch(…), not %s", a.source())
	default:
		r.fault(a.Pos, "the alternatives of a %s are layouts, not %s", r.expr.Name, a.source())
	}
	return f
}

// finishForms refuses alternatives of which some say which instant they mean and the
// others not, and those that no field reaches.
func (r *typeReader) finishForms() {
	forms := r.typ.Forms()
	for i := range forms {
		f := &forms[i]
		if r.typ.Kind == dfa.Timestamp && r.typ.Zone == "" && !r.typ.NoZone && knowsInstant(f) != knowsInstant(&forms[0]) {
			with, without := f, &forms[0]
			if !knowsInstant(with) {
				with, without = without, with
			}
			r.fault(r.alternatives[i].Pos, "%s says which instant a time is, %s does not; tz \"Europe/Berlin\" says by which zone these are",
				clockFormName(with), clockFormName(without))
			return
		}
	}
	for i := range forms[1:] {
		witness, reached, err := r.bad.work.reached(forms[:i+2])
		switch {
		case err != nil:
			r.bad.add(lowered(err, r.expr.Pos, ""))
			return
		case !reached:
			r.fault(r.alternatives[i+1].Pos, "%s is never reached: what fits it fits one that stands before it; witness: %s",
				clockFormName(&forms[i+1]), strconv.Quote(witness))
		}
	}
}

// knowsInstant reports whether a form says which instant a time is, if no zone does.
func knowsInstant(t *dfa.Type) bool { return isISO(t) || saysInstant(t) }

func isISO(t *dfa.Type) bool { return t.Layout == "" && !t.Epoch }

func saysInstant(t *dfa.Type) bool {
	return t.Epoch || layoutGives(t.Layout, "offset") || layoutGives(t.Layout, "epoch")
}

// clockFormName is the form as a spec has it.
func clockFormName(t *dfa.Type) string {
	switch {
	case t.Epoch:
		return "epoch(" + t.CountUnit.String() + ")"
	case t.Layout == "":
		return "rfc3339"
	}
	return strconv.Quote(t.Layout)
}

// clockItems are the ways in which a date or time of one form may look. exactly: names
// are those that are read, not any letters, and what belongs together is there
// together.
func clockItems(t *dfa.Type, exactly bool) ([][]formItem, *layoutError) {
	if t.Epoch {
		return numberForms, nil
	}
	if t.Layout == "" {
		return isoForms(t), nil
	}
	parts, err := parseLayout(t.Layout)
	if err != nil {
		return nil, err
	}
	forms := [][]formItem{nil}
	for _, p := range parts {
		own := spellings(t, p.directive)
		switch {
		case p.directive == 0:
			forms = crossed(forms, []formItem{{set: dfa.Bytes(p.literal)}})
		case own != nil:
			forms = crossed(forms, []formItem{{words: own}})
		case exactly && directiveNames[p.directive] != nil:
			forms = crossed(forms, []formItem{{words: directiveNames[p.directive]}})
		case exactly && p.directive == 'z':
			forms = crossed(forms, offsetForms...)
		default:
			forms = crossed(forms, p.form())
		}
	}
	return forms, nil
}

// crossed is each of forms followed by each of next. The forms are used up: what
// follows them alone is appended, since a layout may be long.
func crossed(forms [][]formItem, next ...[]formItem) (all [][]formItem) {
	if len(next) == 1 {
		for i := range forms {
			forms[i] = append(forms[i], next[0]...)
		}
		return forms
	}
	for _, f := range forms {
		for _, n := range next {
			all = append(all, slices.Concat(f, n))
		}
	}
	return all
}

// isoForms are what a date, time or time stamp without a layout may look like.
func isoForms(t *dfa.Type) [][]formItem {
	date, clock := literalItems("0000-00-00"), literalItems("00:00:00")
	forms := [][]formItem{clock}
	switch t.Kind {
	case dfa.Date:
		return [][]formItem{date}
	case dfa.Timestamp:
		forms = crossed(crossed([][]formItem{date}, []formItem{{set: dfa.Bytes('T', 't', ' ')}}), clock)
	}
	forms = crossed(forms, nil, []formItem{{set: dfa.Bytes('.')}, {set: digit, repeat: true}})
	if t.Kind == dfa.Timestamp && !t.NoZone {
		forms = crossed(forms, append([][]formItem{nil}, offsetForms...)...)
	}
	return forms
}

// literalItems are those of a text in which 0 is any digit.
func literalItems(text string) (items []formItem) {
	for i := range len(text) {
		if set := dfa.Bytes(text[i]); text[i] == '0' {
			items = append(items, formItem{set: digit})
		} else {
			items = append(items, formItem{set: set})
		}
	}
	return items
}

var (
	offsetForms = func() (forms [][]formItem) {
		for _, text := range []string{"00", "0000", "00:00"} {
			forms = append(forms, append([]formItem{{set: dfa.Bytes('+', '-')}}, literalItems(text)...))
		}
		return append(forms, []formItem{{set: dfa.Bytes('Z', 'z')}})
	}()

	// numberForms are what a number may look like that counts since 1970.
	numberForms = func() [][]formItem {
		sign := formItem{set: dfa.Bytes('+', '-'), optional: true}
		some, any := formItem{set: digit, repeat: true}, formItem{set: digit, repeat: true, optional: true}
		point, e := formItem{set: dfa.Bytes('.')}, formItem{set: dfa.Bytes('e', 'E')}
		forms := [][]formItem{{sign, some}, {sign, some, point, any}, {sign, point, some}}
		return crossed(forms, nil, []formItem{e, sign, some})
	}()
)

// directiveNames are the words that directives read, in lower case.
var directiveNames = map[byte][]string{
	'b': strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec"),
	'B': strings.Fields("january february march april may june july august september october november december"),
	'a': strings.Fields("mon tue wed thu fri sat sun"),
	'A': strings.Fields("monday tuesday wednesday thursday friday saturday sunday"),
	'p': strings.Fields("am pm"),
	'Z': strings.Fields("utc gmt z"),
}
