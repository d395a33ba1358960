//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

const notationsSpec = `format notations {
  doc "every form of the fused path"
  delimited { sep ','  quote '"' doubled }
  fields {
    a i32   b i64!  c u32  d u64  e f64  f f64!  g dec(12, 2)  h dec(30, 9)
    i ts("%Y-%m-%d %H:%M:%S")  j ts  k date  l time  m i16  n bool  o str  p i64
  }
}
`

// notations are fields as they are written, each also with one symbol changed.
var notations = []string{
	"0", "-0", "-", "+1", "1", "-1", "9", "12", "007", "99999999", "-9999999", "999999999", "2147483647", "2147483648", "-2147483648", "4294967295", "4294967296",
	"18446744073709551615", "18446744073709551616", "9223372036854775808", "0x10", "1_000",
	".", "-.", ".5", "5.", "-.5", "-5.", "0.0", "-0.0", "1.25", "12.345678", "1234567.", ".1234567", "123.4567", "1..2", "1.2.3", "1e5", "-1E-5", "inf", "NaN", "123456789.25", "0.12345678901", "9007199254740993", "1.7976931348623157e308",
	"1234567890.12", "12345678901.12", "99999999.99", "0.001", "0.10",
	"2018-01-01 00:21:05", "2018-02-29 00:00:00", "2016-02-29 23:59:59", "0001-01-01 00:00:00", "9999-12-31 23:59:59", "2018-01-01T00:21:05", "2018-01-01 24:00:00", "2018-01-01 23:59:60",
	"2018-01-01T00:21:05Z", "2018-01-01 00:21:05.123", "2018-01-01T00:21:05.123456+02:00", "2018-01-01", "2018-13-01", "1996-03-13", "15:04:05", "15:04:05.5", "24:00:00",
	"true", "false", "N", "text", "é", "\xff", " 1", "1 ", "\"1\"", "\"\"", "\"1\"\"2\"", "\"2018-01-01 00:21:05\"",
}

// Whatever notation stands in whichever column, the fused path gives what the
// CPU does: values, nulls and problems.
func TestFusedNotations(t *testing.T) {
	newBench(t)
	spec, err := compile.Compile("notations", []byte(notationsSpec))
	if err != nil {
		t.Fatal(err)
	}
	columns := len(spec.Program.Columns)
	r := rand.New(rand.NewPCG(7, 8))
	field := func(column int, odd bool) string {
		if !odd { // such as most of the column's
			return []string{"12", "-34567", "89", "1234567", "1.25", "-.5", "17.00", "0.125", "2018-01-01 00:21:05", "2018-01-01T00:21:05Z", "1996-03-13", "15:04:05", "7", "true", "N", "123456789012"}[column]
		}
		f := notations[r.IntN(len(notations))]
		if i := r.IntN(4 * (len(f) + 1)); i < len(f) && f[0] != '"' {
			f = f[:i] + string("0123456789.-+eT: :/"[r.IntN(19)]) + f[i+1:]
		}
		return f
	}
	var fused counted
	for round := range 40 {
		var in strings.Builder
		one := r.IntN(columns)
		for range 1 + r.IntN(700) {
			for c := range columns {
				f := field(c, round%4 == 0 && r.IntN(60) == 0 || round%4 == 1 && c == one && r.IntN(6) == 0)
				if round%4 == 2 && r.IntN(5) == 0 {
					f = `"` + f + `"`
				}
				if round%4 == 3 && r.IntN(3) == 0 {
					f = ""
				}
				in.WriteString(f)
				in.WriteByte(",\n"[min(c/(columns-1), 1)])
			}
		}
		read := func(e runtime.Engine) string {
			rows, stats, err := readRows(e, spec.Program, in.String(), runtime.WithErrorMode(dfa.Null))
			if err != nil {
				t.Fatal(err)
			}
			return rows + fmt.Sprint(stats)
		}
		e := &openEngine{Engine: New()}
		if got, want := read(e), read(cpu.Engine); got != want {
			t.Fatalf("of %q: rows\n%s\nwant\n%s", in.String(), got, want)
		}
		fused.FlightsFused += e.counted.FlightsFused - e.counted.FlightsOnCPU
		fused.Rows += e.counted.Rows
		fused.RowsLeft += e.counted.RowsLeft
	}
	if fused.FlightsFused < 20 || fused.RowsLeft*2 > fused.Rows {
		t.Errorf("%d flights were fused, and %d of %d rows left", fused.FlightsFused, fused.RowsLeft, fused.Rows)
	}
}

// openEngine keeps what its last parser counted.
type openEngine struct {
	*Engine
	*parser
}

func (e *openEngine) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := e.openParser(plan, cfg)
	e.parser = p
	return p, err
}
