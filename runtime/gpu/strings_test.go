//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// textOutputs are the outputs of a delivery, as the stage convert leaves them: the
// lengths of strings, and spans trimmed or marked as defaults.
type textOutputs struct {
	*deliveryRows
	want   []*columns.Column
	images []kernels.Output
	start  []uint32 // all columns of the spans
	end    []uint32
}

// converted does what dfa_convert does for strings. Every output is one.
func (b *deliveryRows) converted() *textOutputs {
	x := &textOutputs{deliveryRows: b}
	x.start, x.end = get[uint32](&b.memory, b.SpanStart, int(b.NColumns)*b.capacity), get[uint32](&b.memory, b.SpanEnd, int(b.NColumns)*b.capacity)
	done := map[int]bool{} // columns of the spans that have been rewritten
	for _, o := range b.plan.Outputs {
		w := slices.Index(b.shape.Wanted, o.Column)
		def := b.plan.Def(o)
		c, err := convert.NewConverter(def, convert.Options{UTF8: dfa.KeepUTF8, Plain: true})
		if err != nil {
			b.t.Fatal(err)
		}
		var fields convert.Fields
		raw := b.plan.Program.Widths != nil || b.segment.Binding.Rest >= 0 && b.segment.Binding.Source[o.Column] == b.segment.Binding.Rest
		for row := range b.n {
			if value, _ := b.want(w, row); value != nil {
				fields.PushDecoded(value)
			} else {
				fields.PushAbsent()
			}
		}
		column := convert.NewColumn(&def.Type)
		c.Append(column, &fields, nil)
		x.want = append(x.want, column)
		if !done[w] {
			done[w] = true
			for row := range b.n {
				x.rewrite(w*b.capacity+row, row, &fields, def)
			}
		}
		lengths := make([]uint32, b.capacity+1)
		for i := range lengths {
			lengths[i] = 0x7eadbeef
		}
		for row := range b.n {
			lengths[row] = uint32(column.Offsets[row+1] - column.Offsets[row])
		}
		source := b.valueAddr
		if raw {
			source = b.dataAddr
		}
		x.images = append(x.images, kernels.Output{
			Kind: uint32(dfa.String), Column: uint32(w), Source: source, DefaultLength: uint32(len(def.Default)),
			DefaultBytes: put(&b.memory, []byte(def.Default), 0), Offsets: put(&b.memory, lengths, 0),
			Counters: put(&b.memory, make([]uint32, 8), 0),
		})
	}
	return x
}

// rewrite trims the span of a row, or says that its text is the default.
func (x *textOutputs) rewrite(at, row int, fields *convert.Fields, def *dfa.Column) {
	value, ok := fields.At(row)
	text := bytes.Clone(value)
	if def.Trim {
		text = bytes.Trim(text, " \t")
	}
	if !ok || slices.Contains(def.Nulls, string(text)) {
		if def.HasDefault {
			x.start[at] = kernels.DefaultText
		}
		return
	}
	if len(text) == len(value) {
		return
	}
	flag := x.start[at] & kernels.Scattered
	symbols := []uint32{}
	for p := x.start[at] &^ kernels.Scattered; p < x.end[at]; p++ {
		if flag == 0 || x.isData[p] {
			symbols = append(symbols, p)
		}
	}
	from := len(value) - len(bytes.TrimLeft(value, " \t"))
	if len(text) == 0 {
		x.end[at] = x.start[at] &^ flag
		return
	}
	x.start[at], x.end[at] = symbols[from]|flag, symbols[from+len(text)-1]+1
}

