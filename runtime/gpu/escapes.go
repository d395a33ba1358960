//go:build cuda

package gpu

import (
	"slices"
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// decodesEscapes reports whether the path of lines needs no such Program: it notes which
// fields have an escape, in which a symbol stands for itself, and leaves a text only where it
// is as short as a null token of its column.
func decodesEscapes(plan *runtime.Plan) bool {
	keeps := func(o runtime.Output) bool { return plan.Columns[o.Column].Keep != nil }
	return plan.Program.Openers == "" && !slices.ContainsFunc(plan.Outputs, keeps)
}

// escapesLeft is the Program that the device runs for a plan. Where it matters how a
// field was written, no kernel knows it of one in which something was escaped: the
// emissions of escapes are errors on the device, so that it leaves the records that
// have them, in which the CPU's engine finds no error. That cannot be said of a
// boundary: of such a Program the columns for which it matters are the CPU's.
func escapesLeft(plan *runtime.Plan, made *leftProgram) (*dfa.Program, error) {
	a := plan.Program.Automaton
	matters := func(o runtime.Output) bool {
		return convert.NewSettler(&plan.Columns[o.Column], plan.Program.Openers) != nil
	}
	if !a.Escapes() || a.LeadingFields() || !slices.ContainsFunc(plan.Outputs, matters) {
		return plan.Program, nil
	}
	made.mu.Lock()
	defer made.mu.Unlock()
	if made.of == plan.Program {
		return made.left, nil
	}
	left := *a
	left.Messages = append(slices.Clone(a.Messages), "an escape is not read on the device")
	code := dfa.ErrorCode(len(left.Messages))
	left.Emissions = slices.Clone(a.Emissions)
	for i := range left.Emissions {
		if left.Emissions[i].Coded() {
			left.Emissions[i] = dfa.Emission{Kind: dfa.Error, Code: code}
		}
	}
	d := plan.Program.Definition
	d.Automaton = &left
	p, err := dfa.NewProgram(d)
	if err == nil {
		made.of, made.left = plan.Program, p
	}
	return p, err
}

// leftProgram is what escapesLeft has made of the Program that came last: what is found out of one takes longer
// than all else that a parser does before it reads.
type leftProgram struct {
	mu       sync.Mutex
	of, left *dfa.Program
}
