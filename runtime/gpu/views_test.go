//go:build cuda

package gpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// checkViews runs the stage with views of every second text, and holds the strings that they are to
// internal/convert: those whose symbols lie side by side are where they lie, the others in the heap. Of every fourth text
// views have been made but for strings that are left, which is all here that are not empty.
func (x *textOutputs) checkViews() {
	x.t.Helper()
	heap := 64
	outputs := x.images
	for i := range outputs {
		heap += (len(x.want[i].Data) + 63) &^ 63
		if i%2 == 0 {
			outputs[i].Views = put(&x.memory, make([]byte, viewSize*x.capacity), 0)
		}
		if i%4 == 0 {
			heap += 4 * x.n // strings take whole words
			outputs[i].Flags |= viewed
			outputs[i].Counters = put(&x.memory, []uint32{2: 1, 7: 0}, 0)
		}
	}
	x.run(outputs, heap, true)

	memory := get[byte](&x.memory, x.Heap, heap)
	for i, o := range outputs {
		want, counters := x.want[i], get[uint32](&x.memory, o.Counters, 8)
		if counters[4] != 0 || counters[5] != 0 {
			x.t.Fatalf("output %d: counters %d", i, counters)
		}
		text := memory[counters[3]:][:counters[2]]
		if o.Views == 0 {
			if string(text) != string(want.Data) {
				x.t.Fatalf("output %d, which has no views: %.60q, want %.60q", i, text, want.Data)
			}
			continue
		}
		symbols, inHeap := x.value, 0
		if o.Source == x.dataAddr {
			symbols = x.data
		}
		for row, v := range get[arrow.ViewHeader](&x.memory, o.Views, x.n) {
			w := want.Data[want.Offsets[row]:want.Offsets[row+1]]
			start := x.start[int(o.Column)*x.capacity+row]
			var got []byte
			if start >= kernels.Scattered && (o.Flags&viewed == 0 || start >= kernels.DefaultText) {
				inHeap += len(w)
			}
			switch {
			case v.IsInline():
				got = v.InlineBytes()
			case v.BufferIndex() == heapBuffer && start >= kernels.Scattered:
				got = memory[v.BufferOffset():][:v.Len()]
			case v.BufferIndex() == symbolsBuffer && uint32(v.BufferOffset()) == start:
				got = symbols[v.BufferOffset():][:v.Len()]
			default:
				x.t.Fatalf("output %d, row %d: a view of buffer %d at %d, its span begins at %#x", i, row, v.BufferIndex(), v.BufferOffset(), start)
			}
			if string(got) != string(w) {
				x.t.Fatalf("output %d, row %d: %.60q, want %.60q", i, row, got, w)
			}
			if prefix := v.Prefix(); !v.IsInline() && string(prefix[:]) != string(w[:4]) {
				x.t.Fatalf("output %d, row %d: the view begins with %q, want %q", i, row, prefix, w[:4])
			}
		}
		if len(text) != inHeap {
			x.t.Fatalf("output %d: %d bytes in the heap, want %d", i, len(text), inHeap)
		}
	}
}

// viewFormats have texts that are not as they lie, and such that are of about as many bytes as a view has room for.
var viewFormats = []string{
	`delimited { sep ',' quote '"' doubled } header none fields { a str  b str default "in place of nothing"  c binary  d str trim null "none"  e binary(hex)  f str }`,
	`delimited { sep ',' escape e } header none fields { a str  b str default "in place of nothing"  c binary  d str trim null "none"  e binary(hex)  f str }`,
	`delimited { sep ',' } header none fields { a str  b str default "in place of nothing"  c binary  d str trim null "none"  e binary(hex)  f str }`,
}

// TestColumnsOfTexts: texts that stay, and views of them, are those of a Reader, whatever rows the CPU reads.
func TestColumnsOfTexts(t *testing.T) {
	b := newBench(t)
	for i, format := range viewFormats {
		spec := compiled(t, `escape e = '\' { n t ',' }  format views { `+format+` }`)
		for _, odd := range []int{500, 5, 2} { // some rows of a flight are the CPU's, more than are copied one by one, all
			text := viewInput(i, odd)
			for m, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null, dfa.Reject} {
				policy := dfa.ReplaceUTF8
				if m == 2 { // records are left out, wherever they are
					policy = dfa.RejectUTF8
				}
				for j, opts := range [][]Option{{WithFlight(400 << 10)}, {WithFlight(20 << 10)}, {WithFlight(100 << 10), WithGeneralPath()}} {
					readers := []runtime.Option{runtime.WithErrorMode(mode), runtime.WithUTF8(policy), runtime.WithThreads(2), runtime.WithBatchSize(1 << 20)}
					want, wantErr := readWant(t, spec.Program, text, readers)
					for k, where := range []string{"host", "device", "host, texts"} {
						t.Run(fmt.Sprintf("%d/%d/%v/%v/%d/%s", i, odd, mode, policy, j, where), func(t *testing.T) {
							b := &bench{t: t, d: b.d, s: b.s}
							opts := slices.Clip(opts)
							if k < 2 {
								opts = append(opts, WithTextViews())
							}
							got, _, err := b.readColumns(New(opts...), where, spec.Program, text, readers)
							if err != nil || wantErr != nil {
								t.Fatalf("error %v, the CPU's %v", err, wantErr)
							}
							if got != want {
								t.Fatalf("%d bytes of rows, want %d: %s", len(got), len(want), firstDifference(got, want))
							}
						})
					}
				}
			}
		}
	}
}

// viewInput are records of a format of viewFormats, every one of so many with a text that is not UTF-8.
func viewInput(format, odd int) string {
	var in strings.Builder
	for row := range 3000 {
		long := strings.Repeat("abcdefghijklmnop", 6)[row%16:]
		a, f := long[:8+row%9], fmt.Sprintf("row %d %s", row, long[:row%40])
		switch {
		case format == 0 && row%7 == 0:
			a = `"` + a + `""` + long[:row%20] + `"`
		case format == 0 && row%3 == 0:
			f = `"` + f + `"`
		case format == 1 && row%7 == 0:
			a = long[:row%16] + `\n` + a + `\,`
		case row%11 == 0:
			a = "é" + a
		}
		if row%odd == odd/2 {
			f = strings.Replace(f, " ", "\xff", 1)
		}
		d := []string{"none", " none", long[:12] + " ", "  " + long[:13]}[row%4]
		fmt.Fprintf(&in, "%s,%s,%s,%s,%x,%s\n", a, long[:row%3*row%30], long[:row%61], d, long[:row%21], f)
		if row == 99 {
			in.WriteString("too few,fields\n")
		}
	}
	return in.String()
}
