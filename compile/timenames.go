package compile

import (
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
)

// timeNames are the names of a format's months, weekdays and zones, and by directive
// which of them some layout reads.
type timeNames struct {
	dfa.TimeNames
	read map[byte]bool
}

func which(short bool) int {
	if short {
		return 1
	}
	return 0
}

// timeNames reads the lists of names.
func (d *definer) timeNames() {
	n := &d.scope.names
	n.read = map[byte]bool{}
	for short, to := range []*[]string{&n.Months, &n.ShortMonths} {
		if it := d.months[short]; it != nil {
			*to = d.nameList(it.Pos, "months", it.Names, 12, "January")
		}
	}
	for short, to := range []*[]string{&n.Weekdays, &n.ShortWeekdays} {
		if it := d.weekdays[short]; it != nil {
			*to = d.nameList(it.Pos, "weekdays", it.Names, 7, "Monday")
		}
	}
	if d.zones == nil {
		return
	}
	if len(d.zones.List) == 0 {
		d.bad.addf(d.zones.Pos, "zones wants names with their offsets: zones { CET +01:00 CEST +02:00 }")
	}
	known := []string{"UTC", "GMT", "Z"}
	for _, z := range d.zones.List {
		name := z.Name.String()
		d.timeName(z.Pos, name)
		if i := slices.IndexFunc(known, func(s string) bool { return strings.EqualFold(s, name) }); i >= 0 {
			d.bad.addf(z.Pos, "the zone %s is known already", known[i])
		}
		known = append(known, name)
		hours, err := strconv.Atoi(z.Hours)
		minutes, err2 := strconv.Atoi(z.Minutes)
		sign := 1
		if z.Hours[0] == '-' {
			sign, hours = -1, -hours
		}
		if err != nil || err2 != nil || len(z.Minutes) != 2 || minutes < 0 || minutes > 59 || hours < 0 || hours > 23 || (sign < 0) == z.Plus {
			d.bad.addf(z.Pos, "the offset of a zone is written +01:00 or -05:30, not %s%s:%s", when(z.Plus, "+"), z.Hours, z.Minutes)
			continue
		}
		n.Zones = append(n.Zones, dfa.ZoneName{Name: name, Offset: sign * (hours*3600 + minutes*60)})
	}
}

// nameList is a list of n names, nil after a fault.
func (d *definer) nameList(pos lexer.Position, what string, list []*Name, n int, first string) (names []string) {
	before := len(d.bad.list)
	for _, it := range list {
		name := it.String()
		d.timeName(it.Pos, name)
		if slices.ContainsFunc(names, func(s string) bool { return strings.EqualFold(s, name) }) {
			d.bad.addf(it.Pos, "%q is there twice", name)
		}
		names = append(names, name)
	}
	if len(names) != n {
		d.bad.addf(pos, "%s wants %d names, from %s on, not %d", what, n, first, len(names))
	}
	if len(d.bad.list) > before {
		return nil
	}
	return names
}

// maxTimeName bounds the name of a month, weekday or zone, in bytes.
const maxTimeName = 64

// timeName refuses a name that cannot be told from the numbers beside it.
func (d *definer) timeName(pos lexer.Position, name string) {
	if name == "" || len(name) > maxTimeName || digit.Has(name[0]) || digit.Has(name[len(name)-1]) {
		d.bad.addf(pos, "%q: a name is 1 to %d bytes long and neither begins nor ends with a digit", name, maxTimeName)
	}
}

// use gives t the names that its layouts read.
func (n *timeNames) use(t *dfa.Type) {
	for _, form := range t.Forms() {
		parts, err := parseLayout(form.Layout)
		if err != nil {
			continue
		}
		for _, p := range parts {
			n.read[p.directive] = true
			switch p.directive {
			case 'B':
				t.Names.Months = n.Months
			case 'b':
				t.Names.ShortMonths = n.ShortMonths
			case 'A':
				t.Names.Weekdays = n.Weekdays
			case 'a':
				t.Names.ShortWeekdays = n.ShortWeekdays
			case 'Z':
				t.Names.Zones = n.Zones
			}
		}
	}
}

// namesUnused warns of lists that no layout reads.
func (d *definer) namesUnused() {
	warn := func(pos lexer.Position, what string, directive byte) {
		if !d.scope.names.read[directive] {
			d.bad.warnf(pos, "%s are read by %%%c, which no layout here has", what, directive)
		}
	}
	for short, directive := range []byte{'B', 'b'} {
		if it := d.months[short]; it != nil {
			warn(it.Pos, "months"+when(it.Short, " short"), directive)
		}
	}
	for short, directive := range []byte{'A', 'a'} {
		if it := d.weekdays[short]; it != nil {
			warn(it.Pos, "weekdays"+when(it.Short, " short"), directive)
		}
	}
	if d.zones != nil {
		warn(d.zones.Pos, "zones", 'Z')
	}
}

// spellings are the names that a directive reads of t, as a form tries them byte by
// byte, where only letters of ASCII may be in any case; nil if they are the usual ones.
func spellings(t *dfa.Type, directive byte) (words []string) {
	names := t.Names.Of(directive)
	if directive == 'Z' && len(t.Names.Zones) > 0 {
		for _, z := range t.Names.Zones {
			names = append(names, z.Name)
		}
		names = append(names, directiveNames['Z']...)
	}
	for _, name := range names {
		for _, s := range []string{name, strings.ToLower(name), strings.ToUpper(name)} {
			if !slices.ContainsFunc(words, func(w string) bool { return asciiFold(w) == asciiFold(s) }) {
				words = append(words, s)
			}
		}
	}
	return words
}

func asciiFold(s string) string {
	b := []byte(s)
	for i := range b {
		b[i] = lowerCase(b[i])
	}
	return string(b)
}
