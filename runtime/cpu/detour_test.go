package cpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestEscapesThatBegin: fields that are no more than an escape, beside others that are empty, null or longer, are what they
// are by reference.
func TestEscapesThatBegin(t *testing.T) { onEach(t, testEscapesThatBegin) }

func testEscapesThatBegin(t *testing.T) {
	spec, err := compile.Compile("f.dfp", []byte("escape q = '\\\\' { '\"' '\\\\' n t r }\nformat f { record `n={n} a=\"{a:q:-}\" d={d}`  fields { n u16 } }"))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(9, 10))
	text := strings.Builder{}
	for range 6000 {
		text.WriteString("n=7 a=\"" + []string{"abc", "abc", "abc", "abc", "", "-", `\n`, `\t-`, `\\\"`, `\nb`}[rng.IntN(10)] + "\" d=5\n")
	}
	want := outcomeOf(t, spec.Program, []byte(text.String()), runtime.WithEngine(reference.Engine))
	if got := outcomeOf(t, spec.Program, []byte(text.String()), runtime.WithEngine(Engine), runtime.WithThreads(1)); got != want {
		t.Fatalf("%.300q, want %.300q", got, want)
	}
}
