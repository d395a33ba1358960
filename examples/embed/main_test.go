package main

import "fmt"

func Example() {
	if err := run("../orders.dfp", "../orders.csv"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 5 orders, 18 items
}
