package docs_test

import (
	"cmp"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/golden"
)

// TestPlots holds the plots in docs/plots to the tables that they show; with
// -update, or by `make plots`, it draws them.
func TestPlots(t *testing.T) {
	for file, draw := range map[string]func(t *testing.T) picture{
		"peers.svg":   peersPlot,
		"formats.svg": formatsPlot,
		"cores.svg":   coresPlot,
		"devices.svg": devicesPlot,
	} {
		now := draw(t).svg()
		path := filepath.Join("docs", "plots", file)
		switch {
		case *golden.Update:
			if err := os.WriteFile(filepath.Join(root, path), []byte(now), 0o644); err != nil {
				t.Fatal(err)
			}
		case read(t, path) != now:
			t.Errorf("%s is not what its table says; make plots draws it", path)
		}
	}
}

func peersPlot(t *testing.T) picture {
	p := picture{title: "To typed columns in memory, GB/s", columns: 2}
	for _, here := range tablesUnder(t, "docs/peers.md", "To typed columns in memory") {
		pan := panel{title: here.heading}
		for _, row := range here.rows {
			for i, name := range here.names {
				if cores, ok := strings.CutSuffix(name, ", GB/s"); ok && row[i] != "" && !strings.Contains(row[0], "dropped") {
					pan.bars = append(pan.bars, measured(t, row[0], cores, row[i]))
				}
			}
		}
		p.panels = append(p.panels, pan)
	}
	return p
}

func formatsPlot(t *testing.T) picture {
	p := picture{title: "Built-in and other formats on one core, GB/s; how their fields are found", columns: 3}
	here := tablesUnder(t, "docs/formats-speed.md", "One core")[0]
	var bars []bar
	for _, row := range here.rows {
		bars = append(bars, measured(t, row[0], row[here.column(t, "fields")], row[here.column(t, "GB/s")]))
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(b.value, a.value) })
	for part := range slices.Chunk(bars, (len(bars)+p.columns-1)/p.columns) {
		p.panels = append(p.panels, panel{bars: part})
	}
	return p
}

func coresPlot(t *testing.T) picture {
	p := picture{title: "From memory to Arrow on 16 cores of an Intel Xeon, GB/s by threads", columns: 2}
	here := tablesUnder(t, "docs/performance.md", "Several cores")[0]
	for _, row := range here.rows {
		if strings.HasPrefix(row[0], "memory") {
			continue
		}
		pan := panel{title: row[0]}
		for i, threads := range here.names[1:] {
			pan.bars = append(pan.bars, measured(t, threads, "", row[1+i]))
		}
		p.panels = append(p.panels, pan)
	}
	return p
}

func devicesPlot(t *testing.T) picture {
	p := picture{title: "NVIDIA H200, GB/s: in its own memory, and from and to the host's", columns: 2}
	here := tablesUnder(t, "docs/gpu.md", "Measured")[0]
	var bars []bar
	for _, row := range here.rows {
		for _, name := range []string{"resident", "end to end"} {
			bars = append(bars, measured(t, row[0], name, row[here.column(t, name)]))
		}
	}
	for part := range slices.Chunk(bars, 2*((len(bars)/2+1)/2)) {
		p.panels = append(p.panels, panel{bars: part})
	}
	return p
}

// tableOf is a table of a document, with the nearest heading above it.
type tableOf struct {
	heading string
	names   []string
	rows    [][]string
}

func (m tableOf) column(t *testing.T, name string) int {
	t.Helper()
	i := slices.Index(m.names, name)
	if i < 0 {
		t.Fatalf("%s: no column %q but %q", m.heading, name, m.names)
	}
	return i
}

// tablesUnder are the tables in the section of a heading, those in sections below it too.
func tablesUnder(t *testing.T, file, heading string) (found []tableOf) {
	t.Helper()
	level, here, open := 0, "", false
	for line := range strings.Lines(read(t, file)) {
		line = strings.TrimSpace(line)
		depth := len(line) - len(strings.TrimLeft(line, "#"))
		switch title := strings.TrimSpace(line[depth:]); {
		case depth > 0:
			if title == heading {
				level = depth
			} else if depth <= level {
				level = 0
			}
			here = title
		case level == 0 || strings.HasPrefix(line, "|---"):
		case strings.HasPrefix(line, "|"):
			row := cells(line)
			if !open {
				found = append(found, tableOf{heading: here, names: row})
			} else {
				found[len(found)-1].rows = append(found[len(found)-1].rows, row)
			}
			open = true
			continue
		case line == "":
			open = false
		}
	}
	if len(found) == 0 {
		t.Fatalf("%s has no table under %q", file, heading)
	}
	return found
}

