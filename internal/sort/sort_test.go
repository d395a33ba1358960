package sort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/expr/exprtest"
)

var words = &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}

// The columns of drawn tables: one of each type, those that rows are sorted by first.
var drawnColumns = []arrow.Field{
	{Name: "b", Type: arrow.FixedWidthTypes.Boolean},
	{Name: "i8", Type: arrow.PrimitiveTypes.Int8}, {Name: "i16", Type: arrow.PrimitiveTypes.Int16},
	{Name: "i32", Type: arrow.PrimitiveTypes.Int32}, {Name: "i64", Type: arrow.PrimitiveTypes.Int64},
	{Name: "u8", Type: arrow.PrimitiveTypes.Uint8}, {Name: "u16", Type: arrow.PrimitiveTypes.Uint16},
	{Name: "u32", Type: arrow.PrimitiveTypes.Uint32}, {Name: "u64", Type: arrow.PrimitiveTypes.Uint64},
	{Name: "f32", Type: arrow.PrimitiveTypes.Float32}, {Name: "f64", Type: arrow.PrimitiveTypes.Float64},
	{Name: "d", Type: &arrow.Decimal128Type{Precision: 9, Scale: 2}}, {Name: "dd", Type: &arrow.Decimal128Type{Precision: 38, Scale: 5}},
	{Name: "day", Type: arrow.FixedWidthTypes.Date32}, {Name: "t", Type: arrow.FixedWidthTypes.Time64us},
	{Name: "ts", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}},
	{Name: "dur", Type: arrow.FixedWidthTypes.Duration_ms},
	{Name: "s", Type: arrow.BinaryTypes.String}, {Name: "bin", Type: arrow.BinaryTypes.Binary},
	{Name: "id", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}},
	{Name: "w", Type: words},
	{Name: "list", Type: arrow.ListOf(words)}, {Name: "map", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int16)},
	{Name: "row", Type: arrow.PrimitiveTypes.Int64},
}

// orderedColumns are how many of them rows can be sorted by.
const orderedColumns = 21

var drawnFloats = []float64{0, math.Copysign(0, -1), 0.1, -0.1, 1, 1e16, -1e16, math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, math.Inf(1), math.Inf(-1), math.NaN(), math.Float64frombits(0xFFF8000000000001), 3.5}

var drawnTexts = []string{"", "a", "b", "a\x00", "a\x00b", "\x00", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00", "köln", "8 bytes!", "8 bytes!\x00", "9 bytes!!", "exactly sixteen!", "a longer text than sixteen bytes", "a longer text than sixteen byteS", "\xff\xff\xff\xff\xff\xff\xff\xff\xff"}

// drawing makes values; how they are spread is drawn, by columns.
type drawing struct {
	*rand.Rand
	narrow, prefix bool
	nulls          int // one of so many is null; 0: none
}

func (d *drawing) whole(bits int) int64 {
	if d.narrow {
		return int64(d.IntN(4))
	}
	if d.IntN(8) == 0 {
		return []int64{-1 << (bits - 1), 1<<(bits-1) - 1, 0, -1}[d.IntN(4)]
	}
	return int64(d.Uint64()) >> (64 - bits)
}

func (d *drawing) text() string {
	switch {
	case d.narrow:
		return drawnTexts[d.IntN(4)]
	case d.prefix: // long, and different only far behind
		return strings.Repeat("same ", 30+d.IntN(2)) + drawnTexts[d.IntN(len(drawnTexts))] + fmt.Sprint(d.IntN(50))
	case d.IntN(2) == 0:
		return drawnTexts[d.IntN(len(drawnTexts))]
	}
	return fmt.Sprint(d.IntN(1000))
}

func (d *drawing) value(b array.Builder) {
	if d.nulls > 0 && d.IntN(d.nulls) == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.BooleanBuilder:
		b.Append(d.IntN(2) == 0)
	case *array.Int8Builder:
		b.Append(int8(d.whole(8)))
	case *array.Int16Builder:
		b.Append(int16(d.whole(16)))
	case *array.Int32Builder:
		b.Append(int32(d.whole(32)))
	case *array.Int64Builder:
		b.Append(d.whole(64))
	case *array.Uint8Builder:
		b.Append(uint8(d.whole(8)))
	case *array.Uint16Builder:
		b.Append(uint16(d.whole(16)))
	case *array.Uint32Builder:
		b.Append(uint32(d.whole(32)))
	case *array.Uint64Builder:
		b.Append(uint64(d.whole(64)))
	case *array.Float32Builder:
		b.Append(float32(drawnFloats[d.IntN(len(drawnFloats))]))
	case *array.Float64Builder:
		if d.IntN(2) == 0 {
			b.Append(d.NormFloat64())
		} else {
			b.Append(drawnFloats[d.IntN(len(drawnFloats))])
		}
	case *array.Decimal128Builder:
		if b.Type().(*arrow.Decimal128Type).Precision > 18 && !d.narrow {
			b.Append(decimal128.FromBigInt(new(big.Int).Mul(big.NewInt(d.whole(64)), big.NewInt(d.whole(60)))))
		} else {
			b.Append(decimal128.FromI64(d.whole(30)))
		}
	case *array.Date32Builder:
		b.Append(arrow.Date32(d.whole(20)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(d.Int64N(86400e6)))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(1603584000e6 + d.whole(50)))
	case *array.DurationBuilder:
		b.Append(arrow.Duration(d.whole(40)))
	case *array.StringBuilder:
		b.Append(d.text())
	case *array.BinaryBuilder:
		b.Append([]byte(d.text()))
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(fmt.Sprintf("%016x", uint64(d.whole(64)))))
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(d.text()); err != nil {
			panic(err)
		}
	case *array.ListBuilder:
		b.Append(true)
		for range d.IntN(3) {
			d.value(b.ValueBuilder())
		}
	case *array.MapBuilder:
		b.Append(true)
		for range d.IntN(3) {
			b.KeyBuilder().(*array.StringBuilder).Append(d.text())
			d.value(b.ItemBuilder())
		}
	default:
		panic(b.Type())
	}
}

