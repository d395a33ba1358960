package runtime_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// A malformed record does not say how many columns there are.
func TestColumnsOfAMalformedRecord(t *testing.T) {
	p := spec(t, `delimited { sep ','  quote '"' doubled  comment "#" } header none`)
	for _, c := range []struct {
		in   string
		mode dfa.ErrorMode
		rows string // or what the error says
		kind error
	}{
		{"\"a,b\n", dfa.Fail, ":1:1: record 1, ", runtime.ErrSyntax},
		{"\"a,b\n", dfa.Reject, ":1:1: record 1, ", runtime.ErrSyntax},
		{"a\"b,c\n1,2\n", dfa.Fail, ":1:2: record 1, ", runtime.ErrSyntax},
		{"a\"b,c\n# c\n1,2\n3,4\n", dfa.Reject, `["1" "2" "3" "4"]`, nil},
		{"1,2\na\"b,c\n3,4\n", dfa.Reject, `["1" "2" "3" "4"]`, nil},
		{"# c\n", dfa.Reject, "[]", nil},
	} {
		open := func() io.Reader { return strings.NewReader(c.in) }
		o := everyWay(t, p, open, runtime.WithErrorMode(c.mode))
		switch {
		case c.kind == nil && (o.err != nil || fmt.Sprint(o.rows) != c.rows):
			t.Errorf("%q: rows %v, %v, want %s", c.in, o.rows, o.err, c.rows)
		case c.kind != nil && (!errors.Is(o.err, c.kind) || !strings.Contains(fmt.Sprint(o.err), c.rows)):
			t.Errorf("%q: %v, want %s", c.in, o.err, c.rows)
		}
	}
}
