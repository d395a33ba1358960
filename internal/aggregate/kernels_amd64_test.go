package aggregate

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/guard"
)

// TestKernels: the functions in assembly make the same groups and states as those in Go.
func TestKernels(t *testing.T) {
	if !hasKernels {
		t.Skip("no AES")
	}
	defer func() { hasKernels = true }()
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "key", Type: arrow.BinaryTypes.String},
		{Name: "int", Type: arrow.PrimitiveTypes.Int64},
		{Name: "dec", Type: &arrow.Decimal128Type{Precision: 18}},
		{Name: "float", Type: arrow.PrimitiveTypes.Float64},
	}, nil)
	texts := append(slices.Clone(drawnTexts), "a\x00\x00", "exactly sixteen?", "exactly sixteen!\x00", "exactly sixteen\x00", "7 bytes", "köl", "seventeen bytes, ",
		"thirty-two bytes, not one byte m", "thirty-two bytes, Not one byte m", "a text of thirty-three bytes, 33 ", "a text of many more bytes than have room in four words of eight", "a text of many more bytes than have Room in four words of eight")
	ints := []int64{0, 1, -1, 7, 1e15, math.MaxInt64, math.MinInt64}
	floats := append(slices.Clone(drawnFloats), 0x1p62, 0x1p63, -0x1p63, -0x1.8p63, 0x1p64, 0x1.fffffffffffffp62, math.Inf(1), math.Inf(-1), math.NaN(), math.Float64frombits(0xfff8000000000001))
	rapid.Check(t, func(t *rapid.T) {
		agg := rapid.SampledFrom([]string{"sum", "min", "mean(int) max", "sum(dec) min(int) max(dec) mean(float) max"}).Draw(t, "measures")
		parsed, err := Parse(Query{By: "key", Agg: agg + "(" + rapid.SampledFrom([]string{"int", "dec", "float"}).Draw(t, "of") + ") as m"})
		if err != nil {
			t.Fatal(err)
		}
		var recs []arrow.Record
		for range rapid.IntRange(1, 3).Draw(t, "records") {
			b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
			tame, scale := rapid.Bool().Draw(t, "tame"), rapid.SampledFrom([]float64{1, 0.1, 0x1p60, 0x1p-60}).Draw(t, "scale")
			for range rapid.IntRange(1, 70).Draw(t, "rows") {
				b.Field(0).(*array.StringBuilder).Append(rapid.SampledFrom(texts).Draw(t, "key"))
				n := rapid.SampledFrom(ints).Draw(t, "whole number")
				b.Field(1).(*array.Int64Builder).Append(n)
				b.Field(2).(*array.Decimal128Builder).Append(decimal128.FromI64(n / 10))
				f := float64(rapid.IntRange(-999, 999).Draw(t, "tenths")) * scale
				if !tame && rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
					f = rapid.SampledFrom(floats).Draw(t, "float")
				}
				b.Field(3).(*array.Float64Builder).Append(f)
			}
			recs = append(recs, b.NewRecord())
		}
		var tables [2]*table
		for i := range tables {
			hasKernels = i == 0
			plan, err := parsed.Bind(schema)
			if err != nil {
				t.Fatal(err)
			}
			a := New(plan, Options{Threads: 1})
			defer a.Close()
			for _, rec := range recs {
				if err := a.Add(rec); err != nil {
					t.Fatal(err)
				}
			}
			tables[i] = a.workers[0].tables[0]
		}
		got, want := tables[0], tables[1]
		if !bytes.Equal(got.keys, want.keys) || !slices.Equal(got.ends, want.ends) || !slices.Equal(got.states, want.states) || !bytes.Equal(got.bytes, want.bytes) {
			t.Fatalf("%s: got\n%q %d\nwant\n%q %d", agg, got.keys, got.states, want.keys, want.states)
		}
	})
}

// Nobody reads past the data, writes past groups, or takes a slot that is free for one of the
// empty text.
func TestFindAtTheEnd(t *testing.T) {
	parsed, err := Parse(Query{By: "key", Agg: "count()"})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := parsed.Bind(arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.BinaryTypes.String}}, nil))
	if err != nil {
		t.Fatal(err)
	}
	data, free := guard.Bytes(16, false)
	defer free()
	copy(data, "0123456789abcdef")
	for n := range 17 {
		table := newTable(plan.main, newSeed())
		groups := []uint32{9, 9, 9, 9}
		findTexts(table, data, []int32{0, int32(n), int32(n), 16}, groups[:3])
		want := []uint32{0, 1, 2, 9}
		switch n {
		case 0:
			want = []uint32{0, 0, 1, 9}
		case 16:
			want = []uint32{0, 1, 1, 9}
		}
		if !slices.Equal(groups, want) {
			t.Errorf("%d bytes: groups %d, want %d", n, groups, want)
		}
	}
}