// check runs the stage and holds what it gives against internal/convert. Between
// the strings lie outputs that are none.
func (x *textOutputs) check() {
	x.t.Helper()
	var all []kernels.Output
	heap := 0
	for i, image := range x.images {
		if i%2 == 1 {
			all = append(all, kernels.Output{Kind: uint32(dfa.Int64), Counters: put(&x.memory, make([]uint32, 8), 0)})
		}
		all = append(all, image)
		heap += (len(x.want[i].Data) + 63) &^ 63
	}
	heap += 64
	x.run(all, heap, false)

	memory := get[byte](&x.memory, x.Heap, heap)
	at, i := 0, 0
	for _, o := range all {
		counters := get[uint32](&x.memory, o.Counters, 8)
		if int(counters[3]) != at || counters[4] != 0 || counters[5] != 0 {
			x.t.Fatalf("output %d: counters %d, want its text at %d", i, counters, at)
		}
		if o.Offsets == 0 {
			continue
		}
		want := x.want[i]
		offsets := get[int32](&x.memory, o.Offsets, x.n+1)
		if !slices.Equal(offsets, want.Offsets) {
			x.t.Fatalf("output %d: offsets %.20v, want %.20v", i, offsets, want.Offsets)
		}
		if int(counters[2]) != len(want.Data) {
			x.t.Fatalf("output %d: %d bytes, want %d", i, counters[2], len(want.Data))
		}
		if got := memory[at:][:len(want.Data)]; !bytes.Equal(got, want.Data) {
			for p := range got {
				if got[p] != want.Data[p] {
					x.t.Fatalf("output %d, byte %d of %d: %.60q, want %.60q", i, p, len(got), got[p:], want.Data[p:])
				}
			}
		}
		for at += len(want.Data); at%64 != 0; at++ {
			if memory[at] != 0 {
				x.t.Fatalf("output %d: %#x behind its text", i, memory[at])
			}
		}
		i++
	}
}

// run runs the stage over outputs, with a heap of so many bytes; views: some outputs have some.
func (x *textOutputs) run(outputs []kernels.Output, heap int, views bool) {
	x.SpanStart, x.SpanEnd = put(&x.memory, x.start, 0), put(&x.memory, x.end, 0)
	x.Outputs, x.NOutputs = put(&x.memory, outputs, 0), uint32(len(outputs))
	x.Heap, x.HeapSize = x.alloc(heap), uint64(heap)
	at := placed(&x.memory, x.Delivery)
	if need := stringsScratch(x.capacity, len(outputs)); need > x.scratchSize {
		x.t.Fatalf("scratch of %d bytes, %d wanted", x.scratchSize, need)
	}
	var err error
	if views {
		err = x.d.strings.launchViews(x.d.stream, x.job, at, x.scratch, x.capacity, len(outputs), heap)
	} else {
		err = x.d.strings.launch(x.d.stream, x.job, at, x.scratch, x.capacity, len(outputs), heap, sideBySide{})
	}
	if err != nil {
		x.t.Fatal(err)
	}
}

func checkStrings(x *rows, slack int) {
	x.t.Helper()
	for i := range x.segments {
		for _, check := range []func(*textOutputs){(*textOutputs).check, (*textOutputs).checkViews} {
			b := x.deliveryOf(i, len(x.shape.Record)+slack, 0, false)
			b.runPartition()
			check(b.converted())
		}
	}
}

func TestStringsOfFormats(t *testing.T) {
	d := openRows(t)
	for _, name := range gen.VariedFormats() {
		t.Run(name, func(t *testing.T) {
			plan, b := formatPlan(t, name)
			for _, in := range rowsInputs(t, name, 100_000) {
				x := newRows(t, d, plan, in, true, b)
				checkStrings(x, 33)
				x.free()
			}
		})
	}
}

func TestStringsOfDrawnMachines(t *testing.T) {
	d := openRows(t)
	try := func(t *rapid.T, m enginetest.Machine, fixed bool) {
		plan, b := drawRowsPlan(t, m, fixed)
		in := enginetest.DrawInput(t, m.Alphabet+" ", 300)
		x := newRows(t, d, plan, in, rapid.Bool().Draw(t, "final"), b)
		checkStrings(x, rapid.IntRange(0, 70).Draw(t, "slack"))
		x.free()
	}
	ofMachines(t, try)
}

