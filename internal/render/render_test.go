package render_test

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/render"
)

// column builds an array of one type from what put appends.
func column[B array.Builder](t arrow.DataType, put func(B)) arrow.Array {
	b := array.NewBuilder(memory.DefaultAllocator, t)
	put(b.(B))
	return b.NewArray()
}

func decimal(s string, scale int32) decimal128.Num {
	n, err := decimal128.FromString(s, 38, scale)
	if err != nil {
		panic(err)
	}
	return n
}

func stamps(t *arrow.TimestampType, vs ...int64) arrow.Array {
	return column(t, func(b *array.TimestampBuilder) {
		for _, v := range vs {
			b.Append(arrow.Timestamp(v))
		}
	})
}

func durations(unit arrow.TimeUnit, vs ...int64) arrow.Array {
	return column(&arrow.DurationType{Unit: unit}, func(b *array.DurationBuilder) {
		for _, v := range vs {
			b.Append(arrow.Duration(v))
		}
	})
}

func bytes16(bs ...string) arrow.Array {
	return column(&arrow.FixedSizeBinaryType{ByteWidth: 16}, func(b *array.FixedSizeBinaryBuilder) {
		for _, s := range bs {
			b.Append([]byte(s))
		}
	})
}

func meaning(name string) arrow.Metadata {
	return arrow.NewMetadata([]string{convert.TypeKey}, []string{name})
}

var ipList = arrow.ListOfField(arrow.Field{
	Name: "item", Type: &arrow.FixedSizeBinaryType{ByteWidth: 16}, Nullable: true, Metadata: meaning("ip"),
})

type renderCase struct {
	name string
	a    arrow.Array
	meta arrow.Metadata
	text []string
	json []string // empty: the same as text
}

func quoted(ss ...string) []string {
	out := make([]string, len(ss))
	for i, s := range ss {
		out[i] = `"` + s + `"`
	}
	return out
}

var v4 = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\xff\xff\xc0\x00\x02\x01"

