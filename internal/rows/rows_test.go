package rows

import (
	"database/sql"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/decimal128"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// record is a record of columns written as JSON, a list each.
func record(t *testing.T, columns ...any) arrow.Record {
	t.Helper()
	var fields []arrow.Field
	var arrays []arrow.Array
	for i := 0; i < len(columns); i += 3 {
		typ := columns[i+1].(arrow.DataType)
		a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(columns[i+2].(string)))
		if err != nil {
			t.Fatal(err)
		}
		fields = append(fields, arrow.Field{Name: columns[i].(string), Type: typ, Nullable: true})
		arrays = append(arrays, a)
	}
	return array.NewRecord(arrow.NewSchema(fields, nil), arrays, int64(arrays[0].Len()))
}

// read puts all rows of rec into structs, block rows at a time.
func read[T any](rec arrow.Record, block int) (out []T, err error) {
	b, err := Match(rec.Schema(), reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	r := b.Of(rec)
	for from := 0; from < int(rec.NumRows()); from += block {
		to := min(from+block, int(rec.NumRows()))
		rows := make([]T, to-from)
		n, err := r.Fill(unsafe.Pointer(&rows[0]), from, to)
		out = append(out, rows[:n]...)
		if err != nil {
			return out, err
		}
	}
	return out, nil
}

type level string

type place struct {
	Lon, Lat float32
}

type everything struct {
	ID      uint64 `dfa:"id"`
	Small   int64
	Half    float64
	OK      bool
	Name    string
	Level   level
	Raw     []byte
	At      time.Time
	Local   time.Time `dfa:"local time"`
	Day     time.Time
	Clock   time.Duration
	Took    time.Duration
	Price   string  `dfa:"price"`
	Rough   float64 `dfa:"rough"`
	Exact   decimal128.Num
	Count   int64
	Client  netip.Addr
	Server  netip.Addr
	Key     [16]byte
	Tags    []string
	Ports   []uint16
	Attrs   map[string]string
	Deep    map[level]map[string]int32
	Maybe   *int32
	Perhaps sql.Null[string]
	Missing int `dfa:",optional"`
	Blank   int `dfa:"blank,zero"`
	private int
	Skipped chan int `dfa:"-"`
	place
}

func TestEveryType(t *testing.T) {
	id := `"AAECAwQFBgcICQoLDA0ODw=="`
	dict := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}
	utc := &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	dec := func(p, s int32) arrow.DataType { return &arrow.Decimal128Type{Precision: p, Scale: s} }
	maps := arrow.MapOf(arrow.BinaryTypes.String, arrow.BinaryTypes.String)
	deep := arrow.MapOf(arrow.BinaryTypes.String, arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int16))
	rec := record(t,
		"id", arrow.PrimitiveTypes.Uint64, `[1, 9007199254740992, 3]`,
		"small", arrow.PrimitiveTypes.Int8, `[-1, 127, -128]`,
		"half", arrow.PrimitiveTypes.Float32, `[0.5, -2, 0]`,
		"o_k", arrow.FixedWidthTypes.Boolean, `[true, false, true]`,
		"NAME", arrow.BinaryTypes.String, `["Ann", "", "Łukasz"]`,
		"level", dict, `["INFO", "WARN", "INFO"]`,
		"raw", arrow.BinaryTypes.Binary, `["AP8=", "", "eA=="]`,
		"at", utc, `["2026-03-02 09:15:00.5", "1969-12-31 23:59:59.25", "0001-01-01 00:00:00"]`,
		"local time", arrow.FixedWidthTypes.Timestamp_s, `["2026-03-02 09:15:00", "2026-03-02 09:15:01", "2026-03-02 09:15:02"]`,
		"day", arrow.FixedWidthTypes.Date32, `["2026-03-02", "1969-12-31", "2000-02-29"]`,
		"clock", arrow.FixedWidthTypes.Time64us, `["09:15:00.5", "00:00:00", "23:59:59.999999"]`,
		"took", arrow.FixedWidthTypes.Duration_ms, `[1500, -1, 0]`,
		"price", dec(10, 2), `["1.50", "-0.01", "99999999.99"]`,
		"rough", dec(38, 3), `["0.1", "12345678901234567890123456789012345.678", "-7"]`,
		"exact", dec(10, 2), `["1.50", "-0.01", "0"]`,
		"count", dec(18, 0), `["7", "-999999999999999999", "0"]`,
		"client", arrow.BinaryTypes.String, `["::1", "10.0.0.1", "fe80::1"]`,
		"server", &arrow.FixedSizeBinaryType{ByteWidth: 16}, `["AAAAAAAAAAAAAP//CgAAAQ==", `+id+`, `+id+`]`,
		"key", &arrow.FixedSizeBinaryType{ByteWidth: 16}, `[`+id+`, `+id+`, `+id+`]`,
		"tags", arrow.ListOf(arrow.BinaryTypes.String), `[["a", "b"], [], null]`,
		"ports", arrow.ListOf(arrow.PrimitiveTypes.Uint16), `[[80], [1, 2, 3], [65535]]`,
		"attrs", maps, `[[{"key": "a", "value": "1"}, {"key": "b", "value": "2"}], [], null]`,
		"deep", deep, `[[{"key": "x", "value": [{"key": "y", "value": 7}]}], null, []]`,
		"maybe", arrow.PrimitiveTypes.Int32, `[null, 5, -5]`,
		"perhaps", arrow.BinaryTypes.String, `["here", null, ""]`,
		"blank", arrow.PrimitiveTypes.Int16, `[null, 2, null]`,
		"lon", arrow.PrimitiveTypes.Float32, `[1, 2, 3]`,
		"lat", arrow.PrimitiveTypes.Float32, `[4, 5, 6]`,
	)
	key := [16]byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}
	five, minus := int32(5), int32(-5)
	at := func(s string) time.Time { v, _ := time.Parse("2006-01-02 15:04:05", s); return v }
	want := []everything{
		{1, -1, 0.5, true, "Ann", "INFO", []byte{0, 255}, at("2026-03-02 09:15:00.5"), at("2026-03-02 09:15:00"), at("2026-03-02 00:00:00"),
			9*time.Hour + 15*time.Minute + 500*time.Millisecond, 1500 * time.Millisecond, "1.50", 0.1, decimal128.FromI64(150), 7,
			netip.MustParseAddr("::1"), netip.MustParseAddr("10.0.0.1"), key, []string{"a", "b"}, []uint16{80}, map[string]string{"a": "1", "b": "2"},
			map[level]map[string]int32{"x": {"y": 7}}, nil, sql.Null[string]{V: "here", Valid: true}, 0, 0, 0, nil, place{1, 4}},
		{9007199254740992, 127, -2, false, "", "WARN", []byte{}, at("1969-12-31 23:59:59.25"), at("2026-03-02 09:15:01"), at("1969-12-31 00:00:00"),
			0, -time.Millisecond, "-0.01", 12345678901234567890123456789012345.678, decimal128.FromI64(-1), -999999999999999999,
			netip.MustParseAddr("10.0.0.1"), netip.AddrFrom16(key), key, []string{}, []uint16{1, 2, 3}, map[string]string{},
			nil, &five, sql.Null[string]{}, 0, 2, 0, nil, place{2, 5}},
		{3, -128, 0, true, "Łukasz", "INFO", []byte("x"), at("0001-01-01 00:00:00"), at("2026-03-02 09:15:02"), at("2000-02-29 00:00:00"),
			24*time.Hour - time.Microsecond, 0, "99999999.99", -7, decimal128.Num{}, 0,
			netip.MustParseAddr("fe80::1"), netip.AddrFrom16(key), key, nil, []uint16{65535}, nil,
			map[level]map[string]int32{}, &minus, sql.Null[string]{Valid: true}, 0, 0, 0, nil, place{3, 6}},
	}
	for block := 1; block <= 4; block++ {
		got, err := read[everything](rec, block)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("blocks of %d:\n got %+v\nwant %+v", block, got, want)
		}
		got, err = read[everything](rec.NewSlice(1, 3), block)
		if err != nil || !reflect.DeepEqual(got, want[1:]) {
			t.Errorf("blocks of %d, from row 1:\n got %+v (%v)\nwant %+v", block, got, err, want[1:])
		}
	}
}

