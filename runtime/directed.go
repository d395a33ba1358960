package runtime

import (
	"bytes"

	"github.com/dfaparse/dfaparse/dfa"
)

// standing is what a Reader knows of directives that come again: see Partition.Again.
type standing struct {
	inForce  func(b *Binding, surveyed bool) (again func(kind dfa.RecordKind, raw []byte) bool, steady bool) // see schema.inForce
	of       *Binding
	repeats  func(kind dfa.RecordKind, raw []byte) bool // those that set it
	steady   bool                                       // there are no others
	directed bool                                       // the data begin with another
}

// again sets Partition.Again and Steady where the binding is in force, and nothing behind what it
// does not know.
func (r *Reader) again(p *Partition) {
	if len(r.plan.Program.Directives) == 0 || r.directed {
		return
	}
	if r.repeats == nil || r.of != r.binding {
		r.of = r.binding
		r.repeats, r.steady = r.inForce(r.binding, r.survey != nil)
	}
	p.Again, p.Steady = r.repeats, r.steady
}

// This file looks for directives in data whose records have not been read, on several
// cores: a stretch of the data each, which begins behind a line end, where a record is
// guessed to begin in the first state. What was stepped by a wrong guess is stepped again.

const (
	leastStretch = 64 << 10 // bytes that are worth a goroutine
	mistrust     = 16       // how often nothing is guessed after a wrong guess
)

// stretch is what stepping data from an offset came to.
type stretch struct {
	from       int
	directives []span
	next       int         // where the record begins that is not the stretch's any more, or that does not end
	resume     dfa.StateID // in which it does
	err        error
}

// step steps the records that begin in data[p.from:to].
func (p *stretch) step(a *dfa.Automaton, data []byte, state dfa.StateID, to int, final bool) {
	p.directives, p.next, p.resume = nil, p.from, state
	p.err = Guard(data, func() error {
		eachSpan(a, data[p.from:], state, final, func(s span) bool {
			if s.kind >= dfa.FirstDirective {
				s.start, s.end = s.start+p.from, s.end+p.from
				p.directives = append(p.directives, s)
			}
			p.next, p.resume = s.next+p.from, s.resume
			return p.next < to
		})
		return nil
	})
}

// directives are those among the complete records of the data, which are stepped by as many as
// there are threads, at least so many bytes each. They end before next, where a record begins in the state resume.
func (r *Reader) directives(a *dfa.Automaton, least int) (found []span, next int, resume dfa.StateID, err error) {
	data, final := r.src.data, r.src.final()
	n := max(1, min(r.o.threads, len(data)/least))
	if r.misled > 0 { // the stretches before were stepped twice
		r.misled--
		n = 1
	}
	stretches := []*stretch{{}}
	for i := 1; i < n; i++ {
		at := i * len(data) / n
		if end := bytes.IndexByte(data[at:], '\n'); end >= 0 && at+end+1 < len(data) && at+end+1 > stretches[len(stretches)-1].from {
			stretches = append(stretches, &stretch{from: at + end + 1})
		}
	}
	to := func(i int) int {
		if i+1 < len(stretches) {
			return stretches[i+1].from
		}
		return len(data)
	}
	parallel(n, len(stretches), func(i int) {
		state := a.Start
		if i == 0 {
			state = r.state
		}
		stretches[i].step(a, data, state, to(i), final)
	})
	for i, p := range stretches {
		if i > 0 {
			if next < p.from { // that record does not end in the data
				break
			}
			if guessed := next == p.from && resume == a.Start; !guessed {
				r.misled = mistrust
				if next >= to(i) {
					continue
				}
				p.from = next
				p.step(a, data, resume, to(i), final)
			}
		}
		if p.err != nil {
			return nil, 0, 0, p.err
		}
		found, next, resume = append(found, p.directives...), p.next, p.resume
	}
	return found, next, resume, nil
}

const (
	abreast = 4       // places that are read in turns
	piece   = 1 << 10 // bytes of one at a time
)

// byPieces gives all of data[from:to] in pieces: of several places in turns, since data that are looked
// at for the first time come sooner if more than one place is waited for.
func byPieces(from, to int, yield func(from, to int) bool) {
	each := (to - from + abreast - 1) / abreast
	for at := 0; at < each; at += piece {
		for i := range abreast {
			end := min(from+(i+1)*each, to)
			if begin := from + i*each + at; begin < end && !yield(begin, min(begin+piece, end)) {
				return
			}
		}
	}
}
