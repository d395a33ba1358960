//go:build cuda

package gpu

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// checkBinaries takes fields of a column through convert, offsets and gather:
// each is what the Converter makes of it, or left. It gives the rows that are
// left.
func checkBinaries(t *testing.T, d *rowsDevice, stage *convertStage, col dfa.Column, fields []testField) (left []int) {
	t.Helper()
	plan := &runtime.Plan{Columns: []dfa.Column{col}}
	image, err := newOutputImage(plan, runtime.Output{Part: -1})
	if err != nil || image.Flags&kernels.OnHost != 0 {
		t.Fatalf("%s is the host's: %v", col.Type.String(), err)
	}
	m := &memory{t: t, d: d}
	defer m.free()
	data, isData, start, end := spansOf(rand.New(rand.NewPCG(8, 9)), fields)
	n, words := len(fields), len(fields)/32+1
	before, sum := []uint32{0}, uint32(0)
	for p := range data {
		if isData[p] {
			sum++
		}
		if p%kernels.Chunk == kernels.Chunk-1 || p == len(data)-1 {
			before = append(before, sum)
		}
	}
	size := stringsScratch(n, 1)
	job := kernels.Job{
		Data: put(m, data, kernels.Padding), Size: uint32(len(data)), Counts: put(m, []kernels.Counts{{Rows: uint32(n)}}, 0),
		IsData: put(m, setBits(len(data), func(p int) bool { return isData[p] }), 0), DataBefore: put(m, before, 0),
		Scratch: m.alloc(size), ScratchSize: uint64(size),
	}
	image.Source, image.Tokens, image.DefaultBytes, image.Type = job.Data, put(m, image.tokens, 0), put(m, image.defaultBytes, 0), put(m, image.typ, 0)
	image.Valid, image.Todo, image.Offsets, image.Counters = m.alloc(4*words), m.alloc(4*words), m.alloc(4*(n+1)), put(m, make([]uint32, 8), 0)
	heap := len(data) + n*len(image.defaultBytes) + 128
	delivery := kernels.Delivery{RowTo: uint32(n), Capacity: uint32(n), NColumns: 1, NOutputs: 1, SpanStart: put(m, start, 0), SpanEnd: put(m, end, 0),
		Malformed: put(m, make([]uint32, words), 0), Outputs: put(m, []kernels.Output{image.Output}, 0), Heap: m.alloc(heap), HeapSize: uint64(heap)}
	jobAt, deliveryAt := placed(m, job), placed(m, delivery)
	if err := stage.launch(d.stream, 0, jobAt, deliveryAt, n, 1); err != nil {
		t.Fatal(err)
	}
	if err := d.strings.launch(d.stream, jobAt, deliveryAt, job.Scratch, n, 1, heap, sideBySide{}); err != nil {
		t.Fatal(err)
	}
	valid, todo := get[uint32](m, image.Valid, words), get[uint32](m, image.Todo, words)
	offsets, text := get[uint32](m, image.Offsets, n+1), get[byte](m, delivery.Heap, heap)

	c, err := convert.NewConverter(&col, convert.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, field := range fields {
		var f convert.Fields
		if field.value == nil {
			f.PushAbsent()
		} else {
			f.PushDecoded(field.value)
		}
		want := convert.NewColumn(&col.Type)
		errs := c.Append(want, &f, nil)
		got := text[offsets[i]:offsets[i+1]]
		switch {
		case todo[i>>5]>>(i&31)&1 == 1:
			left = append(left, i)
			if len(got) != 0 {
				t.Fatalf("%s: %.80q is left, and has %d bytes", col.Type.String(), field.value, len(got))
			}
		case len(errs) != 0:
			t.Fatalf("%s: %.80q: %.80q, want %s", col.Type.String(), field.value, got, errs[0].Code)
		case valid[i>>5]>>(i&31)&1 == 1 != want.IsValid(0):
			t.Fatalf("%s: %.80q: valid %v", col.Type.String(), field.value, !want.IsValid(0))
		case !bytes.Equal(got, want.Data):
			t.Fatalf("%s: %.80q: %.80q, want %.80q", col.Type.String(), field.value, got, want.Data)
		}
	}
	return left
}

func TestBinaries(t *testing.T) {
	d := openRows(t)
	stage, err := newConvertStage(d.Device)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 3))
	write := map[dfa.Encoding][]func([]byte) string{
		dfa.Raw:    {func(b []byte) string { return string(b) }},
		dfa.Hex:    {hex.EncodeToString, func(b []byte) string { return strings.ToUpper(hex.EncodeToString(b)) }},
		dfa.Base64: {base64.StdEncoding.EncodeToString, base64.RawStdEncoding.EncodeToString, base64.URLEncoding.EncodeToString, base64.RawURLEncoding.EncodeToString},
	}
	drawn := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return b
	}
	for encoding, ways := range write {
		typ := dfa.Type{Kind: dfa.Binary, Encoding: encoding}
		fallback := ways[0]([]byte("in place of null"))
		columns := []dfa.Column{{Type: typ}, {Type: typ, Trim: true, Nulls: []string{"NULL", ""}}, {Type: typ, Trim: true, Nulls: []string{"00", "AAAA"}, HasDefault: true, Default: fallback}}
		var plain, hard []testField
		for n := range 600 {
			if n > 100 {
				n = rng.IntN(30)
			}
			plain = append(plain, testField{value: []byte(ways[rng.IntN(len(ways))](drawn(n)))})
		}
		for _, n := range []int{127, 128, 129, 1000, 5000, 40000} {
			plain = append(plain, testField{value: []byte(ways[0](drawn(min(n, 24000))))})
		}
		for i := range 1500 {
			s := ways[rng.IntN(len(ways))](drawn(rng.IntN(20) + i%2*rng.IntN(200)))
			switch i % 4 {
			case 0:
				s = " " + s + "\t"
			case 1, 2:
				s = mutated(rng, s, "0123456789abcdefABCDEF+/-_==gG")
			}
			hard = append(hard, testField{value: []byte(s), scattered: i%16 == 3})
		}
		hard = append(hard, fieldsOf("0", "0g", "0x00", "00 ff", "a", "a===", "====", "=", "==", "aGVsbG8==", "AB==", "AA==", "AA=", "AA", "aG\nVs", "AAB", "AAB=", "AAA=", "AA=A", "A===", "-_-_", "+/+/", "AAAA====",
			"NULL", "", "  ", "\xff\xff", strings.Repeat("00", 40000), strings.Repeat("AAAA", 20000))...)
		hard = append(hard, testField{})
		// Every symbol, in each place of a word.
		for c := range 256 {
			for i := range 4 {
				b := []byte("0000")
				b[i] = byte(c)
				hard = append(hard, testField{value: b})
			}
		}
		for _, col := range columns {
			if left := checkBinaries(t, d, stage, col, plain); len(left) > 0 {
				t.Errorf("%s: %d plain rows are left, %.80q is one", typ.String(), len(left), plain[left[0]].value)
			}
			checkBinaries(t, d, stage, col, hard)
		}
	}
}
