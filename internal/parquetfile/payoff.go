package parquetfile

// payoff watches whether a dictionary pays: in windows of so many values the
// share of those that were new. A dictionary that mostly grows in its first
// window, or still grows in later ones, is given up; one that has as many
// values as it will have is kept.
type payoff struct {
	seen    int // values
	entries int // of the dictionary, when the window began
}

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
