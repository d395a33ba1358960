// Command concurrent reads several files at the same time through one Program
// and counts the orders of each status.
//
//	go run ./examples/concurrent examples/orders.csv examples/orders.csv
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"
	"sync"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
)

func main() {
	if err := run("examples/orders.dfp", os.Args[1:], memory.DefaultAllocator); err != nil {
		log.Fatal(err)
	}
}

func run(format string, inputs []string, mem memory.Allocator) error {
	found, err := formats.Find(format)
	if err != nil {
		return err
	}
	spec, err := found.Compile(nil)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	records := make([][]arrow.Record, len(inputs))
	errs := make([]error, len(inputs))
	for i, input := range inputs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			records[i], errs[i] = read(input, spec.Program, mem)
		}()
	}
	wg.Wait()
	count := map[string]int{}
	for i := range inputs {
		for _, rec := range records[i] {
			status := rec.Column(0).(*array.Dictionary)
			names := status.Dictionary().(*array.String)
			for row := range status.Len() {
				if status.IsValid(row) {
					name := names.Value(status.GetValueIndex(row))
					if _, known := count[name]; !known {
						name = strings.Clone(name) // that of the record is gone once it is released
					}
					count[name]++
				}
			}
			rec.Release()
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	var names []string
	for name := range count {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println(count[name], name)
	}
	return nil
}

// read gives all records of a file; the caller releases them.
func read(input string, p *dfa.Program, mem memory.Allocator) ([]arrow.Record, error) {
	r, err := dfaparse.Open(context.Background(), input, dfaparse.Program(p),
		dfaparse.WithColumns("status"),
		dfaparse.WithThreads(1),
		dfaparse.With(runtime.WithAllocator(mem)))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var kept []arrow.Record
	for rec, err := range r.Records() {
		if err != nil {
			return kept, err
		}
		rec.Retain() // the next one releases it
		kept = append(kept, rec)
	}
	return kept, nil
}
