package main

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"
)

func Example() {
	inputs := []string{"../orders.csv", "../orders.csv", "../orders.csv"}
	if err := run("../orders.dfp", inputs, memory.DefaultAllocator); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 3 cancelled
	// 3 new
	// 3 paid
	// 6 shipped
}

func TestNothingIsLeftBehind(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	if err := run("../orders.dfp", []string{"../orders.csv", "../orders.csv"}, mem); err != nil {
		t.Fatal(err)
	}
}
