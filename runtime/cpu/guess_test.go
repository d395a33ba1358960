package cpu

import (
	"bytes"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestGuessAgain: what is guessed by what the last guess was is what is guessed without it.
func TestGuessAgain(t *testing.T) {
	for _, name := range []string{"java_multiline", "haproxy"} {
		program, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		plan, binding := planOf(program)
		m := newMachine(program)
		if len(m.AtEOF) <= fewStates {
			t.Fatalf("%s has %d states", name, len(m.AtEOF))
		}
		var data bytes.Buffer
		if err := gen.Write(&data, name, 1<<20, 1); err != nil {
			t.Fatal(err)
		}
		p := &parser{plan: plan, machine: m}
		again := 0
		for n := 10_000; n < data.Len(); n += 10_007 {
			type guess struct {
				at, ahead int
				state     dfa.StateID
				ok        bool
			}
			var got, want guess
			if _, ok := p.guessAgain(data.Bytes()[n-leastLook:n], binding); ok {
				again++
			}
			got.at, got.ahead, got.state, got.ok = p.Guess(data.Bytes()[:n], binding)
			fresh := &parser{plan: plan, machine: m}
			want.at, want.ahead, want.state, want.ok = fresh.Guess(data.Bytes()[:n], binding)
			if got != want {
				t.Errorf("%s, %d bytes: %+v, want %+v", name, n, got, want)
			}
		}
		if again == 0 {
			t.Errorf("%s: nothing is guessed by the last guess", name)
		}
	}
}
