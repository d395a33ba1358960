package convert

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// unitNames are the units in the spec language.
var unitNames = [...]string{dfa.Microsecond: "us", dfa.Second: "s", dfa.Millisecond: "ms", dfa.Nanosecond: "ns"}

// Name is the type as the spec language writes it, with its options; how lists
// and maps are lexed is left out.
func Name(t *dfa.Type) string {
	var args []string
	switch t.Kind {
	case dfa.Bool:
		if len(t.True)+len(t.False) > 0 {
			args = []string{"true " + quoted(t.True), "false " + quoted(t.False)}
		}
	case dfa.Decimal:
		args = append([]string{strconv.Itoa(t.Precision), strconv.Itoa(t.Scale)}, numberArgs(t)...)
		if t.Implied {
			args = append(args, "implied")
		}
	case dfa.Date, dfa.Time, dfa.Timestamp:
		args = clockArgs(t)
	case dfa.Duration:
		args = append([]string{t.Layout}, unitArgs(t.Unit, t.Layout == "" && t.CountUnit == dfa.Nanosecond)...)
		if t.Layout == "" {
			args[0] = unitNames[t.CountUnit]
		}
	case dfa.Binary:
		if t.Encoding != dfa.Raw {
			args = []string{[...]string{dfa.Raw: "raw", dfa.Hex: "hex", dfa.Base64: "base64"}[t.Encoding]}
		}
	case dfa.IP:
		if t.Bytes {
			args = []string{"binary"}
		}
	case dfa.Enum:
		args = []string{quoted(t.Tokens)}
	case dfa.List, dfa.Map:
		args = []string{Name(t.Elem)}
		if t.Kind == dfa.Map && t.Duplicates != dfa.NoDuplicates {
			args = append(args, "duplicates "+t.Duplicates.String())
		}
	default:
		if t.Kind >= dfa.Int8 && t.Kind <= dfa.Float64 {
			args = numberArgs(t)
		}
	}
	name := table[t.Kind].Name
	if len(args) > 0 {
		name += "(" + strings.Join(args, ", ") + ")"
	}
	if len(t.In) > 0 {
		name += " in " + rangesName(t)
	}
	return name
}

// rangesName are the ranges of t as a spec has them: numbers as they are, others in quotes.
func rangesName(t *dfa.Type) string {
	quoted := func(s string) string {
		if s == "" || t.Kind <= dfa.Decimal {
			return s
		}
		return strconv.Quote(s)
	}
	words := make([]string, len(t.In))
	for i, r := range t.In {
		words[i] = dfa.Interval{Low: quoted(r.Low), High: quoted(r.High)}.String()
	}
	return strings.Join(words, " | ")
}

// unitArgs names the unit if it is not the usual one: microseconds, or nanoseconds
// if they are counted.
func unitArgs(unit dfa.Unit, nanoseconds bool) []string {
	usual := dfa.Microsecond
	if nanoseconds {
		usual = dfa.Nanosecond
	}
	if unit == usual {
		return nil
	}
	return []string{"unit " + unitNames[unit]}
}

func numberArgs(t *dfa.Type) (args []string) {
	if t.Thousands != 0 {
		args = append(args, fmt.Sprintf("thousands %q", string(rune(t.Thousands))))
	}
	if t.Point != 0 && t.Point != '.' {
		args = append(args, fmt.Sprintf("point %q", string(rune(t.Point))))
	}
	if t.Base16 && t.Kind <= dfa.Uint64 {
		args = append(args, "hex")
	}
	if t.Size != 0 {
		args = append(args, "size "+strconv.Itoa(t.Size))
	}
	return args
}

func clockArgs(t *dfa.Type) (args []string) {
	var forms []string
	nanoseconds := false
	for _, f := range t.Forms() {
		switch {
		case f.Kind == dfa.Timestamp && f.Epoch:
			forms = append(forms, "epoch("+unitNames[f.CountUnit]+")")
			nanoseconds = nanoseconds || f.CountUnit == dfa.Nanosecond
		case f.Layout != "":
			forms = append(forms, strconv.Quote(f.Layout))
		case len(t.Or) > 0:
			forms = append(forms, "rfc3339")
		}
	}
	if len(forms) > 0 {
		args = append(args, strings.Join(forms, " | "))
	}
	if t.Kind != dfa.Date {
		args = append(args, unitArgs(t.Unit, nanoseconds)...)
	}
	if t.Kind == dfa.Timestamp && t.Zone != "" {
		args = append(args, "tz "+strconv.Quote(t.Zone))
	}
	if t.Kind == dfa.Timestamp && t.NoZone {
		args = append(args, "tz none")
	}
	if t.Kind != dfa.Time && t.Year != 0 {
		args = append(args, "year "+strconv.Itoa(t.Year))
	}
	return args
}

func quoted(tokens []string) string {
	q := make([]string, len(tokens))
	for i, s := range tokens {
		q[i] = strconv.Quote(s)
	}
	return strings.Join(q, " ")
}
