package cpu

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestStepsBack: where steps find that a record has ended before symbols with which the next one has begun, and some of which
// are not data of its first field, these are stepped again.
func TestStepsBack(t *testing.T) { onEach(t, testStepsBack) }

func testStepsBack(t *testing.T) {
	defer func(groups, stepped int) { maxHopGroups, steppedMin = groups, stepped }(maxHopGroups, steppedMin)
	maxHopGroups = 0
	s, err := compile.Compile("f.dfp", []byte("format f { record `[[{at}] {level} {msg...}`  fields { at date }  multiline { start `[[{at}`  into msg } }"))
	if err != nil {
		t.Fatal(err)
	}
	text := []byte(strings.Repeat("[2024-05-06] INFO started\n[2024-05-07] WARN went on\n\tat x\n[2024- in the text\n[2024-05-08] INFO a, b\n", 300))
	want := outcomeOf(t, s.Program, text, runtime.WithEngine(reference.Engine), runtime.WithErrorMode(dfa.Reject))
	for _, steppedMin = range []int{1, 1 << 30} {
		if got := outcomeOf(t, s.Program, text, runtime.WithEngine(Engine), runtime.WithErrorMode(dfa.Reject), runtime.WithThreads(1)); got != want {
			t.Fatalf("lanes from %d on: %s", steppedMin, firstDifference(got, want))
		}
	}
}
