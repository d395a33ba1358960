package convert

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
)

// drawLayout draws a layout, and times that are mostly in it.
func drawLayout(rt *rapid.T, kind dfa.TypeKind) (layout string, texts []string) {
	number := func(most int) func() string {
		return func() string {
			v := rapid.IntRange(0, most).Draw(rt, "number")
			return fmt.Sprintf(rapid.SampledFrom([]string{"%d", "%02d", "%2d"}).Draw(rt, "width"), v)
		}
	}
	of := func(words ...string) func() string {
		return func() string { return rapid.SampledFrom(words).Draw(rt, "word") }
	}
	year := func() string {
		return fmt.Sprintf("%04d", rapid.SampledFrom([]int{0, 1, 1677, 1970, 2023, 2024, 2262, 9999}).Draw(rt, "year"))
	}
	parts := map[string]func() string{
		"%m": number(13), "%-m": number(13), "%d": number(32), "%-d": number(32), "%e": number(32), "%Y": year, "%y": number(99), "%b": of("Jan", "feb", "MAY", "Dec", "mai"),
		"%B": of("January", "may"), "%H": number(25), "%-H": number(25), "%M": number(60), "%S": number(61), "%I": number(13), "%p": of("AM", "pm", "Pm", "xm"), "%f": number(99999),
		"%z": of("Z", "+0100", "-05:30"), "%L": of("000", "120"), "%j": number(366), "%a": of("Mon", "tue"),
	}
	date := rapid.SampledFrom([][]string{{"%m", "%d", "%Y"}, {"%-m", "%-d", "%Y"}, {"%d", "%b", "%Y"}, {"%y", "%m", "%d"}, {"%Y", "%m", "%-d"}, {"%e", "%b", "%Y"}, {"%B", "%d", "%y"}, {"%Y", "%j"}, {"%a", "%d", "%m", "%Y"}}).Draw(rt, "date")
	clock := rapid.SampledFrom([][]string{{"%H", "%M"}, {"%H", "%M", "%S"}, {"%-H", "%M"}, {"%I", "%M", "%p"}, {"%H"}, {"%H", "%M", "%S", "%f"}, {"%H", "%M", "%z"}, {"%H", "%M", "%S", "%L"}}).Draw(rt, "clock")
	var all []string
	switch kind {
	case dfa.Date:
		all = date
	case dfa.Time:
		all = clock
	default:
		all = append(slices.Clone(date), clock...)
	}
	seps := make([]string, len(all))
	for i := range seps {
		seps[i] = rapid.SampledFrom([]string{"/", "-", " ", ":", ".", ", ", "T", ""}).Draw(rt, "separator")
	}
	seps[len(seps)-1] = rapid.SampledFrom([]string{"", "", "", "Z", " h"}).Draw(rt, "end")
	layout = rapid.SampledFrom([]string{"", "", "on "}).Draw(rt, "begin")
	begin := layout
	for i, p := range all {
		layout += p + seps[i]
	}
	for range rapid.IntRange(1, 12).Draw(rt, "texts") {
		var s strings.Builder
		s.WriteString(begin)
		for i, p := range all {
			s.WriteString(parts[p]())
			s.WriteString(seps[i])
		}
		texts = append(texts, s.String())
	}
	return layout, texts
}

// TestStrides: times that are read by strides are those that the parser reads, which takes a layout by steps as it
// takes it op by op.
func TestStrides(t *testing.T) {
	byStrides := 0
	rapid.Check(t, func(rt *rapid.T) {
		typ := dfa.Type{Kind: rapid.SampledFrom([]dfa.TypeKind{dfa.Date, dfa.Time, dfa.Timestamp}).Draw(rt, "kind")}
		var texts []string
		typ.Layout, texts = drawLayout(rt, typ.Kind)
		if typ.Kind != dfa.Date {
			typ.Unit = rapid.SampledFrom([]dfa.Unit{dfa.Microsecond, dfa.Second, dfa.Nanosecond}).Draw(rt, "unit")
		}
		if typ.Kind == dfa.Timestamp && !strings.Contains(typ.Layout, "%z") && rapid.Bool().Draw(rt, "zone") {
			typ.Zone = "America/New_York"
		}
		l, err := compileLayout(typ.Layout)
		if err != nil {
			return // digits beside digits
		}
		for _, s := range texts {
			for _, b := range [][]byte{[]byte(s), []byte(s)[:rapid.IntRange(0, len(s)).Draw(rt, "cut")], []byte(s + "0")} {
				var got, want moment
				got.clear()
				want.clear()
				n, rest := l.read(b, &want)
				ok := n == len(l.ops) && len(rest) == 0
				if is := l.parse(b, &got); is != ok || ok && got != want {
					rt.Fatalf("%q of %q: %t %+v, want %t %+v", typ.Layout, b, is, got, ok, want)
				}
			}
		}
		if r, err := newClockReader(&typ, Options{}, nil); err == nil && newStrides(r) != nil {
			byStrides++
		}
		compareRows(rt, typ, texts)
	})
	if byStrides == 0 {
		t.Error("no layout is read by strides")
	}
}
