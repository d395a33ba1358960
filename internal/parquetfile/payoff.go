package parquetfile

// payoff watches whether a dictionary pays: in windows of so many values the
// share of those that were new. A dictionary that mostly grows in its first
// window, or still grows in later ones, is given up; one that has as many
// values as it will have is kept.
type payoff struct {
	seen    int // values
	entries int // of the dictionary, when the window began
	always  bool
}

// dictionaried are values for which one can say whether they have a dictionary.
type dictionaried interface {
	plainly() // from the beginning they have none
	always()  // they have one until it is too large
	givenUp() bool
}

// verdict is what the other lanes learn of the first: whether its dictionary was given up at once.
// It comes with the record that ends the second window, if not before, so that it
// depends on the records alone.
type verdict struct {
	told   chan struct{} // closed once it is known
	known  bool
	inVain bool
}

func (v *verdict) tell(values values, rows int, ended bool) {
	d, ok := values.(dictionaried)
	inVain := ok && d.givenUp()
	if v.known || !inVain && !ended && rows < 2*payoffWindow {
		return
	}
	v.known, v.inVain = true, inVain
	close(v.told)
}

func (w *words[T]) plainly()      { w.dict, w.given = nil, true }
func (w *words[T]) always()       { w.pays.always = true }
func (w *words[T]) givenUp() bool { return w.given }
func (t *texts) plainly()         { t.dict, t.given = nil, true }
func (t *texts) always()          { t.pays.always = true }
func (t *texts) givenUp() bool    { return t.given }

const (
	payoffWindow = 1 << 14
	maxEntries   = 1 << 16
	maxDictBytes = 1 << 20
)

// keep says whether a dictionary of so many entries and bytes goes on after n
// more values.
func (p *payoff) keep(n, entries, nbytes int) bool {
	if entries > maxEntries || nbytes > maxDictBytes {
		return false
	}
	if p.always {
		return true
	}
	p.seen += n
	if p.seen%payoffWindow >= n { // the window goes on
		return true
	}
	grown := entries - p.entries
	p.entries = entries
	if p.seen < 2*payoffWindow {
		return grown <= payoffWindow*3/4
	}
	return grown <= payoffWindow/4
}