// drawRecords gives records whose dictionaries grow, as those of a reader.
func drawRecords(t *rapid.T) []arrow.Record {
	seed := rapid.Uint64().Draw(t, "seed")
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(drawnColumns, nil))
	drawings := make([]*drawing, len(drawnColumns))
	for i := range drawings {
		drawings[i] = &drawing{
			Rand: rand.New(rand.NewPCG(seed, uint64(i))), narrow: rapid.Bool().Draw(t, "narrow"),
			prefix: rapid.Bool().Draw(t, "prefix"), nulls: rapid.SampledFrom([]int{0, 2, 10}).Draw(t, "nulls"),
		}
	}
	var recs []arrow.Record
	row := int64(0)
	for range rapid.IntRange(0, 5).Draw(t, "records") {
		n := rapid.SampledFrom([]int{0, 1, 2, 20, 95, 96, 97, 300}).Draw(t, "rows")
		for i := range drawnColumns {
			for k := range n {
				if i == len(drawnColumns)-1 {
					b.Field(i).(*array.Int64Builder).Append(row + int64(k))
				} else {
					drawings[i].value(b.Field(i))
				}
			}
		}
		row += int64(n)
		rec := newRecord(b)
		if n > 2 && rapid.Bool().Draw(t, "part") {
			rec = rec.NewSlice(1, int64(n)-1)
		}
		recs = append(recs, rec)
	}
	return recs
}

// newRecord leaves the builders' dictionaries as they are, so that they grow.
func newRecord(b *array.RecordBuilder) arrow.Record { return b.NewRecord() }

// compareKeys is the order that docs/sort.md describes.
func compareKeys(a, b exprtest.Value, desc, nullsFirst bool) int {
	c := a.Compare(b)
	if a.Null != b.Null {
		if nullsFirst {
			return -c
		}
		return c
	}
	if desc {
		return -c
	}
	return c
}

// row is a row as text, and its keys.
type row struct {
	keys []exprtest.Value
	text string
}

func rowsOf(recs []arrow.Record, by []int) (rows []row) {
	for _, rec := range recs {
		for i := range int(rec.NumRows()) {
			var r row
			for _, k := range by {
				r.keys = append(r.keys, exprtest.Of(rec.Column(k), i))
			}
			var text strings.Builder
			for _, c := range rec.Columns() {
				fmt.Fprintf(&text, "%q ", c.ValueStr(i))
			}
			r.text = text.String()
			rows = append(rows, r)
		}
	}
	return rows
}

