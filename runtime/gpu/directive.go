//go:build cuda

package gpu

import (
	"bytes"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file is about directives that come again. The kernels count those of a flight, and
// pass over them as over comments; whether one changes what is in force is seen on the host,
// by what looks like one. A flight with one that does is the CPU's.

// threadsOf is how many threads the CPU's engine has that reads partitions, or flights of
// them, as a whole, for a parser of whose Results so many are valid. A fork may bind nothing:
// its reading ends before a directive that is not known, which several threads do not do.
func threadsOf(plan *runtime.Plan, cfg *runtime.Config, results int) int {
	if results > 1 && len(plan.Program.Directives) > 0 {
		return 1
	}
	return cfg.Threads
}

// prefixed reports whether every directive of a Program that matters begins with its prefix: what is
// one the automaton says. Records begin in begins, or in the first state.
func prefixed(p *dfa.Program, begins dfa.StateID) bool {
	a := p.Automaton
	type place struct {
		state dfa.StateID
		at    int // symbols of the prefix that have come; off: others have
	}
	const off = -1
	for k, d := range p.Directives {
		if !d.Matters() {
			continue
		}
		kind, n := dfa.FirstDirective+dfa.RecordKind(k), len(d.Prefix)
		odd := func(e *dfa.Emission, at int) bool { return e.Kind == dfa.Record && e.Record == kind && at < n }
		todo := []place{{begins, 0}, {a.Start, 0}}
		seen := map[place]bool{todo[0]: true, todo[1]: true}
		for len(todo) > 0 {
			x := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			if n == 0 || odd(a.EOF(x.state), x.at) {
				return false
			}
			for symbol := range 256 {
				next, e := a.Step(x.state, byte(symbol))
				if odd(e, x.at) {
					return false
				}
				to := place{next, x.at}
				switch {
				case e.Kind == dfa.Record || x.at == n:
					continue // another record begins, or all that follows is the directive's
				case x.at >= 0 && d.Prefix[x.at] == byte(symbol):
					to.at++
				default:
					to.at = off
				}
				if !seen[to] {
					seen[to] = true
					todo = append(todo, to)
				}
			}
		}
	}
	return true
}

// standing reports whether all directives of a flight leave in force what is, and are all that
// it has beside rows: kernels do not say how many bytes of the others each kind has. Records
// begin alike there.
func (p *parser) standing(x *flight) bool {
	if p.stays || !p.prefixed || x.counts.Directives != x.counts.Records-x.counts.Rows {
		return false
	}
	if x.part.Steady {
		return true
	}
	data := x.part.Data
	look := len(data) // symbols that may be stepped for it
	for _, d := range p.plan.Program.Directives {
		if !d.Matters() {
			continue
		}
		for at := 0; ; at++ {
			i := bytes.Index(data[at:], []byte(d.Prefix))
			if i < 0 {
				break
			}
			at += i
			n, ok := p.stands(x, at, look)
			if look -= n; !ok {
				return false
			}
		}
	}
	return true
}

// stands reports whether no directive that changes something begins at an offset of a flight,
// and how many symbols it has stepped for that, which may be so many.
func (p *parser) stands(x *flight, at, most int) (stepped int, ok bool) {
	state, data := p.begins, x.part.Data[at:]
	if at == 0 {
		state = x.part.State
	}
	is := func(e *dfa.Emission, boundary int) bool {
		k := e.Record - dfa.FirstDirective
		if e.Record < dfa.FirstDirective || !p.plan.Program.Directives[k].Matters() {
			return true
		}
		return x.part.Again != nil && x.part.Again(e.Record, bytes.TrimRight(data[:boundary], "\r\n"))
	}
	a := p.plan.Program.Automaton
	for i, symbol := range data {
		next, e := a.Step(state, symbol)
		if e.Kind == dfa.Record {
			return i, is(e, i-int(e.Lag))
		}
		if i == most {
			return i, false
		}
		state = next
	}
	if e := a.EOF(state); x.part.Final && e.Kind == dfa.Record {
		return len(data), is(e, len(data)-int(e.Lag))
	}
	return len(data), true // it is the next flight's
}
