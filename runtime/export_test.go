package runtime

import "github.com/dfaparse/dfaparse/dfa"

// SkipAndLimit are the values of the options of these names, and the lines to be
// passed over; -1: no limit.
func SkipAndLimit(p *dfa.Program, opts []Option) (skip, limit, lines int64) {
	o, err := newOptions(p, opts)
	if err != nil {
		return 0, -1, 0
	}
	return o.skip, o.limit, o.skipLines
}

// Inputs of tests are small, and surveyed by Ranges if they ask for so few bytes.
func init() { leastSurveyed = 25 }

// Tally is a tally.
type Tally struct {
	*tally
	blocks blocks
}

// NewTally is nil if there is none.
func NewTally(a *dfa.Automaton) *Tally {
	if t := newTally(a); t != nil {
		return &Tally{tally: t}
	}
	return nil
}

func (t *Tally) Of(s dfa.StateID) dfa.StateID { return t.of[s] }

func (t *Tally) From(s dfa.StateID) *Tallying { return &Tallying{t, t.from(s)} }

// Tallying is what a Tally has counted from a state.
type Tallying struct {
	t *Tally
	c *counting
}

// Count goes on with data[from:to].
func (c *Tallying) Count(data []byte, from, to int) (int64, dfa.StateID) {
	c.t.count(&c.t.blocks, data, from, to, c.c)
	return c.c.records, c.c.state
}

// CountBeside is from how many bytes on several goroutines count lines.
const CountBeside = countBeside

// CountLines are the lines of data, and where the last ends; 0: there is none. Some of it is passed before, up to each of at.
func CountLines(data []byte, at ...int) (n int64, behind int) { return KnownLines(nil, data, at...) }

// KnownLines are the same, of which some are known.
func KnownLines(known []LineEnds, data []byte, at ...int) (n int64, behind int) {
	s := scout{known: known}
	for _, to := range at {
		s.pass(data, to)
	}
	l := s.all(data)
	return l.n, l.last + 1
}
