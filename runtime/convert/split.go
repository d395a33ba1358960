package convert

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// Splitter takes the fields of one column apart. It holds scratch memory: one
// goroutine uses it at a time.
type Splitter struct {
	lex     *dfa.Table
	nulls   []string
	pieces  []dfa.Piece
	decoded []byte
	misfits []int
}

// NewSplitter prepares the split of col.
func NewSplitter(col *dfa.Column) *Splitter {
	return &Splitter{lex: col.Split.Automaton.Table(), nulls: col.Nulls}
}

// Split puts the parts of every row of f into parts, one Fields a column of
// the split, whose rows it replaces: views into f.Src, or copies of what had to
// be decoded. A field that is absent or one of the column's null tokens has
// absent parts. So has a field that the automaton does not accept; misfits are
// the rows of such, valid until the next call.
func (s *Splitter) Split(f *Fields, parts []Fields) (misfits []int) {
	for k := range parts {
		parts[k].Reset(f.Src)
	}
	s.misfits = s.misfits[:0]
	for i := range f.Len() {
		for k := range parts {
			parts[k].PushAbsent()
		}
		value, ok := f.At(i)
		if !ok || slices.Contains(s.nulls, string(value)) {
			continue
		}
		var fault dfa.ErrorCode
		s.pieces, s.decoded, fault = s.lex.Fields(value, s.pieces[:0], s.decoded[:0])
		if fault != 0 || len(s.pieces) == 0 {
			s.misfits = append(s.misfits, i)
			continue
		}
		for k := range s.pieces {
			p := &s.pieces[k]
			if int(p.Column) >= len(parts) {
				continue
			}
			part := &parts[p.Column]
			part.cut(i)
			if start := f.Start[i]; start < InDecoded && !p.Decoded {
				part.Push(start+p.Start, start+p.End)
			} else {
				part.PushDecoded(p.Of(value, s.decoded))
			}
		}
	}
	return s.misfits
}
