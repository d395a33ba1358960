// Command guess says how files are written, as `dfaparse infer` finds it out, for a
// comparison with others that do.
//
// The paths are lines of the standard input; the answer to each is a line of JSON on
// the standard output, in their order:
//
//	{"sep":",","quote":"\"","escape":"","comment":"","skip":0,"header":1,"columns":3,"encoding":"","run":false,"lax":false,"error":""}
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
)

// answer is what is found out about a file.
type answer struct {
	Separator string `json:"sep"` // "" is none: a line is one field
	Quote     string `json:"quote"`
	Escape    string `json:"escape"` // "" with a quote: it is doubled
	Comment   string `json:"comment"`
	Skip      int    `json:"skip"`   // lines before the table
	Header    int    `json:"header"` // its records
	Columns   int    `json:"columns"`
	Encoding  string `json:"encoding"` // "" is UTF-8
	Run       bool   `json:"run"`      // the separator may be repeated
	Lax       bool   `json:"lax"`
	Error     string `json:"error"`
}

func main() {
	out := json.NewEncoder(os.Stdout)
	paths := bufio.NewScanner(os.Stdin)
	for paths.Scan() {
		a, err := guess(context.Background(), paths.Text())
		if err != nil {
			a = &answer{Error: err.Error()}
		}
		if err := out.Encode(a); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func guess(ctx context.Context, path string) (*answer, error) {
	in, err := input.Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	sample, whole, err := in.Sample(infer.SampleBytes, time.Second)
	if err != nil {
		return nil, err
	}
	name := charset.GuessOf(sample, whole).Name
	if name != "" {
		if err := in.Decode(name); err != nil {
			return nil, err
		}
		if sample, whole, err = in.Sample(infer.SampleBytes, time.Second); err != nil {
			return nil, err
		}
	}
	t, err := infer.Guess(sample, whole, nil)
	if err != nil {
		return nil, err
	}
	a := &answer{Comment: t.Comment, Skip: t.Skip, Header: t.Names, Columns: t.Width, Encoding: name, Run: t.Run, Lax: t.Lax,
		Separator: text(t.Separator), Quote: text(t.Quote), Escape: text(t.Escape)}
	switch {
	case !t.Header:
		a.Header = 0
	case a.Header == 0:
		a.Header = 1
	}
	if t.Wide != "" {
		a.Separator = t.Wide
	}
	return a, nil
}

// text is a symbol, "" if it is none.
func text(c byte) string {
	if c == 0 {
		return ""
	}
	return string([]byte{c})
}
