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

	"github.com/dfaparse/dfaparse"
)

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: rejects FORMAT INPUT")
	}
	f, err := os.Open(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	if err := run(os.Stdout, f, os.Args[2], os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, in io.Reader, name, format string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := dfaparse.OpenReader(ctx, in, dfaparse.Format(format),
		dfaparse.WithName(name),
		dfaparse.WithErrorMode(dfaparse.ModeReject),
		dfaparse.WithMaxRejects(100),
		dfaparse.WithRejects(func(reject *dfaparse.Reject) error {
			_, err := fmt.Fprintf(out, "%v\n\t%q\n", reject, reject.Raw)
			return err
		}))
	if err != nil {
		return explain(err)
	}
	defer r.Close()
	for r.Next() {
	}
	s := r.Stats()
	fmt.Fprintf(out, "%d records: %d rows, %d rejected\n", s.Records, s.Rows, s.Rejected)
	return explain(r.Err())
}

// explain adds what a person might do about an error.
func explain(err error) error {
	var parse *dfaparse.ParseError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("gave up after a minute")
	case errors.Is(err, dfaparse.ErrTooManyRejects), errors.Is(err, dfaparse.ErrHeader):
		return fmt.Errorf("is this the right format? %w", err)
	case errors.As(err, &parse):
		return fmt.Errorf("%w; try dfaparse explain --at %d %s", err, parse.Offset, parse.File)
	}
	return err
}
