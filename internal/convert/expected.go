package convert

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
)

// Expected is what the field should have been, to follow the word "expected":
// "an integer from 0 to 65535".
func (c Code) Expected(t *dfa.Type) string {
	if len(t.In) > 0 && (c == OutOfRange || c == Overflow) {
		return "a value in " + rangesName(t)
	}
	switch c {
	case IsNull:
		return "a value"
	case BatchFull:
		return "smaller batches"
	case InvalidUTF8:
		return "UTF-8 text"
	case DuplicateKey:
		return "keys that differ; duplicates last, first or list in the map's type says what counts of those that do not"
	case NoOffset:
		return expectedClock(t) + `; where there are no offsets, ts(tz "Europe/Berlin") says by which zone the times are, ts(tz none) that it is not known`
	}
	return table[t.Kind].Expected(t)
}

// Fault says what is wrong with a field of t that c is the code of, and at which
// byte of it; ok where more is known than the code says.
func (c Code) Fault(t *dfa.Type, field []byte) (what string, at int, ok bool) {
	if c != BadList && c != BadMap || t.Lex == nil || t.Ahead != nil {
		return "", 0, false
	}
	if code, at := t.Lex.ValueFault(field); code != 0 {
		return t.Lex.Message(code), at, true
	}
	pieces, _, _ := t.Lex.Table().Fields(field, nil, nil)
	levels := 1
	for e := t.Elem; e.Kind == dfa.Map && e.Lex == nil; e = e.Elem {
		levels++
	}
	i, what, fits := misplaced(pieces, levels)
	if fits || c != BadMap {
		return "", 0, false
	}
	return what, offsetIn(field, t.Lex, i), true
}

// offsetIn is where the field that is piece i of a value begins in it.
func offsetIn(value []byte, lex *dfa.Automaton, i int) int {
	s, start := lex.Start, 0
	for p, symbol := range value {
		next, e := lex.Step(s, symbol)
		if e.Boundary() {
			if i--; i < 0 {
				return start
			}
			start = e.After(p)
		}
		s = next
	}
	return start
}

func expectedInteger(t *dfa.Type) string {
	signed := [...]string{"an integer from -128 to 127", "an integer from -32768 to 32767",
		"an integer from -2147483648 to 2147483647",
		"an integer from -9223372036854775808 to 9223372036854775807"}
	unsigned := [...]uint64{math.MaxUint8, math.MaxUint16, math.MaxUint32, math.MaxUint64}
	var s string
	if t.Kind >= dfa.Uint8 {
		s = fmt.Sprintf("an integer from 0 to %d", unsigned[t.Kind-dfa.Uint8])
	} else {
		s = signed[t.Kind-dfa.Int8]
	}
	if t.Size != 0 {
		return fmt.Sprintf("a size in bytes, e.g. 12, 10KB or 1.5MiB, where a K is %d and a Ki 1024: %s", t.Size, s)
	}
	if t.Base16 {
		s += ", in hexadecimal"
	}
	if t.Thousands != 0 {
		s += fmt.Sprintf(", digits grouped by %q or not", rune(t.Thousands))
	}
	return s
}

func expectedFloat(t *dfa.Type) string { return "a number, e.g. " + sample(t, "1234", "5") }

func expectedDecimal(t *dfa.Type) string {
	if t.Implied {
		return fmt.Sprintf("at most %d digits, the last %d of which come after the point, which is not written", t.Precision, t.Scale)
	}
	if t.Scale == 0 {
		return fmt.Sprintf("a whole number of at most %d digits, e.g. %s", t.Precision, sample(t, "1234"[:min(4, t.Precision)], ""))
	}
	whole := t.Precision - t.Scale
	return fmt.Sprintf("a number of at most %d digits before the point and %d after it, e.g. %s",
		whole, t.Scale, sample(t, "01234"[min(1, whole):min(whole, 4)+1], "56789"[:min(2, t.Scale)]))
}

// sample is a number in the notation of the column.
func sample(t *dfa.Type, whole, fraction string) string {
	if t.Thousands != 0 && len(whole) > 3 {
		whole = whole[:len(whole)-3] + string(rune(t.Thousands)) + whole[len(whole)-3:]
	}
	if fraction == "" {
		return whole
	}
	if t.Point != 0 {
		return whole + string(rune(t.Point)) + fraction
	}
	return whole + "." + fraction
}

func expectedBool(t *dfa.Type) string {
	if len(t.True)+len(t.False) == 0 {
		return "true or false, t or f, yes or no, y or n, on or off, 1 or 0"
	}
	return "one of " + tokenList(append(append([]string{}, t.True...), t.False...))
}

