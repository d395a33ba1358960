package fuzz

import (
	"fmt"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// templates are formats whose records need more of an automaton than those of the
// built-in ones: their tests are read in every way.
const templates = `
format klog {
  record "{level}{at}{ }{thread} {file}:{line}{]} {msg...}"
  fields { level enum(I W E F)  at ts("%m%d %T.%f", year 2024)  thread u64  line u32 }
  test "I0505 17:59:40.692994   28133 klog.go:70] hello\nE0517 15:04:22.619632 1952452992 l.cc:253] Log every 3: [x]\nX\n"
    => { level I, line 70, msg hello } { level E, thread 1952452992 } reject
}
format sizes {
  record "{id:4}{size}{unit}[ {name}]"
  fields { size f64  unit enum(KiB MB s) }
  test "A0071.5KiB x\nab  12MB y\nab  MB z\nab  7s\n" => { id "A007", size 1.5, unit KiB } { size 12, unit MB, name y } reject { unit s, name null }
}
format part {
  record "{a} {size...}"
  split size "{n}{unit}[:{rest...}]" else null
  fields { n u32  unit str }
  test "x 10KB\nx 7s:y\nx z\n" => { n 10, unit KB, rest null } { n 7, unit s, rest y } { n null, unit null }
}
`

func TestTemplatesConform(t *testing.T) {
	specs, err := compile.CompileAll("templates.dfp", []byte(templates), compile.WithVerifier(runtime.Verifier(cpu.Engine)))
	if err != nil {
		t.Fatal(err)
	}
	all := settings(true)
	for _, spec := range specs {
		t.Run(spec.Program.Name, func(t *testing.T) {
			for i := range spec.Examples {
				for j, input := range damaged(spec.Examples[i].Input) {
					for mode, m := range modes {
						conform(t, fmt.Sprintf("example %d, damage %d, mode %s", i, j, mode), spec.Program, input, m, rotated(all, i+j+int(m)))
					}
				}
			}
		})
	}
}
