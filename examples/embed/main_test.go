package main

import (
	"context"
	"fmt"
)

func Example() {
	if err := run(context.Background(), "../orders.dfp", "../orders.csv"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 5 orders, 18 items
}
