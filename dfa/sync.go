package dfa

import (
	"fmt"
	"slices"
	"strings"
)

// Sync is a group whose symbols lead to one state from every state.
type Sync struct {
	Group GroupID
	State StateID // the context after such a symbol, wherever it stands
	// Mute: no transition of the group is anything but an error, so that valid
	// input has no such symbol.
	Mute bool
}

func joinSyncs(v []Sync) string {
	words := make([]string, len(v))
	for i, s := range v {
		words[i] = fmt.Sprintf("group %d to state %d", s.Group, s.State)
		if s.Mute {
			words[i] += " (always an error)"
		}
	}
	return strings.Join(words, ", ")
}

// syncGroups finds the groups that send every state to one state, and those of
// them that end a record, without a lag, in every state. After a symbol of the
// latter a record begins, wherever the symbol stands.
func syncGroups(a *Automaton, states []StateID) (all, records []Sync) {
	n := len(a.States)
	for g := range a.NGroups {
		row := a.Row(GroupID(g))
		sync := Sync{Group: GroupID(g), State: row[states[0]], Mute: true}
		if slices.ContainsFunc(states, func(s StateID) bool { return row[s] != sync.State }) {
			continue
		}
		ends := true
		for _, s := range states {
			e := &a.Emissions[a.Emit[g*n+int(s)]]
			sync.Mute = sync.Mute && e.Kind == Error
			ends = ends && e.Kind == Record && e.Lag == 0
		}
		all = append(all, sync)
		if ends {
			records = append(records, sync)
		}
	}
	return all, records
}

// SyncWord is a shortest word that leads to one state from every state.
type SyncWord struct {
	Groups []GroupID // the word, one group a symbol; empty if none was found
	State  StateID   // where it leads
	// Searched: the search was not cut short, so that no word means that there
	// is none, and an empty one that there is one state only.
	Searched bool
	Found    bool
}

func (w SyncWord) String() string {
	switch {
	case w.Found:
		return fmt.Sprintf("groups [%s] to state %d", joinIDs(w.Groups), w.State)
	case w.Searched:
		return "none"
	}
	return fmt.Sprintf("not searched beyond %d steps", wordWork)
}

// syncWord searches the sets of states that words lead to from all states,
// shortest words first.
func syncWord(a *Automaton, states []StateID) SyncWord {
	type node struct {
		set  []StateID
		from int
		by   GroupID
	}
	nodes := []node{{set: states, from: -1}}
	seen := map[string]bool{}
	key := make([]byte, (len(a.States)+7)/8) // the set as a bitmap
	work := 0
	for i := 0; i < len(nodes); i++ {
		if set := nodes[i].set; len(set) == 1 {
			w := SyncWord{State: set[0], Searched: true, Found: true}
			for k := i; nodes[k].from >= 0; k = nodes[k].from {
				w.Groups = append(w.Groups, nodes[k].by)
			}
			slices.Reverse(w.Groups)
			return w
		}
		for g := range a.NGroups {
			row := a.Row(GroupID(g))
			if work += len(nodes[i].set); work > wordWork {
				return SyncWord{}
			}
			clear(key)
			var to []StateID
			for _, s := range nodes[i].set {
				if t := row[s]; key[t>>3]>>(t&7)&1 == 0 {
					key[t>>3] |= 1 << (t & 7)
					to = append(to, t)
				}
			}
			if !seen[string(key)] {
				seen[string(key)] = true
				nodes = append(nodes, node{to, i, GroupID(g)})
			}
		}
	}
	return SyncWord{Searched: true}
}
