package dfaparse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// A file in a built-in format, as Arrow records.
func Example() {
	ctx := context.Background()
	log := `203.0.113.7 - ada [02/Mar/2026:09:15:00 +0000] "GET /shop HTTP/1.1" 200 5120 "-" "curl/8.5"
203.0.113.9 - - [02/Mar/2026:09:15:02 +0000] "GET /cart HTTP/1.1" 404 312 "-" "curl/8.5"
`
	r, err := dfaparse.OpenReader(ctx, strings.NewReader(log), dfaparse.Format("nginx"), dfaparse.WithColumns("status", "path"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Println(err)
			return
		}
		status, path := rec.Column(0).(*array.Uint16), rec.Column(1).(*array.String)
		for i := range int(rec.NumRows()) {
			fmt.Println(status.Value(i), path.Value(i))
		}
	}
	// Output:
	// 200 /shop
	// 404 /cart
}

// Rows as values of a struct: a field takes the column of its name, or of its tag.
func ExampleRows() {
	type Trip struct {
		Pickup   time.Time `dfa:"pickup_at"`
		Distance float64
		Tip      *float64 // null where there is none
	}
	in := "pickup_at,distance,tip\n2026-03-02T09:15:00Z,2.5,\n2026-03-02T10:00:00Z,0.75,1.5\n"
	r, err := dfaparse.OpenReader(context.Background(), strings.NewReader(in), dfaparse.Spec(
		`format trips extends csv { fields { pickup_at ts  distance f64!  tip f64 } }`))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for trip, err := range dfaparse.Rows[Trip](r) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(trip.Pickup.Format(time.Kitchen), trip.Distance, trip.Tip != nil)
	}
	// Output:
	// 9:15AM 2.5 false
	// 10:00AM 0.75 true
}

// A spec in a file, and a file to read.
func ExampleOpen() {
	r, err := dfaparse.Open(context.Background(), "examples/orders.csv", dfaparse.Format("examples/orders.dfp"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for rec, err := range r.Records() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(rec.NumRows(), "orders with", rec.NumCols(), "columns")
	}
	// Output:
	// 5 orders with 9 columns
}

// The text of a spec. That it has a fault is an error of Open, with the place.
func ExampleSpec() {
	_, err := dfaparse.OpenBytes(context.Background(), []byte("a;1\n"), dfaparse.Spec("format pairs {\n  delimited { sep ';' }\n  fields { name str  n i46 }\n}\n"))
	fmt.Println(err)
	// Output:
	// spec:3:24: unknown type "i46"; did you mean "i16"?
}

// A format that is built while the program runs.
func ExampleProgram() {
	spec, err := compile.New("pairs").Delimited(compile.Separator(";")).Field("name", "str").Field("n", "i64").Build()
	if err != nil {
		log.Fatal(err)
	}
	r, err := dfaparse.OpenBytes(context.Background(), []byte("a;1\nb;2\n"), dfaparse.Program(spec.Program))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	if _, err := dfaparse.Write(os.Stdout, dfaparse.JSONL, r); err != nil {
		log.Fatal(err)
	}
	// Output:
	// {"name":"a","n":1}
	// {"name":"b","n":2}
}

// What cannot be read says where it is, and what was expected.
func ExampleOpenBytes_error() {
	r, err := dfaparse.OpenBytes(context.Background(), []byte("id\n1\nx\n"), dfaparse.WithName("ids.csv"), dfaparse.Spec(`format ids extends csv { fields { id u32 } }`))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for _, err := range r.Records() {
		if parse := (*dfaparse.ParseError)(nil); errors.As(err, &parse) {
			fmt.Println(parse.Line, parse.Field, errors.Is(err, dfaparse.ErrValue))
			fmt.Println(err)
		}
	}
	// Output:
	// 3 id true
	// ids.csv:3:1: record 2, field "id": not an integer: "x"; expected an integer from 0 to 4294967295 (byte 5)
}

// Records that cannot be read are left out, and told.
func ExampleWithRejects() {
	r, err := dfaparse.OpenBytes(context.Background(), []byte("id\n1\nx\n3\n"), dfaparse.Spec(`format ids extends csv { fields { id u32 } }`),
		dfaparse.WithErrorMode(dfaparse.ModeReject),
		dfaparse.WithRejects(func(reject *dfaparse.Reject) error {
			fmt.Printf("line %d: %q\n", reject.Line, reject.Raw)
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for _, err := range r.Records() {
		if err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(r.Stats().Rows, "rows,", r.Stats().Rejected, "rejected")
	// Output:
	// line 3: "x"
	// 2 rows, 1 rejected
}

// From a log to CSV; WriteFile writes a file, in the form that its name says.
func ExampleWrite() {
	in := "ts=2026-03-02T09:15:00Z level=info msg=\"listening, on 8080\"\n"
	r, err := dfaparse.OpenReader(context.Background(), strings.NewReader(in), dfaparse.Format("logfmt"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	rows, err := dfaparse.Write(&out, dfaparse.JSONL, r)
	fmt.Println(rows, err, out.String())
	// Output:
	// 1 <nil> {"fields":{"ts":"2026-03-02T09:15:00Z","level":"info","msg":"listening, on 8080"}}
}

// A file is written whole or not at all, in the form that its name says.
func ExampleWriteFile() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	r, err := dfaparse.Open(context.Background(), "examples/orders.csv", dfaparse.Format("examples/orders.dfp"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	rows, err := dfaparse.WriteFile(filepath.Join(dir, "orders.parquet"), r)
	fmt.Println(rows, err)
	// Output:
	// 5 <nil>
}

// Every byte of an input is accounted for.
func ExampleReader_Stats() {
	r, err := dfaparse.OpenBytes(context.Background(), []byte("id\n1\nx\n3\n"), dfaparse.WithErrorMode(dfaparse.ModeReject),
		dfaparse.Spec(`format ids extends csv { fields { id u32 } }`))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for r.Next() {
	}
	s := r.Stats()
	fmt.Println(s.Bytes, "bytes:", s.Account.Header.Bytes, "of the header,", s.Account.Delivered.Bytes, "of rows,", s.Account.Rejected.Bytes, "rejected")
	// Output:
	// 9 bytes: 3 of the header, 4 of rows, 2 rejected
}

// Another engine: this one is slow, and what the others are compared with.
func ExampleWithEngine() {
	r, err := dfaparse.OpenBytes(context.Background(), []byte("a,b\n1,2\n"), dfaparse.Format("csv"), dfaparse.WithEngine(reference.Engine))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	for rec, err := range r.Records() {
		fmt.Println(rec.Column(0), rec.Column(1), err)
	}
	// Output:
	// ["1"] ["2"] <nil>
}

// A delimited input that nobody has described: what is known is said, the rest is found
// out.
func ExampleInfer() {
	ctx, data := context.Background(), []byte("zip;at;price\n10115;31.05.2024;2,50\n20095;01.06.2024;3,75\n")
	r, err := dfaparse.OpenBytes(ctx, data, dfaparse.WithSeparator(";"), dfaparse.WithTypes("zip: str"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Decided())
	if _, err := dfaparse.Write(os.Stdout, dfaparse.JSONL, r); err != nil {
		log.Fatal(err)
	}
	// Output:
	// separated by semicolon, a header, 3 columns
	// {"zip":"10115","at":"2024-05-31","price":2.5}
	// {"zip":"20095","at":"2024-06-01","price":3.75}
}
