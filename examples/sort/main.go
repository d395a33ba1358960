// Command sort writes a file again as Parquet, its rows in the order of columns.
//
//	go run ./examples/sort examples/orders.dfp examples/orders.csv "status, price desc" sorted.parquet
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dfaparse/dfaparse"
)

func main() {
	if len(os.Args) != 5 {
		log.Fatal("usage: sort FORMAT FILE ORDER OUTPUT")
	}
	rows, err := sorted(os.Args[1], os.Args[2], os.Args[3], os.Args[4])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(rows, "rows")
}

func sorted(format, path, order, out string) (rows int64, err error) {
	ctx := context.Background()
	r, err := dfaparse.Open(ctx, path, dfaparse.Format(format))
	if err != nil {
		return 0, err
	}
	defer r.Close()
	s, err := dfaparse.Sort(ctx, r, dfaparse.Order{By: order, Memory: 256 << 20})
	if err != nil {
		return 0, err
	}
	defer s.Release()
	return dfaparse.WriteFile(out, s)
}