func cases() []renderCase {
	instants := []string{"1970-01-01T00:00:00Z", "1969-12-31T23:59:59.999999Z", "2018-01-01T00:21:05.25Z"}
	dates := []string{"1970-01-01", "1969-12-31", "2000-02-29", "0000-01-01", "-0001-12-31", "+10000-01-01", "9999-12-31"}
	return []renderCase{
		{name: "null", a: array.NewNull(1), text: []string{""}, json: []string{"null"}},
		{name: "bool", a: column(arrow.FixedWidthTypes.Boolean, func(b *array.BooleanBuilder) {
			b.AppendValues([]bool{true, false}, nil)
		}), text: []string{"true", "false"}},
		{name: "int8", a: column(arrow.PrimitiveTypes.Int8, func(b *array.Int8Builder) {
			b.AppendValues([]int8{-128, 0, 127}, nil)
		}), text: []string{"-128", "0", "127"}},
		{name: "int16", a: column(arrow.PrimitiveTypes.Int16, func(b *array.Int16Builder) { b.Append(-32768) }), text: []string{"-32768"}},
		{name: "int32", a: column(arrow.PrimitiveTypes.Int32, func(b *array.Int32Builder) {
			b.Append(math.MinInt32)
			b.AppendNull()
		}), text: []string{"-2147483648", ""}, json: []string{"-2147483648", "null"}},
		{name: "int64", a: column(arrow.PrimitiveTypes.Int64, func(b *array.Int64Builder) { b.Append(math.MinInt64) }), text: []string{"-9223372036854775808"}},
		{name: "uint8", a: column(arrow.PrimitiveTypes.Uint8, func(b *array.Uint8Builder) { b.Append(255) }), text: []string{"255"}},
		{name: "uint16", a: column(arrow.PrimitiveTypes.Uint16, func(b *array.Uint16Builder) { b.Append(65535) }), text: []string{"65535"}},
		{name: "uint32", a: column(arrow.PrimitiveTypes.Uint32, func(b *array.Uint32Builder) { b.Append(1 << 31) }), text: []string{"2147483648"}},
		{name: "uint64", a: column(arrow.PrimitiveTypes.Uint64, func(b *array.Uint64Builder) { b.Append(math.MaxUint64) }), text: []string{"18446744073709551615"}},
		{name: "float32", a: column(arrow.PrimitiveTypes.Float32, func(b *array.Float32Builder) {
			b.AppendValues([]float32{0.1, 16777216, 3.4028235e38, 1e-45}, nil)
		}), text: []string{"0.1", "16777216", "3.4028235e+38", "1e-45"}},
		{name: "float64", a: column(arrow.PrimitiveTypes.Float64, func(b *array.Float64Builder) {
			b.AppendValues([]float64{0.1, math.Copysign(0, -1), 1e20, 1e21, 1e-6, 1e-7, 5e-324}, nil)
		}), text: []string{"0.1", "-0", "100000000000000000000", "1e+21", "0.000001", "1e-07", "5e-324"}},
		{name: "float64 not finite", a: column(arrow.PrimitiveTypes.Float64, func(b *array.Float64Builder) {
			b.AppendValues([]float64{math.NaN(), math.Inf(1), math.Inf(-1)}, nil)
		}), text: []string{"NaN", "Inf", "-Inf"}, json: quoted("NaN", "Inf", "-Inf")},
		{name: "decimal", a: column(&arrow.Decimal128Type{Precision: 12, Scale: 2}, func(b *array.Decimal128Builder) {
			for _, s := range []string{"12.50", "0", "-0.05", "1234567890.12", "-1"} {
				b.Append(decimal(s, 2))
			}
		}), text: []string{"12.50", "0.00", "-0.05", "1234567890.12", "-1.00"}},
		{name: "decimal of scale 0", a: column(&arrow.Decimal128Type{Precision: 38}, func(b *array.Decimal128Builder) {
			b.Append(decimal128.FromI64(0))
			b.Append(decimal128.FromI64(-1000))
			b.Append(decimal("99999999999999999999999999999999999999", 0))
		}), text: []string{"0", "-1000", "99999999999999999999999999999999999999"}},
		{name: "decimal of scale 38", a: column(&arrow.Decimal128Type{Precision: 38, Scale: 38}, func(b *array.Decimal128Builder) {
			b.Append(decimal128.FromI64(-7))
			b.Append(decimal("0.99999999999999999999999999999999999999", 38))
		}), text: []string{"-0.00000000000000000000000000000000000007", "0.99999999999999999999999999999999999999"}},
		{name: "date32", a: column(arrow.FixedWidthTypes.Date32, func(b *array.Date32Builder) {
			b.AppendValues([]arrow.Date32{0, -1, 11016, -719528, -719529, 2932897, 2932896}, nil)
		}), text: dates, json: quoted(dates...)},
		{name: "time32 s", a: column(arrow.FixedWidthTypes.Time32s, func(b *array.Time32Builder) { b.Append(86399) }),
			text: []string{"23:59:59"}, json: quoted("23:59:59")},
		{name: "time32 ms", a: column(arrow.FixedWidthTypes.Time32ms, func(b *array.Time32Builder) { b.Append(54245250) }),
			text: []string{"15:04:05.25"}, json: quoted("15:04:05.25")},
		{name: "time64 us", a: column(arrow.FixedWidthTypes.Time64us, func(b *array.Time64Builder) { b.Append(1) }),
			text: []string{"00:00:00.000001"}, json: quoted("00:00:00.000001")},
		{name: "time64 ns", a: column(arrow.FixedWidthTypes.Time64ns, func(b *array.Time64Builder) { b.Append(86399999999999) }),
			text: []string{"23:59:59.999999999"}, json: quoted("23:59:59.999999999")},
		{name: "timestamp UTC", a: stamps(&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, 0, -1, 1514766065250000),
			text: instants, json: quoted(instants...)},
		{name: "timestamp without zone", a: stamps(&arrow.TimestampType{Unit: arrow.Second}, 1514766065),
			text: []string{"2018-01-01T00:21:05"}, json: quoted("2018-01-01T00:21:05")},
		{name: "timestamp in a zone", a: stamps(&arrow.TimestampType{Unit: arrow.Millisecond, TimeZone: "Europe/Berlin"}, 1514766065001, 1530000000000),
			text: []string{"2018-01-01T01:21:05.001+01:00", "2018-06-26T10:00:00+02:00"},
			json: quoted("2018-01-01T01:21:05.001+01:00", "2018-06-26T10:00:00+02:00")},
		{name: "timestamp at an offset", a: stamps(&arrow.TimestampType{Unit: arrow.Nanosecond, TimeZone: "-03:30"}, 1),
			text: []string{"1969-12-31T20:30:00.000000001-03:30"}, json: quoted("1969-12-31T20:30:00.000000001-03:30")},
		{name: "duration s", a: durations(arrow.Second, 0, 59, -61, 3600, math.MaxInt64),
			text: []string{"0s", "59s", "-1m1s", "1h0m0s", "2562047788015215h30m7s"},
			json: quoted("0s", "59s", "-1m1s", "1h0m0s", "2562047788015215h30m7s")},
		{name: "duration ms", a: durations(arrow.Millisecond, 1, 999, 1500), text: []string{"1ms", "999ms", "1.5s"}, json: quoted("1ms", "999ms", "1.5s")},
		{name: "duration us", a: durations(arrow.Microsecond, 250, 1250, 3723500000), text: []string{"250µs", "1.25ms", "1h2m3.5s"},
			json: quoted("250µs", "1.25ms", "1h2m3.5s")},
		{name: "duration ns", a: durations(arrow.Nanosecond, 7, 1001, math.MinInt64), text: []string{"7ns", "1.001µs", "-2562047h47m16.854775808s"},
			json: quoted("7ns", "1.001µs", "-2562047h47m16.854775808s")},
		{name: "string", a: column(arrow.BinaryTypes.String, func(b *array.StringBuilder) {
			b.AppendValues([]string{"", "é \"\\/\n\r\t\x01\x7f<", "\u2028😀", "a\xffb\xe2\x82"}, nil)
		}),
			text: []string{"", "é \"\\/\n\r\t\x01\x7f<", "\u2028😀", "a\xffb\xe2\x82"},
			json: []string{`""`, `"é \"\\/\n\r\t\u0001` + "\x7f" + `<"`, "\"\u2028😀\"", "\"a\uFFFDb\uFFFD\uFFFD\""}},
		{name: "binary", a: column(arrow.BinaryTypes.Binary, func(b *array.BinaryBuilder) { b.Append([]byte{0xde, 0xad, 1}) }),
			text: []string{"dead01"}, json: quoted("3q0B")},
		{name: "dictionary", a: column(&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String},
			func(b *array.BinaryDictionaryBuilder) {
				_ = b.AppendString("x\"")
				b.AppendNull()
				_ = b.AppendString("y")
			}), text: []string{`x"`, "", "y"}, json: []string{`"x\""`, "null", `"y"`}},
		{name: "ip", meta: meaning("ip"), a: bytes16(v4, "\x20\x01\x0d\xb8\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01"),
			text: []string{"192.0.2.1", "2001:db8::1"}, json: quoted("192.0.2.1", "2001:db8::1")},
		{name: "uuid", meta: meaning("uuid"), a: bytes16("\x6b\xa7\xb8\x10\x9d\xad\x11\xd1\x80\xb4\x00\xc0\x4f\xd4\x30\xc8"),
			text: []string{"6ba7b810-9dad-11d1-80b4-00c04fd430c8"}, json: quoted("6ba7b810-9dad-11d1-80b4-00c04fd430c8")},
		{name: "16 bytes", a: bytes16("0123456789abcdef"), text: []string{"30313233343536373839616263646566"}, json: quoted("MDEyMzQ1Njc4OWFiY2RlZg==")},
		{name: "list", a: column(arrow.ListOf(arrow.PrimitiveTypes.Int32), func(b *array.ListBuilder) {
			v := b.ValueBuilder().(*array.Int32Builder)
			b.Append(true)
			v.Append(1)
			v.AppendNull()
			b.AppendNull()
			b.Append(true)
		}), text: []string{"[1,null]", "", "[]"}, json: []string{"[1,null]", "null", "[]"}},
		{name: "list of ip", a: column(ipList, func(b *array.ListBuilder) {
			b.Append(true)
			b.ValueBuilder().(*array.FixedSizeBinaryBuilder).Append([]byte(v4))
		}), text: []string{`["192.0.2.1"]`}},
		{name: "map", a: column(arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Float64), func(b *array.MapBuilder) {
			b.Append(true)
			for i, k := range []string{"b", "a", "b"} {
				b.KeyBuilder().(*array.StringBuilder).Append(k)
				b.ItemBuilder().(*array.Float64Builder).Append(float64(i) / 2)
			}
			b.Append(true)
		}), text: []string{`{"b":0,"a":0.5,"b":1}`, "{}"}},
		{name: "map of numbers", a: column(arrow.MapOf(arrow.PrimitiveTypes.Int64, arrow.BinaryTypes.String), func(b *array.MapBuilder) {
			b.Append(true)
			b.KeyBuilder().(*array.Int64Builder).Append(17)
			b.ItemBuilder().(*array.StringBuilder).AppendNull()
		}), text: []string{`{"17":null}`}},
		{name: "map of maps", a: column(arrow.MapOf(arrow.BinaryTypes.String, arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String)),
			func(b *array.MapBuilder) {
				b.Append(true)
				b.KeyBuilder().(*array.StringBuilder).Append("id@1")
				inner := b.ItemBuilder().(*array.MapBuilder)
				inner.Append(true)
				inner.KeyBuilder().(*array.StringBuilder).Append("k")
				inner.ItemBuilder().(*array.StringBuilder).Append("v]")
			}), text: []string{`{"id@1":{"k":"v]"}}`}},
	}
}

