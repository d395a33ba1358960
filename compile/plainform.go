package compile

import (
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file has the forms of types that have no layout and no tokens: what a field of
// such a type may look like where nothing but that tells where it ends, or which field
// it is. A form knows symbols and no values, and of a type with several ways to write a
// value it has the usual ones: no exponents, for one.

// runOf is a run of one or more symbols of a set.
func runOf(set dfa.Set) formItem { return formItem{set: set, repeat: true} }

func maybe(set dfa.Set) formItem { return formItem{set: set, optional: true} }

func widthItems(n int) []formItem {
	items := make([]formItem, n)
	for i := range items {
		items[i].set = dfa.All()
	}
	return items
}

var (
	hexDigit = digit.Union(dfa.Range('a', 'f')).Union(dfa.Range('A', 'F'))
	sign     = dfa.Bytes('-', '+')
)

// plainForm is formOf for the other types; nil if the values of the type may look like
// anything.
func plainForm(c *dfa.Column) (alternatives [][]formItem, words string) {
	t := &c.Type
	digits := digit
	if t.Thousands != 0 {
		digits = digits.Union(dfa.Bytes(t.Thousands))
	}
	point := t.Point
	if point == 0 {
		point = '.'
	}
	fraction := []formItem{{set: dfa.Bytes(point)}, {set: digit, optional: true, repeat: true}}
	number := func(items ...formItem) [][]formItem { return [][]formItem{items, slices.Concat(items, fraction)} }
	if t.Size != 0 {
		unit := []formItem{maybe(dfa.Bytes([]byte("kmgtpeKMGTPE")...)), maybe(dfa.Bytes('i', 'I')), maybe(dfa.Bytes('b', 'B'))}
		for _, n := range number(runOf(digits)) {
			alternatives = append(alternatives, slices.Concat(n, unit))
		}
		return withNulls(alternatives, c), "a size is expected"
	}
	switch t.Kind {
	case dfa.Uint8, dfa.Uint16, dfa.Uint32, dfa.Uint64:
		if t.Base16 {
			digits = hexDigit
		}
		alternatives, words = [][]formItem{{runOf(digits)}}, "a number is expected"
	case dfa.Int8, dfa.Int16, dfa.Int32, dfa.Int64:
		if t.Base16 {
			digits = hexDigit
		}
		alternatives, words = [][]formItem{{maybe(sign), runOf(digits)}}, "a number is expected"
	case dfa.Float32, dfa.Float64, dfa.Decimal:
		alternatives, words = number(maybe(sign), runOf(digits)), "a number is expected"
	case dfa.Bool:
		tokens, fold := slices.Concat(t.True, t.False), len(t.True)+len(t.False) == 0
		if fold {
			tokens = []string{"true", "false", "t", "f", "yes", "no", "y", "n", "on", "off", "1", "0"}
		}
		for _, tok := range tokens {
			items := textItems(tok)
			if fold {
				for i := range items {
					items[i].set = dfa.Bytes(tok[i], strings.ToUpper(tok)[i])
				}
			}
			alternatives = append(alternatives, items)
		}
		words = "a bool is expected"
	case dfa.UUID:
		hex := func(n int) []formItem { return slices.Repeat([]formItem{{set: hexDigit}}, n) }
		dash := textItems("-")
		alternatives = [][]formItem{hex(32), slices.Concat(hex(8), dash, hex(4), dash, hex(4), dash, hex(4), dash, hex(12))}
		words = "a UUID is expected"
	case dfa.IP:
		alternatives, words = [][]formItem{{runOf(hexDigit.Union(dfa.Bytes(':', '.')))}}, "an IP address is expected"
	case dfa.Timestamp, dfa.Date, dfa.Time:
		return clockForm(c)
	case dfa.Duration:
		if t.Layout != "" || t.Encoding != 0 {
			return nil, ""
		}
		alternatives, words = number(runOf(digit)), "a number is expected"
	default:
		return nil, ""
	}
	return withNulls(alternatives, c), words
}

// hasForm reports whether the values of a column have a form.
func hasForm(c *dfa.Column) bool {
	alternatives, _ := formOf(c)
	if alternatives == nil {
		alternatives, _ = plainForm(c)
	}
	return alternatives != nil
}

// clockForm is the form of dates and times without a layout: those of ISO 8601, or of
// an epoch.
func clockForm(c *dfa.Column) (alternatives [][]formItem, words string) {
	alternatives, err := clockItems(&c.Type, false)
	if err != nil {
		return nil, ""
	}
	return withNulls(alternatives, c), "a time as " + clockFormName(&c.Type) + " is expected"
}

// withNulls adds what the column takes for null, in the place of values.
func withNulls(alternatives [][]formItem, c *dfa.Column) [][]formItem {
	alternatives = slices.Clip(alternatives)
	for _, tok := range c.NullTokens() {
		if tok != "" {
			alternatives = append(alternatives, textItems(tok))
		}
	}
	return alternatives
}
