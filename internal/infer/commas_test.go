package infer

import (
	"context"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestPairs: what a program prints with a comma between digits may be two numbers, unless something tells.
func TestPairs(t *testing.T) {
	const text, number = "str", "f64(point ',')"
	for _, c := range []struct{ in, want string }{
		{"name dev n\na 8,1 1\nb 8,10 2\n", text},
		{"name dev n\na 8,1 1\nb 8,1 2\n", text},
		{"name dev n\na 8,16 1\nb 8,17 2\n", number}, // two digits each
		{"name dev n\na 8,1 1\nb 8,05 2\n", number},  // a zero in front
		{"name dev n\na -8,1 1\nb 8,5 2\n", number},
		{"name dev n\na 8,1 1,05\nb 8,5 2,5\n", number}, // another column tells
		{"name %cpu n\na 8,1 1\nb 8,5 2\n", number},     // a share is one number
		{"name;dev;n\na;8,1;1\nb;8,10;2\n", number},     // no program printed it
	} {
		table, err := Infer(context.Background(), "t", &Input{Sample: []byte(c.in), Whole: true}, nil, runtime.WithEngine(cpu.Engine))
		if err != nil {
			t.Errorf("%q: %v", c.in, err)
			continue
		}
		of := table.Columns[1]
		if of.Type != c.want || of.Two != (c.want == text) {
			t.Errorf("%q: %s, %s", c.in, of.Type, of.Why)
		}
	}
}

// TestOneName: a name above numbers with a comma is that of one column, and two are said.
func TestOneName(t *testing.T) {
	for in, width := range map[string]int{
		"x\n1,5\n2,7\n":                          1,
		"x\n1,5\n2,7\n3\n":                       1,
		"x,y\n1,5\n2,7\n":                        2,
		"Points of the line\n1,5\n2,7\n":         2,
		"x\n1,a\n2,b\n":                          2,
		"x\n1,50\n2,70\n":                        1,
		"x\n1,5\n10,100\n":                       2, // no fraction ends in zeros where they are not of one length
		"Sales by month\n1, 2,3, 4\n4, 5,6, 7\n": 4,
	} {
		table, err := Guess([]byte(in), true, nil)
		if err != nil || table.Width != width {
			t.Errorf("%q: %d columns, %v", in, table.Width, err)
		}
	}
}
