package expr

import (
	"math/big"

	"github.com/apache/arrow/go/v17/arrow"
)

// StepKind is what a Step does.
type StepKind uint8

const (
	StepWithin StepKind = iota // Low <= value <= High, of whole numbers in their column's unit; Contrary: not so
	StepFloat                  // how the value compares with Float, NaN being the largest
	StepText                   // how it compares with Text, byte by byte
	StepTruth                  // it is Truth; Contrary: not so
	StepNull                   // it is null; Contrary: it is not
	StepNot                    // the contrary of what is on top
	StepAll                    // of the two on top the lesser: false, unknown, true
	StepAny                    // the greater
)

// Step is a step of a test, for who runs it otherwise than Filter: on a stack, as
// Polish notation has it. Of a value that is null all but StepNull are unknown, and a row is
// wanted if the last that is left is true.
type Step struct {
	Kind      StepKind
	Of        *Value
	Op        string // of StepFloat, StepText: one of = != < <= > >=
	Low, High *big.Int
	Contrary  bool
	Float     float64
	Text      []byte
	Truth     bool
}

// Steps are those of the filter, none of nil. ok is false if it compares two columns.
func (f *Filter) Steps() (steps []Step, ok bool) {
	if f == nil {
		return nil, true
	}
	return appendSteps(nil, f.test)
}

func appendSteps(steps []Step, t test) ([]Step, bool) {
	switch t := t.(type) {
	case *many:
		kind := StepAll
		if t.wins == isTrue {
			kind = StepAny
		}
		for i, one := range t.tests {
			var ok bool
			if steps, ok = appendSteps(steps, one); !ok {
				return nil, false
			}
			if i > 0 {
				steps = append(steps, Step{Kind: kind})
			}
		}
		return steps, true
	case negation:
		steps, ok := appendSteps(steps, t.test)
		return append(steps, Step{Kind: StepNot}), ok
	case *isNull:
		return append(steps, Step{Kind: StepNull, Of: t.of, Contrary: t.not}), true
	case *literalTest:
		s := Step{Of: t.of, Op: t.op}
		switch t.with.kind {
		case truthLiteral:
			s.Kind, s.Truth = StepTruth, t.with.truth
			switch t.op {
			case "=":
			case "!=":
				s.Contrary = true
			default:
				return nil, false
			}
		case textLiteral:
			s.Kind, s.Text = StepText, t.with.text
		case floatLiteral:
			s.Kind, s.Float = StepFloat, t.with.float
		default:
			within := t.with.within(t.op)
			s.Kind, s.Low, s.High, s.Contrary = StepWithin, within.low, within.high, t.op == "!="
		}
		return append(steps, s), true
	}
	return nil, false
}

// Holds reports whether an order (negative, 0, positive) is what a step asks for.
func (s *Step) Holds(order int) bool { return holds(s.Op, order) }

// Within are the numbers of a type from least to most that StepWithin asks for; ok reports
// whether there are any.
func (s *Step) Within(least, most *big.Int) (low, high *big.Int, ok bool) {
	return span{s.Low, s.High}.clamp(least, most)
}

// Rounding is what a value's column is taken back to, for who does that otherwise. Unit is
// "" if the values are those of the column. Ticks are the column's in a second, 0 of a date.
// Plain: days begin and end as in UTC.
type Rounding struct {
	Of    arrow.DataType
	Unit  string
	Ticks int64
	Plain bool
}

// Rounding is what the value's column is taken back to.
func (v *Value) Rounding() Rounding {
	if v.round == nil {
		return Rounding{Of: v.Field.Type, Plain: true}
	}
	r := v.round
	plain := r.zone.String() == "UTC"
	return Rounding{Of: r.of, Unit: r.unit, Ticks: r.ticks, Plain: plain}
}

// SecondsOf is how many seconds a rounding's unit has, 0 where that is days.
func SecondsOf(unit string) int64 { return secondsIn[unit] }
