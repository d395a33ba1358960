package dfa

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
	// Filler is the largest group of symbols of which no record ends, and whose further ones
	// change nothing after the first, whatever the state; ok is false if there is none.
	Filler GroupID
	OK     bool
}

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
	for g := range o.NGroups {
		if o.fills(GroupID(g)) && (!o.OK || size[g] > size[o.Filler]) {
			o.Filler, o.OK = GroupID(g), true
		}
	}
	return o
}

// fills reports whether symbols of g can be the filler.
func (o *Outline) fills(g GroupID) bool {
	row, n := o.Row(g), len(o.States)
	for s, to := range row {
		if row[to] != to || o.Emissions[o.Emit[int(g)*n+s]].Kind == Record {
			return false
		}
	}
	return true
}