// cells are those of a row, as text.
func cells(line string) []string {
	row := strings.Split(strings.Trim(line, "|"), "|")
	for i, cell := range row {
		row[i] = strings.TrimSpace(strings.NewReplacer("`", "", "*", "").Replace(cell))
	}
	return row
}

// leading is the number that a cell begins with.
var leading = regexp.MustCompile(`^\d+(\.\d+)?`)

// picture is a number of panels of horizontal bars, side by side in columns.
type picture struct {
	title   string
	columns int
	panels  []panel
}

type panel struct {
	title string
	bars  []bar
}

// bar is one value. Bars of one label that follow each other share it.
type bar struct {
	label, series string
	text          string // of the value
	value         float64
}

// measured is the bar of a cell, which begins with a number.
func measured(t *testing.T, label, series, cell string) bar {
	t.Helper()
	text := leading.FindString(cell)
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatalf("%s: a cell with no number: %q", label, cell)
	}
	return bar{label, series, text, x}
}

const (
	plotWidth = 960
	margin    = 16
	thick     = 11 // a bar
	gap       = 5  // between labels
	letter    = 6.2
)

func (p picture) svg() string {
	var b strings.Builder
	longest, most, series := 0, 0.0, []string{}
	for _, pan := range p.panels {
		for _, x := range pan.bars {
			longest, most = max(longest, len([]rune(x.label))), max(most, x.value)
			if x.series != "" && !slices.Contains(series, x.series) {
				series = append(series, x.series)
			}
		}
	}
	label := letter*float64(longest) + 8
	column := float64(plotWidth-margin) / float64(p.columns)
	scale := (column - margin - label - 34) / most
	top := 64.0
	if len(series) == 0 {
		top = 44
	}
	tops := slices.Repeat([]float64{top}, p.columns)
	for i, pan := range p.panels {
		k := i % p.columns
		x, y := margin+float64(k)*column, &tops[k]
		if pan.title != "" {
			fmt.Fprintf(&b, "<text class=\"name\" x=\"%.0f\" y=\"%.0f\">%s</text>\n", x, *y+11, html.EscapeString(pan.title))
			*y += 20
		}
		for j, v := range pan.bars {
			if j == 0 || v.label != pan.bars[j-1].label || v.series == "" {
				if j > 0 {
					*y += gap
				}
				fmt.Fprintf(&b, "<text class=\"label\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x+label-6, *y+9, html.EscapeString(v.label))
			}
			fmt.Fprintf(&b, "<rect class=\"s%d\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\"/>", max(0, slices.Index(series, v.series)), x+label, *y, v.value*scale, thick-1)
			fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%.1f\">%s</text>\n", x+label+v.value*scale+4, *y+9, v.text)
			*y += thick
		}
		*y += 18
	}
	height := slices.Max(tops)
	var head strings.Builder
	fmt.Fprintf(&head, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" role="img" aria-labelledby="title">
<title id="title">%s</title>
<style>
text { font: 11px system-ui, sans-serif; fill: #475569 }
.label { text-anchor: end; fill: #1f2933 } .name { font-size: 13px; font-weight: 600; fill: #1f2933 } .title { font-size: 15px; font-weight: 600; fill: #1f2933 }
.back { fill: #fff; stroke: #cbd5e1 } .s0 { fill: #2f6db5 } .s1 { fill: #d97706 } .s2 { fill: #0f9d76 }
@media (prefers-color-scheme: dark) {
text { fill: #a9b4c2 } .label, .name, .title { fill: #e2e8f0 }
.back { fill: #10151c; stroke: #334155 } .s0 { fill: #5b9be6 } .s1 { fill: #f0a03c } .s2 { fill: #3cc79c }
}
</style>
<rect class="back" x="0.5" y="0.5" width="%d" height="%.0f" rx="8"/>
<text class="title" x="%d" y="28">%s</text>
`, plotWidth, height, plotWidth, height, html.EscapeString(p.title), plotWidth-1, height-1, margin, html.EscapeString(p.title))
	x := float64(margin)
	for i, name := range series {
		fmt.Fprintf(&head, "<rect class=\"s%d\" x=\"%.1f\" y=\"41\" width=\"10\" height=\"10\"/><text x=\"%.1f\" y=\"50\">%s</text>\n", i, x, x+15, html.EscapeString(name))
		x += letter*float64(len(name)) + 40
	}
	return head.String() + b.String() + "</svg>\n"
}
