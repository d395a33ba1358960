package gpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/kernels"
)

// leastShared is the shared memory of a block that every device has beside a tile,
// in bytes.
const leastShared = 32 << 10

// Vectors reports whether contexts are found by vectors in memory: the automaton is of
// no kind that is tracked in registers or by one number, and too large to be walked.
func Vectors(p *dfa.Program) bool {
	return chooseTrack(p.Automaton, p.Analysis(), leastShared).kind == kernels.TrackVector
}

// OnHost reports whether the CPU converts a column of p, or a part of one, in every row, because no kernel
// knows its type.
func OnHost(p *dfa.Program, col *dfa.Column, part bool) bool {
	return convert.FactsOf(col.Type.Kind).Kernel == convert.OnHost && (part || !onDevice(p, col))
}

// OnHostSplit reports whether the CPU takes the values of a column apart, because the
// kernel would take for the same what looks otherwise to convert.Splitter: they are
// untrimmed, or have escapes of their own, or are read from the end, or its parts have nothing between them, or keys.
func OnHostSplit(col *dfa.Column) bool {
	return col.Split != nil && (col.Split.Keyed || len(col.Split.FromEnd) > 0 || col.Trim || col.Split.Automaton.Escapes() || col.Split.Automaton.Touches())
}

// onDevice reports whether kernels place the keys and values of a column of p, of maps: these are texts,
// keys nest no deeper than two levels, none has a column of its own, and no field has escapes, of which the automaton of
// maps would have to know.
func onDevice(p *dfa.Program, col *dfa.Column) bool {
	t := &col.Type
	if t.Kind != dfa.Map || t.Lex == nil || t.Ahead != nil || t.Lex.Touches() || t.Lex.LeadingFields() || p.Automaton.Escapes() ||
		len(p.Cells) > 0 || col.HasDefault || col.Shape || col.Split != nil || len(col.Empties) > 0 {
		return false
	}
	levels, values := convert.MapShape(t)
	if t.Duplicates == dfa.ListDuplicates {
		values = values.Elem
	}
	return levels <= mostMapLevels && values.Kind == dfa.String && len(values.In) == 0
}

// mostMapLevels is kPairLevels of kernels/pairs/walk.cuh.
const mostMapLevels = 2
