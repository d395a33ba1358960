package pace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime/gpu"
)

// Finding is something slow.
type Finding struct {
	Pos     lexer.Position // where the spec makes it so; none of a saved Program
	Message string
}

// String is "file:line:col: slow: message".
func (f Finding) String() string {
	if f.Pos.Line == 0 {
		return "slow: " + f.Message
	}
	return f.Pos.String() + ": slow: " + f.Message
}

// Find says what is slow about a format, in the order of its spec.
func Find(spec *compile.Spec) []Finding {
	f := finder{Spec: spec, p: spec.Program}
	f.index()
	f.several()
	f.columns(f.p.Columns, false)
	f.gpu()
	slices.SortStableFunc(f.found, func(a, b Finding) int {
		if a.Pos.Filename != b.Pos.Filename {
			return strings.Compare(a.Pos.Filename, b.Pos.Filename)
		}
		return a.Pos.Offset - b.Pos.Offset
	})
	return f.found
}

type finder struct {
	*compile.Spec
	p     *dfa.Program
	found []Finding
}

func (f *finder) add(pos lexer.Position, format string, args ...any) {
	f.found = append(f.found, Finding{pos, fmt.Sprintf(format, args...)})
}

// Times as much time as the index of other formats takes; docs/performance.md has what
// was measured.
const (
	oddTimes     = 10 // stepped, where masks find something odd
	hopTimes     = 4  // by hops instead
	steppedTimes = 10 // stepped altogether
	detourTimes  = 2  // where hops find an escape in each record
	tableTimes   = 4  // the same, in lanes

	malformedTimes = 5 // a malformed record, where others are read by hops
)

// index says what of the records is stepped.
func (f *finder) index() {
	r := f.p.Analysis()
	said := map[string]bool{} // of an escape, at its first place
	for _, s := range f.Places.Said {
		what, instead, hops := "", "", false
		switch s.What {
		case compile.SaidSeparator:
			if len(s.Text) > 1 && f.odd(s.Text[0]) {
				what = fmt.Sprintf("a record with the separator %q, of several bytes beside one of a single byte,", s.Text)
				instead, hops = "only the separator that the file has", true
			}
		case compile.SaidRun:
			if f.odd(s.Text[0]) {
				what = fmt.Sprintf("a record with more than one %q in a row", s.Text)
				instead, hops = "no bracket, escape or lax where no field wants one, or how many there always are", true
			}
		case compile.SaidBlanks:
			if f.odd(' ') {
				what = "a record with blanks around a separator"
				instead, hops = "sep \", \" where there is always one behind it", true
			}
		case compile.SaidMaxLines:
			if m := r.ByMasks(); m == nil || m.Quote != nil && m.Quote.Odd.Has('\n') {
				what = "a record with a line end in quotes"
				instead = "no max_lines if all quotes are closed"
			}
		case compile.SaidGroups:
			if odd := f.oddData(); odd != "" && r.IndexPath() == "masks" {
				f.add(s.Pos, "a record with one of %s is stepped, about %d times the time to find its fields: what follows depends on it, and it is no quote or bracket that a field begins with", odd, tableTimes)
			}
		case compile.SaidEscape:
			detours := r.IndexPath() == "hops" && f.p.Automaton.Escapes()
			if said[s.Text] || !detours && !f.escapes(s) {
				break
			}
			said[s.Text] = true
			if what = fmt.Sprintf("a record with an escape, %s and what follows it,", dfa.FormatSymbol(s.Text[0])); detours {
				f.add(s.Pos, "%s leaves the path of the others and comes back behind it, about %d times the time to find its fields", what, detourTimes)
				continue
			}
		case compile.SaidShape:
			if r.IndexPath() == "hops" {
				f.add(s.Pos, "records of %d shapes are read along the path of one after the other, about %d times the time to find their fields if they take turns", len(f.p.Shapes), shapeTimes(len(f.p.Shapes)))
			}
		case compile.SaidSkip:
			if r.IndexPath() == "hops" && !f.drops(s.Text) {
				f.add(s.Pos, "skip passes over lines that begin with %q at the head alone: one further down is a record, and if it is malformed, finding that takes about %d times as long as the fields of others%s",
					s.Text, malformedTimes, insteadOf(fmt.Sprintf("comment %q in delimited or lines, if no record begins so", s.Text)))
			}
		}
		if what == "" || r.IndexPath() == "steps" {
			continue
		}
		if hops && r.Groups <= dfa.MaxHopGroups {
			f.add(s.Pos, "%s is read along the path of others, about %d times the time to find its fields%s", what, hopTimes, insteadOf(instead))
			continue
		}
		f.add(s.Pos, "%s is stepped byte by byte, about %d times the time to find its fields%s", what, oddTimes, insteadOf(instead))
	}
	if r.IndexPath() == "steps" {
		pos := f.Places.Form
		for _, s := range f.Places.Said {
			if s.What == compile.SaidGroups {
				pos = s.Pos
			}
		}
		f.add(pos, "every record is stepped byte by byte, about %d times the time to find its fields: its symbols are of %d groups, and only up to %d are read otherwise%s",
			steppedTimes, r.Groups, dfa.MaxHopGroups, insteadOf("fewer texts, layouts and tokens that treat symbols each in its own way"))
	}
}

