package convert

import (
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// Slow is why the fields of a column take much longer to convert than those of most
// columns: there is no loop for many of them at once, see fixed, and the parser
// reads each. What it costs was measured; docs/performance.md has the figures.
type Slow struct {
	Why     string // what is read one by one
	Nanos   int    // that a value takes, about,
	Usual   int    // where one of Than takes so many
	Than    string
	Instead string // what to write where speed counts; "" if there is nothing
}

// costs are nanoseconds a value of types whose fields are read one by one, the best of
// many rounds; see BenchmarkAppend.
const (
	costList, costMap     = 21, 26 // by masks
	costListOther         = 140
	costMapOther          = 330
	costMapAhead          = 82 // by signs
	costMapBridged        = 130
	costMapLists          = 66 // more, of four keys, one of them twice
	costDictionary        = 8
	costText              = 2
	costDefault           = 11
	costNumber            = 1
	costParsedNumber      = 20
	costGrouped           = 15
	costHex, costBase64   = 21, 24
	costEnum, costMany    = 2, 18
	costClock             = 2
	costLayout, costNames = 32, 49
	costTwelve            = 62
	costForms             = 83 // of three, the last
	costForeign           = 159
	costSize              = 18
	costClocked, costGo   = 5, 16 // of durations
)

// FindSlow says why a column is slow; nil if it is not, or has no converter.
func FindSlow(col *dfa.Column, opt Options) *Slow {
	c, err := NewConverter(col, opt)
	if err != nil {
		return nil
	}
	t := &col.Type
	switch t.Kind {
	case dfa.List:
		s := &Slow{Why: "each value is taken apart into its elements", Nanos: costListOther, Usual: costText, Than: "a str"}
		if c.impl.(*nested).lists != nil {
			s.Nanos = costList
		}
		return s
	case dfa.Map:
		s := &Slow{Why: "each value is taken apart into keys and values", Nanos: costMapOther, Usual: costText, Than: "a str"}
		if n := c.impl.(*nested); n.pairs != nil || n.packer != nil {
			s.Nanos = costMap
		} else if n.keysAhead != nil {
			s.Nanos = costMapAhead
		} else if n.bridges != nil {
			s.Nanos = costMapBridged
		}
		if t.Duplicates == dfa.ListDuplicates {
			s.Why, s.Nanos = s.Why+", and the values of keys that repeat are put side by side", s.Nanos+costMapLists
		}
		return s
	case dfa.Dictionary:
		return &Slow{Why: "each value is looked for among those before it", Nanos: costDictionary, Usual: costText, Than: "a str",
			Instead: "enum(…) if the values are known, str if they need not be stored once"}
	case dfa.String:
		if c.def != nil {
			return &Slow{Why: "values with a default are copied one by one", Nanos: costDefault, Usual: costText, Than: "a str without"}
		}
		return nil
	case dfa.Binary:
		switch t.Encoding {
		case dfa.Hex:
			return &Slow{Why: "hexadecimal digits are decoded one by one", Nanos: costHex, Usual: costText, Than: "a str", Instead: "str, which keeps the digits"}
		case dfa.Base64:
			return &Slow{Why: "base64 is decoded value by value", Nanos: costBase64, Usual: costText, Than: "a str", Instead: "str, which keeps it as it is"}
		}
		return nil
	}
	if i := slowForm(t, opt); i > 0 {
		return slowForms(t, i)
	}
	if len(t.Or) > 0 { // of the first form alone
		x := *col
		x.Type.Or = nil
		if s := FindSlow(&x, opt); s != nil {
			return s
		}
	}
	if !c.oneByOne() {
		if t.Kind == dfa.Duration && t.Layout != "" {
			return slowDuration(t)
		}
		if t.Thousands != 0 && t.Kind >= dfa.Int8 && t.Kind <= dfa.Decimal {
			return &Slow{Why: fmt.Sprintf("numbers in which %q separates thousands are copied without", rune(t.Thousands)),
				Nanos: costGrouped, Usual: costNumber, Than: "a number without"}
		}
		return nil
	}
	return slowKind(t)
}

// slowDuration is why durations are slow that are no count: their loop has no vector code.
func slowDuration(t *dfa.Type) *Slow {
	s := &Slow{Why: "durations of hours, minutes and seconds are read one after the other", Nanos: costClocked, Usual: costNumber, Than: "a count of seconds"}
	if t.Layout == "go" {
		s.Why, s.Nanos = "durations of numbers and units are read one after the other", costGo
	}
	return s
}

// oneByOne reports whether there is no loop for the fields of the column.
func (c *Converter) oneByOne() bool {
	p, ok := c.impl.(interface{ oneByOne() bool })
	return ok && p.oneByOne()
}

// slowKind is why fields of a type are slow for which there is no loop.
func slowKind(t *dfa.Type) *Slow {
	s := &Slow{Why: "values of this type are read one by one", Nanos: costParsedNumber, Usual: costNumber, Than: "a plain number"}
	switch {
	case t.Size != 0:
		s.Why, s.Nanos = "sizes have units, and are read one by one", costSize
		s.Instead = "whole bytes without a unit, if whoever writes the file can write them"
	case t.Kind == dfa.Enum:
		s.Why, s.Nanos, s.Usual = fmt.Sprintf("%d tokens are too many for a table of words", len(t.Tokens)), costMany, costEnum
		s.Than = fmt.Sprintf("an enum of up to %d", mostTokens)
	case t.Kind == dfa.Date || t.Kind == dfa.Time || t.Kind == dfa.Timestamp:
		slowLayout(s, t)
	}
	return s
}

// foreign reports whether a layout has names that the spec gives.
func foreign(l *layout) bool {
	for i := range l.ops {
		if l.ops[i].words != nil {
			return true
		}
	}
	return false
}

// slowForms is why times in form i of several layouts are slow.
func slowForms(t *dfa.Type, i int) *Slow {
	return &Slow{Why: fmt.Sprintf("a time in number %d of the %d layouts is tried in one after the other, and read directive by directive", i+1, 1+len(t.Or)),
		Nanos: costForms, Usual: costClock, Than: "one in the first", Instead: "the layout of most times first"}
}

// slowLayout completes s for times that are neither of the layouts with a loop nor
// have a frame.
func slowLayout(s *Slow, t *dfa.Type) {
	s.Nanos, s.Usual, s.Than = costLayout, costClock, "one of %F %T"
	l, err := layoutOf(t)
	switch {
	case err != nil: // there is none
	case foreign(l):
		s.Why, s.Nanos = "names of months, days or zones that the spec gives are compared one by one", costForeign
		if t.Kind == dfa.Date {
			s.Than = "one of %F"
		}
	case l.hasAny("Ip"):
		s.Why, s.Nanos = "the clock of the layout has twelve hours, and its fields are read directive by directive", costTwelve
		s.Instead = "%H, if whoever writes the file can write 24 hours"
	case t.Kind == dfa.Date && l.hasAny("abABh"):
		s.Why, s.Nanos, s.Than = "names of months or days are compared one by one", costNames, "one of %F"
		s.Instead = "a str, and the date made of it later, if it is not needed in every row"
	case t.Kind == dfa.Date:
		s.Why, s.Than = "the layout has more than years, months and days in numbers, and is read directive by directive", "one of %F"
	case l.has['s']:
		s.Why, s.Instead = "%s is read directive by directive", "epoch(s), which reads the same"
	case t.Kind == dfa.Time:
		s.Why, s.Than = "the layout has no hours, minutes and seconds of two digits each, and is read directive by directive", "one of %T"
	default:
		s.Why, s.Nanos = "the layout has no hours and minutes of two digits each, and is read directive by directive", costNames
	}
}