// Rows come in the order that sort.SliceStable of them has, whatever of them is in files.
func TestSort(t *testing.T) {
	least := leastElsewhere
	leastElsewhere = 2
	defer func() { leastElsewhere, leastStretch = least, 8 }()
	rapid.Check(t, func(t *rapid.T) {
		leastStretch = rapid.SampledFrom([]int{1, 2, 8}).Draw(t, "stretch")
		recs := drawRecords(t)
		var by []int
		var desc, first []bool
		var order []string
		for range rapid.IntRange(1, 4).Draw(t, "keys") {
			k := rapid.IntRange(0, orderedColumns-1).Draw(t, "key")
			d, f := rapid.Bool().Draw(t, "desc"), rapid.Bool().Draw(t, "first")
			by, desc, first = append(by, k), append(desc, d), append(first, f)
			order = append(order, drawnColumns[k].Name+map[bool]string{true: " desc", false: ""}[d]+map[bool]string{true: " nulls first", false: ""}[f])
		}
		want := rowsOf(recs, by)
		slices.SortStableFunc(want, func(a, b row) int {
			for k := range by {
				if c := compareKeys(a.keys[k], b.keys[k], desc[k], first[k]); c != 0 {
					return c
				}
			}
			return 0
		})
		o := Options{Threads: rapid.SampledFrom([]int{1, 3}).Draw(t, "threads"), Memory: rapid.SampledFrom([]int64{0, 1, 300 << 10}).Draw(t, "memory")}
		o.Numbers = rapid.SampledFrom([]Numbers{nil, numbersHere(true), numbersHere(false)}).Draw(t, "numbers")
		if rapid.IntRange(0, 3).Draw(t, "limits") == 0 {
			o.Limit = int64(rapid.IntRange(1, 400).Draw(t, "limit"))
			want = want[:min(len(want), int(o.Limit))]
		}
		got := rowsOf(sorted(t, recs, strings.Join(order, ", "), o), by)
		if len(got) != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i := range got {
			if got[i].text != want[i].text {
				t.Fatalf("by %s: row %d is\n%s\nwant\n%s", order, i, got[i].text, want[i].text)
			}
		}
	})
}

type fataler interface{ Fatal(...any) }

