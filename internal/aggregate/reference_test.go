package aggregate

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/expr/exprtest"
)

// This file is a slow aggregation over maps, whose results those of the package must be.

// The columns of drawn tables: one of each type.
var drawnColumns = []arrow.Field{
	{Name: "b", Type: arrow.FixedWidthTypes.Boolean},
	{Name: "i8", Type: arrow.PrimitiveTypes.Int8}, {Name: "i16", Type: arrow.PrimitiveTypes.Int16},
	{Name: "i32", Type: arrow.PrimitiveTypes.Int32}, {Name: "i64", Type: arrow.PrimitiveTypes.Int64},
	{Name: "u8", Type: arrow.PrimitiveTypes.Uint8}, {Name: "u16", Type: arrow.PrimitiveTypes.Uint16},
	{Name: "u32", Type: arrow.PrimitiveTypes.Uint32}, {Name: "u64", Type: arrow.PrimitiveTypes.Uint64},
	{Name: "f32", Type: arrow.PrimitiveTypes.Float32}, {Name: "f64", Type: arrow.PrimitiveTypes.Float64},
	{Name: "d", Type: &arrow.Decimal128Type{Precision: 9, Scale: 2}}, {Name: "dd", Type: &arrow.Decimal128Type{Precision: 30, Scale: 5}},
	{Name: "day", Type: arrow.FixedWidthTypes.Date32}, {Name: "t", Type: arrow.FixedWidthTypes.Time64us},
	{Name: "ts", Type: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Europe/Berlin"}},
	{Name: "dur", Type: arrow.FixedWidthTypes.Duration_ms},
	{Name: "s", Type: arrow.BinaryTypes.String}, {Name: "bin", Type: arrow.BinaryTypes.Binary},
	{Name: "id", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}},
	{Name: "w", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}},
}

// drawnFloats are where sums are difficult.
var drawnFloats = []float64{0, math.Copysign(0, -1), 0.1, 0.2, 0.3, -0.1, 1, 1e16, -1e16, 1e300, -1e300, math.MaxFloat64, -math.MaxFloat64, 5e-324, -5e-324, 1e-310, 3.5}

var drawnTexts = []string{"", "a", "b", "a\x00", "a\x00b", "\x00", "köln", "a text of sixteen", "exactly sixteen!", "a longer text than sixteen bytes", "a longer text than sixteen byteS", "8 bytes!", "9 bytes!!"}

func drawInt(t *rapid.T, bits int) int64 {
	if rapid.Bool().Draw(t, "small") {
		return rapid.Int64Range(0, 3).Draw(t, "int")
	}
	return rapid.Int64Range(-1<<(bits-1), 1<<(bits-1)-1).Draw(t, "int")
}

