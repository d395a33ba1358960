package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

func Example() {
	dir, err := os.MkdirTemp("", "columns")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := sum(context.Background(), "../orders.dfp", "../orders.csv"); err != nil {
		fmt.Println(err)
	}
	output := filepath.Join(dir, "orders.jsonl")
	if err := convert(context.Background(), "../orders.dfp", "../orders.csv", output); err != nil {
		fmt.Println(err)
	}
	text, err := os.ReadFile(output)
	fmt.Printf("%.47s %v\n", text, err)
	// Output:
	// 18 items
	// 5 rows
	// {"id":1001,"ordered_at":"2026-03-02T09:15:00Z", <nil>
}
