//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// convertDevice is a device for the tests of the stage convert.
type convertDevice struct {
	*rowsDevice
	stage *convertStage
}

func openConvert(tb testing.TB) *convertDevice {
	tb.Helper()
	d, err := device.Open(0)
	if err != nil {
		tb.Skipf("no device: %v", err)
	}
	x := &convertDevice{rowsDevice: &rowsDevice{Device: d}}
	if x.stream, err = d.NewStream(); err != nil {
		tb.Fatal(err)
	}
	if x.stage, err = newConvertStage(d); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		x.stream.Close()
		d.Close()
	})
	return x
}

// testField is what a row has for a column of a test.
type testField struct {
	value     []byte // nil: absent
	scattered bool   // its bytes do not lie side by side
	gap       int    // once in between, so many others
	malformed bool   // so is the row, and there is no value
}

func fieldsOf(values ...string) []testField {
	f := make([]testField, len(values))
	for i, s := range values {
		f[i].value = []byte(s)
	}
	return f
}

// spansOf lays fields out in data, something else around and inside them: per
// byte whether it is of a value, per row a span.
func spansOf(r *rand.Rand, fields []testField) (data []byte, isData []bool, start, end []uint32) {
	junk := func(n int) {
		for range n {
			c := byte(r.Uint32())
			if r.IntN(2) == 0 {
				c = "0123456789abcdefZ:.-"[r.IntN(20)] // as if the field went on
			}
			data, isData = append(data, c), append(isData, false)
		}
	}
	for _, f := range fields {
		junk(1 + r.IntN(4))
		switch {
		case f.value == nil || f.malformed:
			start, end = append(start, kernels.Absent), append(end, 0)
			continue
		case !f.scattered || len(f.value) < 2:
			start = append(start, uint32(len(data)))
			for _, c := range f.value {
				data, isData = append(data, c), append(isData, true)
			}
		default:
			start = append(start, uint32(len(data))|kernels.Scattered)
			rest := r.IntN(len(f.value) - 1)
			for i, c := range f.value {
				data, isData = append(data, c), append(isData, true)
				if i == rest {
					junk(f.gap)
				}
				if i == rest || i+1 < len(f.value) && r.IntN(16) == 0 {
					junk(1 + r.IntN(1+r.IntN(100)))
				}
			}
		}
		end = append(end, uint32(len(data)))
	}
	junk(1)
	return data, isData, start, end
}

// convertTest is a column, and fields for it.
type convertTest struct {
	column   dfa.Column
	utf8     dfa.UTF8Policy
	baseTime time.Time
	fields   []testField
	seed     uint64
}