func field(c renderCase) arrow.Field {
	return arrow.Field{Name: "x", Type: c.a.DataType(), Nullable: true, Metadata: c.meta}
}

func TestRender(t *testing.T) {
	for _, c := range cases() {
		wantJSON := c.json
		if wantJSON == nil {
			wantJSON = c.text
		}
		if c.a.Len() != len(c.text) {
			t.Errorf("%s: %d values, %d expected", c.name, c.a.Len(), len(c.text))
			continue
		}
		for row := range c.a.Len() {
			if got := string(render.AppendText([]byte("<"), field(c), c.a, row)); got != "<"+c.text[row] {
				t.Errorf("%s: text %q, want %q", c.name, got[1:], c.text[row])
			}
			got := string(render.AppendJSON([]byte("<"), field(c), c.a, row))[1:]
			if got != wantJSON[row] {
				t.Errorf("%s: JSON %q, want %q", c.name, got, wantJSON[row])
			}
			if !json.Valid([]byte(got)) {
				t.Errorf("%s: %q is no JSON", c.name, got)
			}
		}
	}
}

// A slice of an array is rendered from its own first row.
func TestSlice(t *testing.T) {
	for _, c := range cases() {
		last := c.a.Len() - 1
		s := array.NewSlice(c.a, int64(last), int64(last+1))
		if got := string(render.AppendText(nil, field(c), s, 0)); got != c.text[last] {
			t.Errorf("%s: %q, want %q", c.name, got, c.text[last])
		}
	}
}