// stringsOf checks a column of values among two others.
func stringsOf(t *testing.T, d *rowsDevice, values func(i int) string, n int) {
	t.Helper()
	plan, b := formatPlan(t, "csv")
	b.Truncate = true
	plan.Columns[1].Nulls, plan.Columns[1].HasDefault, plan.Columns[1].Default = []string{"NULL"}, true, "a default text of thirty bytes"
	var in strings.Builder
	for i := range n {
		value := values(i)
		if strings.ContainsAny(value, "\",\n") {
			value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		fmt.Fprintf(&in, "%s,%s,\n", "abc"[:i%4], value)
	}
	x := newRows(t, d, plan, []byte(in.String()), true, b)
	checkStrings(x, 0)
	x.free()
}

// Rows around a tile of the scan, strings of one byte, of none, of very
// different lengths.
func TestStringsOfManyRows(t *testing.T) {
	d := openRows(t)
	for _, n := range []int{0, 1, 3, 4, 5, 127, 128, 129, 4095, 4096, 4097, 8192, 20_001} {
		stringsOf(t, d, func(i int) string { return "xyz"[:1] }, n)
	}
	r := rand.New(rand.NewPCG(1, 2))
	stringsOf(t, d, func(i int) string { return "" }, 9000)
	stringsOf(t, d, func(i int) string { return "NULL" }, 9000)
	stringsOf(t, d, func(i int) string { // texts far apart
		if i%4000 == 3999 {
			return "here"
		}
		return ""
	}, 30_000)
	stringsOf(t, d, func(i int) string {
		return strings.Repeat(string(rune('a'+i%26)), r.IntN(40))
	}, 9000)
	stringsOf(t, d, func(i int) string {
		value := make([]byte, r.IntN(1<<r.IntN(11)))
		for j := range value {
			value[j] = "abcdefghij\",\n"[r.IntN(10+3*(i%2))]
		}
		return string(value)
	}, 2000)
}

// Long strings of runs of data, of any length and with what is no data anywhere, side by side and
// at both ends too; so many that runs are listed, just so, and too many.
func TestStringsOfRuns(t *testing.T) {
	d := openRows(t)
	for seed, between := range []int{4, 30, 70, 200, 1000, 100_000} { // symbols between two quotes, about
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		stringsOf(t, d, func(i int) string {
			value := make([]byte, r.IntN(1<<r.IntN(12)))
			for j := range value {
				value[j] = byte('a' + r.IntN(26))
				if r.IntN(between) == 0 || r.IntN(2*len(value)) == 0 {
					for k := j; k >= max(0, j-r.IntN(3)); k-- {
						value[k] = '"'
					}
				}
			}
			return string(value)
		}, 700)
	}
}

// The list of what is left to dfa_gather_long has no room, or has for a few.
func TestStringsWithoutAList(t *testing.T) {
	d := openRows(t)
	plan, b := formatPlan(t, "csv")
	var in strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&in, "%d,\"%s\",\"x\"\"%s\"\n", i, strings.Repeat("0123", i%100), "abcdef"[:i%7])
	}
	for _, parts := range []int{0, 1, 3, 100} {
		x := newRows(t, d, plan, []byte(in.String()), true, b)
		job := get[kernels.Job](&x.memory, uint64(x.job), 1)[0]
		job.ScratchSize = uint64(offsetsHeader + 16*parts)
		x.job = placed(&x.memory, job)
		checkStrings(x, 0)
		x.free()
	}
}

