// Command build makes a format while it runs: the first argument is the
// separator, the others are the columns, each NAME:TYPE. It reads the standard
// input and prints JSON Lines.
//
//	printf '7|Ann|1.50\n' | go run ./examples/build '|' id:u64 name:str 'price:dec(8,2)'
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"strings"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

func main() {
	if len(os.Args) < 3 {
		log.Fatal("usage: build SEPARATOR NAME:TYPE...")
	}
	p, err := program(os.Args[1], os.Args[2:])
	if err == nil {
		err = print(os.Stdout, os.Stdin, p)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// program is the format of a file without a header whose columns are given.
func program(separator string, columns []string) (*dfa.Program, error) {
	b := compile.New("given").
		Delimited(compile.Separator(separator), compile.Quoted('"', true)).
		OnError("null")
	for _, c := range columns {
		name, typ, _ := strings.Cut(c, ":")
		b.Field(name, typ)
	}
	spec, err := b.Build()
	if err != nil {
		return nil, fmt.Errorf("%w\nin\n%s", err, b.Source())
	}
	return spec.Program, nil
}

// print writes a JSON object a row.
func print(w io.Writer, in io.Reader, p *dfa.Program) error {
	r, err := dfaparse.OpenReader(context.Background(), in, dfaparse.Program(p))
	if err != nil {
		return err
	}
	defer r.Close()
	_, err = dfaparse.Write(w, dfaparse.JSONL, r)
	return err
}
