//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

var taggings = []uint32{kernels.Tagged, kernels.Terminated, kernels.Delimited}

// cssDelivery is a delivery whose columns have been moved together.
type cssDelivery struct {
	*deliveryRows
	kernels.Css
	failed  bool
	sources []uint64 // per column, as its output has it
	moved   []byte
	before  [2][][]uint32 // the spans as they were
}

// css runs the stages partition and css over a segment, with so much memory for
// symbols: -1 is as much as it takes.
func (x *rows) css(stage *cssStage, segment, slack int, tagging, terminator uint32, size int) *cssDelivery {
	x.t.Helper()
	b := &cssDelivery{deliveryRows: x.deliveryOf(segment, len(x.shape.Record)+slack, 0, false)}
	columns := len(x.shape.Wanted)
	var outputs []kernels.Output
	raw := make([]uint8, columns+1)
	for w, c := range x.shape.Wanted {
		source := x.valueAddr
		if x.plan.Program.Widths != nil || b.segment.Binding.Rest >= 0 && b.segment.Binding.Source[c] == b.segment.Binding.Rest {
			raw[w], source = 1, x.dataAddr
		}
		outputs = append(outputs, kernels.Output{Column: uint32(w), Source: source})
	}
	b.Outputs, b.NOutputs = put(&x.memory, outputs, 0), uint32(columns)
	at := b.runPartition()
	b.before[0], b.before[1] = b.spans()

	if size < 0 {
		size = cssSize(len(x.data), b.capacity, columns)
	}
	pitch := cssPitch(b.capacity)
	b.Css = kernels.Css{
		Tagging: tagging, Terminator: terminator, NColumns: uint32(columns), Pitch: uint32(pitch), Raw: put(&x.memory, raw, 0),
		Offsets: x.alloc(4 * pitch * columns), Counters: x.alloc(32 * columns), Failed: x.alloc(4),
		Symbols: x.alloc(cssSymbols(size)), Size: uint64(size),
	}
	switch tagging {
	case kernels.Tagged:
		b.Tags = x.alloc(4 * (size + 16))
	case kernels.Delimited:
		b.Ends = x.alloc(cssEnds(size))
	}
	scratchSize := cssScratch(b.capacity, columns, size)
	scratch := x.alloc(scratchSize)
	job := get[kernels.Job](&x.memory, uint64(x.job), 1)[0]
	job.Scratch, job.ScratchSize = scratch, uint64(scratchSize)
	if err := stage.launch(x.d.stream, placed(&x.memory, job), at, placed(&x.memory, b.Css), &b.Css, scratch, b.capacity, b.capacity); err != nil {
		x.t.Fatal(err)
	}
	if columns > 0 {
		b.failed = get[uint32](&x.memory, b.Failed, 1)[0] != 0
	}
	for _, o := range get[kernels.Output](&x.memory, b.Outputs, columns) {
		b.sources = append(b.sources, o.Source)
	}
	b.moved = get[byte](&x.memory, b.Symbols, size)
	return b
}

// check holds the spans that the index gives against the reference's values.
func (b *cssDelivery) check() {
	b.t.Helper()
	start, end := b.spans()
	for w := range b.shape.Wanted {
		if b.failed {
			if !slices.Equal(start[w], b.before[0][w]) || !slices.Equal(end[w], b.before[1][w]) {
				b.t.Fatalf("tagging %d failed, and the spans of column %d have changed", b.Tagging, w)
			}
			if b.sources[w] != b.valueAddr && b.sources[w] != b.dataAddr {
				b.t.Fatalf("tagging %d failed, and column %d lies elsewhere", b.Tagging, w)
			}
			continue
		}
		place := int(b.sources[w] - b.Symbols)
		for row := range b.n {
			want, _ := b.want(w, row)
			if got := start[w][row] != kernels.Absent; got != (want != nil) {
				b.t.Fatalf("tagging %d, row %d, column %d: there %v, want %v", b.Tagging, row, w, got, want != nil)
			}
			if want == nil {
				continue
			}
			if start[w][row] > end[w][row] || place+int(end[w][row]) > len(b.moved) {
				b.t.Fatalf("tagging %d, row %d, column %d: span %d-%d", b.Tagging, row, w, start[w][row], end[w][row])
			}
			if got := b.moved[place:][start[w][row]:end[w][row]]; !bytes.Equal(got, want) {
				b.t.Fatalf("tagging %d, row %d, column %d: %.100q, want %.100q", b.Tagging, row, w, got, want)
			}
		}
	}
}

func openCSS(t *testing.T) (*rowsDevice, *cssStage) {
	d := openRows(t)
	text := dfa.Column{Type: dfa.Type{Kind: dfa.String}}
	stage, err := newCSSStage(d.Device, &runtime.Plan{Columns: []dfa.Column{text}, Outputs: []runtime.Output{{Column: 0, Part: -1}}})
	if err != nil {
		t.Fatal(err)
	}
	return d, stage
}

func TestCSSOfFormats(t *testing.T) {
	d, stage := openCSS(t)
	for _, name := range gen.VariedFormats() {
		t.Run(name, func(t *testing.T) {
			plan, b := formatPlan(t, name)
			for _, in := range rowsInputs(t, name, 60_000) {
				x := newRows(t, d, plan, in, true, b)
				for _, tagging := range taggings {
					css := x.css(stage, 0, 33, tagging, unitSeparator, -1)
					css.check()
					if css.failed != (tagging == kernels.Terminated && bytes.IndexByte(x.value, unitSeparator) >= 0) {
						t.Fatalf("tagging %d: failed is %v", tagging, css.failed)
					}
				}
				x.free()
			}
		})
	}
}