// drawValue appends a value of b's type. Tame floats are those of most files:
// of few digits, and never null.
func drawValue(t *rapid.T, b array.Builder, tame bool) {
	if floats, ok := b.(*array.Float64Builder); ok && tame {
		floats.Append(float64(rapid.IntRange(-999, 999).Draw(t, "tenths")) / 10)
		return
	}
	if rapid.IntRange(0, 5).Draw(t, "null") == 0 {
		b.AppendNull()
		return
	}
	switch b := b.(type) {
	case *array.Float32Builder:
		b.Append(float32(rapid.SampledFrom(drawnFloats).Draw(t, "float")))
	case *array.Float64Builder:
		if rapid.Bool().Draw(t, "any") {
			b.Append(rapid.Float64().Draw(t, "float"))
		} else {
			b.Append(rapid.SampledFrom(drawnFloats).Draw(t, "float"))
		}
	case *array.Decimal128Builder:
		if b.Type().(*arrow.Decimal128Type).Precision > 18 {
			n := new(big.Int).Mul(big.NewInt(drawInt(t, 64)), big.NewInt(rapid.Int64Range(1, 1e11).Draw(t, "factor")))
			b.Append(decimal128.FromBigInt(n))
		} else {
			b.Append(decimal128.FromI64(drawInt(t, 30)))
		}
	case *array.StringBuilder:
		b.Append(rapid.SampledFrom(drawnTexts).Draw(t, "text"))
	case *array.BinaryBuilder:
		b.Append([]byte(rapid.SampledFrom(drawnTexts).Draw(t, "text")))
	case *array.BinaryDictionaryBuilder:
		if err := b.AppendString(rapid.SampledFrom(drawnTexts).Draw(t, "text")); err != nil {
			t.Fatal(err)
		}
	case *array.FixedSizeBinaryBuilder:
		b.Append([]byte(rapid.SampledFrom([]string{"0123456789abcdef", "0123456789abcdeF", strings.Repeat("\x00", 16)}).Draw(t, "id")))
	case *array.Uint64Builder:
		b.Append(uint64(drawInt(t, 64)))
	case *array.Time64Builder:
		b.Append(arrow.Time64(rapid.Int64Range(0, 86400e6-1).Draw(t, "time")))
	case *array.TimestampBuilder:
		// Around the end of summer time, and anywhere.
		b.Append(arrow.Timestamp(rapid.SampledFrom([]int64{1603584000e6, 1603587600e6, -1, 0}).Draw(t, "instant") + rapid.Int64Range(-4e9, 4e9).Draw(t, "offset")))
	case *array.Date32Builder:
		b.Append(arrow.Date32(rapid.Int64Range(-1000, 1000).Draw(t, "day")))
	default:
		bits := 64
		if w, ok := b.Type().(arrow.FixedWidthDataType); ok {
			bits = max(w.BitWidth(), 2)
		}
		appendWhole(b, drawInt(t, min(bits, 62)))
	}
}

func drawRecords(t *rapid.T) []arrow.Record {
	schema := arrow.NewSchema(drawnColumns, nil)
	var recs []arrow.Record
	for range rapid.IntRange(0, 4).Draw(t, "records") {
		b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
		n, tame := rapid.IntRange(0, 12).Draw(t, "rows"), rapid.Bool().Draw(t, "tame")
		for i := range drawnColumns {
			for range n {
				drawValue(t, b.Field(i), tame)
			}
		}
		rec := b.NewRecord()
		if n > 2 && rapid.Bool().Draw(t, "part") {
			rec = rec.NewSlice(1, int64(n)-1)
		}
		recs = append(recs, rec)
	}
	return recs
}

// cell is a value for the reference.
type cell = exprtest.Value

// refGroup are the rows of a group.
type refGroup struct {
	key  []cell
	rows [][]cell
}

// rounded is what a drawn function makes of a cell, by package time.
func rounded(function string, c cell) cell {
	if function == "" || c.Null {
		return c
	}
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		panic(err)
	}
	at := time.UnixMicro(c.Whole.Int64()).In(zone)
	y, m, d := at.Date()
	date := func(y int, m time.Month, d int) cell {
		return exprtest.WholeOf(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
	}
	switch function {
	case "year":
		return date(y, 1, 1)
	case "quarter":
		return date(y, (m-1)/3*3+1, 1)
	case "month":
		return date(y, m, 1)
	case "week":
		return date(y, m, d-(int(at.Weekday())+6)%7)
	case "day":
		return date(y, m, d)
	}
	seconds := map[string]time.Duration{"hour": time.Hour, "minute": time.Minute, "second": time.Second}[function]
	return exprtest.WholeOf(at.Truncate(seconds).UnixMicro()) // Berlin's offsets are whole hours
}