func expectedEnum(t *dfa.Type) string { return "one of " + tokenList(t.Tokens) }

// tokenList names up to 12 tokens.
func tokenList(tokens []string) string {
	const most = 12
	var b strings.Builder
	for i, s := range tokens {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(tokens)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(s))
	}
	return b.String()
}

func expectedClock(t *dfa.Type) string {
	forms := t.Forms()
	words := make([]string, len(forms))
	for i := range forms {
		words[i] = expectedForm(&forms[i])
	}
	return strings.Join(words, ", or ")
}

func expectedForm(t *dfa.Type) string {
	if t.Kind == dfa.Timestamp && t.Epoch {
		return fmt.Sprintf("a number of %s since 1970%s", unitWords[t.CountUnit], fractionWords(t.Unit, t.CountUnit))
	}
	what := map[dfa.TypeKind]string{dfa.Date: "a date", dfa.Time: "a time", dfa.Timestamp: "a time stamp"}[t.Kind]
	limit := ""
	if t.Kind != dfa.Date {
		limit = fractionWords(t.Unit, dfa.Second)
	}
	if t.Layout == "" {
		form := map[dfa.TypeKind]string{dfa.Date: "2015-05-17", dfa.Time: "10:05:03", dfa.Timestamp: "2015-05-17T10:05:03Z"}[t.Kind]
		if t.NoZone {
			form = strings.TrimSuffix(form, "Z")
		}
		return what + " like " + form + limit
	}
	l, err := layoutOf(t)
	if err != nil {
		return what + " like " + t.Layout
	}
	if !l.hasAny("fs") && (!l.hasAny("Ll") || t.Unit != dfa.Second) {
		limit = "" // there is nothing that could be too fine
	}
	return fmt.Sprintf("%s like %s, e.g. %s%s", what, t.Layout, l.example(), limit)
}

var unitWords = [...]string{dfa.Microsecond: "microseconds", dfa.Second: "seconds", dfa.Millisecond: "milliseconds", dfa.Nanosecond: "nanoseconds"}

// fractionWords says how many fraction digits a number of units of has room
// for in a column of units u.
func fractionWords(u, of dfa.Unit) string {
	switch n := powerOf(u) - powerOf(of); {
	case n > 1:
		return fmt.Sprintf(", with at most %d fraction digits", n)
	case n == 0:
		return ", without a fraction"
	}
	return ", a whole number of " + unitWords[u]
}

// example is 2015-05-17 10:05:03 in the layout.
func (l *layout) example() string {
	at := time.Date(2015, 5, 17, 10, 5, 3, 0, time.UTC)
	form := map[byte]string{'Y': "2006", 'y': "06", 'm': "01", 'b': "Jan", 'B': "January", 'd': "02", 'e': "_2",
		'j': "002", 'a': "Mon", 'A': "Monday", 'H': "15", 'I': "03", 'p': "PM", 'M': "04", 'S': "05", 'z': "-0700", 'Z': "MST"}
	fixed := map[byte]string{'f': "25", 'L': "250", unpaddedMillis: "7", 's': "1431857103"}
	var b strings.Builder
	for _, o := range l.ops {
		switch {
		case o.directive == 0:
			b.WriteString(o.text)
		case o.words != nil:
			b.WriteString(o.words[map[byte]int{'b': 4, 'B': 4, 'a': 6, 'A': 6}[o.directive]].text)
		case fixed[o.directive] != "":
			b.WriteString(fixed[o.directive])
		case o.bare:
			b.WriteString(strings.TrimLeft(at.Format(form[o.directive]), "0"))
		default:
			b.WriteString(at.Format(form[o.directive]))
		}
	}
	return b.String()
}

func expectedDuration(t *dfa.Type) string {
	switch t.Layout {
	case "go":
		return "a duration like 1h2m3.5s" + fractionWords(t.Unit, dfa.Second)
	case "clock":
		return "a duration like 1:02:03 or 02:03" + fractionWords(t.Unit, dfa.Second)
	}
	return "a number of " + unitWords[t.CountUnit] + fractionWords(t.Unit, t.CountUnit)
}

func expectedBinary(t *dfa.Type) string {
	switch t.Encoding {
	case dfa.Hex:
		return "pairs of hexadecimal digits, e.g. 00ff"
	case dfa.Base64:
		return "base64, e.g. aGVsbG8="
	}
	return "bytes"
}

func expectedList(t *dfa.Type) string {
	return "a list, each element " + table[t.Elem.Kind].Expected(t.Elem)
}

func expectedMap(t *dfa.Type) string {
	return "keys with values, each value " + table[t.Elem.Kind].Expected(t.Elem)
}
