// Command saved reads a file through a Program that was compiled before; the
// compiler of the spec language is not part of the binary.
//
//	dfaparse compile examples/orders.dfp -o orders.dfac
//	go run ./examples/saved orders.dfac examples/orders.csv
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/dfaparse/dfaparse/dfa"
	dfaruntime "github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: saved PROGRAM INPUT")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(program, input string) error {
	b, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	p, err := dfa.DecodeProgram(b)
	if err != nil {
		return fmt.Errorf("%s: %w", program, err)
	}
	r, err := dfaruntime.ReadFile(input, p, dfaruntime.WithEngine(cpu.Engine))
	if err != nil {
		return err
	}
	defer r.Release()
	for _, f := range r.Schema().Fields() {
		fmt.Println(f.Name, f.Type)
	}
	for r.Next() {
		fmt.Println(r.Record().NumRows(), "rows")
	}
	return r.Err()
}