// sorted sorts records, each of which is a slab.
func sorted(t fataler, recs []arrow.Record, order string, o Options) (out []arrow.Record) {
	p, err := Parse(expr.Source{Name: "order", Text: order})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Bind(arrow.NewSchema(drawnColumns, nil))
	if err != nil {
		t.Fatal(err)
	}
	s := New(plan, o)
	for _, rec := range recs {
		if err := s.Add(context.Background(), rec); err != nil {
			t.Fatal(err)
		}
		s.copyPending()
		if s.full() {
			if err := s.put(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	err = s.Finish(context.Background(), func(rec arrow.Record) error {
		rec.Retain()
		out = append(out, rec)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The radix sort puts items in order of any number of them and spread, and tells of parts.
func TestRadix(t *testing.T) {
	spreads := map[string]func(r *rand.Rand, i int) uint64{
		"uniform":  func(r *rand.Rand, _ int) uint64 { return r.Uint64() },
		"narrow":   func(r *rand.Rand, _ int) uint64 { return r.Uint64() >> 43 },
		"high":     func(r *rand.Rand, _ int) uint64 { return r.Uint64() &^ (1<<50 - 1) },
		"few":      func(r *rand.Rand, _ int) uint64 { return r.Uint64() & 0x0100_0001_0000_0001 },
		"constant": func(*rand.Rand, int) uint64 { return 42 },
		"sorted":   func(_ *rand.Rand, i int) uint64 { return uint64(i) },
		"reversed": func(_ *rand.Rand, i int) uint64 { return -uint64(i) },
		"skewed":   func(r *rand.Rand, _ int) uint64 { return r.Uint64() >> r.IntN(64) },
	}
	for name, spread := range spreads {
		for _, n := range []int{0, 1, 2, fewItems, fewItems + 1, 1000, localItems, localItems + 1, 3 * localItems} {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			items := make([]item, n)
			for i := range items {
				items[i] = item{spread(r, i), uint32(i >> 10), uint32(i & 1023)}
			}
			want := slices.Clone(items)
			slices.SortFunc(want, before)
			parts := make(chan []item, n+1)
			radix(items, make([]item, n), 3, func(items, _ []item) { parts <- items })
			close(parts)
			if !slices.Equal(items, want) {
				t.Fatalf("%s: %d items are not in order", name, n)
			}
			all := 0
			for p := range parts {
				all += len(p)
			}
			if all != n {
				t.Errorf("%s: parts have %d items of %d", name, all, n)
			}
		}
	}
}

// numbersHere sorts as a device does, or fails as one does.
type numbersHere bool

func (works numbersHere) SortNumbers(n, _ int, _ int64, fill func([]uint64)) (order []uint32, how string, done func(), err error) {
	if !works {
		return nil, "", nil, errors.New("there is no device")
	}
	keys := make([]uint64, n)
	fill(keys)
	for i := range keys {
		order = append(order, uint32(i))
	}
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	return order, "here", func() { clear(order) }, nil
}

// Columns share a number where they fit, and texts are there without what all begin with.
func TestLayout(t *testing.T) {
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(drawnColumns, nil))
	for i := range 100 {
		for k, f := range drawnColumns {
			switch f.Name {
			case "i64":
				b.Field(k).(*array.Int64Builder).Append(1<<60 + int64(i)) // 7 bits
			case "ts":
				b.Field(k).(*array.TimestampBuilder).Append(arrow.Timestamp(1603584000e6 + i*1000)) // 17
			case "s":
				b.Field(k).(*array.StringBuilder).Append(fmt.Sprintf("host-%02d", i%10)) // one byte, and none or one of them
			case "dd":
				b.Field(k).(*array.Decimal128Builder).Append(decimal128.New(1<<40, uint64(i%2))) // 1
			default:
				b.Field(k).AppendNull()
			}
		}
	}
	rec := b.NewRecord()
	p, err := Parse(expr.Source{Text: "i64, ts desc, s, dd, i8"})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := p.Bind(rec.Schema())
	if err != nil {
		t.Fatal(err)
	}
	extents := make([]extent, len(plan.columns))
	for k, c := range plan.columns {
		v := c.valuesOf(rec, nil)
		extents[k].seeAll(&v, int(rec.NumRows()))
	}
	l := layOut(plan.columns, extents, 0)
	var bits []int
	for _, f := range l.fields {
		bits = append(bits, f.bits)
	}
	if fmt.Sprint(bits) != "[7 17 9 1]" || l.rest != len(plan.columns) {
		t.Errorf("bits %v, the rest from column %d on", bits, l.rest)
	}
}

// Files are gone after an error, when the context ends, and in the end.
func TestFilesGo(t *testing.T) {
	dir := t.TempDir()
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(drawnColumns, nil))
	d := &drawing{Rand: rand.New(rand.NewPCG(1, 2))}
	var recs []arrow.Record
	for range 10 {
		for i := range drawnColumns {
			for range slabRows {
				d.value(b.Field(i))
			}
		}
		recs = append(recs, newRecord(b))
	}
	failure := errors.New("failure")
	ctx, cancel := context.WithCancel(context.Background())
	for name, run := range map[string]func(s *Sorter) error{
		"error of a yield": func(s *Sorter) error {
			return s.Finish(context.Background(), func(arrow.Record) error { return failure })
		},
		"interrupt": func(s *Sorter) error {
			return s.Finish(ctx, func(arrow.Record) error { cancel(); return nil })
		},
		"closed": func(s *Sorter) error { s.Close(); return nil },
		"whole":  func(s *Sorter) error { return s.Finish(context.Background(), func(arrow.Record) error { return nil }) },
	} {
		p, err := Parse(expr.Source{Text: "s, f64 desc"})
		if err != nil {
			t.Fatal(err)
		}
		plan, err := p.Bind(recs[0].Schema())
		if err != nil {
			t.Fatal(err)
		}
		s := New(plan, Options{Memory: 1, Dir: dir, Threads: 2})
		for _, rec := range recs {
			if err := s.Add(context.Background(), rec); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.wait(); err != nil {
			t.Fatal(err)
		}
		if s.spilled == nil || len(s.spilled.runs) != len(recs) {
			t.Fatalf("%s: rows are not in files", name)
		}
		open := s.spilled.files[1]
		err = run(s)
		if (name == "error of a yield") != errors.Is(err, failure) || (name == "interrupt") != errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := open.Stat(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: the file is still open: %v", name, err)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("%s: %v is left", name, left)
		}
	}
}

func TestNoFolder(t *testing.T) {
	_, err := newSpill(nil, "/no/such/folder", 1)
	if err == nil || !strings.HasPrefix(err.Error(), "rows do not fit into memory, and there is no file for them: ") {
		t.Error(err)
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "order:1:1: it is empty; expected columns, as time, host desc",
		"s desk":            `order:1:3: there is no column "desk", did you mean "desc"?`,
		"s far":             `order:1:3: there is no column "far"; the columns are`,
		"s, desc":           "order:1:4: desc comes behind a column; one that is called so is written in backquotes: `desc`",
		"s nulls":           "order:1:3: nulls comes behind a column, as nulls first or nulls last; one that is called so is written in backquotes: `nulls`",
		"s nulls last desc": "order:1:14: desc comes behind a column",
		"list":              "order:1:1: list is list: it has no order; rows are not sorted by columns of lists and maps, nor of nothing",
		"hour(s)":           "order:1:1: hour of s: it wants dates or times, and these are text",
		"i8 <":              `order:1:4: unexpected "<"; expected`,
		"'x'":               "order:1:1: expected a column or a function of one, not a value",
	} {
		p, err := Parse(expr.Source{Name: "order", Text: text})
		if err == nil {
			_, err = p.Bind(arrow.NewSchema(drawnColumns, nil))
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v\nwant %s", text, err, want)
		}
	}
}

// Few rows wait to be copied if they are long.
func TestLongTextsWait(t *testing.T) {
	p, err := Parse(expr.Source{Name: "order", Text: "s"})
	if err != nil {
		t.Fatal(err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "s", Type: arrow.BinaryTypes.String}}, nil)
	plan, err := p.Bind(schema)
	if err != nil {
		t.Fatal(err)
	}
	s := New(plan, Options{Memory: 16 << 20, Dir: t.TempDir()})
	const nrows, length = 100, 300 << 10
	for i := range nrows {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		b.Field(0).(*array.StringBuilder).Append(strings.Repeat(string(rune('0'+i%10)), length))
		if err := s.Add(context.Background(), b.NewRecord()); err != nil {
			t.Fatal(err)
		}
		if most := slabBlocks * s.blockBytes() / length; len(s.pending) > most {
			t.Fatalf("%d texts of %d bytes wait, want %d at most", len(s.pending), length, most)
		}
		if want := int64(len(s.pending)) * (length + 4); s.nbytes != want {
			t.Fatalf("%d bytes wait, want %d", s.nbytes, want)
		}
		if want := int64(len(s.run.slabs)) * length; s.held < want {
			t.Fatalf("%d bytes are held, want %d at least", s.held, want)
		}
	}
	n, last := int64(0), ""
	err = s.Finish(context.Background(), func(rec arrow.Record) error {
		n += rec.NumRows()
		texts := rec.Column(0).(*array.String)
		for i := range texts.Len() {
			if texts.Value(i) < last || len(texts.Value(i)) != length {
				t.Error("another text, or another order")
			}
			last = strings.Clone(texts.Value(i))
		}
		return nil
	})
	if err != nil || n != nrows {
		t.Errorf("%d rows, %v", n, err)
	}
}

// A dictionary that does not grow is said.
func TestForeignDictionary(t *testing.T) {
	d := dictionary{}
	of := func(texts ...string) arrow.ArrayData {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		b.AppendValues(texts, nil)
		return b.NewArray().Data()
	}
	for _, grown := range []arrow.ArrayData{of("b"), of("b", "a"), of("b", "a")} {
		if err := d.grow(grown); err != nil {
			t.Error(err)
		}
	}
	d.rank()
	if fmt.Sprint(d.ranks) != "[1 0]" {
		t.Error(d.ranks)
	}
	for _, other := range []arrow.ArrayData{of("a", "b"), of("b"), of("b", "ab", "a")} {
		if err := d.grow(other); err == nil {
			t.Error("another dictionary is taken")
		}
	}
}