// One value of megabytes among short ones: whole, with few escapes, with
// nothing else, and with most of it no data.
func TestStringsOfLongFields(t *testing.T) {
	d := openRows(t)
	n := 2 << 20
	for _, long := range []string{
		strings.Repeat("0123456789", n/10), strings.Repeat("0123456789\"", n/10), strings.Repeat(`"`, n/2), strings.Repeat(strings.Repeat("x", 9999)+`"`, n/10000),
	} {
		stringsOf(t, d, func(i int) string {
			if i == 5 {
				return long
			}
			return "short"[:i%6]
		}, 11)
	}
	// Between two data symbols lie megabytes of control.
	plan, b := formatPlan(t, "apache_common")
	plan.Columns[0].Class, b.MinFields = 0, 1
	gap := &dfa.Automaton{
		States: []dfa.State{{Name: "A"}}, NGroups: 3, Next: make([]dfa.StateID, 3), Emit: []dfa.EmissionID{0, 1, 2}, AtEOF: []dfa.EmissionID{2},
		Emissions: []dfa.Emission{{Kind: dfa.Skip}, {Kind: dfa.Data}, {Kind: dfa.Record, Column: dfa.NextColumn}},
	}
	gap.Group['x'], gap.Group['\n'] = 1, 2
	program, err := dfa.NewProgram(dfa.Definition{Name: "gap", Automaton: gap, Columns: []dfa.Column{{Name: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	plan = &runtime.Plan{Program: program, Columns: program.Columns, MaxRecord: 1 << 30, Outputs: []runtime.Output{{Column: 0, Part: -1}}}
	b = &runtime.Binding{MinFields: 1, MaxFields: 1, Rest: -1, Source: []int{0}}
	space := strings.Repeat(" ", 1<<20)
	x := newRows(t, d, plan, []byte("x"+space+"xx"+space+"x x\n"+space+"xx\nx"+space+"\n"+space+"\n"), true, b)
	checkPartition(x, 0)
	checkStrings(x, 0)
	x.free()
}

// What does not fit is said so, and nothing is written beyond the heap.
func TestStringsThatDoNotFit(t *testing.T) {
	d := openRows(t)
	plan, b := formatPlan(t, "csv")
	x := newRows(t, d, plan, []byte(strings.Repeat("aaaaaaaaaaaaaaaa,b,cccccccccccccccc\n", 100)), true, b)
	defer x.free()
	delivery := x.deliveryOf(0, 100, 0, false)
	delivery.runPartition()
	texts := delivery.converted()
	for _, heap := range []int{0, 63, 1599, 1600, 1700, 1727, 1728, 3327, 3328, 9999} {
		for i := range texts.images {
			lengths := make([]uint32, 101)
			for row := range 100 {
				lengths[row] = uint32(texts.want[i].Offsets[row+1] - texts.want[i].Offsets[row])
			}
			texts.images[i].Offsets = put(&x.memory, lengths, 0)
			texts.images[i].Counters = put(&x.memory, make([]uint32, 8), 0)
		}
		texts.run(texts.images, heap, false)
		for i, end := range []int{1600, 1600 + 100, 1728 + 1600} {
			counters := get[uint32](&x.memory, texts.images[i].Counters, 8)
			fits := (end+63)&^63 <= heap
			if (counters[5] == 0) != fits {
				t.Fatalf("heap of %d: counters of output %d are %d, fits %v", heap, i, counters, fits)
			}
			if size := len(texts.want[i].Data); fits && !bytes.Equal(get[byte](&x.memory, texts.Heap+uint64(counters[3]), size), texts.want[i].Data) {
				t.Fatalf("heap of %d: output %d", heap, i)
			}
		}
	}
}

// Lengths that int32 offsets do not reach are not added up to something small.
func TestStringsOfTooManyBytes(t *testing.T) {
	d := openRows(t)
	plan, b := formatPlan(t, "csv")
	x := newRows(t, d, plan, []byte(strings.Repeat("a,b,c\n", 6000)), true, b)
	defer x.free()
	delivery := x.deliveryOf(0, 6000, 0, false)
	delivery.runPartition()
	texts := delivery.converted()
	for _, length := range []uint32{1 << 19, 1 << 20, 1 << 31} { // 3 GB, 6 GB, 12 TB
		lengths := slices.Repeat([]uint32{length}, 6001)
		texts.images[1].Offsets = put(&x.memory, lengths, 0)
		texts.images[1].Counters = put(&x.memory, make([]uint32, 8), 0)
		texts.run(texts.images[1:2], 1<<16, false)
		counters := get[uint32](&x.memory, texts.images[1].Counters, 8)
		if want := min(uint64(length)*6000, 1<<32-1); counters[2] != uint32(want) || counters[5] != 1 {
			t.Errorf("6000 strings of %d bytes: counters %d", length, counters)
		}
	}
}
