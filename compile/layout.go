package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// directive is one conversion of a strftime layout.
type directive struct {
	gives string // what it reads; two directives of a layout never read the same
	// shape gives the symbols that may stand at each byte, if the length is
	// fixed; nil if it is not.
	shape []dfa.Set
}

var (
	digit     = dfa.Range('0', '9')
	blankSet  = dfa.Bytes(' ')
	twoDigits = []dfa.Set{digit, digit}
)

// directives are those of docs/spec.md; internal/convert reads them.
var directives = map[byte]directive{
	'Y': {"year", []dfa.Set{digit, digit, digit, digit}},                         // year, 4 digits
	'y': {"year", twoDigits},                                                     // year, 2 digits
	'm': {"month", []dfa.Set{dfa.Range('0', '1'), digit}},                        // month, 01 to 12
	'd': {"day", []dfa.Set{dfa.Range('0', '3'), digit}},                          // day, 01 to 31
	'e': {"day", []dfa.Set{dfa.Range('1', '3').Union(blankSet), digit}},          // day, 1 to 31, padded with a space
	'b': {"month", wordShape("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")}, // month, Jan
	'B': {"month", nil},                                                          // month, January
	'a': {"weekday", wordShape("Mon Tue Wed Thu Fri Sat Sun")},                   // weekday, Mon
	'A': {"weekday", nil},                                                        // weekday, Monday
	'H': {"hour", []dfa.Set{dfa.Range('0', '2'), digit}},                         // hour, 00 to 23
	'I': {"hour", []dfa.Set{dfa.Range('0', '1'), digit}},                         // hour, 01 to 12, with %p
	'p': {"half", []dfa.Set{dfa.Bytes('A', 'P', 'a', 'p'), dfa.Bytes('M', 'm')}}, // AM or PM
	'M': {"minute", []dfa.Set{dfa.Range('0', '5'), digit}},                       // minute, 00 to 59
	'S': {"second", []dfa.Set{dfa.Range('0', '6'), digit}},                       // second, 00 to 60
	'f': {"fraction", nil},                                                       // fraction of a second, 1 to 9 digits
	'L': {"fraction", []dfa.Set{digit, digit, digit}},                            // fraction of a second, 3 digits
	'z': {"offset", nil},                                                         // offset, +0100, +01:00 or Z
	'Z': {"offset", nil},                                                         // zone by name: UTC, GMT or Z
	's': {"epoch", nil},                                                          // seconds since 1970
	'j': {"yearday", []dfa.Set{dfa.Range('0', '3'), digit, digit}},               // day of the year, 001 to 366
	'n': {"", []dfa.Set{dfa.Bytes('\n')}},                                        // a line end
	't': {"", []dfa.Set{dfa.Bytes('\t')}},                                        // a tab
	'%': {"", []dfa.Set{dfa.Bytes('%')}},                                         // a percent sign
}

// shorthands stand for several directives.
var shorthands = map[byte]string{'T': "%H:%M:%S", 'F': "%Y-%m-%d", 'D': "%m/%d/%y", 'R': "%H:%M"}

func wordShape(words string) []dfa.Set {
	shape := make([]dfa.Set, 3)
	for _, w := range strings.Fields(words) {
		for i := range shape {
			shape[i] = shape[i].Union(dfa.Bytes(w[i]|0x20, w[i]&^0x20)) // in any case
		}
	}
	return shape
}

// layoutPart is a literal byte or a directive of a layout.
type layoutPart struct {
	at        int // offset in the layout
	literal   byte
	directive byte // 0 for a literal
	bare      bool // written %-d: its leading zeros may be missing
	// full: a digit may stand beside the number, so it has all of its digits.
	full bool
}

// What may have a digit in front, and at the end.
const (
	digitFirst = "YymdejHIMSfLs"
	digitLast  = "YymdejHIMSfLsz"
)

