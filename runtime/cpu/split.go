package cpu

import (
	"bytes"
	"math/bits"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// split takes the fields of one column apart: by masks where parts are separated by
// a symbol. What these leave is stepped at special symbols, like strips of the data,
// as long as these do nothing but end parts; what is out of the ordinary is left to
// the splitter.
type split struct {
	column    int
	output    int // the first output that is a part
	nulls     []string
	splitter  *convert.Splitter
	machine   *machine // nil if keys are looked for, or parts from the end
	lastly    int      // the symbol of which the last one in a field separates two parts, -1 if there is none such
	trim      bool
	mask      [stripSize / blockSize]uint64
	automaton *dfa.Automaton
	words     []word // by state, nil if there are none
	walked    int    // fields that were taken apart before words were looked for
	parts     []convert.Fields
	misfits   []int // rows of the round

	separated *separated   // nil if parts are not
	columns   []partColumn // the parts, in the order of the field
	left      []uint32     // rows that masks left
}

func newSplit(def *dfa.Column, column, output int) *split {
	nparts := len(def.Split.Columns)
	s := &split{column: column, output: output, nulls: def.NullTokens(), splitter: convert.NewSplitter(def),
		parts: make([]convert.Fields, nparts), trim: def.Trim, lastly: -1}
	if texts := def.Split.FromEnd; len(texts) == 3 && texts[0] == "" && len(texts[1]) == 1 && texts[2] == "" && !s.trim {
		s.lastly = int(texts[1][0])
	}
	if def.Split.Keyed || len(def.Split.FromEnd) > 0 {
		return s
	}
	s.automaton = def.Split.Automaton
	s.machine = newMachine(&dfa.Program{Definition: dfa.Definition{Automaton: s.automaton}})
	if !s.trim {
		s.separated = findSeparated(s.machine, nparts, s.nulls)
	}
	return s
}

// run takes the fields apart.
func (s *split) run(f *convert.Fields) {
	s.misfits = s.misfits[:0]
	s.splitter.Forget()
	if s.separated == nil || f.Len() == 0 {
		convert.ResetParts(f, s.parts)
		for i := 0; i < f.Len(); {
			n := 0
			if n, s.misfits = s.splitter.Rows(f, i, s.parts, s.misfits); n == 0 {
				s.row(f, i)
				n = 1
			}
			i += n
		}
		return
	}
	convert.GrowParts(f, s.parts)
	s.separate(f)
	for _, i := range s.left {
		convert.ResetRow(s.parts, int(i))
		s.row(f, int(i))
	}
}

// row takes the field of row i apart, whose parts are absent so far.
func (s *split) row(f *convert.Fields, i int) {
	if start := f.Start[i]; start < convert.InDecoded && !s.trim {
		if s.lastly >= 0 && s.atLast(f.Src, start, f.End[i], i) {
			return
		}
		if s.machine != nil {
			switch s.plain(f.Src, start, f.End[i], i) {
			case apart:
				return
			case misfit:
				s.misfits = append(s.misfits, i)
				return
			}
		}
	}
	if !s.splitter.Row(f, i, s.parts) {
		s.misfits = append(s.misfits, i)
	}
}

func (s *split) isMisfit(row int) bool {
	_, found := slices.BinarySearch(s.misfits, row)
	return found
}

// atLast takes src[start:end], the field of row i, apart at the last of its separators, if it has one
// and is no null token.
func (s *split) atLast(src []byte, start, end uint32, i int) bool {
	at := bytes.LastIndexByte(src[start:end], byte(s.lastly))
	if at < 0 || s.isNull(src[start:end]) {
		return false
	}
	s.parts[0].Start[i], s.parts[0].End[i] = start, start+uint32(at)
	s.parts[1].Start[i], s.parts[1].End[i] = start+uint32(at)+1, end
	return true
}

func (s *split) isNull(value []byte) bool {
	for _, token := range s.nulls {
		if len(token) == len(value) && token == string(value) {
			return true
		}
	}
	return false
}

// maxParts is how many parts a field may have that is taken apart here.
const maxParts = 16

// nextSpecial is the first special symbol from at on, of a field of so many, or its end.
func (s *split) nextSpecial(at, nbytes int) int {
	set := s.mask[at/blockSize] &^ (1<<(at%blockSize) - 1)
	for b := at / blockSize; ; set = s.mask[b] {
		if set != 0 {
			return b*blockSize + bits.TrailingZeros64(set)
		}
		if b++; b*blockSize >= nbytes {
			return nbytes
		}
	}
}

// outcome is what became of a field that was to be taken apart.
type outcome uint8

const (
	unclear outcome = iota // the splitter is asked
	apart
	misfit // it cannot be
)

// mark looks for the special symbols of value, which begins at an offset of src.
func (s *split) mark(src, value []byte, start uint32) {
	special := s.machine.special
	if whole := src[start:]; len(value) <= blockSize && len(whole) >= blockSize {
		special.FindBlocks(s.mask[:1], whole[:blockSize])
		s.mask[0] &= 1<<len(value) - 1
		return
	}
	special.Find(s.mask[:], value)
}

// plain takes src[start:end], the field of row i, apart, if it is plain.
func (s *split) plain(src []byte, start, end uint32, i int) outcome {
	m, value := s.machine, src[start:end]
	if len(value) > stripSize || s.isNull(value) {
		return unclear
	}
	if s.walked++; s.walked == wordFields {
		s.words = findWords(m, s.automaton)
	}
	marked := false // special symbols have been looked for
	var pieces [maxParts]struct{ column, start, end int }
	// Data of the part lies in [from, to), or up to its end if to < 0.
	n, column, from, to, at := 0, 0, 0, -1, 0
	part := func(em *dfa.Emission, boundary int) {
		if to >= 0 {
			boundary = min(boundary, to)
		}
		column = fieldNumber(em, column)
		pieces[n].column, pieces[n].start, pieces[n].end = column, min(from, boundary), boundary
		n, column, to = n+1, column+1, -1
	}
	row, seeks := m.Row(m.Start), s.words != nil
	for at < len(value) {
		if seeks && to < 0 {
			switch w := &s.words[state(row)]; {
			case w.rest:
				row, at = w.ends.Row(), len(value)
				continue
			case w.text != nil:
				if q := w.in(value[at:]); q >= 0 {
					at += q + len(w.text) - 1
					em := m.Emission(w.ends)
					if em.After(at) != em.Opens(at) || n == maxParts-1 {
						return unclear
					}
					part(em, at-int(em.Lag))
					from, row, at = em.After(at), w.ends.Row(), at+1
					continue
				} else if w.needed {
					return misfit
				}
				seeks = false // up to the next part
			}
		}
		if m.smooth(row) { // what is no special symbol is passed over
			if !marked {
				marked = true
				s.mark(src, value, start)
			}
			if q := s.nextSpecial(at, len(value)); q > at {
				if to >= 0 {
					return unclear
				}
				row, at = m.after[state(row)], q
				continue
			}
		}
		e := m.jumps[row|uint32(value[at])]
		switch {
		case e.Kind() == dfa.Error && m.Emission(e).Code != 0:
			return misfit
		case e&coded != 0:
			return unclear
		case e.Kind() == dfa.Field:
			em := m.Emission(e)
			if em.Touch || em.After(at) != em.Opens(at) || n == maxParts-1 {
				return unclear
			}
			part(em, at-int(em.Lag))
			from, seeks = em.After(at), s.words != nil
		case e.Kind() == dfa.Skip && from == at:
			from = at + 1
		case e.Kind() == dfa.Skip && to < 0:
			to = at
		case e.Kind() != dfa.Skip && (e.Kind() != dfa.Data || to >= 0):
			return unclear
		}
		row, at = e.Row(), at+1
	}
	em := m.EOF(state(row))
	switch {
	case em.Kind == dfa.Record && em.Code != 0, em.Kind != dfa.Record && n == 0:
		return misfit
	case em.Kind != dfa.Record:
		return unclear
	}
	part(em, len(value)-int(em.Lag))
	for _, p := range pieces[:n] {
		if p.column < len(s.parts) {
			x := &s.parts[p.column]
			x.Start[i], x.End[i] = start+uint32(p.start), start+uint32(p.end)
		}
	}
	return apart
}