func TestNoAllocation(t *testing.T) {
	buf := make([]byte, 0, 256)
	for _, c := range cases() {
		f := field(c)
		for row := range c.a.Len() {
			render.AppendText(buf, f, c.a, row) // a zone is loaded once
			n := testing.AllocsPerRun(20, func() {
				render.AppendText(buf, f, c.a, row)
				render.AppendJSON(buf, f, c.a, row)
			})
			if n != 0 {
				t.Errorf("%s, row %d: %v allocations", c.name, row, n)
			}
		}
	}
}

func TestTimestampsAgainstTime(t *testing.T) {
	zone := &arrow.TimestampType{Unit: arrow.Second, TimeZone: "America/St_Johns"}
	loc, err := zone.GetZone()
	if err != nil {
		t.Fatal(err)
	}
	var secs []int64
	for s := int64(-62167219200); s < 253402300800; s += 86400*31 + 3671 { // the years 0 to 9999
		secs = append(secs, s)
	}
	a := stamps(zone, secs...)
	f := arrow.Field{Type: zone}
	for i, s := range secs {
		at := time.Unix(s, 0).In(loc)
		_, offset := at.Zone()
		if at.Year() < 0 || at.Year() > 9999 {
			continue
		}
		got := string(render.AppendText(nil, f, a, i))
		if want := at.Format(time.RFC3339); got != want && offset%60 == 0 {
			t.Fatalf("%d: %s, want %s", s, got, want)
		}
		// Offsets with seconds too.
		if back, err := time.Parse(time.RFC3339, got); err != nil || back.Unix() != s {
			t.Fatalf("%d: %s, which is read as %v, %v", s, got, back, err)
		}
	}
}

