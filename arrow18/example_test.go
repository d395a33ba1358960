package arrow18_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/dfaparse/dfaparse/arrow18"
	"github.com/dfaparse/dfaparse/formats"
	dfaruntime "github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// A log, read by dfaparse into columns of arrow-go v18.
func Example() {
	program, err := formats.Program("apache_common")
	if err != nil {
		log.Fatal(err)
	}
	in := strings.NewReader(`127.0.0.1 - frank [13/Jul/2016:10:55:36 +0000] "GET /apache_pb.gif HTTP/1.0" 200 2326
10.0.0.7 - - [13/Jul/2016:10:55:39 +0000] "GET / HTTP/1.1" 304 -
`)
	r, err := dfaruntime.NewReader(in, program, dfaruntime.WithEngine(cpu.Engine), dfaruntime.WithColumns("host", "status"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Release()
	w := arrow18.Wrap(r)
	defer w.Release()
	for rec, err := range w.Records() {
		if err != nil {
			log.Fatal(err)
		}
		host, status := rec.Column(0).(*array.String), rec.Column(1).(*array.Uint16)
		for i := range host.Len() {
			fmt.Println(host.Value(i), status.Value(i))
		}
	}
	// Output:
	// 127.0.0.1 200
	// 10.0.0.7 304
}
