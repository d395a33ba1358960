package runtime

import "sync"

// sequence says when all that was begun before something is done, whoever does what, and in which
// order. Who waits for that waits for nobody who waits as well. Any number of goroutines may use it.
type sequence struct {
	mu    sync.Mutex
	turns []*turn // in the order in which they were begun, from the first that is not done
}

// turn is something of a sequence.
type turn struct {
	done  bool
	first chan struct{} // closed once all before is done
}

// begin gives what is done after all that has begun.
func (s *sequence) begin() *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &turn{first: make(chan struct{})}
	if s.turns = append(s.turns, t); len(s.turns) == 1 {
		close(t.first)
	}
	return t
}

// end is called when t is done, which may be before it is the first.
func (s *sequence) end(t *turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.done = true
	for len(s.turns) > 0 && s.turns[0].done {
		if s.turns = s.turns[1:]; len(s.turns) > 0 {
			close(s.turns[0].first)
		}
	}
}
