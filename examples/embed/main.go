// Command embed reads a file through a spec as values of a struct, and adds one
// of its fields up.
//
//	go run ./examples/embed examples/orders.dfp examples/orders.csv
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/dfaparse/dfaparse"
)

// Order is a row of orders.dfp, as far as it is wanted.
type Order struct {
	ID    uint64
	Items int
	Price float64
	Note  *string `dfa:"note,optional"` // the file need not have it, and it may be null
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: embed FORMAT INPUT")
	}
	if err := run(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, format, input string) error {
	r, err := dfaparse.Open(ctx, input, dfaparse.Format(format))
	if err != nil {
		return err
	}
	defer r.Close()
	items := 0
	for order, err := range dfaparse.Rows[Order](r) {
		if err != nil {
			return err
		}
		items += order.Items
	}
	fmt.Printf("%d orders, %d items\n", r.Stats().Rows, items)
	return nil
}
