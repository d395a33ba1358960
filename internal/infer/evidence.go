package infer

import (
	"bytes"
	"math/bits"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file is about values that convert and may be something else all the same: 11.5.2 is a version
// more often than the 2nd of May 2011, 12:30 may be minutes and seconds, 3.10 comes after 3.9, and
// 12E4 may be a name. As text they lose nothing, so that their type has to be shown by what the values of
// the column have together. What a value shows is a set, and a column's is the union of these: neither
// the order of the values nor who looks at which makes a difference.

// shown is what values show of a type.
type shown uint64

// certain: whatever other values show, the type is the one that is meant.
const certain shown = 1 << 63

// witness tells by its values whether a type is meant.
type witness struct {
	look  func(b []byte) shown
	doubt func(s shown) string // why the type may not be meant; "" if it is
	// raises is what may bring a doubt, with or without others, where there is none; nil: nothing does.
	raises func(s shown) shown
}

// sure reports whether no value can bring a doubt any more.
func (w *witness) sure(s shown) bool {
	return w == nil || s&certain != 0 || w.raises == nil && w.doubt(s) == ""
}

// raisesNone accepts what accepts does but for values that may bring a doubt to what is shown.
func (w *witness) raisesNone(s shown, accepts func(b []byte) bool) func(b []byte) bool {
	raises := w.raises(s)
	return func(b []byte) bool { return accepts(b) && w.look(b)&raises == 0 }
}

// dateWitness is that of dates of numbers; nil if all are dates for sure, as ISO ones are, those with the name
// of a month, and those of two digits of a year behind slashes.
//
// A value is a date for sure if its year has four digits and is one that people write, or one of its
// numbers begins with a zero, as numbers of versions do not. Where the year has two digits, or begins a date
// with dots, month and day must have two. Other values are dates if their days are many.
func dateWitness(layout string) *witness {
	if layout == "%d%b%Y" {
		return joinedDateWitness
	}
	if len(layout) != len("%d.%m.%y") || strings.ContainsAny(layout, "bB") || layout[2] == '/' && layout[7] == 'y' {
		return nil
	}
	separator, order := layout[2], [3]byte{layout[1], layout[4], layout[7]}
	padded := order[2] == 'y' || order[0] == 'y' || order[0] == 'Y' && separator == '.'
	return &witness{
		look: func(b []byte) (s shown) {
			year, day, zero, two := 0, 0, false, true
			for _, part := range order {
				n, length := 0, 0
				for length < len(b) && isDigit(b[length]) && length < 4 {
					n = 10*n + int(b[length]-'0')
					length++
				}
				zero = zero || length > 0 && b[0] == '0'
				b = b[min(length+1, len(b)):]
				switch part {
				case 'Y':
					year = n
				case 'd':
					day, two = n, two && length == 2
				case 'm':
					two = two && length == 2
				}
			}
			if day <= lastDay {
				s |= 1 << day
			}
			if two && zero || usualYear(year) && (two || !padded) {
				s |= certain
			}
			return s
		},
		doubt: func(s shown) string {
			days := uint32(s)
			if s&certain != 0 || bits.OnesCount32(days) >= manyDays && days>>(lastMonth+1) != 0 {
				return ""
			}
			return "its values may be dates, or numbers as those of versions and parts"
		},
	}
}

// joinedDateWitness is that of dates without separators, such as 10DEC2034, which a code may be as well: 10DEC1234.
var joinedDateWitness = &witness{
	look: func(b []byte) shown {
		if year, err := strconv.Atoi(string(b[max(len(b)-4, 0):])); err == nil && usualYear(year) {
			return 0
		}
		return 1
	},
	doubt: func(s shown) string {
		if s != 0 {
			return "some of its years are none that people write, so that its values may be codes"
		}
		return ""
	},
	raises: func(shown) shown { return 1 },
}

const (
	lastDay   = 31
	lastMonth = 12
	manyDays  = 8 // so many, one of which is no month, few columns have that are none of dates
)

// usualYear reports whether people write dates of a year of four digits; the last of these is that of dates
// that never come.
func usualYear(year int) bool { return 1500 <= year && year < 2200 || year == 9999 }

// clockWitness is that of hours and minutes, which may be minutes and seconds, ratios, or goals: of three hours
// one is to be after noon, and a number is to begin with a zero.
var clockWitness = &witness{
	look: func(b []byte) (s shown) {
		if len(b) != len("15:04") {
			return 0
		}
		if hour := 10*(b[0]-'0') + b[1] - '0'; hour < 24 {
			s |= 1 << hour
		}
		if b[0] == '0' || b[3] == '0' {
			s |= zeroInFront
		}
		return s
	},
	doubt: func(s shown) string {
		hours := uint32(s & (1<<24 - 1))
		if bits.OnesCount32(hours) >= manyHours && hours>>(noon+1) != 0 && s&zeroInFront != 0 {
			return ""
		}
		return "its values may be times of day, or minutes and seconds"
	},
}

const (
	zeroInFront shown = 1 << 32
	noon              = 12
	manyHours         = 3
)

// What numbers show.
const (
	oneDigit   shown = 1 << iota // behind the point: 3.9
	zeroBehind                   // as the second of two digits there, which is lost: 3.10
	noVersion                    // 3, 3.75, 3.125, 75.5
	bareExponent
	longPower // of which this is no number of one digit: 12E4, or an integer of more
	noName    // with a point or a sign
)

// greatestMajor: versions and numbers of sections that are two numbers have no greater ones in front, and none from
// 30 on, or with a zero in front, behind the point.
const greatestMajor = 30

// floatWitness is that of plain numbers with fractions and exponents.
var floatWitness = &witness{
	raises: func(s shown) (raises shown) {
		if s&noVersion == 0 {
			raises |= oneDigit | zeroBehind
		}
		if s&noName == 0 {
			raises |= bareExponent | longPower
		}
		return raises &^ s
	},
	look: func(b []byte) shown {
		if b[0] > '9' { // NaN, which stands among anything
			return 0
		}
		s := noVersion | noName
		at := bytes.IndexAny(b, ".eE")
		switch {
		case b[0] == '-' || b[0] == '.':
		case at < 0:
			if s = noVersion; len(b) > 1 {
				s |= longPower
			}
		case b[at] == '.':
			switch minor := b[at+1:]; {
			case len(minor) == 1:
				s = oneDigit | noName
			case len(minor) != 2 || minor[0] != '1' && minor[0] != '2':
			case minor[1] == '0':
				s = zeroBehind | noName
			default:
				s = noName
			}
			if at > 2 || at == 2 && 10*(b[0]-'0')+b[1]-'0' > greatestMajor {
				s |= noVersion
			}
		case at+1 < len(b) && isDigit(b[at+1]):
			s = noVersion | bareExponent
			if at > 1 {
				s |= longPower
			}
		}
		if s&(noVersion|noName) == noVersion|noName {
			s |= certain
		}
		return s
	},
	doubt: func(s shown) string {
		switch {
		case s&(oneDigit|zeroBehind|noVersion) == oneDigit|zeroBehind:
			return "its values may be numbers, or versions, where 3.10 is not 3.1"
		case s&(bareExponent|longPower|noName) == bareExponent|longPower:
			return "its values may be numbers with exponents, or names as 12E4"
		}
		return ""
	},
}

// witnessOf is that of a candidate; nil: its values are what they seem.
func witnessOf(c *candidate) *witness {
	switch {
	case c.typ.Kind == dfa.Date:
		return dateWitness(c.typ.Layout)
	case c.text == clockText:
		return clockWitness
	case c.text == "f64":
		return floatWitness
	}
	return nil
}

// namesMeasures matches names of columns of what is paid and measured.
var namesMeasures = withWord("price", "amount", "cost", "fee", "salary", "paid", "usd", "eur", "gbp", "preis", "betrag", "prix", "montant", "precio", "importe",
	"total", "sum", "mean", "average", "avg", "median", "percent", "pct", "weight", "height", "width", "depth", "distance", "speed", "temp", "temperature", "lat", "lon", "latitude", "longitude")

// namesDates matches names of columns of dates.
var namesDates = withWord("date", "datum", "fecha", "birthday", "birthdate", "dob", "born")

// shows is what the name of a column shows of a type, before any value does.
func (c *Column) shows(of *candidate) shown {
	if of.text == "f64" && namesMeasures.Match([]byte(c.Name)) || of.typ.Kind == dfa.Date && of.witness != nil && namesDates.Match([]byte(c.Name)) {
		return certain
	}
	return 0
}

// clockText is the type of a clock without seconds.
const clockText = `time("%H:%M")`

// namesVersions matches names of columns of versions: not conversions.
var namesVersions = withWord("version")

// withWord matches names that have one of some words, in the singular or plural, for one of theirs: "unit price", "unit_PRICES", "unitPrice".
func withWord(words ...string) pattern {
	var inner []string // of names as unitPrice
	for _, w := range words {
		inner = append(inner, strings.ToUpper(w[:1])+w[1:])
	}
	return lazily(`(?:(?:^|[^A-Za-z])(?i:` + strings.Join(words, "|") + `)|[a-z](?:` + strings.Join(inner, "|") + `))[sS]?(?:$|[^a-z])`)
}

// versioned reports whether a column is named so that what is dotted is no number and no date of the type.
func (c *Column) versioned(of *candidate) bool {
	kind := of.typ.Kind
	dotted := kind == dfa.Float64 || kind == dfa.Decimal || of.typ.Thousands == '.' || kind == dfa.Date && strings.Contains(of.marks, ".")
	return dotted && !c.json && namesVersions.Match([]byte(c.Name))
}