// drops reports whether a line that begins with a text is dropped wherever it is, as comments are.
func (f *finder) drops(text string) bool {
	a := f.p.Automaton
	state := a.Start
	for _, c := range []byte(text) {
		state, _ = a.Step(state, c)
	}
	em := a.EOF(state)
	return em.Kind == dfa.Record && em.Record == dfa.DroppedRecord
}

// shapeTimes is how many times the time to find the fields of records of one shape those of several take.
func shapeTimes(n int) int {
	switch {
	case n <= 3:
		return 2
	case n <= 8:
		return 3
	case n <= 16:
		return 5
	}
	return 10 // most are read by themselves
}

// odd reports whether masks take symbol for odd somewhere.
func (f *finder) odd(symbol byte) bool {
	m := f.p.Analysis().ByMasks()
	if m == nil {
		return false
	}
	odd := m.Odd.Union(m.OddFirst).Union(m.OddNext)
	for _, x := range []*dfa.Enclosure{m.Quote, m.Bracket} {
		if x != nil {
			odd = odd.Union(x.Odd)
		}
	}
	return odd.Has(symbol)
}

// oddData is the symbols that masks take for odd though a record may begin with them.
func (f *finder) oddData() string {
	var odd []string
	t := f.p.Automaton.Table()
	for c := range 256 {
		if m := f.p.Analysis().ByMasks(); m == nil || !m.Odd.Has(byte(c)) || t.Entry(m.Begin, byte(c)).Kind() == dfa.Error {
			continue
		}
		odd = append(odd, dfa.FormatSymbol(byte(c)))
	}
	if len(odd) > maxOdd {
		odd = append(odd[:maxOdd], "…")
	}
	return strings.Join(odd, " ")
}

// maxOdd is the most symbols that are named.
const maxOdd = 8

// escapes reports whether records with an escape are stepped, and may well be many. In
// what is quoted in a log they are few; by hops they are gone over.
func (f *finder) escapes(s compile.Said) bool {
	m := f.p.Analysis().ByMasks()
	if len(s.Text) != 1 || !f.p.Automaton.Escapes() {
		return false
	}
	return m != nil && f.odd(s.Text[0]) && (!s.Hole || m.Odd.Has(s.Text[0]))
}

// insteadOf ends a message with what to write instead, if there is something.
func insteadOf(what string) string {
	if what == "" {
		return ""
	}
	return "; faster: " + what
}

// several says why several workers do not read side by side.
func (f *finder) several() {
	if len(f.p.Directives) == 0 {
		return
	}
	pos := f.Places.Form
	if i := slices.IndexFunc(f.Places.Said, func(s compile.Said) bool { return s.What == compile.SaidDirective }); i >= 0 {
		pos = f.Places.Said[i].Pos
	}
	host := ""
	if slices.ContainsFunc(f.p.Directives, func(d dfa.Directive) bool { return d.Action == dfa.SchemaDirective }) {
		host = "; on a GPU the CPU reads the parts of the input in which columns are named"
	}
	f.add(pos, "with directives the input is read one partition after the other, which several threads share, and without each thread reads its own%s", host)
}

// baseTime completes times without a year.
var baseTime = time.Unix(1767225600, 0)

// columns says which of columns, or of the parts of one, and of the parts of these, are slow to convert.
func (f *finder) columns(columns []dfa.Column, parts bool) {
	for i := range columns {
		c := &columns[i]
		if c.Split != nil {
			f.columns(c.Split.Columns, true)
		}
		if c.Hidden {
			continue
		}
		onHost := gpu.OnHost(f.p, c, parts)
		s := convert.FindSlow(c, convert.Options{BaseTime: baseTime, UTF8: f.p.UTF8})
		switch {
		case s != nil:
			host := ""
			if onHost {
				host = "; on a GPU the CPU does it"
			}
			f.add(f.column(c.Name), "column %q, %s: %s, about %d ns a value where %s takes %d%s%s", c.Name, kindName(&c.Type), s.Why, s.Nanos, s.Than, s.Usual, insteadOf(s.Instead), host)
		case onHost:
			f.add(f.column(c.Name), "column %q, %s: on a GPU the CPU converts it", c.Name, kindName(&c.Type))
		}
	}
}

// kindName is the type in short.
func kindName(t *dfa.Type) string { return convert.FactsOf(t.Kind).Name }

// column is where a column stands.
func (f *finder) column(name string) lexer.Position {
	if pos, ok := f.Places.Columns[name]; ok {
		return pos
	}
	return f.Places.Form
}

// gpu says what else is slow on a GPU.
func (f *finder) gpu() {
	if gpu.Vectors(f.p) {
		f.add(f.Places.Form, "on a GPU the contexts of this automaton are found by vectors of %d states in memory, at least 10 times the time that others take: it has more transitions than fit a block's shared memory",
			f.p.Analysis().MaxLive)
	}
	if f.p.Automaton.Touches() {
		f.add(f.Places.Form, "on a GPU the CPU reads all of it: some fields have nothing between them")
	}
	for i := range f.p.Columns {
		if c := &f.p.Columns[i]; gpu.OnHostSplit(c) {
			f.add(f.Places.Splits[c.Name], "on a GPU the CPU takes column %q apart: it is trimmed, or its parts have keys, escapes or nothing between them", c.Name)
		}
	}
}
