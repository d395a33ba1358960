package dfa

import "slices"

// Outline is what an Automaton says of data records alone: how many end. States that
// differ only in what they make of fields are one in it, so that of most logs two or three
// states are left, and the symbols that end lines.
//
//	automaton   a state a field, quotes, escapes, errors …
//	outline     BEGIN --other--> INSIDE --\n--> BEGIN, and a data record has ended
//
// It follows the Automaton: where that goes from s to t, the Outline goes from Of[s] to Of[t].
type Outline struct {
	*Automaton           // its emissions are Skip, and Record where a data record ends
	Of         []StateID // by state of the automaton: the state that stands for it here
	// Quiet are groups of symbols of which no record ends, in no state. Of a run of quiet symbols
	// only the first and the last matter: those between may be left out, or be others, and
	// the state behind the run is the same. The separators of CSV are quiet.
	Quiet []bool
}

// mostQuieting bounds the work of finding quiet groups.
const mostQuieting = 1 << 24

// Outline gives that of a.
func (a *Automaton) Outline() *Outline {
	coarse := *a
	coarse.Messages = nil
	coarse.Emissions = make([]Emission, len(a.Emissions))
	for i, e := range a.Emissions {
		coarse.Emissions[i] = Emission{Kind: Skip}
		if e.Kind == Record && e.Record == DataRecord {
			coarse.Emissions[i].Kind = Record
		}
	}
	coarse.Emissions = append(coarse.Emissions, Emission{Kind: Skip})
	coarse.AtEOF = make([]EmissionID, len(a.AtEOF))
	for s := range coarse.AtEOF {
		coarse.AtEOF[s] = EmissionID(len(coarse.Emissions) - 1)
	}
	m := newMinimiser(&coarse)
	m.states = m.states[:0]
	for s := range a.States { // a range may begin in any, reachable or not
		m.states = append(m.states, StateID(s))
	}
	m.groupSymbols()
	m.refine()
	o := &Outline{Automaton: m.build()}
	_, of := m.order()
	for _, s := range of {
		o.Of = append(o.Of, StateID(s))
	}
	size := make([]int, o.NGroups)
	for _, g := range o.Group {
		size[g]++
	}
	order := make([]int, o.NGroups)
	for g := range order {
		order[g] = g
	}
	slices.SortStableFunc(order, func(g, h int) int { return size[h] - size[g] })
	o.Quiet = make([]bool, o.NGroups)
	for i, g := range order {
		if i > 0 && len(o.States)*o.NGroups*o.NGroups*i > mostQuieting {
			break
		}
		o.Quiet[g] = true
		o.Quiet[g] = o.quiet(GroupID(g))
	}
	return o
}

// quiet reports whether the groups that are marked as quiet are, g among them.
func (o *Outline) quiet(g GroupID) bool {
	for s, to := range o.Row(g) {
		if o.Row(g)[to] != to || o.Emissions[o.Emit[int(g)*len(o.States)+s]].Kind == Record {
			return false
		}
	}
	behind := make([]bool, len(o.States)) // a quiet symbol
	for first, is := range o.Quiet {
		for _, s := range o.Row(GroupID(first)) {
			behind[s] = behind[s] || is
		}
	}
	for between, is := range o.Quiet {
		for last, also := range o.Quiet {
			for s, to := range o.Row(GroupID(between)) {
				if row := o.Row(GroupID(last)); is && also && behind[s] && row[to] != row[s] {
					return false
				}
			}
		}
	}
	return true
}