// edge reports whether the first or last symbol of what p reads may be a digit;
// digits are the directives of which it may be.
func (p *layoutPart) edge(digits string) bool {
	if p.directive == 0 {
		return digit.Has(p.literal)
	}
	return strings.IndexByte(digits, p.directive) >= 0
}

// layoutError is a fault at an offset of a layout.
type layoutError struct {
	at      int
	message string
}

func (e *layoutError) Error() string { return e.message }

// parseLayout splits a layout in its parts, shorthands replaced.
func parseLayout(layout string) ([]layoutPart, *layoutError) {
	parts, err := splitLayout(layout)
	if err != nil {
		return nil, err
	}
	for i := range parts {
		p := &parts[i]
		after := i+1 < len(parts) && parts[i+1].edge(digitFirst)
		if after && strings.IndexByte("fsz", p.directive) >= 0 {
			return nil, &layoutError{p.at, fmt.Sprintf("nothing says where %%%c ends, as a digit may come after it; other text must stand between", p.directive)}
		}
		p.full = after || i > 0 && parts[i-1].edge(digitLast)
		if p.full && p.bare {
			return nil, &layoutError{p.at, fmt.Sprintf("a digit stands beside %%-%c, so nothing says which are its own; beside digits a number has all of its own, %%%[1]c", p.directive)}
		}
	}
	return parts, nil
}

func splitLayout(layout string) ([]layoutPart, *layoutError) {
	var parts []layoutPart
	for i := 0; i < len(layout); i++ {
		c := layout[i]
		if c != '%' {
			parts = append(parts, layoutPart{at: i, literal: c})
			continue
		}
		if i+1 == len(layout) {
			return nil, &layoutError{i, "the layout ends after %; a percent sign is written %%"}
		}
		d := layout[i+1]
		if d == '-' {
			if i += 2; i >= len(layout) || strings.IndexByte(unpadded, layout[i]) < 0 {
				return nil, &layoutError{i - 2, unknownUnpadded(layout[min(i, len(layout)):])}
			}
			parts = append(parts, layoutPart{at: i - 2, directive: layout[i], bare: true})
			continue
		}
		if s, ok := shorthands[d]; ok {
			expanded, _ := splitLayout(s)
			for _, p := range expanded {
				p.at = i
				parts = append(parts, p)
			}
		} else if _, ok := directives[d]; ok {
			parts = append(parts, layoutPart{at: i, directive: d})
		} else {
			return nil, &layoutError{i, unknownDirective(layout[i+1:])}
		}
		i++
	}
	return parts, nil
}

// unpadded are the numbers that may be written %-d.
const unpadded = "mdjHIMSL"

// unknownUnpadded explains what is no number without padding.
func unknownUnpadded(rest string) string {
	switch {
	case rest == "":
		return "the layout ends after %-, which is the beginning of %-d"
	case rest[0] == 'e':
		return "%e is padded with a space, and %-e is not; use %-d"
	}
	return fmt.Sprintf("%%-%s is no number without padding; these are %%-m %%-d %%-j %%-H %%-I %%-M %%-S and %%-L", clip(rest, 1))
}

// unknownDirective explains a letter that is no directive here.
func unknownDirective(rest string) string {
	likely := map[byte]string{'N': "%f (1 to 9 digits)", 'k': "%H", 'l': "%I", 'h': "%b", 'P': "%p", 'c': "the single directives",
		'x': "%D or %F", 'X': "%T", 'r': "%I:%M:%S %p", 'Q': "epoch(ms)", '3': "%L", 'u': "%a", 'w': "%a", 'G': "%Y", 'C': "%Y", 'E': "%e"}
	var known []string
	for d := range directives {
		known = append(known, "%"+string(rune(d)))
	}
	for d := range shorthands {
		known = append(known, "%"+string(rune(d)))
	}
	slices.Sort(known)
	hint := "the directives are " + strings.Join(known, " ")
	if l, ok := likely[rest[0]]; ok {
		hint = "use " + l
	}
	return fmt.Sprintf("unknown directive %%%s in the layout; %s", clip(rest, 1), hint)
}

