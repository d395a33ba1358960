package main

import (
	"fmt"
	"os"
)

func Example() {
	if err := groups(os.Stdout, "../orders.dfp", "../orders.csv", "status", "price"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// status,n,total
	// new,1,88.40
	// paid,1,19.90
	// shipped,2,1489.10
}

// What is wrong with a query is said before anything is read.
func Example_fault() {
	fmt.Println(groups(os.Stdout, "../orders.dfp", "../orders.csv", "status", "customer"))
	// Output:
	// Where:1:12: customer is text, which is not compared with 0; expected a text, e.g. 'abc'
	//   customer > 0
	//              ^
}