// What a field cannot hold is an error before any row is read, and names the
// types that could.
func TestMatchFaults(t *testing.T) {
	rec := record(t, "a", arrow.PrimitiveTypes.Int64, `[1]`, "b", arrow.BinaryTypes.String, `["x"]`, "c", arrow.FixedWidthTypes.Duration_s, `[1]`,
		"d", arrow.ListOf(arrow.PrimitiveTypes.Uint32), `[[1]]`, "e", arrow.PrimitiveTypes.Uint8, `[1]`)
	for _, c := range []struct {
		into any
		want string
	}{
		{struct{ A int32 }{}, `field .A: column "a": int64 values do not go into int32; they go into int, int64`},
		{struct{ A float64 }{}, `int64 values do not go into float64`},
		{struct{ A uint64 }{}, `int64 values do not go into uint64`},
		{struct{ A time.Duration }{}, `int64 values do not go into time.Duration`},
		{struct{ B int }{}, `field .B: column "b": utf8 values do not go into int; they go into string, []byte, netip.Addr`},
		{struct{ B time.Time }{}, `utf8 values do not go into time.Time`},
		{struct{ C int64 }{}, `go into time.Duration`},
		{struct{ D []uint16 }{}, `field .D: column "d": uint32 values do not go into uint16; they go into int, int64, uint, uint32, uint64, float64`},
		{struct{ E **uint8 }{}, `a null within a null`},
		{struct{ F int }{}, `there is no column for field .F; the columns are a, b, c, d, e`},
		{struct {
			F int `dfa:"f"`
		}{}, `there is no column for field .F, which wants "f"`},
		{struct {
			A int64
			B int64 `dfa:"a"`
		}{}, `fields .A and .B both take column "a"`},
		{struct {
			A int64 `dfa:"a,nil"`
		}{}, `the tag has the option "nil"; the options are zero and optional`},
		{struct {
			a int64 `dfa:"a"`
		}{}, `field .a has a tag, and is not exported`},
		{struct{}{}, `has no exported field`},
		{7, `rows are put into structs, not into int`},
	} {
		_, err := Match(rec.Schema(), reflect.TypeOf(c.into))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T: %v, want %s", c.into, err, c.want)
		}
	}
	if _, err := Match(rec.Schema(), reflect.TypeFor[struct {
		E float32
		A sql.Null[int64]
		D []*uint64
	}]()); err != nil {
		t.Error(err)
	}
}

