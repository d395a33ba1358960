package dfa

import "fmt"

// Path is a way to find the context in which each chunk begins.
type Path uint8

// The paths, the cheapest first. The first that fits is chosen.
const (
	// PathLocal begins after the last synchronising symbol before the chunk: no
	// vectors, however many states there are.
	PathLocal Path = iota
	// PathParity is a prefix XOR of the masks of one symbol group.
	PathParity
	// PathShuffle tracks all states at once in the bytes of one register: at
	// most 16 states, or classes of the Context.
	PathShuffle
	// PathMonoid tracks one number, an element of a transition monoid of at most
	// 256, which fits a byte.
	PathMonoid
	// PathGeneric tracks a vector of states.
	PathGeneric
)

// Bounds of paths.
const (
	shuffleStates  = 16
	monoidElements = 256
)

func (p Path) String() string {
	switch p {
	case PathLocal:
		return "local"
	case PathParity:
		return "parity"
	case PathShuffle:
		return "shuffle"
	case PathMonoid:
		return "monoid"
	case PathGeneric:
		return "generic"
	}
	return fmt.Sprintf("path(%d)", uint8(p))
}

// Choice is whether a path fits an automaton, and why.
type Choice struct {
	Path   Path
	Fits   bool
	Reason string // one line
}

// LocalSync is the group after which PathLocal begins: the first that ends a
// record in every state, or else that leads to one state and is not always an
// error.
func (r *Analysis) LocalSync() (Sync, bool) {
	if len(r.RecordSync) > 0 {
		return r.RecordSync[0], true
	}
	for _, s := range r.Sync {
		if !s.Mute {
			return s, true
		}
	}
	return Sync{}, false
}

// choosers are those of every path, in order of preference.
var choosers = []func(*Analysis) Choice{chooseLocal, chooseParity, chooseShuffle, chooseMonoid, chooseGeneric}

// Choices are every path in the order of preference, with the reason for or against.
func (r *Analysis) Choices() []Choice {
	var choices []Choice
	for _, choose := range choosers {
		choices = append(choices, choose(r))
	}
	return choices
}

func chooseLocal(r *Analysis) Choice {
	s, ok := r.LocalSync()
	switch {
	case !ok:
		return Choice{PathLocal, false, "no symbol of valid input leads to one state from every state"}
	case len(r.RecordSync) > 0:
		return Choice{PathLocal, true, fmt.Sprintf("a symbol of group %d ends a record in every state", s.Group)}
	}
	return Choice{PathLocal, true, fmt.Sprintf("a symbol of group %d leads to state %d from every state", s.Group, s.State)}
}

func chooseParity(r *Analysis) Choice {
	switch {
	case r.Parity == nil:
		return Choice{PathParity, false, "no symbol group toggles between two contexts while the others leave them"}
	case r.Parity.After == nil:
		return Choice{PathParity, false, "parity and the last symbol leave more than one state"}
	}
	return Choice{PathParity, true, fmt.Sprintf("group %d toggles; parity and the last symbol give the state, up to the first error", r.Parity.Toggle)}
}

func chooseShuffle(r *Analysis) Choice {
	switch {
	case r.States <= shuffleStates:
		return Choice{PathShuffle, true, fmt.Sprintf("%d states, at most %d", r.States, shuffleStates)}
	case r.Context() != nil && r.Context().Classes <= shuffleStates:
		return Choice{PathShuffle, true, fmt.Sprintf("%d states, but %d classes of context, at most %d", r.States, r.Context().Classes, shuffleStates)}
	}
	return Choice{PathShuffle, false, fmt.Sprintf("%d states, more than %d", r.States, shuffleStates)}
}

func chooseMonoid(r *Analysis) Choice {
	size := r.Monoid()
	if size.Complete && size.Elements <= monoidElements {
		return Choice{PathMonoid, true, fmt.Sprintf("%s, at most %d", size, monoidElements)}
	}
	return Choice{PathMonoid, false, fmt.Sprintf("%s; at most %d fit a byte", size, monoidElements)}
}

func chooseGeneric(r *Analysis) Choice {
	return Choice{PathGeneric, true, fmt.Sprintf("fits every automaton; %d states live after one symbol", r.MaxLive)}
}
