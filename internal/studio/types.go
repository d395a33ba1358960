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
	if i := slices.IndexFunc([]string{"u64", "i64", "f64", "ip", "uuid"}, func(typ string) bool {
		if leadingZero.MatchString(sample) && typ != "ip" && typ != "uuid" {
			return false
		}
		err := fits(ctx, typ, values)
		return err == nil
	}); i >= 0 {
		return []string{"u64", "i64", "f64", "ip", "uuid"}[i]
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

// layoutsOf are the types that a text may be a time by, the likeliest first. They are
// candidates only: what is taken reads all values.
func layoutsOf(text string) (types []string) {
	switch {
	case regexp.MustCompile(`^1\d{9}$`).MatchString(text):
		return []string{"ts(epoch(s))"}
	case regexp.MustCompile(`^1\d{12}$`).MatchString(text):
		return []string{"ts(epoch(ms), unit ms)", "ts(epoch(ms))"}
	case regexp.MustCompile(`^1\d{9}\.\d+$`).MatchString(text):
		return []string{"ts(epoch(s))"}
	}
	layout := text
	clocks, year := false, false
	if loc := years.FindStringIndex(layout); loc != nil && (loc[0] == 0 || !strings.ContainsAny(layout[loc[0]-1:loc[0]], ".,:+-") || strings.Count(layout[:loc[0]], ":") == 0) {
		layout, year = layout[:loc[0]]+"%Y"+layout[loc[1]:], true
	}
	layout = clock.ReplaceAllStringFunc(layout, func(c string) string {
		clocks = true
		out := "%H:%M"
		twelve := strings.HasSuffix(strings.ToLower(c), "m")
		if strings.Count(c, ":") == 2 {
			out += ":%S"
		}
		if i := strings.IndexAny(c, ".,"); i >= 0 {
			out += c[i:i+1] + "%f"
		}
		if twelve {
			out = strings.Replace(out, "%H", "%I", 1)
			if strings.Contains(c, " ") {
				out += " "
			}
			out += "%p"
		}
		return out
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
	named := false
	for _, m := range []struct {
		at *regexp.Regexp
		as string
	}{{months, "%B"}, {month, "%b"}} {
		if loc := m.at.FindStringIndex(layout); loc != nil && !named {
			layout, named = layout[:loc[0]]+m.as+layout[loc[1]:], true
		}
	}
	var orders [][]string
	switch {
	case named && year:
		orders = [][]string{{"%d"}, {"%e"}}
	case named:
		orders = [][]string{{"%d"}, {"%e"}, {"%d", "%y"}}
	case year && strings.Index(layout, "%Y") == 0:
		orders = [][]string{{"%m", "%d"}}
	case year:
		orders = [][]string{{"%d", "%m"}, {"%m", "%d"}}
	default:
		orders = [][]string{{}, {"%y", "%m", "%d"}, {"%d", "%m", "%y"}, {"%m", "%d", "%y"}, {"%m", "%d"}}
	}
	for _, order := range orders {
		for _, zone := range zones {
			l, n, ok := "", 0, true
			for i, piece := range pieces.FindAllString(layout, -1) {
				isDirective := i > 0 && strings.HasSuffix(l, "%")
				switch {
				case isDirective:
					l += piece
				case piece[0] >= '0' && piece[0] <= '9':
					if ok = ok && n < len(order); ok {
						if order[n] == "%e" {
							l = strings.TrimSuffix(l, " ") // it is padded by one
							if strings.HasSuffix(text[:strings.Index(text, piece)], "  ") || len(piece) == 2 {
								l += " "
							}
						}
						l += order[n]
						n++
					}
				default:
					l += piece
				}
			}
			if !ok || n != len(order) {
				continue
			}
			l += zone
			typ := "ts"
			switch {
			case !clocks:
				typ = "date"
			case n == 0 && !named && !year:
				typ = "time"
			}
			types = append(types, fmt.Sprintf("%s(%q)", typ, l))
		}
	}
	if !clocks && !named && !year {
		return nil // numbers with signs between them are not taken for a date
	}
	return types
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
