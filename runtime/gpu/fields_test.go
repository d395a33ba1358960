//go:build cuda

package gpu

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/convert"
)

// fieldsDevice converts fields of one column, which need no format, by the
// stage convert.
type fieldsDevice struct {
	*bench
	stage *convertStage
}

func newFieldsDevice(t testing.TB) *fieldsDevice {
	x := &fieldsDevice{bench: newBench(t)}
	var err error
	x.stage, err = newConvertStage(x.d)
	x.ok(err)
	return x
}

// convert gives the values of fields, as many bytes each as the type has, which
// rows are not null and which are left.
func (x *fieldsDevice) convert(plan *runtime.Plan, fields []string) (fixed []byte, valid, left []bool) {
	x.t.Helper()
	im, err := newOutputImage(plan, runtime.Output{Part: -1})
	x.ok(err)
	if im.Flags&kernels.OnHost != 0 {
		x.t.Fatalf("%s: for the host", plan.Columns[0].Type.String())
	}
	n, words := len(fields), len(fields)/32+1
	p := &partition{bench: x.bench}
	defer p.free()
	upload := func(v any) uint64 {
		b, err := binary.Append(nil, binary.LittleEndian, v)
		x.ok(err)
		at := p.alloc(len(b), rubbish)
		x.ok(x.s.Upload(at, b))
		x.ok(x.s.Synchronize())
		return at
	}

	// Between fields there are symbols that could be theirs.
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var data []byte
	start, end := make([]uint32, n), make([]uint32, n)
	for i, field := range fields {
		for range rng.IntN(5) {
			data = append(data, "0123456789abcdefZ:.-=+ /"[rng.IntN(24)])
		}
		start[i] = uint32(len(data))
		data = append(data, field...)
		end[i] = uint32(len(data))
	}
	job := kernels.Job{Size: uint32(len(data)), Counts: upload(kernels.Counts{Rows: uint32(n)})}
	job.Data = upload(append(data, bytes.Repeat([]byte{'7'}, 64)...))

	im.Source, im.Tokens, im.Type, im.DefaultBytes = job.Data, upload(im.tokens), upload(im.typ), upload(im.defaultBytes)
	im.Fixed, im.Valid, im.Todo = p.alloc(n*int(im.Width), rubbish), p.alloc(4*words, rubbish), p.alloc(4*words, rubbish)
	im.Counters = upload([8]uint32{})
	batch := kernels.Batch{RowTo: uint32(n), Capacity: uint32(n), NColumns: 1, NOutputs: 1, SpanStart: upload(start), SpanEnd: upload(end),
		Malformed: p.alloc(4*words, 0), Outputs: upload(im.Output)}
	x.ok(x.stage.launch(x.s, 0, upload(job), upload(batch), n, 1))

	fixed = table[byte](p, im.Fixed, n*int(im.Width))
	isValid, todo := table[uint32](p, im.Valid, words), table[uint32](p, im.Todo, words)
	valid, left = make([]bool, n), make([]bool, n)
	for i := range n {
		valid[i] = isValid[i>>5]>>(i&31)&1 == 1
		left[i] = todo[i>>5]>>(i&31)&1 == 1
	}
	return fixed, valid, left
}

// check converts fields by both engines: a row is the same, or left. It gives
// how many rows are left though they have a value; plain says that there may
// be none.
func (x *fieldsDevice) check(typ dfa.Type, opt convert.Options, fields []string, plain bool) int {
	x.t.Helper()
	col := dfa.Column{Name: "x", Type: typ}
	plan := &runtime.Plan{Columns: []dfa.Column{col}, BaseTime: opt.BaseTime}
	fixed, valid, left := x.convert(plan, fields)
	c, err := convert.NewConverter(&col, opt)
	x.ok(err)
	var f convert.Fields
	for _, field := range fields {
		f.PushDecoded([]byte(field))
	}
	want := convert.NewColumn(&col.Type)
	code := map[int]convert.Code{}
	for _, e := range c.Append(want, &f, nil) {
		code[e.Row] = e.Code
	}
	lost, width := 0, convert.ByteWidth(&col.Type)
	for i, field := range fields {
		has := want.IsValid(i)
		switch {
		case left[i]:
			if has && plain {
				x.t.Errorf("%s: %q is left", typ.String(), field)
			}
			if has {
				lost++
			}
		case code[i] != convert.OK:
			x.t.Errorf("%s: %q: %x, want %s", typ.String(), field, fixed[i*width:][:width], code[i])
		case valid[i] != has:
			x.t.Errorf("%s: %q: valid %v, want %v", typ.String(), field, valid[i], has)
		case !bytes.Equal(fixed[i*width:][:width], want.Fixed[i*width:][:width]):
			x.t.Errorf("%s: %q: %x, want %x", typ.String(), field, fixed[i*width:][:width], want.Fixed[i*width:][:width])
		}
	}
	return lost
}

// mutated changes s in a few places, by symbols of alphabet and others.
func mutated(rng *rand.Rand, s, alphabet string) string {
	b := []byte(s)
	for range 1 + rng.IntN(2) {
		c := byte(rng.IntN(256))
		if rng.IntN(4) != 0 {
			c = alphabet[rng.IntN(len(alphabet))]
		}
		i := rng.IntN(len(b) + 1)
		switch kind := rng.IntN(4); {
		case kind == 0:
			b = b[:i]
		case kind == 1:
			b = append(b[:i], append([]byte{c}, b[i:]...)...)
		case i == len(b):
		case kind == 2:
			b = append(b[:i], b[i+1:]...)
		default:
			b[i] = c
		}
	}
	return string(b)
}