func TestDecimalsAgainstBig(t *testing.T) {
	v := big.NewInt(1)
	for range 37 {
		for scale := range int32(39) {
			for _, sign := range []int64{1, -1} {
				x := new(big.Int).Mul(v, big.NewInt(sign))
				typ := &arrow.Decimal128Type{Precision: 38, Scale: scale}
				a := column(typ, func(b *array.Decimal128Builder) { b.Append(decimal128.FromBigInt(x)) })
				digits := new(big.Int).Abs(x).String()
				digits = strings.Repeat("0", max(0, int(scale)+1-len(digits))) + digits
				want := digits[:len(digits)-int(scale)]
				if scale > 0 {
					want += "." + digits[len(digits)-int(scale):]
				}
				if sign < 0 {
					want = "-" + want
				}
				if got := string(render.AppendText(nil, arrow.Field{Type: typ}, a, 0)); got != want {
					t.Fatalf("%s, scale %d: %s, want %s", x, scale, got, want)
				}
			}
		}
		v.Mul(v, big.NewInt(10))
		v.Add(v, big.NewInt(int64(v.BitLen()%10)))
	}
}

func TestQuotedAgainstEncodingJSON(t *testing.T) {
	for c := range 256 {
		for _, s := range []string{string(rune(c)), string([]byte{byte(c)}), "a" + string([]byte{byte(c)}) + "z"} {
			var got, want string
			if err := json.Unmarshal(render.AppendQuoted(nil, s), &got); err != nil {
				t.Fatalf("%q: %v", s, err)
			}
			b, err := json.Marshal(s)
			if err != nil {
				t.Fatal(err)
			}
			if err := json.NewDecoder(bytes.NewReader(b)).Decode(&want); err != nil || got != want {
				t.Fatalf("%s: %q, want %q (%v)", strconv.Quote(s), got, want, err)
			}
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	buf := make([]byte, 0, 256)
	for _, c := range cases() {
		f := field(c)
		rows := c.a.Len()
		b.Run("text/"+c.name, func(b *testing.B) {
			for i := range b.N {
				render.AppendText(buf, f, c.a, i%rows)
			}
		})
		b.Run("json/"+c.name, func(b *testing.B) {
			for i := range b.N {
				render.AppendJSON(buf, f, c.a, i%rows)
			}
		})
	}
}
