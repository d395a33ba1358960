package lower

import (
	"context"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// Work bounds what building automata takes. Several may share one.
type Work struct {
	Context context.Context // ends it
	States  int             // that may still be explored
	limit   int
}

// NewWork is the work of exploring so many states.
func NewWork(ctx context.Context, states int) *Work {
	return &Work{Context: ctx, States: states, limit: states}
}

// TooManyStates begins the fault of work that is spent.
const TooManyStates = "the automata of the file need more than"

// Take takes in that n more states are explored.
func (w *Work) Take(n int) error {
	if w == nil {
		return nil
	}
	if w.States -= n; w.States < 0 {
		return &Fault{What: fmt.Sprintf("%s %d states before they are minimised", TooManyStates, w.limit)}
	}
	return w.Context.Err()
}

// Spent reports whether there is no more work to take.
func (w *Work) Spent() bool { return w.States < 0 || w.Context.Err() != nil }

// maxPatterns bounds the texts that one matcher or set of prefixes looks for, in
// bytes: as a rule each is a state of the automaton.
const maxPatterns = dfa.MaxStates

// checkLength refuses patterns that are too long in all.
func checkLength(where string, patterns [][]byte) error {
	n := 0
	for _, p := range patterns {
		n += len(p)
	}
	if n > maxPatterns {
		return &Fault{Where: where, What: fmt.Sprintf("%d bytes, at most %d", n, maxPatterns)}
	}
	return nil
}

// shown is a text as messages show it, the middle of a long one left out.
func shown(text []byte) string {
	const most, edge = 64, 24
	if len(text) <= most {
		return fmt.Sprintf("%q", text)
	}
	return fmt.Sprintf("%q…%q", text[:edge], text[len(text)-edge:])
}