// given are the things that a layout reads.
func given(parts []layoutPart) (map[string]byte, *layoutError) {
	g := map[string]byte{}
	for _, p := range parts {
		what := directives[p.directive].gives
		if p.directive == 0 || what == "" {
			continue
		}
		if first, twice := g[what]; twice {
			return nil, &layoutError{p.at, fmt.Sprintf("the layout reads the %s twice, with %%%c and %%%c", what, first, p.directive)}
		}
		g[what] = p.directive
	}
	return g, nil
}

// checkLayout reports the first reason why layout cannot be that of a kind.
func checkLayout(kind dfa.TypeKind, layout string) *layoutError {
	parts, err := parseLayout(layout)
	if err != nil {
		return err
	}
	g, err := given(parts)
	if err != nil {
		return err
	}
	has := func(what string) bool { _, ok := g[what]; return ok }
	date := has("month") && has("day") || has("yearday") || has("epoch")
	switch {
	case !strings.Contains(layout, "%"):
		return &layoutError{0, "the layout has no directive; they are those of strftime, as %Y-%m-%d or %H:%M:%S"}
	case g["hour"] == 'I' && !has("half"):
		return &layoutError{0, "%I is the hour of a half day; %p is missing, or it is %H"}
	case has("half") && g["hour"] != 'I':
		return &layoutError{0, "%p goes with %I, the hour from 01 to 12"}
	case has("epoch") && len(g) > 1 && !(len(g) == 2 && has("fraction")):
		return &layoutError{0, "%s is a whole time stamp; only %f or %L may stand beside it"}
	case has("fraction") && !has("second") && !has("epoch"):
		return &layoutError{0, "a fraction without seconds; %S is missing"}
	case kind == dfa.Time && !has("hour"):
		return &layoutError{0, "the layout of a time has no hour; %H is missing"}
	case kind == dfa.Time && (date || has("year") || has("offset")):
		return &layoutError{0, "the layout of a time of day reads a date or an offset; the type for that is ts"}
	case kind == dfa.Date && (has("hour") || has("minute") || has("second") || has("epoch")):
		return &layoutError{0, "the layout of a date reads a time of day; the type for that is ts"}
	case (kind == dfa.Date || kind == dfa.Timestamp) && !date:
		return &layoutError{0, "the layout names no day: it wants %m (or %b) with %d (or %e), or %j, or %s" + timeHint(kind, g)}
	}
	return nil
}

func timeHint(kind dfa.TypeKind, g map[string]byte) string {
	if _, hour := g["hour"]; hour && kind == dfa.Timestamp {
		return "; for a time of day the type is time"
	}
	return ""
}

// layoutGives reports whether a layout reads such a part.
func layoutGives(layout, what string) bool {
	parts, err := parseLayout(layout)
	if err != nil {
		return false
	}
	g, _ := given(parts)
	return g[what] != 0
}

// yearless reports whether a layout leaves the year open.
func yearless(layout string) bool {
	parts, err := parseLayout(layout)
	if err != nil {
		return false
	}
	g, _ := given(parts)
	return layout != "" && g["year"] == 0 && g["epoch"] == 0
}

// layoutShape gives the symbols at each byte of what a layout reads, up to the
// first part of no fixed length; whole says that there is none.
func layoutShape(t *dfa.Type, layout string) (shape []dfa.Set, whole bool) {
	parts, err := parseLayout(layout)
	if err != nil {
		return nil, false
	}
	for _, p := range parts {
		if p.directive == 0 {
			shape = append(shape, dfa.Bytes(p.literal))
			continue
		}
		s := directives[p.directive].shape
		if s == nil || p.bare || spellings(t, p.directive) != nil {
			return shape, false
		}
		shape = append(shape, s...)
	}
	return shape, true
}