// refMeasure is a measure of the values that are not null, as text.
func refMeasure(kind string, digits int, t arrow.DataType, values []cell) string {
	switch {
	case kind == "count":
		return fmt.Sprint(len(values))
	case kind == "distinct", kind == "approx_distinct": // of so few it is exact
		all := map[string]bool{}
		for _, v := range values {
			all[v.String()] = true
		}
		return fmt.Sprint(len(all))
	case len(values) == 0:
		return "null"
	case kind == "min" || kind == "max":
		best := values[0]
		for _, v := range values[1:] {
			c := v.Compare(best)
			if c == 0 && v.Kind == exprtest.Float && math.Signbit(v.Float) != math.Signbit(best.Float) { // -0 is less than 0
				c = 1 - 2*map[bool]int{true: 1}[math.Signbit(v.Float)]
			}
			if kind == "min" && c < 0 || kind == "max" && c > 0 {
				best = v
			}
		}
		if best.Kind == exprtest.Float {
			return floatText(best.Float)
		}
		return best.String()
	case values[0].Kind == exprtest.Float:
		sum := new(big.Float).SetPrec(2300)
		special := 0.0
		for _, v := range values {
			if math.IsInf(v.Float, 0) || math.IsNaN(v.Float) {
				special += v.Float
				continue
			}
			sum.Add(sum, new(big.Float).SetFloat64(v.Float))
		}
		f, _ := sum.Float64()
		if special != 0 {
			f = special
		}
		if f == 0 {
			f = 0
		}
		if kind == "mean" {
			n := float64(len(values))
			if math.IsInf(f, 0) && special == 0 {
				f, _ = sum.Quo(sum, new(big.Float).SetFloat64(n)).Float64()
			} else {
				f /= n
			}
		}
		return floatText(f)
	}
	sum := new(big.Int)
	for _, v := range values {
		sum.Add(sum, v.Whole)
	}
	if kind == "sum" {
		return sum.String()
	}
	n := big.NewInt(int64(len(values)))
	d, isDecimal := t.(*arrow.Decimal128Type)
	if !isDecimal && digits < 0 && t.ID() != arrow.DURATION {
		f, _ := new(big.Rat).SetFrac(sum, n).Float64()
		return floatText(f)
	}
	scale := 0
	if isDecimal {
		scale = int(d.Scale)
	}
	if digits < 0 {
		digits = scale
	}
	x := new(big.Rat).SetFrac(sum, n)
	ten := func(n int) *big.Rat {
		return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil))
	}
	x.Mul(x, ten(digits)).Quo(x, ten(scale)).Add(x, big.NewRat(1, 2))
	return new(big.Int).Div(x.Num(), x.Denom()).String()
}

func floatText(f float64) string {
	if math.IsNaN(f) {
		return "NaN"
	}
	return fmt.Sprintf("%x", math.Float64bits(f))
}

// cellText is a result as the reference says it.
func cellText(a arrow.Array, i int) string {
	c := exprtest.Of(a, i)
	if c.Kind == exprtest.Float && !c.Null {
		return floatText(c.Float)
	}
	return c.String()
}

type drawnMeasure struct {
	kind   string
	column int // -1: of rows
	digits int
}

func (m drawnMeasure) String() string {
	switch {
	case m.column < 0:
		return "count()"
	case m.digits >= 0:
		return fmt.Sprintf("mean(%s, %d)", drawnColumns[m.column].Name, m.digits)
	}
	return fmt.Sprintf("%s(%s)", m.kind, drawnColumns[m.column].Name)
}

func drawMeasure(t *rapid.T) drawnMeasure {
	m := drawnMeasure{kind: rapid.SampledFrom(Functions).Draw(t, "function"), digits: -1}
	m.column = rapid.IntRange(0, len(drawnColumns)-1).Draw(t, "column")
	if m.kind == "count" && rapid.Bool().Draw(t, "of rows") {
		m.column = -1
		return m
	}
	f := drawnColumns[m.column].Type
	number := arrow.IsInteger(f.ID()) || arrow.IsFloating(f.ID()) || f.ID() == arrow.DECIMAL128
	if (m.kind == "sum" || m.kind == "mean") && !number {
		m.kind = "max"
	}
	if m.kind == "mean" && !arrow.IsFloating(f.ID()) && rapid.Bool().Draw(t, "has digits") {
		m.digits = rapid.IntRange(0, 7).Draw(t, "digits")
	}
	return m
}

