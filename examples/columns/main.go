// Command columns reads a file through a spec as Arrow records, adds a column up,
// and writes the rest of the file to Parquet.
//
//	go run ./examples/columns examples/orders.dfp examples/orders.csv orders.parquet
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse"
)

func main() {
	if len(os.Args) != 4 {
		log.Fatal("usage: columns FORMAT INPUT OUTPUT")
	}
	ctx := context.Background()
	if err := sum(ctx, os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
	if err := convert(ctx, os.Args[1], os.Args[2], os.Args[3]); err != nil {
		log.Fatal(err)
	}
}

func sum(ctx context.Context, format, input string) error {
	r, err := dfaparse.Open(ctx, input, dfaparse.Format(format), dfaparse.WithColumns("status", "items"))
	if err != nil {
		return err
	}
	defer r.Close()
	items := 0
	for rec, err := range r.Records() {
		if err != nil {
			return err
		}
		column := rec.Column(1).(*array.Uint16)
		for i := range column.Len() {
			if column.IsValid(i) {
				items += int(column.Value(i))
			}
		}
	}
	fmt.Println(items, "items")
	return nil
}

// convert writes a file in the form that the extension of output says.
func convert(ctx context.Context, format, input, output string) error {
	r, err := dfaparse.Open(ctx, input, dfaparse.Format(format))
	if err != nil {
		return err
	}
	defer r.Close()
	rows, err := dfaparse.WriteFile(output, r)
	if err != nil {
		return err
	}
	fmt.Println(rows, "rows")
	return nil
}
