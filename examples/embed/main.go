// Command embed reads a file through a spec and adds up a column.
//
//	go run ./examples/embed examples/orders.dfp examples/orders.csv
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/formats"
	dfaruntime "github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: embed FORMAT INPUT")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(format, input string) error {
	found, err := formats.Find(format)
	if err != nil {
		return err
	}
	spec, err := found.Compile(dfaruntime.Verifier(cpu.Engine))
	if err != nil {
		return err
	}
	r, err := dfaruntime.ReadFile(input, spec.Program, dfaruntime.WithEngine(cpu.Engine), dfaruntime.WithColumns("status", "items"))
	if err != nil {
		return err
	}
	defer r.Release()
	items := 0
	for r.Next() {
		column := r.Record().Column(1).(*array.Uint16)
		for i := range column.Len() {
			if column.IsValid(i) {
				items += int(column.Value(i))
			}
		}
	}
	if err := r.Err(); err != nil {
		return err
	}
	fmt.Printf("%d orders, %d items\n", r.Stats().Rows, items)
	return nil
}
