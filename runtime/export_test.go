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