// Rows before a value that cannot be held are whole.
func TestRowErrors(t *testing.T) {
	type row struct {
		A int64
		B []string `dfa:"b,zero"`
		C time.Duration
		D netip.Addr
	}
	good := []any{
		"a", arrow.PrimitiveTypes.Int64, `[1, 2, 3, 4]`,
		"b", arrow.ListOf(arrow.BinaryTypes.String), `[["x"], [], null, ["y"]]`,
		"c", arrow.FixedWidthTypes.Duration_s, `[1, 1, 1, 1]`,
		"d", arrow.BinaryTypes.String, `["::", "::", "::", "::"]`,
	}
	for i, c := range []struct {
		column int
		json   string
		row    int
		want   string
	}{
		{2, `[1, null, null, 3]`, 1, `column "a": null cannot be held; a pointer, sql.Null or the tag option zero can in field row.A`},
		{5, `[["x"], ["y"], ["y", null], null]`, 2, `column "b": null cannot be held`},
		{8, `[1, 2, 3, 9223372037]`, 3, `longer than time.Duration counts`},
		{11, `["::1", "x", "::", "::"]`, 1, `"x" is no address`},
	} {
		columns := append([]any{}, good...)
		columns[c.column] = c.json
		for block := 1; block <= 4; block++ {
			got, err := read[row](record(t, columns...), block)
			e, ok := err.(*Error)
			if !ok || e.Row != c.row || !strings.Contains(err.Error(), c.want) || len(got) != c.row {
				t.Errorf("case %d, blocks of %d: %d rows, %v; want %d and %s", i, block, len(got), err, c.row, c.want)
			}
			for k, r := range got {
				if r.A != int64(k+1) {
					t.Errorf("case %d: row %d is %+v", i, k, r)
				}
			}
		}
	}
	if fmt.Sprint(ErrNull) == "" {
		t.Error("no words")
	}
}

// TestBytesOfAWidth: an array of as many bytes, and no other, takes them.
func TestBytesOfAWidth(t *testing.T) {
	rec := record(t, "mac", &arrow.FixedSizeBinaryType{ByteWidth: 6}, `["AAECAwQF", null, "/////wAB"]`)
	type row struct {
		Mac [6]byte `dfa:",zero"`
	}
	got, err := read[row](rec, 2)
	if want := []row{{[6]byte{0, 1, 2, 3, 4, 5}}, {}, {[6]byte{255, 255, 255, 255, 0, 1}}}; err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	_, err = read[struct{ Mac [8]byte }](rec, 2)
	if err == nil || !strings.Contains(err.Error(), "they go into [6]byte, []byte") {
		t.Errorf("%v", err)
	}
}