func TestCSSOfDrawnMachines(t *testing.T) {
	d, stage := openCSS(t)
	try := func(t *rapid.T, m enginetest.Machine, fixed bool) {
		plan, b := drawRowsPlan(t, m, fixed)
		in := enginetest.DrawInput(t, m.Alphabet, 300)
		x := newRows(t, d, plan, in, rapid.Bool().Draw(t, "final"), b)
		tagging := rapid.SampledFrom(taggings).Draw(t, "tagging")
		slack := rapid.IntRange(0, 70).Draw(t, "slack")
		for i := range x.segments {
			css := x.css(stage, i, slack, tagging, unitSeparator, -1)
			css.check()
			if css.failed && bytes.IndexByte(x.value, unitSeparator) < 0 {
				t.Fatal("failed without a reason")
			}
		}
		x.free()
	}
	ofMachines(t, try)
}

// Rows and symbols around a tile, one value of megabytes among short ones, and
// columns that are empty or not there.
func TestCSSOfManyRows(t *testing.T) {
	d, stage := openCSS(t)
	plan, b := formatPlan(t, "csv")
	b.MinFields, b.Truncate = 1, true
	for _, n := range []int{1, 2, 63, 64, 65, 4095, 4096, 4097, 16_400, 30_000} {
		var in strings.Builder
		for i := range n {
			switch {
			case i == 40:
				fmt.Fprintf(&in, "%d,\"%s\",x\n", i, strings.Repeat(`0123""`, 400_000/n))
			case i%5 == 1:
				fmt.Fprintf(&in, "%d\n", i)
			default:
				fmt.Fprintf(&in, "%d,,\"%d\"\n", i%10, i)
			}
		}
		x := newRows(t, d, plan, []byte(in.String()), true, b)
		for _, tagging := range taggings {
			css := x.css(stage, 0, n%3, tagging, unitSeparator, -1)
			css.check()
			if css.failed {
				t.Fatalf("%d rows: tagging %d failed", n, tagging)
			}
		}
		x.free()
	}
}

// A terminator that is in some value, and memory that does not suffice: the
// spans stay what they were.
func TestCSSThatFails(t *testing.T) {
	d, stage := openCSS(t)
	plan, b := formatPlan(t, "csv")
	b.Truncate = true
	in := []byte(strings.Repeat("abc,d,e\n", 5000) + "a,z,a\n")
	x := newRows(t, d, plan, in, true, b)
	defer x.free()
	for _, c := range []byte("abcdefz,\n\x01\x1e\x80\xff") {
		css := x.css(stage, 0, 0, kernels.Terminated, uint32(c), -1)
		css.check()
		if want := strings.IndexByte("abcdez", c) >= 0; css.failed != want {
			t.Fatalf("terminator %q: failed is %v", c, css.failed)
		}
	}
	for _, tagging := range taggings {
		need := 0
		for _, column := range []int{15_001, 5001, 5001} {
			if tagging != kernels.Tagged {
				column += 5001
			}
			need += (column + 63) &^ 63
		}
		for _, size := range []int{0, 64, need - 64, need} {
			css := x.css(stage, 0, 0, tagging, unitSeparator, size)
			css.check()
			if css.failed != (size < need) {
				t.Fatalf("tagging %d with %d bytes of %d: failed is %v", tagging, size, need, css.failed)
			}
		}
	}
}

// Strings are the same whether they are copied from the input or from there.
func TestStringsFromCSS(t *testing.T) {
	d, stage := openCSS(t)
	plan, b := formatPlan(t, "yelp")
	for _, in := range rowsInputs(t, "yelp", 60_000) {
		x := newRows(t, d, plan, in, true, b)
		for _, tagging := range taggings {
			css := x.css(stage, 0, 0, tagging, unitSeparator, -1)
			texts := css.converted()
			for i := range texts.images {
				texts.images[i].Source = css.sources[texts.images[i].Column]
			}
			texts.check()
		}
		x.free()
	}
}

// The symbols of a column are those of its values, one after the other, with
// what tells them apart.
func TestCSSIsWhatThePaperShows(t *testing.T) {
	d, stage := openCSS(t)
	plan, b := formatPlan(t, "csv")
	plan.Columns[1].Type.Kind = dfa.String
	x := newRows(t, d, plan, []byte("1,\"a,\"\"b\",x\n2,,y\n3,c,z\n"), true, b)
	defer x.free()
	column := func(css *cssDelivery, w int) string {
		counters := get[uint32](&x.memory, css.Counters, 24)[8*w:]
		return string(css.moved[counters[3]:][:counters[2]])
	}
	css := x.css(stage, 0, 0, kernels.Tagged, 0, -1)
	if got, want := column(css, 1), `a,"bc`; got != want {
		t.Errorf("tagged: %q, want %q", got, want)
	}
	if got, want := get[uint32](&x.memory, css.Tags+4*64, 5), []uint32{0, 0, 0, 0, 2}; !slices.Equal(got, want) {
		t.Errorf("tags %d, want %d", got, want)
	}
	css = x.css(stage, 0, 0, kernels.Terminated, '\x1e', -1)
	if got, want := column(css, 1), "a,\"b\x1e\x1ec\x1e"; got != want {
		t.Errorf("terminated: %q, want %q", got, want)
	}
	css = x.css(stage, 0, 0, kernels.Delimited, ',', -1)
	if got, want := column(css, 1), `a,"b,,c,`; got != want {
		t.Errorf("delimited: %q, want %q", got, want)
	}
	if got, want := get[uint32](&x.memory, css.Ends+8, 1)[0], uint32(0b10110000); got != want {
		t.Errorf("ends %b, want %b", got, want)
	}
}