func TestLikeMaps(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		recs := drawRecords(t)
		type drawnKey struct {
			column   int
			function string
		}
		var keys []drawnKey
		var by []string
		for range rapid.IntRange(0, 3).Draw(t, "keys") {
			k := drawnKey{column: rapid.IntRange(0, len(drawnColumns)-1).Draw(t, "key")}
			text := drawnColumns[k.column].Name
			if text == "ts" && rapid.Bool().Draw(t, "rounds") {
				k.function = rapid.SampledFrom([]string{"year", "quarter", "month", "week", "day", "hour", "minute", "second"}).Draw(t, "unit")
				text = k.function + "(ts)"
			}
			keys = append(keys, k)
			by = append(by, fmt.Sprintf("%s as k%d", text, len(keys)))
		}
		var measures []drawnMeasure
		var agg []string
		for range rapid.IntRange(1, 4).Draw(t, "measures") {
			measures = append(measures, drawMeasure(t))
			agg = append(agg, fmt.Sprintf("%s as m%d", measures[len(measures)-1], len(measures)))
		}
		where := drawTest(t, 2)
		q := Query{By: strings.Join(by, " "), Agg: strings.Join(agg, ", "), Where: where.text}

		// The reference.
		groups := map[string]*refGroup{}
		for _, rec := range recs {
			for i := range int(rec.NumRows()) {
				row := make([]cell, len(drawnColumns))
				for c := range row {
					row[c] = exprtest.Of(rec.Column(c), i)
				}
				if where.of(row) != 1 {
					continue
				}
				var key []cell
				for _, k := range keys {
					key = append(key, rounded(k.function, row[k.column]))
				}
				g := groups[fmt.Sprint(key)]
				if g == nil {
					g = &refGroup{key: key}
					groups[fmt.Sprint(key)] = g
				}
				g.rows = append(g.rows, row)
			}
		}
		if len(keys) == 0 && len(groups) == 0 {
			groups[""] = &refGroup{}
		}
		var all []*refGroup
		for _, g := range groups {
			all = append(all, g)
		}
		slices.SortFunc(all, func(a, b *refGroup) int {
			for i := range a.key {
				if c := a.key[i].Compare(b.key[i]); c != 0 {
					return c
				}
			}
			return 0
		})
		var want []string
		for _, g := range all {
			var line []string
			for _, k := range g.key {
				if k.Kind == exprtest.Float && !k.Null {
					line = append(line, floatText(k.Float+0))
				} else {
					line = append(line, k.String())
				}
			}
			for _, m := range measures {
				if m.column < 0 {
					line = append(line, fmt.Sprint(len(g.rows)))
					continue
				}
				var values []cell
				for _, row := range g.rows {
					if !row[m.column].Null {
						values = append(values, row[m.column])
					}
				}
				line = append(line, refMeasure(m.kind, m.digits, drawnColumns[m.column].Type, values))
			}
			want = append(want, strings.Join(line, " "))
		}

		parsed, err := Parse(q)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Threads: rapid.IntRange(1, 3).Draw(t, "threads"), Dir: dir}
		defer func(n int) { leastParallel = n }(leastParallel)
		leastParallel = rapid.SampledFrom([]int{0, 5, leastParallel}).Draw(t, "groups that are put together side by side")
		if rapid.IntRange(0, 15).Draw(t, "spills") == 15 {
			o.Memory = 1
		}
		var got []string
		plan := run(t, parsed, o, recs, func(rec arrow.Record) {
			for i := range int(rec.NumRows()) {
				var line []string
				for c := range rec.Columns() {
					line = append(line, cellText(rec.Column(c), i))
				}
				got = append(got, strings.Join(line, " "))
			}
		})
		if !slices.Equal(got, want) {
			t.Fatalf("%+v\ngot\n%s\nwant\n%s\n%s", q, strings.Join(got, "\n"), strings.Join(want, "\n"), plan.Schema())
		}
	})
}

