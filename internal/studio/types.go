package studio

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// typeOf is the type that all values of a field in the window have, "" for text. src has the
// field without a type; sample is the value that was marked.
func (a *Analysis) typeOf(ctx context.Context, file string, src []byte, name, sample string, time bool) string {
	values := [][]byte{[]byte(sample)}
	spec, err := compile.Compile(file, src, compile.WithResolver(formats.Resolve), compile.WithContext(ctx))
	if err == nil {
		values = append(values, a.valuesOf(ctx, spec.Program.OfText(), name)...)
	}
	layouts := layoutsOf(sample)
	for _, typ := range layouts {
		if err := fits(ctx, typ, values); err == nil {
			return typ
		}
	}
	if time {
		for _, typ := range layouts { // a time stamp in which blanks stand, of which only the sample is known yet
			if err := fits(ctx, typ, values[:1]); err == nil {
				return typ
			}
		}
		return ""
	}
	for _, typ := range []string{"u64", "i64", "f64", "ip", "uuid"} {
		isNumber := typ != "ip" && typ != "uuid"
		if isNumber && leadingZero.MatchString(sample) {
			continue
		}
		if err := fits(ctx, typ, values); err == nil {
			return typ
		}
	}
	return ""
}

var leadingZero = regexp.MustCompile(`^[-+]?0\d`)

// valuesOf are values of a field in the window.
func (a *Analysis) valuesOf(ctx context.Context, p *dfa.Program, name string) (values [][]byte) {
	i := slices.IndexFunc(p.Columns, func(c dfa.Column) bool { return c.Name == name })
	p.Automaton.Walk(a.window.Data, p.Automaton.Start, func(r *dfa.RawRecord) bool {
		for _, f := range r.Fields {
			if f.Column == i && r.Code == 0 && r.Kind == dfa.DataRecord && len(f.Value) > 0 {
				values = append(values, bytes.Clone(f.Value))
			}
		}
		return len(values) < maxValues && ctx.Err() == nil
	})
	return values
}

// maxValues is how many values a type is tried with.
const maxValues = 2000

// fits reads values as a type; the error says which is none.
func fits(ctx context.Context, typ string, values [][]byte) error {
	src := "format t { delimited { sep '\\x00' } fields { v " + typ + " } }"
	spec, err := compile.Compile("t.dfp", []byte(src), compile.WithContext(ctx))
	if err != nil {
		return err
	}
	r, err := runtime.ReadBytes(append(bytes.Join(values, []byte{'\n'}), '\n'), spec.Program,
		runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithContext(ctx), runtime.WithErrorMode(dfa.Fail))
	if err != nil {
		return err
	}
	defer r.Release()
	for r.Next() {
	}
	return r.Err()
}

var (
	pieces   = regexp.MustCompile(`[A-Za-z]+|\d+|[^A-Za-z\d]+`)
	clock    = regexp.MustCompile(`\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[AaPp][Mm])?`)
	offset   = regexp.MustCompile(` ?([+-]\d{2}:?\d{2}|Z|UTC|GMT)$`)
	weekdays = regexp.MustCompile(`(?i)\b(monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b`)
	weekday  = regexp.MustCompile(`(?i)\b(mon|tue|wed|thu|fri|sat|sun)\b`)
	months   = regexp.MustCompile(`(?i)(january|february|march|april|june|july|august|september|october|november|december)`)
	month    = regexp.MustCompile(`(?i)(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)`)
	years    = regexp.MustCompile(`\b(19|20)\d{2}(?:\b|T)`)
)

// epochs are what seconds and milliseconds since 1970 look like, with the types that they may be.
var epochs = []struct {
	form  *regexp.Regexp
	types []string
}{
	{regexp.MustCompile(`^1\d{9}(\.\d+)?$`), []string{"ts(epoch(s))"}},
	{regexp.MustCompile(`^1\d{12}$`), []string{"ts(epoch(ms), unit ms)", "ts(epoch(ms))"}},
}

