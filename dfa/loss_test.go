package dfa

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/drawn"
)

// losing is a with nothing said to be open wherever an input may end.
func losing(a *Automaton) *Automaton {
	b := *a
	b.Emissions = append(slices.Clone(a.Emissions), Emission{Kind: Skip})
	b.AtEOF = slices.Repeat([]EmissionID{EmissionID(len(b.Emissions) - 1)}, len(a.States))
	return &b
}

func TestLossOfMachines(t *testing.T) {
	for name, a := range machines(t) {
		if l := a.RecordLoss(); l != nil {
			t.Errorf("%s: %+v", name, l)
		}
		if l := a.ValueLoss(); l != nil {
			t.Errorf("%s: value %+v", name, l)
		}
	}
	for _, c := range []struct {
		a             *Automaton
		record, value string
	}{
		{losing(csvMachine(t, true, true)), `"a" FLD data of a field have been read`, `"a" FLD data of a field have been read`},
		{losing(barsMachine(t)), `"a" FLD data of a field have been read`, `"a" FLD data of a field have been read`},
		{fieldsOnly(t), `"," FLD fields of the record have ended`, "nothing"},
		{errorOnly(t), `"a" BAD an error has been met`, "nothing"},
		{laggingEnd(t), `"aa" END the last 1 symbols belong to what follows the boundary`, `"aa" END the last 1 symbols belong to what follows the boundary`},
	} {
		text := func(l *Loss) string {
			if l == nil {
				return "nothing"
			}
			return fmt.Sprintf("%q %s %s", l.Input, c.a.States[l.State].Name, l.What)
		}
		if got := text(c.a.RecordLoss()); got != c.record {
			t.Errorf("of records: %s, want %s", got, c.record)
		}
		if got := text(c.a.ValueLoss()); got != c.value {
			t.Errorf("of values: %s, want %s", got, c.value)
		}
	}
}

// fieldsOnly has fields that each end at a comma, other symbols skipped.
func fieldsOnly(tb testing.TB) *Automaton {
	b := NewBuilder()
	fld := b.AddState("FLD", "inside a field")
	b.On(fld, Bytes(','), fld, field)
	b.Otherwise(fld, fld, skip)
	b.EOF(fld, skip)
	return mustBuild(tb, b)
}

// errorOnly accepts digits and skips them.
func errorOnly(tb testing.TB) *Automaton {
	b := NewBuilder()
	num, bad := b.AddState("NUM", "among digits"), b.AddState("BAD", "after an error")
	b.On(num, Range('0', '9'), num, skip)
	b.Otherwise(num, bad, Emission{Kind: Error, Code: b.Message("no digit")})
	b.Otherwise(bad, bad, skip)
	b.EOF(num, skip)
	b.EOF(bad, skip)
	a := mustBuild(tb, b)
	a.States[a.Next[int(a.Group['a'])*len(a.States)+int(a.Start)]].Name = "BAD"
	return a
}

// laggingEnd finds at the end that a record ended two symbols before.
func laggingEnd(tb testing.TB) *Automaton {
	b := NewBuilder()
	one, two, end := b.AddState("ONE", "at first"), b.AddState("TWO", "after one"), b.AddState("END", "after two")
	b.Otherwise(one, two, data)
	b.Otherwise(two, end, data)
	b.Otherwise(end, end, data)
	b.EOF(one, skip)
	b.EOF(two, record)
	b.EOF(end, Emission{Kind: Record, Column: NextColumn, Lag: 2})
	return mustBuild(tb, b)
}

// within are all inputs of up to so many symbols that groups tell apart.
func within(a *Automaton, most int) (all []string) {
	_, symbols := a.readable()
	all = []string{""}
	for from := 0; most > 0; most-- {
		to := len(all)
		for _, in := range all[from:to] {
			for _, b := range symbols {
				all = append(all, in+string([]byte{b}))
			}
		}
		from = to
	}
	return all
}

// TestLossIsFound compares what the automaton says of itself with what is lost of
// every short input: data symbols, fields or errors that no record has.
func TestLossIsFound(t *testing.T) {
	found := map[bool]int{}
	drawn.Check(t, "no automaton loses anything, or all do", func() bool { return found[true] > 0 && found[false] > 0 }, func(t *rapid.T) {
		a := drawAutomaton(t)
		if a.NGroups > 3 {
			t.Skip("too many inputs")
		}
		for _, value := range []bool{false, true} {
			l := a.loss(value)
			found[l != nil]++
			if l != nil && lost(a, string(l.Input), value) == "" {
				t.Fatalf("value %v: %q is said to lose that %s", value, l.Input, l.What)
			}
			if l != nil && len(l.Input) > 5 {
				continue
			}
			for _, in := range within(a, 5) {
				if what := lost(a, in, value); what != "" && (l == nil || len(in) < len(l.Input)) {
					t.Fatalf("value %v: %q loses that %s, but what was found is %+v", value, in, what, l)
				}
			}
		}
	})
}

// lost says what of an input the automaton drops at the end: all that was read
// since the last record ended, or, of a value, the last field.
func lost(a *Automaton, in string, value bool) string {
	s, fields, failed := a.Start, 0, false
	var open []int // data symbols, and those of escapes, of the present field
	for p := range len(in) {
		next, e := a.Step(s, in[p])
		failed = failed || e.Code != 0
		switch e.Kind {
		case Data:
			open = append(open, p)
		case Skip:
			if e.Escape {
				open = append(open, p)
			}
		case Field, Record:
			fields++
			open = open[:0]
			for q := e.Opens(p); q <= p; q++ {
				open = append(open, q)
			}
			if e.Escape {
				open = append(open, p)
			}
			if e.Kind == Record {
				fields = 0
				if !value {
					failed = false
				}
			}
		}
		s = next
	}
	e := a.EOF(s)
	switch {
	case value && failed:
		return ""
	case e.Kind == Record && len(in)-int(e.Lag)+1+int(e.Open) < len(in):
		return "symbols follow the boundary"
	case e.Kind == Record:
		return ""
	case len(open) > 0:
		return fmt.Sprintf("data are open at %v", open)
	case !value && failed:
		return "there was an error"
	case !value && fields > 0:
		return "fields have ended"
	}
	return ""
}

func TestValidateSplit(t *testing.T) {
	if err := pairMachine(t).ValidateSplit(); err != nil {
		t.Error(err)
	}
	for want, a := range map[string]*Automaton{
		"a record ends before the end of the value": barsMachine(t),
		`the end of the input ",", in state FLD`:    fieldsOnly(t),
	} {
		if err := a.ValidateSplit(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	dropping := pairMachine(t)
	for i := range dropping.Emissions {
		if e := &dropping.Emissions[i]; e.Kind == Record {
			e.Record = DroppedRecord
		}
	}
	if err := dropping.ValidateSplit(); err == nil || !strings.Contains(err.Error(), "a value is data") {
		t.Error(err)
	}
}
