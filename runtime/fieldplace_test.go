package runtime_test

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
)

// TestFieldPlaces: a problem is where its field begins, whatever stands there in front of its data: quotes, blanks,
// literals, separators of several symbols, escapes.
func TestFieldPlaces(t *testing.T) {
	const escape = "escape e = '\\' { '\"' '\\' } "
	for _, test := range []struct {
		name, spec string
		lines      []string
	}{
		{"quotes", "format test { delimited { sep ','  quote '\"' doubled } fields { a u8  b u8  c u8 } }",
			[]string{`"x",1,2`, `1,"x",""`, `"1""2","",x`, `1,x,"x"`}},
		{"separators", "format test { delimited { sep \", \"  quote '\\''  escape '\\' } fields { a u8  b u8  c u8 } }",
			[]string{`x, 'x', x`, `'x\'', 1, ,x`, `1,  x,  'x'`}},
		{"blanks", "format test extends csv_lax { header none  fields { a u8  b u8  c u8 } }",
			[]string{` x, "x" , "x"y`, ` "x","1"" ",x`, `1,  x,"x`}},
		{"literals", escape + "format test { record `[<{a:e}>] {b}[ - {c}]  ([{d}]): \"{f:e}\"` fields { a u8  b u8  c u8  d u8  f u8 } }",
			[]string{`<x> 1  (x): "x"`, ` x - x  (): "\""`, `<\"> 1 - x  (1): "1"`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := strings.Repeat(strings.Join(test.lines, "\n")+"\n", 3)
			for _, m := range modes[1:] {
				if o := text(t, spec(t, test.spec), in, runtime.WithErrorMode(m.mode)); len(o.rejects) == 0 {
					t.Errorf("nothing is wrong in\n%s", o)
				}
			}
		})
	}
}
