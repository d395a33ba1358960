// Command rejects reads a file and says what it could not read.
//
//	go run ./examples/rejects examples/app.dfp examples/app.log
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	dfaruntime "github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: rejects FORMAT INPUT")
	}
	found, err := formats.Find(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	spec, err := found.Compile(dfaruntime.Verifier(cpu.Engine))
	if err != nil {
		log.Fatal(err)
	}
	f, err := os.Open(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if err := run(os.Stdout, f, os.Args[2], spec.Program); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, in io.Reader, name string, p *dfa.Program) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := dfaruntime.NewReader(in, p, dfaruntime.WithEngine(cpu.Engine),
		dfaruntime.WithContext(ctx),
		dfaruntime.WithName(name),
		dfaruntime.WithErrorMode(dfa.Reject),
		dfaruntime.WithMaxRejects(100),
		dfaruntime.WithRejectHandler(func(reject *dfaruntime.Reject) error {
			_, err := fmt.Fprintf(out, "%v\n\t%q\n", reject, reject.Raw)
			return err
		}))
	if err != nil {
		return explain(err)
	}
	defer r.Release()
	for r.Next() {
	}
	s := r.Stats()
	fmt.Fprintf(out, "%d records: %d rows, %d rejected\n", s.Records, s.Rows, s.Rejected)
	return explain(r.Err())
}

// explain adds what a person might do about an error.
func explain(err error) error {
	var parse *dfaruntime.ParseError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("gave up after a minute")
	case errors.Is(err, dfaruntime.ErrTooManyRejects), errors.Is(err, dfaruntime.ErrHeader):
		return fmt.Errorf("is this the right format? %w", err)
	case errors.As(err, &parse):
		return fmt.Errorf("%w; try dfaparse explain --at %d %s", err, parse.Offset, parse.File)
	}
	return err
}