// run is an aggregation of records.
func run(t interface{ Fatal(...any) }, q *Parsed, o Options, recs []arrow.Record, f func(arrow.Record)) *Plan {
	plan, err := q.Bind(arrow.NewSchema(drawnColumns, nil))
	if err != nil {
		t.Fatal(err)
	}
	a := New(plan, o)
	defer a.Close()
	for _, rec := range recs {
		if err := a.Add(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Finish(context.Background(), func(rec arrow.Record) error { f(rec); return nil }); err != nil {
		t.Fatal(err)
	}
	return plan
}

// drawnTest is a test, as text and as what it says of a row: 1, 0, or -1 if unknown.
type drawnTest struct {
	text string
	of   func(row []cell) int
}

func drawTest(t *rapid.T, depth int) drawnTest {
	if depth == 2 && rapid.Bool().Draw(t, "no test") {
		return drawnTest{"", func([]cell) int { return 1 }}
	}
	switch form := rapid.IntRange(0, 6).Draw(t, "form"); {
	case form < 2 && depth > 0:
		a, b := drawTest(t, depth-1), drawTest(t, depth-1)
		if a.text == "" || b.text == "" {
			return drawTest(t, 0)
		}
		if form == 0 {
			return drawnTest{"(" + a.text + ") and (" + b.text + ")", func(r []cell) int { return back(min(order(a.of(r)), order(b.of(r)))) }}
		}
		return drawnTest{"(" + a.text + ") or (" + b.text + ")", func(r []cell) int { return back(max(order(a.of(r)), order(b.of(r)))) }}
	case form == 2 && depth > 0:
		a := drawTest(t, depth-1)
		return drawnTest{"not (" + a.text + ")", func(r []cell) int {
			if v := a.of(r); v >= 0 {
				return 1 - v
			}
			return -1
		}}
	case form == 3:
		c := rapid.IntRange(0, len(drawnColumns)-1).Draw(t, "column")
		not := rapid.Bool().Draw(t, "is not")
		text := drawnColumns[c].Name + " is null"
		if not {
			text = drawnColumns[c].Name + " is not null"
		}
		return drawnTest{text, func(r []cell) int { return yes(r[c].Null != not) }}
	}
	c := rapid.SampledFrom([]int{1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 17, 20}).Draw(t, "column")
	op := rapid.SampledFrom([]string{"=", "!=", "<", "<=", ">", ">="}).Draw(t, "op")
	var literal string
	var of func(cell) int
	switch f := drawnColumns[c]; f.Type.ID() {
	case arrow.STRING, arrow.DICTIONARY:
		text := rapid.SampledFrom(drawnTexts).Draw(t, "literal")
		literal = "'" + strings.ReplaceAll(text, "\x00", `\0`) + "'"
		of = func(v cell) int { return strings.Compare(v.Text, text) }
	case arrow.FLOAT64:
		v := rapid.SampledFrom(drawnFloats).Draw(t, "literal")
		literal = fmt.Sprint(v)
		of = func(c cell) int { return c.Compare(exprtest.FloatOf(v)) }
	default:
		n := rapid.SampledFrom([]string{"0", "1", "2.5", "-3", "127", "128", "-129", "1e3", "18446744073709551615", "-1e40", "0.005", "1e40"}).Draw(t, "literal")
		x, _ := new(big.Rat).SetString(n)
		literal = n
		scale := new(big.Int).SetInt64(1)
		if d, ok := f.Type.(*arrow.Decimal128Type); ok {
			scale.Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil)
		}
		of = func(c cell) int { return new(big.Rat).SetFrac(c.Whole, scale).Cmp(x) }
	}
	text := drawnColumns[c].Name + " " + op + " " + literal
	return drawnTest{text, func(r []cell) int {
		if r[c].Null {
			return -1
		}
		v := of(r[c])
		return yes(map[string]bool{"=": v == 0, "!=": v != 0, "<": v < 0, "<=": v <= 0, ">": v > 0, ">=": v >= 0}[op])
	}}
}

func yes(b bool) int { return map[bool]int{true: 1}[b] }

// order puts unknown between false and true.
func order(v int) int { return map[int]int{0: 0, -1: 1, 1: 2}[v] }
func back(v int) int  { return []int{0, -1, 1}[v] }