// layoutsOf are the types that a text may be a time by, the likeliest first. They are
// candidates only: what is taken reads all values.
func layoutsOf(text string) (types []string) {
	for _, e := range epochs {
		if e.form.MatchString(text) {
			return e.types
		}
	}
	layout := text
	clocks, year, named := false, false, false
	if loc := years.FindStringIndex(layout); loc != nil && (loc[0] == 0 || !strings.ContainsAny(layout[loc[0]-1:loc[0]], ".,:+-") || strings.Count(layout[:loc[0]], ":") == 0) {
		layout, year = layout[:loc[0]]+"%Y"+layout[loc[1]:], true
	}
	layout = clock.ReplaceAllStringFunc(layout, func(c string) string {
		clocks = true
		return clockLayout(c)
	})
	zones := []string{""}
	if m := offset.FindString(layout); m != "" && clocks {
		layout = strings.TrimSuffix(layout, m)
		blank := ""
		if m[0] == ' ' {
			blank = " "
		}
		zones = []string{blank + "%z", blank + "%Z"}
	}
	layout = weekdays.ReplaceAllString(layout, "%A")
	layout = weekday.ReplaceAllString(layout, "%a")
	for _, m := range []struct {
		at *regexp.Regexp
		as string
	}{{months, "%B"}, {month, "%b"}} {
		if loc := m.at.FindStringIndex(layout); loc != nil && !named {
			layout, named = layout[:loc[0]]+m.as+layout[loc[1]:], true
		}
	}
	if !clocks && !named && !year {
		return nil // numbers with signs between them are not taken for a date
	}
	for _, order := range ordersOf(layout, named, year) {
		l, ok := inOrder(layout, text, order)
		if !ok {
			continue
		}
		typ := "ts"
		switch {
		case !clocks:
			typ = "date"
		case len(order) == 0 && !named && !year:
			typ = "time"
		}
		for _, zone := range zones {
			types = append(types, fmt.Sprintf("%s(%q)", typ, l+zone))
		}
	}
	return types
}

// clockLayout is the layout of a clock.
func clockLayout(c string) string {
	layout := "%H:%M"
	if strings.Count(c, ":") == 2 {
		layout += ":%S"
	}
	if i := strings.IndexAny(c, ".,"); i >= 0 {
		layout += c[i:i+1] + "%f"
	}
	if strings.HasSuffix(strings.ToLower(c), "m") {
		layout = strings.Replace(layout, "%H", "%I", 1)
		if strings.Contains(c, " ") {
			layout += " "
		}
		layout += "%p"
	}
	return layout
}

// ordersOf are the orders that the numbers of a layout may have which are yet to be told: named, it has
// a month's name, and year, a year.
func ordersOf(layout string, named, year bool) [][]string {
	switch {
	case named && year:
		return [][]string{{"%d"}, {"%e"}}
	case named:
		return [][]string{{"%d"}, {"%e"}, {"%d", "%y"}}
	case year && strings.HasPrefix(layout, "%Y"):
		return [][]string{{"%m", "%d"}}
	case year:
		return [][]string{{"%d", "%m"}, {"%m", "%d"}}
	}
	return [][]string{{}, {"%y", "%m", "%d"}, {"%d", "%m", "%y"}, {"%m", "%d", "%y"}, {"%m", "%d"}}
}

// inOrder is a layout with directives for the numbers that text has in it, if these are as many.
func inOrder(layout, text string, order []string) (l string, ok bool) {
	n := 0
	for i, piece := range pieces.FindAllString(layout, -1) {
		isDirective := i > 0 && strings.HasSuffix(l, "%")
		if isDirective || piece[0] < '0' || piece[0] > '9' {
			l += piece
			continue
		}
		if n == len(order) {
			return "", false
		}
		if order[n] == "%e" {
			l = strings.TrimSuffix(l, " ") // it is padded by one
			if strings.HasSuffix(text[:strings.Index(text, piece)], "  ") || len(piece) == 2 {
				l += " "
			}
		}
		l += order[n]
		n++
	}
	return l, n == len(order)
}

// Proposal is a spec to begin with.
type Proposal struct {
	Title string `json:"title"`
	Why   string `json:"why"`
	Spec  string `json:"spec"`
}

// inferred is the spec of a delimited input, if it is one.
func inferred(ctx context.Context, name string, sample []byte, whole bool, encoding string) *Proposal {
	t, err := infer.Infer(ctx, name, &infer.Input{Sample: sample, Whole: whole}, nil, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1))
	if err != nil || t.Width < 2 {
		return nil
	}
	t.Encoding = encoding
	src, err := t.Source(formatName(name), name)
	if err != nil {
		return nil
	}
	return &Proposal{"a delimited table", t.Summary(""), src}
}
