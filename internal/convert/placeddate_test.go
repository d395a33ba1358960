package convert

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// lieAndCopy converts fields that lie in src, and copies, which take the long way.
func lieAndCopy(t interface {
	Helper()
	Fatalf(string, ...any)
	Fatal(...any)
}, typ dfa.Type, fields []string) {
	t.Helper()
	var lying, copied Fields
	for _, s := range fields {
		lying.Push(uint32(len(lying.Src)), uint32(len(lying.Src)+len(s)))
		lying.Src = append(append(lying.Src, s...), ',')
		copied.PushDecoded([]byte(s))
	}
	lying.Src = append(lying.Src, "        "...)
	col := &dfa.Column{Type: typ}
	c, err := NewConverter(col, Options{BaseTime: base})
	if err != nil {
		t.Fatal(err)
	}
	got, want := NewColumn(&typ), NewColumn(&typ)
	errs, wantErrs := c.Append(got, &lying, nil), c.Append(want, &copied, nil)
	if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
		t.Fatalf("%s: %s", Name(&typ), difference(&lying, got, want, errs, wantErrs))
	}
}

// TestPlacedDates reads dates in layouts of numbers, those of days that are not
// there, without zeros and with other symbols among them.
func TestPlacedDates(t *testing.T) {
	for layout, form := range map[string]string{
		"%Y%m%d": "%04[1]d%02[2]d%02[3]d", "%d.%m.%Y": "%02[3]d.%02[2]d.%04[1]d", "%m/%d/%Y": "%02[2]d/%02[3]d/%04[1]d", "on %d-%m %Y!": "on %02[3]d-%02[2]d %04[1]d!",
	} {
		l, err := compileLayout(layout)
		if err != nil || newPlacedDate(l) == nil {
			t.Fatalf("%s: %v", layout, err)
		}
		r := rand.New(rand.NewPCG(1, 2))
		var fields []string
		for i := range 20_000 {
			year, month, day := 1990+r.IntN(30), 1+r.IntN(12), 1+r.IntN(31)
			switch r.IntN(20) {
			case 0:
				year, month, day = r.IntN(10000), r.IntN(15), r.IntN(40)
			case 1:
				month, day = 2, 28+r.IntN(2)
			}
			s := fmt.Sprintf(form, year, month, day)
			if r.IntN(20) == 0 {
				b := []byte(s)
				b[r.IntN(len(b))] = "0x./:-9 "[r.IntN(8)]
				s = string(b)
			}
			if i%7 == 0 && i > 0 {
				s = fields[i-1]
			}
			if r.IntN(50) == 0 {
				s = s[:r.IntN(len(s))]
			}
			fields = append(fields, s)
		}
		lieAndCopy(t, dfa.Type{Kind: dfa.Date, Layout: layout}, fields)
	}
}

// TestEnumPlaces draws tokens and fields like them.
func TestEnumPlaces(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		token := rapid.StringMatching(`[A-Ca]{1,3}|[A-Z]{1,10}|\x00{1,3}`)
		tokens := rapid.SliceOfNDistinct(token, 1, 40, rapid.ID).Draw(rt, "tokens")
		fields := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(tokens), token), 1, 60).Draw(rt, "fields")
		lieAndCopy(rt, dfa.Type{Kind: dfa.Enum, Tokens: tokens}, fields)
	})
}

// TestRepeatedDates reads dates that are mostly the one before, and what is nearly one, or nothing but NULs, behind
// them and at the beginning.
func TestRepeatedDates(t *testing.T) {
	odd := []string{strings.Repeat("\x00", 10), "1970-01-01", "1970-01-02", "2970-01-01", "1970-01-0\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"}
	for _, first := range odd {
		lieAndCopy(t, dfa.Type{Kind: dfa.Date}, []string{first})
		r := rand.New(rand.NewPCG(3, 4))
		fields := []string{first}
		for range 2000 {
			next := fields[len(fields)-1]
			if r.IntN(5) == 0 {
				next = odd[r.IntN(len(odd))]
			}
			fields = append(fields, next)
		}
		lieAndCopy(t, dfa.Type{Kind: dfa.Date}, fields)
	}
}
