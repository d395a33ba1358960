package runtime_test

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestVerify: each way in which a spec may not do what its tests say has its
// own message, at the position of the test or of the value.
func TestVerify(t *testing.T) {
	const spec = `format t { delimited { sep ',' } fields { a i32 ~default  b str null "-" }
  test "it" "1,x\n,-\n" => ~outcome }`
	for _, c := range []struct{ def, outcome, want string }{
		{"", `{ a 1, b x } { a null, b null }`, ""},
		{"", `{ a 1 } { }`, ""},
		{"", `{ a 2 } { }`, `t.dfp:2:30: test "it": row 1: a is "1", want "2"`},
		{"", `{ a null } { b x }`, `row 1: a is "1", want null`},
		{"", `{ a 1 } { b x }`, `row 2: b is null, want "x"`},
		{"", `{ c 1 } { }`, `there is no column "c"`},
		{"", `{ a 1 }`, `t.dfp:2:3: test "it": 2 rows, want 1 row`},
		{"", `{ a 1 } reject`, `0 rejects, want 1 reject`},
		{"!", `{ a 1 } reject`, ""},
		{"!", `{ a 1 } reject "null"`, ""},
		{"!", `{ a 1 } reject "2:1"`, ""},
		{"!", `{ a 1 } reject "overflow"`, `want one with "overflow"`},
		{"!", `{ a 1 } { }`, `1 row, want 2 rows; rejected: test input:2:1: record 2, field "a": null in a required column`},
		{`default "x"`, `{ a 1 } { }`, `t.dfp:1:43: column "a": default "x": not an integer, expected an integer`},
	} {
		src := strings.NewReplacer("~default", c.def, "~outcome", c.outcome).Replace(spec)
		_, err := compile.Compile("t.dfp", []byte(src), compile.WithVerifier(runtime.Verifier(cpu.Engine)))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.outcome, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.outcome, err, c.want)
		}
	}
}
