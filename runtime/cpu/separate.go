package cpu

import (
	"math/bits"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/symbols"
)

// separated is the form of a split whose parts stand between so many separators,
// and hold anything else. Fields of that form are taken apart by masks of the
// separator.
type separated struct {
	separator byte
	columns   []int // of the parts, in the order of the field
}

// findSeparated is the form of a split into so many parts, nil if it has another.
// That its automaton treats all fields with as many separators alike is seen in the
// states before and after runs of what is no separator.
func findSeparated(m *machine, nparts int, nulls []string) *separated {
	var s separated
	for c := range 256 {
		if m.special.Symbols.Has(byte(c)) {
			s.separator = byte(c)
		}
	}
	if m.special.Symbols.Len() != 1 {
		return nil
	}
	taken := make([]bool, nparts)
	row, column := m.Row(m.Start), 0
	for {
		if !m.smooth(row) || len(s.columns) == maxParts {
			return nil
		}
		run := m.after[state(row)]
		em, again := m.EOF(state(row)), m.EOF(state(run))
		last := isLast(em) && isLast(again)
		if !last {
			e, after := m.Entries[row|uint32(s.separator)], m.Entries[run|uint32(s.separator)]
			if em, again = m.Emission(e), m.Emission(after); e.Row() != after.Row() || !isPart(em) || !isPart(again) {
				return nil
			}
			row = e.Row()
		}
		if em.Column != again.Column {
			return nil
		}
		if em.Column != dfa.NextColumn {
			column = int(em.Column)
		}
		if column >= nparts || taken[column] {
			return nil
		}
		s.columns = append(s.columns, column)
		taken[column] = true
		column++
		if last {
			break
		}
	}
	for _, token := range nulls {
		if strings.Count(token, string([]byte{s.separator})) == len(s.columns)-1 {
			return nil
		}
	}
	if len(s.columns) == 1 || len(s.columns) != nparts {
		return nil
	}
	return &s
}

// isLast reports whether em ends a field that is a good one.
func isLast(em *dfa.Emission) bool { return em.Kind == dfa.Record && em.Code == 0 && em.Lag == 0 }

// isPart reports whether em ends a part, and nothing else is to it.
func isPart(em *dfa.Emission) bool {
	return em.Kind == dfa.Field && em.Code == 0 && em.Lag == 0 && !em.Touch
}

// maxSeparated is how long the fields may be that are taken apart by masks.
const maxSeparated = blockSize

// partColumn is where the places of a part go.
type partColumn struct{ start, end *uint32 }

// separateGeneric takes fields apart. It gives the rows that are left, in order:
// those that are not in f.Src, too long, or have another number of separators. What
// it has put into their parts does not count.
func (s *separated) separateGeneric(f *convert.Fields, parts []convert.Fields, left []uint32) []uint32 {
	src := f.Src
	if len(src) < blockSize {
		src = append(make([]byte, 0, blockSize), src...)[:blockSize]
	}
	last := uint32(min(uint64(len(src)-blockSize), uint64(convert.InDecoded)))
	var found [1]uint64
	for i, from := range f.Start {
		end := f.End[i]
		if from >= convert.InDecoded || end-from > maxSeparated {
			left = append(left, uint32(i))
			continue
		}
		at := min(from, last) // of a field near the end, the last symbols are looked at
		symbols.FindSymbol(found[:], src[at:], s.separator)
		separators := found[0] >> (from - at) & (1<<(end-from) - 1)
		if bits.OnesCount64(separators) != len(s.columns)-1 {
			left = append(left, uint32(i))
			continue
		}
		next := from
		for _, c := range s.columns {
			to := end
			if separators != 0 {
				to = from + uint32(bits.TrailingZeros64(separators))
				separators &= separators - 1
			}
			parts[c].Start[i], parts[c].End[i] = next, to
			next = to + 1
		}
	}
	return left
}
