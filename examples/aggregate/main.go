// Command aggregate groups the rows of a file: it prints, for each value of a
// column, how many rows there are, and the sum of another.
//
//	go run ./examples/aggregate examples/orders.dfp examples/orders.csv status price
package main

import (
	"context"
	"io"
	"log"
	"os"

	"github.com/dfaparse/dfaparse"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: aggregate FORMAT FILE KEY VALUE")
	}
	if err := groups(os.Stdout, os.Args[1], os.Args[2], os.Args[3], os.Args[4]); err != nil {
		log.Fatal(err)
	}
}

func groups(w io.Writer, format, path, key, value string) error {
	ctx := context.Background()
	q := dfaparse.Query{By: key, Agg: "count() as n, sum(" + value + ") as total", Where: value + " > 0"}
	columns, err := q.Columns()
	if err != nil {
		return err
	}
	r, err := dfaparse.Open(ctx, path, dfaparse.Format(format), dfaparse.WithColumns(columns...))
	if err != nil {
		return err
	}
	defer r.Close()
	found, err := dfaparse.Aggregate(ctx, r, q)
	if err != nil {
		return err
	}
	defer found.Release()
	_, err = dfaparse.Write(w, dfaparse.CSV, found)
	return err
}
