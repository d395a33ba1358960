package dfaparse_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/runtime"
)

const typed = `format typed {
  delimited { sep ';'  quote '"' doubled }
  fields {
    id u32!  level enum(info warn)  at ts  day date  took dur(s)  price dec(10,2)  host ip  key uuid
    tags list(str, sep ',')  raw binary(hex)  note str?  ratio f32  ok bool
  }
}`

// Everything is a row of typed.
type Everything struct {
	ID     uint32
	Level  string
	At     time.Time
	Day    time.Time
	Took   time.Duration
	Price  decimal128.Num
	Host   netip.Addr
	Key    [16]byte
	Tags   []string
	Raw    []byte
	Note   *string
	Ratio  float64 `dfa:",zero"`
	Ok     sql.Null[bool]
	Other  int `dfa:"-"`
	secret int
}

// TestRowsOfEveryType: values of every type arrive, and outlive their records.
func TestRowsOfEveryType(t *testing.T) {
	var in strings.Builder
	const n = 1000
	for i := range n {
		ratio, ok := "0.5", "true"
		if i%3 == 0 {
			ratio, ok = "", ""
		}
		fmt.Fprintf(&in, "%d;warn;2026-03-02T09:15:00Z;2026-03-02;%d;%d.25;192.0.2.7;123e4567-e89b-12d3-a456-426614174000;\"a,b%d\";00ff;\"no\nte %d\";%s;%s\n", i, i, i, i, i, ratio, ok)
	}
	r, err := dfaparse.OpenBytes(context.Background(), []byte(in.String()), dfaparse.Spec(typed), dfaparse.WithBatchSize(77), dfaparse.With(runtime.WithReuse()))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []Everything
	for row, err := range dfaparse.Rows[Everything](r) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, row)
	}
	if len(got) != n {
		t.Fatalf("%d rows", len(got))
	}
	for i, row := range got {
		note := fmt.Sprintf("no\nte %d", i)
		want := Everything{
			ID: uint32(i), Level: "warn", At: time.Date(2026, 3, 2, 9, 15, 0, 0, time.UTC), Day: time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC),
			Took: time.Duration(i) * time.Second, Price: decimal128.FromI64(int64(i)*100 + 25), Host: netip.MustParseAddr("192.0.2.7"),
			Key:  [16]byte{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0},
			Tags: []string{"a", fmt.Sprintf("b%d", i)}, Raw: []byte{0, 0xff}, Note: &note,
		}
		if i%3 != 0 {
			want.Ratio, want.Ok = 0.5, sql.Null[bool]{V: true, Valid: true}
		}
		want.secret = row.secret
		if !reflect.DeepEqual(row, want) {
			t.Fatalf("row %d is\n%+v, want\n%+v", i, row, want)
		}
	}
}

// TestRowsErrors: what does not fit is said before the first row, all at once;
// what cannot be held, with its row.
func TestRowsErrors(t *testing.T) {
	open := func(in string) *dfaparse.Reader {
		r, err := dfaparse.OpenBytes(context.Background(), []byte(in), dfaparse.Spec(pairs), dfaparse.WithBatchSize(3))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	type wrong struct {
		Name int
		N    int8
		M    string
	}
	n := 0
	for _, err := range dfaparse.Rows[wrong](open("a;1\n")) {
		n++
		for _, want := range []string{"wrong.Name", "string", "wrong.N", "int64", "wrong.M", "the columns are name, n"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
	for _, err := range dfaparse.Rows[int](open("a;1\n")) {
		if n++; err == nil {
			t.Error("rows as ints")
		}
	}
	if n != 2 {
		t.Errorf("%d errors", n)
	}
	type pair struct {
		Name string
		N    int64
	}
	var rows []pair
	var last error
	for row, err := range dfaparse.Rows[pair](open("a;1\nb;2\nc;3\nd;4\ne;\nf;6\n")) {
		if last = err; err == nil {
			rows = append(rows, row)
		}
	}
	var of *dfaparse.RowError
	if !errors.As(last, &of) || of.Row != 5 || of.Column != "n" || of.Field != "pair.N" || !errors.Is(last, dfaparse.ErrNull) || len(rows) != 4 {
		t.Errorf("%v after %v", last, rows)
	}
	last, rows = nil, nil
	for row, err := range dfaparse.Rows[pair](open("a;1\nb;x\n")) {
		if last = err; err == nil {
			rows = append(rows, row)
		}
	}
	if !errors.Is(last, dfaparse.ErrValue) || len(rows) != 1 {
		t.Errorf("%v after %v", last, rows)
	}
	for range dfaparse.Rows[pair](open("a;1\nb;2\n")) {
		break
	}
}

// TestRowsAllocate: no row costs an allocation but for its strings, and of these
// 128 share one.
func TestRowsAllocate(t *testing.T) {
	type pair struct {
		Name string
		N    int64
	}
	const n = 100_000
	data := []byte(strings.Repeat("some name;42\n", n))
	allocs := testing.AllocsPerRun(2, func() {
		r, err := dfaparse.OpenBytes(context.Background(), data, dfaparse.Spec(pairs), dfaparse.WithThreads(1), dfaparse.With(runtime.WithReuse()))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for row, err := range dfaparse.Rows[pair](r) {
			if err != nil || row.N != 42 || row.Name != "some name" {
				t.Fatal(row, err)
			}
		}
	})
	base := testing.AllocsPerRun(2, func() {
		r, err := dfaparse.OpenBytes(context.Background(), data, dfaparse.Spec(pairs), dfaparse.WithThreads(1), dfaparse.With(runtime.WithReuse()))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		for r.Next() {
		}
	})
	if most := float64(n/128 + 500); allocs-base > most {
		t.Errorf("%.0f allocations more than the records' for %d rows, want at most %.0f", allocs-base, n, most)
	}
}
