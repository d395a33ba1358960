package runtime_test

import (
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	dfaruntime "github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// A built-in format, read to typed columns.
func Example() {
	program, err := formats.Program("apache_common")
	if err != nil {
		log.Fatal(err)
	}
	in := strings.NewReader(`127.0.0.1 - frank [13/Jul/2016:10:55:36 +0000] "GET /apache_pb.gif HTTP/1.0" 200 2326
10.0.0.7 - - [13/Jul/2016:10:55:39 +0000] "GET / HTTP/1.1" 304 -
`)
	r, err := dfaruntime.NewReader(in, program, dfaruntime.WithEngine(cpu.Engine))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		host := rec.Column(rec.Schema().FieldIndices("host")[0]).(*array.String)
		status := rec.Column(rec.Schema().FieldIndices("status")[0]).(*array.Uint16)
		for i := range int(rec.NumRows()) {
			fmt.Println(host.Value(i), status.Value(i))
		}
	}
	if err := r.Err(); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 127.0.0.1 200
	// 10.0.0.7 304
}

// An own format, compiled from its spec. Only some of the columns are wanted.
func ExampleNewReader() {
	spec, err := compile.Compile("orders.dfp", []byte(`
		format orders {
		  delimited { sep ';'  quote '"' doubled }
		  header names
		  fields { id u64!  price f64(point ',')  at date("%d.%m.%Y") }
		}`))
	if err != nil {
		log.Fatal(err)
	}
	in := strings.NewReader("id;name;price;at\n1;\"nails; small\";9,90;02.01.2024\n2;rope;;\n")
	r, err := dfaruntime.NewReader(in, spec.Program, dfaruntime.WithEngine(cpu.Engine), dfaruntime.WithColumns("price", "id"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.Record().Column(0), r.Record().Column(1))
	}
	fmt.Println(r.Schema().Field(0).Type, r.Schema().Field(1).Type, r.Err())
	// Output:
	// [9.9 (null)] [1 2]
	// float64 uint64 <nil>
}

// Records that cannot be read are handed to the caller.
func ExampleWithRejectHandler() {
	spec, err := compile.Compile("pairs.dfp", []byte(`format pairs { delimited { sep ',' } fields { name str  n u8 } }`))
	if err != nil {
		log.Fatal(err)
	}
	r, err := dfaruntime.NewReader(strings.NewReader("a,1\nb,256\nc\nd,4\n"), spec.Program, dfaruntime.WithEngine(cpu.Engine),
		dfaruntime.WithName("pairs.csv"),
		dfaruntime.WithErrorMode(dfa.Reject),
		dfaruntime.WithRejectHandler(func(r *dfaruntime.Reject) error {
			fmt.Printf("%q at byte %d: %v\n", r.Raw, r.Start, r)
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.Record().Column(0), r.Record().Column(1))
	}
	s := r.Stats()
	fmt.Println(s.Records, "records,", s.Rows, "rows,", s.Rejected, "rejected")
	// Output:
	// "b,256" at byte 4: pairs.csv:2:3: record 2, field "n": out of range: "256"; expected an integer from 0 to 255 (byte 6)
	// "c" at byte 10: pairs.csv:3:2: record 3, the record has 1 field; expected 2 fields (byte 11)
	// ["a" "d"] [1 4]
	// 4 records, 2 rows, 2 rejected
}

// An error says what it is, and where.
func ExampleParseError() {
	program, err := formats.Program("csv")
	if err != nil {
		log.Fatal(err)
	}
	r, err := dfaruntime.NewReader(strings.NewReader("a,b\n1,2\n3,\"4\n5,6\n"), program, dfaruntime.WithEngine(cpu.Engine), dfaruntime.WithName("numbers.csv"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		fmt.Println(r.Record().NumRows(), "row")
	}
	var e *dfaruntime.ParseError
	if errors.As(r.Err(), &e) {
		fmt.Println(errors.Is(e, dfaruntime.ErrSyntax), "line", e.Line, "column", e.Column, "record", e.Record, "field", e.Field)
	}
	// Output:
	// 1 row
	// true line 3 column 3 record 2 field b
}
