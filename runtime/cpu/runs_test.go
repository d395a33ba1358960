package cpu

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestRunsComeAndGo: where runs begin and stop to be many, and the names of columns change meanwhile, fields are found another
// way from then on, and go to the same columns.
func TestRunsComeAndGo(t *testing.T) {
	defer func(span int) { choiceSpan = span }(choiceSpan)
	choiceSpan = 64
	p, err := gen.Program("w3c")
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i, names := range []string{"c-ip sc-status cs-method", "cs-method sc-status", "sc-status c-ip s-port x", "c-ip cs-method"} {
		fmt.Fprintf(&text, "#Fields: %s\n", names)
		for row := range 400 {
			for n := range strings.Fields(names) {
				text.WriteString(strings.Repeat(" ", min(n, 1)+row%3*(i%2)))
				fmt.Fprintf(&text, "%d", 100*i+row%7)
			}
			text.WriteByte('\n')
		}
	}
	by := func(e runtime.Engine) string {
		return outcomeOf(t, p, []byte(text.String()), runtime.WithEngine(e), runtime.WithThreads(1))
	}
	if got, want := by(Engine), by(reference.Engine); got != want {
		t.Errorf("got\n%.2000s\nwant\n%.2000s", got, want)
	}
}
