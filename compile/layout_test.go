package compile

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// The directives that are known here are those that the converters read.
func TestDirectivesAreThoseOfConvert(t *testing.T) {
	for d := byte('!'); d <= '~'; d++ {
		layout := "%F %" + string(rune(d))
		switch d { // one without the other is a fault of both
		case 'I':
			layout += " %p"
		case 'p':
			layout += " %I"
		}
		column := &dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: layout}}
		_, err := convert.NewConverter(column, convert.Options{})
		if _, bad := parseLayout(layout); (bad == nil) != (err == nil) {
			t.Errorf("%%%c: here %v, the converter says %v", d, bad, err)
		}
		if _, ok := directives[d]; ok != (formDirectives[d] != nil) {
			t.Errorf("%%%c has no form", d)
		}
	}
}

func TestCheckLayout(t *testing.T) {
	for _, c := range []struct {
		kind   dfa.TypeKind
		layout string
		fault  string // "" for none
	}{
		{dfa.Timestamp, "%d/%b/%Y:%H:%M:%S %z", ""},
		{dfa.Timestamp, "%b %e %T", ""},
		{dfa.Timestamp, "%Y-%jT%H", ""},
		{dfa.Timestamp, "%s.%f", ""},
		{dfa.Timestamp, "%A, %B %d %Y %I:%M:%S%p %Z", ""},
		{dfa.Date, "%D", ""},
		{dfa.Time, "%R:%S.%L", ""},
		{dfa.Timestamp, "%Y-%m", "names no day"},
		{dfa.Timestamp, "%T", "the type is time"},
		{dfa.Timestamp, "%F %T %y", "reads the year twice, with %Y and %y"},
		{dfa.Timestamp, "%F %I:%M", "%p is missing"},
		{dfa.Timestamp, "%F %H:%M %p", "%p goes with %I"},
		{dfa.Timestamp, "%s %F", "whole time stamp"},
		{dfa.Timestamp, "%F %H:%M.%f", "without seconds"},
		{dfa.Timestamp, "%F %", "ends after %"},
		{dfa.Timestamp, "%F %N", "use %f"},
		{dfa.Date, "%F %H", "the type for that is ts"},
		{dfa.Time, "%H %z", "the type for that is ts"},
		{dfa.Time, "%M:%S", "has no hour"},
	} {
		err := checkLayout(c.kind, c.layout)
		switch {
		case err == nil && c.fault != "":
			t.Errorf("%q: no fault, want %q", c.layout, c.fault)
		case err != nil && (c.fault == "" || !strings.Contains(err.message, c.fault)):
			t.Errorf("%q: %q, want %q", c.layout, err.message, c.fault)
		}
	}
}

// matches reports whether text has the shape, byte by byte.
func matches(shape []dfa.Set, text string) bool {
	if len(text) != len(shape) {
		return false
	}
	for i := range shape {
		if !shape[i].Has(text[i]) {
			return false
		}
	}
	return true
}

func TestLayoutShape(t *testing.T) {
	for _, c := range []struct {
		layout string
		whole  bool
		yes    []string
		no     []string
	}{
		{"%F %T,%L", true, []string{"2024-05-06 07:08:09,123"}, []string{"2024-05-06T07:08:09,123", "2024-95-06 07:08:09,123", "	at com.x"}},
		{"%b %e %T", true, []string{"Jan  5 10:00:00", "DEC 31 23:59:60"}, []string{"Jan 50 10:00:00", "Xan  5 10:00:00"}},
		{"%F %T.%f", false, []string{"2024-05-06 07:08:09."}, nil},
		{"%B %d", false, []string{""}, nil},
		{"%%%j%n%t", true, []string{"%366\n\t"}, []string{"%999\n\t"}},
	} {
		shape, whole := layoutShape(&dfa.Type{}, c.layout)
		if whole != c.whole {
			t.Errorf("%q: whole is %v", c.layout, whole)
		}
		for _, s := range c.yes {
			if !matches(shape, s) {
				t.Errorf("%q does not match %q", c.layout, s)
			}
		}
		for _, s := range c.no {
			if matches(shape, s) {
				t.Errorf("%q matches %q", c.layout, s)
			}
		}
	}
}

// accepts reports whether a form takes all of text.
func accepts(a *dfa.Automaton, text string) bool {
	s := a.Start
	for i := range len(text) {
		next, e := a.Step(s, text[i])
		if e.Kind == dfa.Error {
			return false
		}
		s = next
	}
	return a.EOF(s).Code == 0
}

func TestTimeForm(t *testing.T) {
	for _, c := range []struct {
		column dfa.Column
		yes    []string
		no     []string
	}{
		{dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%b %e %T"}, Nulls: []string{"-", "n a"}},
			[]string{"Jan  5 10:00:00", "Jan 15 1:2:3", "-", "n a"}, []string{"", "Jan 5", "Jan 5 10:00:00 ", "J n 5 10:00:00", "--"}},
		{dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T.%f %z"}},
			[]string{"2024-05-06 07:08:09.1 Z", "2024-05-06 07:08:09.123456789 +01:00"}, []string{"2024-05-06 07:08:09. Z", "24-05-06 07:08:09.1 Z"}},
		{dfa.Column{Type: dfa.Type{Kind: dfa.Timestamp, Layout: "%s %Z %B"}}, []string{"-12 UTC May", "1 Z X"}, []string{"1 1 May"}},
		{dfa.Column{Type: dfa.Type{Kind: dfa.Enum, Tokens: []string{"a b", "a", "a b c"}}}, []string{"a", "a b", "a b c"}, []string{"a ", "b", ""}},
	} {
		alternatives, words := formOf(&c.column)
		m := formMachine{alternatives}
		a, err := m.build(words)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range c.yes {
			if !accepts(a, s) {
				t.Errorf("%v does not take %q", c.column.Type, s)
			}
		}
		for _, s := range c.no {
			if accepts(a, s) {
				t.Errorf("%v takes %q", c.column.Type, s)
			}
		}
	}
}
