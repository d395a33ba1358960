package arrow18_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/arrow18"
)

// A log, read by dfaparse into columns of arrow-go v18.
func Example() {
	in := strings.NewReader(`127.0.0.1 - frank [13/Jul/2016:10:55:36 +0000] "GET /apache_pb.gif HTTP/1.0" 200 2326
10.0.0.7 - - [13/Jul/2016:10:55:39 +0000] "GET / HTTP/1.1" 304 -
`)
	r, err := dfaparse.OpenReader(context.Background(), in, dfaparse.Format("apache_common"), dfaparse.WithColumns("host", "status"))
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
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
