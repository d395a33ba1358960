package bench

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"github.com/dfaparse/dfaparse/internal/render"
)

// Style is how reports are printed.
type Style struct {
	Color bool // bold heads, grey bars
	Sizes bool // a line for each sample instead of a table
}

// Print writes a report for people.
func Print(w io.Writer, r *Report, style Style) error {
	p := &printer{r: r, style: style, cycles: r.Ticks > 0}
	p.head()
	p.b.WriteByte('\n')
	if style.Sizes {
		p.sizes()
	} else {
		for i := range r.Samples {
			p.sample(&r.Samples[i])
		}
	}
	_, err := io.WriteString(w, p.b.String())
	return err
}

type printer struct {
	r      *Report
	style  Style
	cycles bool
	b      strings.Builder
}

func (p *printer) head() {
	r := p.r
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&p.b, "%-11s  %s\n", name, fmt.Sprintf(format, args...))
	}
	largest := &r.Samples[len(r.Samples)-1]
	what := ""
	if r.Cut {
		what = "the first "
	}
	what += fmt.Sprintf("%s, %s of %s", nbytes(largest.Bytes), count(largest.Rows, "row"), count(int64(r.Columns), "column"))
	if largest.Rejected > 0 {
		what += ", " + count(largest.Rejected, "record") + " rejected"
	}
	line("input", "%s: %s", render.Printable(r.File), what)
	line("format", "%s", render.Printable(r.Format))
	line("engine", "%s, %s", r.Engine, count(int64(r.Threads), "thread"))
	if r.Device != "" {
		line("device", "%s", r.Device)
	}
	line("machine", "%s, %s, %s", r.CPU, count(int64(r.Cores), "core"), r.System)
	if r.Peak > 0 {
		line("memory", "%.1f MiB at most, reading the file", float64(r.Peak)/(1<<20))
	}
	line("measured", "median of %s", count(int64(r.Repeat), "run"))
}

// sample prints the table of one sample: its stages, then its wholes.
func (p *printer) sample(s *Sample) {
	head := func(name string) []string {
		h := []string{name, "time", "share", "", "GB/s", "cores"}
		if p.cycles {
			h = append(h, "TSC cycles/byte")
		}
		return h
	}
	row := func(t *Timing, share, bar string) []string {
		cells := []string{t.Name, duration(t.Time), share, bar, three(t.Rate), ""}
		if share == "0.0%" {
			cells[4] = "" // a rate of nothing
		}
		if t.Work > 0 && t.Time > 0 {
			cells[5] = fmt.Sprintf("%.2f", float64(t.Work)/float64(t.Time))
		}
		if p.cycles {
			cells = append(cells, three(t.Cycles))
		}
		return cells
	}
	var rows [][]string
	if len(s.Stages) > 0 {
		rows = append(rows, head("stage"))
		for i := range s.Stages {
			t := &s.Stages[i]
			rows = append(rows, row(t, fmt.Sprintf("%.1f%%", 100*t.Share), bar(t.Share)))
		}
		rows = append(rows, nil)
	}
	whole := head("whole")
	whole[2] = ""
	rows = append(rows, whole)
	for i := range s.Wholes {
		rows = append(rows, row(&s.Wholes[i], "", ""))
	}
	p.table(rows, 3)
	p.notes(s)
}

// sizes prints a line of rates for each sample. An engine may do without a
// stage where an input is small.
func (p *printer) sizes() {
	var stages, wholes []string
	for i := range p.r.Samples {
		stages = merge(stages, p.r.Samples[i].Stages)
		wholes = merge(wholes, p.r.Samples[i].Wholes)
	}
	rows := [][]string{{"GB/s of", "rows"}}
	for _, name := range slices.Concat(stages, wholes) {
		rows[0] = append(rows[0], strings.TrimPrefix(name, "to Arrow, "))
	}
	for i := range p.r.Samples {
		s := &p.r.Samples[i]
		row := []string{nbytes(s.Bytes), render.Grouped(s.Rows)}
		for _, name := range stages {
			row = append(row, rate(s.Stages, name))
		}
		for _, name := range wholes {
			row = append(row, rate(s.Wholes, name))
		}
		rows = append(rows, row)
	}
	p.table(rows, -1)
	p.notes(&p.r.Samples[len(p.r.Samples)-1])
}

// merge adds the names that are new, each after the one that it follows.
func merge(names []string, timings []Timing) []string {
	at := 0
	for _, t := range timings {
		if i := slices.Index(names, t.Name); i >= 0 {
			at = i + 1
			continue
		}
		names = slices.Insert(names, at, t.Name)
		at++
	}
	return names
}

func rate(timings []Timing, name string) string {
	for _, t := range timings {
		if t.Name == name {
			return three(t.Rate)
		}
	}
	return ""
}

func (p *printer) notes(s *Sample) {
	notes := s.Notes
	if s.Left > 0 {
		notes = append([]string{fmt.Sprintf("The device left %s of %s to the processor.", render.Grouped(s.Left), count(s.Rows, "row"))}, notes...)
	}
	if len(notes) > 0 {
		p.b.WriteByte('\n')
	}
	for _, n := range notes {
		p.b.WriteString(n + "\n")
	}
}

// table writes rows of cells: the first to the left, the others to the right,
// but for the column of bars. A row without cells is an empty line, the row
// after it, and the first, are heads.
func (p *printer) table(rows [][]string, bars int) {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
	}
	isHead := true
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			room := strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell))
			switch {
			case i == bars:
				line.WriteString("  " + p.paint("\x1b[2m", cell) + room)
			case i == 0:
				line.WriteString(cell + room)
			default:
				line.WriteString("  " + room + cell)
			}
		}
		text := strings.TrimRight(line.String(), " ")
		if isHead {
			text = p.paint("\x1b[1m", text)
		}
		isHead = len(row) == 0
		p.b.WriteString(text + "\n")
	}
}

func (p *printer) paint(code, text string) string {
	if !p.style.Color || text == "" {
		return text
	}
	return code + text + "\x1b[0m"
}

// bar draws a share with a length of at most 20, in eighths.
func bar(share float64) string {
	const length = 20
	eighths := int(share*length*8 + 0.5)
	text := strings.Repeat("█", eighths/8)
	if eighths%8 > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[eighths%8-1])
	}
	return text
}

// three is a number with three digits that count; what is not known is not
// there.
func three(v float64) string {
	switch {
	case v == 0:
		return ""
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	case v >= 0.9995:
		return strconv.FormatFloat(v, 'f', 2, 64)
	case v < 0.0005:
		return "< 0.001"
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

func duration(t time.Duration) string {
	switch {
	case t == 0:
		return "0"
	case t < time.Microsecond:
		return strconv.FormatInt(int64(t), 10) + " ns"
	case t < time.Millisecond:
		return three(float64(t)/float64(time.Microsecond)) + " µs"
	case t < time.Second:
		return three(float64(t)/float64(time.Millisecond)) + " ms"
	}
	return three(t.Seconds()) + " s"
}

// nbytes is a number of bytes, in powers of 1000 as rates are.
func nbytes(n int64) string {
	v, unit := float64(n), 0
	for v >= 999.5 && unit < 4 {
		v, unit = v/1000, unit+1
	}
	if unit == 0 {
		return strconv.FormatInt(n, 10) + " B"
	}
	return three(v) + " " + []string{"", "kB", "MB", "GB", "TB"}[unit]
}

func count(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return render.Grouped(n) + " " + what
}
