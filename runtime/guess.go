package runtime

import "github.com/dfaparse/dfaparse/dfa"

// This file guesses where partitions of a Wide engine begin, ahead of the reading: of an
// input that is in memory as a whole, each guess needs only where about it is to be, and
// not what came of the one before. So nobody waits for one, nor for pages of a file.

// guess is where a partition ends, and the next begins.
type guess struct {
	about  int           // the place that it was asked for, in bytes from the input's end, negative
	before int           // bytes that it is before that
	ahead  int           // of these show that the record before has ended
	state  dfa.StateID   // the context there
	ok     bool          // there is one
	done   chan struct{} // the above is there
}

// guess guesses where a record begins before the end of data.
func (x *tasks) guess(data []byte, b *Binding) *guess {
	g := &guess{}
	data = data[max(len(data)-lookBack, 0):]
	at := 0
	if at, g.ahead, g.state, g.ok = x.forker.Guess(data, b); at == 0 {
		g.ok = false
	}
	g.before = len(data) - at
	return g
}

// foreseen has guesses made for partitions to come, and gives the bytes up to the first of
// these, in place of want; want where there are none.
func (r *Reader) foreseen(want int) int {
	x := r.tasks
	if !r.src.stays() || want != x.whole { // problems are so many that nobody knows how large the next ones may be
		x.dropGuesses()
		return want
	}
	data := r.src.data
	begin, end := -cap(data), -r.src.beyond
	for len(x.guesses) < x.depth {
		about := begin + want
		if last := len(x.guesses) - 1; last >= 0 {
			about = x.guesses[last].about + want - want/64 // a partition begins before that, and has want bytes at most
		}
		if about >= end {
			break
		}
		g := &guess{about: about, done: make(chan struct{})}
		x.guesses = append(x.guesses, g)
		upto, binding := data[:about-begin:about-begin], r.binding
		go func() {
			defer close(g.done)
			// What cannot be read is told by who reads it.
			_ = Guard(upto, func() error {
				found := x.guess(upto, binding)
				g.before, g.ahead, g.state, g.ok = found.before, found.ahead, found.state, found.ok
				return nil
			})
		}()
	}
	if len(x.guesses) == 0 {
		return want
	}
	n := x.guesses[0].about - begin
	r.src.extend(n)
	return n
}

// dropGuesses forgets guesses, and waits for those who make them.
func (x *tasks) dropGuesses() {
	for _, g := range x.guesses {
		<-g.done
	}
	x.guesses = nil
}