// run converts the fields on the device, compares what it decides with the
// Converter, and gives the rows that it leaves.
func (x *convertTest) run(t tester, d *convertDevice) (left []int) {
	t.Helper()
	plan := &runtime.Plan{Columns: []dfa.Column{x.column}, Outputs: []runtime.Output{{Column: 0, Part: -1}}, UTF8: x.utf8, BaseTime: x.baseTime}
	image, err := newOutputImage(plan, plan.Outputs[0])
	if err != nil {
		t.Fatal(err)
	}
	if image.Flags&kernels.OnHost != 0 {
		t.Fatalf("%s is the host's", x.column.Type.String())
	}
	m := &memory{t: t, d: d.rowsDevice}
	defer m.free()
	data, isData, start, end := spansOf(rand.New(rand.NewPCG(x.seed, 1)), x.fields)
	n, capacity := len(x.fields), len(x.fields)+3
	words := (n + 31) / 32

	before, sum := []uint32{0}, uint32(0)
	for p := range data {
		if isData[p] {
			sum++
		}
		if p%kernels.Chunk == kernels.Chunk-1 || p == len(data)-1 {
			before = append(before, sum)
		}
	}
	job := kernels.Job{
		Data: put(m, data, kernels.Padding), Size: uint32(len(data)), Counts: put(m, []kernels.Counts{{Rows: uint32(n) + 7}}, 0),
		IsData: put(m, setBits(len(data), func(p int) bool { return isData[p] }), 0), DataBefore: put(m, before, 0),
	}
	job.Value = job.Data
	if x.seed%2 == 1 { // of chunks that are ASCII alone it is known that they are UTF-8
		flags := make([]uint8, chunkUTF8Size(len(data)))
		for p, symbol := range data {
			if symbol >= 0x80 {
				flags[p/kernels.Chunk] = 1
			}
		}
		job.ChunkUTF8 = put(m, flags, 0)
	}
	text := image.Kind == uint32(dfa.String) || image.Kind == uint32(dfa.Binary)
	image.Source, image.Tokens, image.DefaultBytes, image.Type = job.Data, put(m, image.tokens, 0), put(m, image.defaultBytes, 0), put(m, image.typ, 0)
	image.Column = 1
	fixed := max(capacity*int(image.Width), 4*(words+1))
	image.Fixed, image.Valid, image.Todo, image.Offsets = m.alloc(fixed), m.alloc(4*words), m.alloc(4*words), m.alloc(4*(capacity+1))
	image.Counters = put(m, make([]uint32, 8), 0)
	host := image.Output
	host.Kind, host.Flags, host.Fixed = uint32(dfa.List), kernels.OnHost, 0
	column := func(v []uint32) uint64 { // column 1 of 2 of the spans
		all := make([]uint32, 2*capacity)
		copy(all[capacity:], v)
		return put(m, all, 0)
	}
	delivery := kernels.Delivery{
		RowFrom: 7, RowTo: uint32(n) + 100, Capacity: uint32(capacity), NColumns: 2, NOutputs: 2,
		SpanStart: column(start), SpanEnd: column(end),
		Malformed: put(m, setBits(n, func(i int) bool { return x.fields[i].malformed }), 0),
		Outputs:   put(m, []kernels.Output{host, image.Output}, 0),
	}
	spanStart, spanEnd := delivery.SpanStart+uint64(4*capacity), delivery.SpanEnd+uint64(4*capacity)
	if err := d.stage.launch(d.stream, 0, placed(m, job), placed(m, delivery), capacity, 2); err != nil {
		t.Fatal(err)
	}
	valid, todo := get[uint32](m, image.Valid, words), get[uint32](m, image.Todo, words)
	counters := get[uint32](m, image.Counters, 8)
	values, lengths := get[byte](m, image.Fixed, fixed), get[uint32](m, image.Offsets, n)
	start, end = get[uint32](m, spanStart, n), get[uint32](m, spanEnd, n)

	var f convert.Fields
	for _, field := range x.fields {
		if field.value == nil || field.malformed {
			f.PushAbsent()
		} else {
			f.PushDecoded(field.value)
		}
	}
	c, err := convert.NewConverter(&x.column, convert.Options{UTF8: x.utf8, BaseTime: x.baseTime, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	want := convert.NewColumn(&x.column.Type)
	wrong := map[int]convert.Code{}
	for _, e := range c.Append(want, &f, nil) {
		if !x.fields[e.Row].malformed {
			wrong[e.Row] = e.Code
		}
	}

	set := func(words []uint32, i int) bool { return words[i>>5]>>(i&31)&1 == 1 }
	nulls := 0
	for i := range n {
		if set(todo, i) {
			left = append(left, i)
			if text && lengths[i] != 0 {
				t.Fatalf("row %d is left, and its text has %d bytes", i, lengths[i])
			}
			continue
		}
		name := fmt.Sprintf("%s: row %d of %d, %q", x.column.Type.String(), i, n, x.fields[i].value)
		if code, is := wrong[i]; is {
			t.Fatalf("%s is decided, and is %s", name, code)
		}
		if set(valid, i) != want.IsValid(i) {
			t.Fatalf("%s is valid: %t", name, set(valid, i))
		}
		if !want.IsValid(i) {
			nulls++
		}
		switch {
		case text:
			was := want.Data[want.Offsets[i]:want.Offsets[i+1]]
			var is []byte
			switch s := start[i]; {
			case s == kernels.DefaultText:
				is = image.defaultBytes
			case lengths[i] != 0:
				for p := s &^ kernels.Scattered; p < end[i]; p++ {
					if isData[p] {
						is = append(is, data[p])
					}
				}
			}
			if int(lengths[i]) != len(was) || len(was) > 0 && !bytes.Equal(is, was) {
				t.Fatalf("%s is %d bytes, %q; want %q", name, lengths[i], is, was)
			}
		case image.Width == 0:
			if is, was := values[i>>3]>>(i&7)&1, want.Fixed[i>>3]>>(i&7)&1; is != was {
				t.Fatalf("%s is %d", name, is)
			}
		default:
			w := int(image.Width)
			if is, was := values[i*w:(i+1)*w], want.Fixed[i*w:(i+1)*w]; !bytes.Equal(is, was) {
				t.Fatalf("%s is %x, want %x", name, is, was)
			}
		}
	}
	for i := n; i < 32*words; i++ {
		if set(valid, i) || set(todo, i) || image.Kind == uint32(dfa.Bool) && values[i>>3]>>(i&7)&1 != 0 {
			t.Fatalf("row %d is set, of %d", i, n)
		}
	}
	if int(counters[0]) != nulls || int(counters[1]) != len(left) {
		t.Fatalf("%d nulls and %d left are counted as %d and %d", nulls, len(left), counters[0], counters[1])
	}
	return left
}

// repeat gives n fields that are values over and over.
func repeat(n int, values ...string) []testField {
	f := make([]testField, n)
	for i := range f {
		f[i].value = []byte(values[i%len(values)])
	}
	return f
}
