package dfa

import (
	"fmt"
	"strings"
	"sync"
)

// NoState stands for no state where there need not be one.
const NoState = StateID(MaxStates)

// Bounds of the searches of Analyse: what needs more is said not to have been
// searched. Work is counted in transitions looked up. With these the analysis
// takes 0.1 ms for automata of 10 states, 2 ms for 300, 20 ms for the largest
// (BenchmarkAnalyse).
const (
	monoidBound = 1024    // elements
	monoidWork  = 1 << 18 // transitions
	wordWork    = 1 << 17
	contextWork = 1 << 19
)

// Analysis is what was found out about an automaton: what there is in it that
// allows it to be run in parallel cheaply, and which way was chosen. States
// that Start does not lead to are left out of it throughout. It is read-only.
type Analysis struct {
	States     int    // of the automaton
	Groups     int    // symbol groups
	Reachable  []bool // per state: some input leads to it from Start
	NReachable int

	// Live is, per group, how many states one symbol of the group leaves
	// possible: the distinct entries of its row. MaxLive is the largest of them,
	// the number of states to track from the second symbol of a chunk on.
	Live    []int
	MaxLive int

	// Absorbing are the states that no symbol leaves. A chunk's vector needs no
	// entry for them, and nothing after one is a record.
	Absorbing []StateID

	Idempotent []GroupID // groups g with next_g(next_g(s)) = next_g(s) for every state s
	Filler     *Filler   // nil if there is none

	Sync       []Sync // the groups that send every state to one state
	RecordSync []Sync // those of them after which a record begins
	Word       SyncWord

	Parity  *Parity // nil if the automaton has no such form
	Masks   *Masks  // nil if fields cannot be found by masks, then
	NoMasks string  // is why
	Runs    *Runs   // likewise, where separators in a row are one

	// Not every engine asks for these.
	monoid  func() MonoidSize
	context func() *Context
	path    func() Path
}

// Analyse finds out about a, which must be valid.
func Analyse(a *Automaton) *Analysis {
	r := &Analysis{States: len(a.States), Groups: a.NGroups}
	states := a.reachable()
	r.NReachable = len(states)
	r.Reachable = make([]bool, len(a.States))
	for _, s := range states {
		r.Reachable[s] = true
	}
	r.Live = liveStates(a, states)
	for _, live := range r.Live {
		r.MaxLive = max(r.MaxLive, live)
	}
	r.Absorbing = absorbing(a, states)
	r.Idempotent, r.Filler = fillers(a, states)
	r.Sync, r.RecordSync = syncGroups(a, states)
	r.Word = syncWord(a, states)
	r.monoid = sync.OnceValue(func() MonoidSize { return monoidSize(a) })
	r.Parity = findParity(a)
	r.context = sync.OnceValue(func() *Context { return findContext(a, states) })
	r.Masks, r.NoMasks = FindMasks(a)
	if r.Runs = FindRuns(a); r.Runs == nil && r.Masks == nil {
		r.Runs = FindCountedRuns(a)
	}
	r.path = sync.OnceValue(r.choose)
	return r
}

// Context is what of the context of a chunk makes a difference, nil if not searched; it is looked for
// when it is first asked for.
func (r *Analysis) Context() *Context { return r.context() }

// Path is the way that was chosen.
func (r *Analysis) Path() Path { return r.path() }

func (r *Analysis) choose() Path {
	for _, choose := range choosers {
		if c := choose(r); c.Fits {
			return c.Path
		}
	}
	return PathGeneric
}

// Monoid is the size of the transition monoid, which is looked for when it is first asked for.
func (r *Analysis) Monoid() MonoidSize { return r.monoid() }

// liveStates counts the distinct states that each group leads to.
func liveStates(a *Automaton, states []StateID) []int {
	live := make([]int, a.NGroups)
	seen := make([]int, len(a.States))
	for g := range live {
		row := a.Row(GroupID(g))
		for _, s := range states {
			if t := row[s]; seen[t] != g+1 {
				seen[t] = g + 1
				live[g]++
			}
		}
	}
	return live
}

func absorbing(a *Automaton, states []StateID) (out []StateID) {
next:
	for _, s := range states {
		for g := range a.NGroups {
			if a.Row(GroupID(g))[s] != s {
				continue next
			}
		}
		out = append(out, s)
	}
	return out
}

// String is the analysis for people, several lines.
func (r *Analysis) String() string {
	var b strings.Builder
	line := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	line("states", "%d, %d reachable, at most %d live after one symbol", r.States, r.NReachable, r.MaxLive)
	line("live", "%s after a symbol of group %s", joinInts(r.Live), groupRange(r.Groups))
	line("absorbing", "%s", orNone(joinIDs(r.Absorbing)))
	line("idempotent", "%s", orNone(joinIDs(r.Idempotent)))
	line("filler", "%s", r.Filler)
	line("sync", "%s", orNone(joinSyncs(r.Sync)))
	line("record sync", "%s", orNone(joinSyncs(r.RecordSync)))
	line("sync word", "%s", r.Word)
	line("monoid", "%s", r.Monoid())
	line("parity", "%s", r.Parity)
	line("context", "%s", r.Context())
	line("path", "%s", r.Path())
	for _, c := range r.Choices() {
		mark := "no"
		switch {
		case c.Path == r.Path():
			mark = "yes, chosen"
		case c.Fits:
			mark = "yes"
		}
		line("  "+c.Path.String(), "%s: %s", mark, c.Reason)
	}
	switch {
	case r.Runs != nil && r.Masks == nil:
		line("index", "masks: %s; hops where each run is one symbol", r.Runs)
	case r.Runs != nil:
		line("index", "masks: %s", r.Runs)
	case r.Masks != nil:
		line("index", "masks: %s", r.Masks)
	default:
		line("index", "%s: %s", r.IndexPath(), r.NoMasks)
	}
	return b.String()
}

func groupRange(n int) string {
	if n == 1 {
		return "0"
	}
	return fmt.Sprintf("0 to %d", n-1)
}

func joinInts(v []int) string {
	return strings.Trim(fmt.Sprint(v), "[]")
}

func joinIDs[ID StateID | GroupID](ids []ID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = fmt.Sprint(uint16(id))
	}
	return strings.Join(words, " ")
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
