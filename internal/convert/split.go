package convert

import "github.com/dfaparse/dfaparse/dfa"

// Splitter takes the fields of one column apart. It holds scratch memory: one
// goroutine uses it at a time.
type Splitter struct {
	lex       *dfa.Table
	nulls     []string
	trim      bool
	asWritten bool       // what was escaped in a field is no more than data to lex
	escapes   bool       // lex reads escapes of its own
	settlers  []*Settler // per part
	settles   bool       // there are some
	pieces    []dfa.Piece
	decoded   []byte
	written   []dfa.Written
	misfits   []int
	others    *others // gets the pairs of keys that have no column, nil if nobody asks
	keys      *keys   // of pairs; nil if parts have places
	look      func(*Fields)
	fromEnd   *dfa.Split // if parts are looked for from the end, else nil
	ahead     *dfa.Type  // if some symbols of values may be opaque, else nil
	opaque    []bool     // scratch memory
}

// NewSplitter prepares the split of col.
func NewSplitter(col *dfa.Column) *Splitter {
	s := NewPlainSplitter(col)
	if s.keys != nil && s.ahead == nil {
		s.keys.fast = newLexer(s.lex)
		s.keys.batches, s.keys.bridges = newKeyBatches(s), newBridges(s.keys)
	}
	return s
}

// NewPlainSplitter is a Splitter that takes each field apart by itself, by the column's automaton: see
// Options.Plain.
func NewPlainSplitter(col *dfa.Column) *Splitter {
	s := newSplitter(col)
	if s.keys != nil && s.settles {
		s.keys.leads = leadsOf(col.Apart())
	}
	return s
}

// newSplitter is one for a few values, which is made at once: of those of maps it does not
// say which null tokens and blanks were escaped.
func newSplitter(col *dfa.Column) *Splitter {
	lex := col.Apart()
	s := &Splitter{lex: lex.Table(), nulls: col.NullTokens(), trim: col.Trim,
		asWritten: !col.Split.Decoded, escapes: lex.Escapes()}
	if len(col.Split.FromEnd) > 0 {
		s.fromEnd = col.Split
	}
	if col.Split.Keyed {
		if col.Type.Ahead != nil {
			s.ahead = &col.Type
		}
		s.keys = newKeys(col)
	}
	for i := range col.Split.Columns {
		settler := NewSettler(&col.Split.Columns[i], "")
		s.settlers, s.settles = append(s.settlers, settler), s.settles || settler != nil
	}
	return s
}

// LookAtOthers lets look see the fields of pairs in which there is a key that has no column.
func (s *Splitter) LookAtOthers(look func(*Fields)) { s.look = look }

// Split puts the parts of every row of f into parts, one Fields a column of
// the split, whose rows it replaces: views into f.Src, or copies of what had to
// be decoded. A field that is absent or one of the column's null tokens has
// absent parts. So has a field that the automaton does not accept; misfits are
// the rows of such, valid until the next call.
func (s *Splitter) Split(f *Fields, parts []Fields) (misfits []int) {
	s.misfits = s.misfits[:0]
	ResetParts(f, parts)
	for i := 0; i < f.Len(); {
		n := 0
		if n, s.misfits = s.Rows(f, i, parts, s.misfits); n > 0 {
			i += n
			continue
		}
		if !s.Row(f, i, parts) {
			s.misfits = append(s.misfits, i)
		}
		i++
	}
	return s.misfits
}

// ResetParts makes all rows of parts, as many as f has, absent.
func ResetParts(f *Fields, parts []Fields) {
	GrowParts(f, parts)
	for k := range parts {
		part := &parts[k]
		for i := range part.Start {
			part.Start[i], part.End[i] = Absent, 0
		}
	}
}

// ResetRow makes row i of parts absent.
func ResetRow(parts []Fields, i int) {
	for k := range parts {
		parts[k].Start[i], parts[k].End[i] = Absent, 0
	}
}

// GrowParts gives parts as many rows as f has, which are to be set.
func GrowParts(f *Fields, parts []Fields) {
	n := f.Len()
	for k := range parts {
		part := &parts[k]
		part.Reset(f.Src)
		if n > cap(part.Start) || n > cap(part.End) {
			part.Start, part.End = staggered(n, 2*k), staggered(n, 2*k+1)
		}
		part.Start, part.End = part.Start[:n], part.End[:n]
	}
}

// staggered is memory number k of several of which row by row is written to: it begins in another set of the
// first-level cache than the others do, which has room for few lines of one.
func staggered(n, k int) []uint32 {
	const line, lines = 16, 64
	k = k % lines * line
	return make([]uint32, n+n/4+k)[k:] // few rounds have more rows than the one before
}

// Row is Split for row i of parts that have been reset. It reports whether the
// row is no misfit.
func (s *Splitter) Row(f *Fields, i int, parts []Fields) bool {
	value, ok := f.At(i)
	if !ok {
		return true
	}
	literal, at := f.literal(i), uint32(0)
	if literal == nil {
		if s.trim {
			trimmed := trimBlanks(value)
			at, value = uint32(cap(value)-cap(trimmed)), trimmed // what is cut off in front of a slice is cut off its capacity
		}
		if isOneOf(s.nulls, value) {
			return true
		}
	}
	var as *dfa.Written
	if literal != nil && s.asWritten {
		as = literal.As
	}
	settle := as != nil || s.fromEnd == nil && s.escapes && (s.keys == nil || s.keys.escaped(value))
	var fault dfa.ErrorCode
	s.pieces, s.decoded, s.written = s.pieces[:0], s.decoded[:0], s.written[:0]
	if s.fromEnd != nil {
		ok := false
		if s.pieces, ok = s.fromEnd.PiecesFromEnd(value, as, s.pieces); !ok {
			return false
		}
		for k := range s.pieces {
			if as != nil {
				s.written = append(s.written, *as.Slice(int(s.pieces[k].Start), int(s.pieces[k].End)))
			}
		}
	} else if settle {
		written := &s.written
		if !s.settles && s.keys == nil {
			written = nil // nobody asks
		}
		s.pieces, s.decoded, fault = s.lex.FieldsWritten(value, as, s.opaqueOf(value, as), s.pieces, s.decoded, written)
	} else if s.ahead != nil {
		s.pieces, s.decoded, fault = s.lex.FieldsWritten(value, nil, s.opaqueOf(value, nil), s.pieces, s.decoded, nil)
	} else if ok, done := s.bridged(f, i, value, f.Start[i]+at, parts); done {
		s.lookAtOthers(f, i)
		return ok
	} else if !s.keys.lexed(s, value) {
		s.pieces, s.decoded, fault = s.lex.Fields(value, s.pieces[:0], s.decoded[:0])
	}
	if s.keys != nil {
		s.keys.others = false
		ok := fault == 0 && s.pairs(f, i, value, at, settle, parts)
		s.lookAtOthers(f, i)
		return ok
	}
	if fault != 0 || len(s.pieces) == 0 {
		return false
	}
	for k := range s.pieces {
		p := &s.pieces[k]
		if int(p.Column) >= len(parts) {
			continue
		}
		part := &parts[p.Column]
		if start := f.Start[i]; start < InDecoded && !p.Decoded {
			part.Start[i], part.End[i] = start+at+p.Start, start+at+p.End
		} else {
			part.set(i, p.Of(value, s.decoded))
		}
		if settler := s.settlers[p.Column]; settle && settler != nil {
			settler.Settle(part, i, &s.written[k])
		}
	}
	return true
}

// lookAtOthers lets row i be looked at if it has keys that have no column.
func (s *Splitter) lookAtOthers(f *Fields, i int) {
	if s.keys.others && s.look != nil {
		var one Fields
		f.Slice(&one, i, i+1)
		s.look(&one)
	}
}

// opaqueOf says which symbols of value mean nothing to lex, nil if all do.
func (s *Splitter) opaqueOf(value []byte, as *dfa.Written) []bool {
	if s.ahead == nil {
		return nil
	}
	s.opaque = s.ahead.Opaque(value, as, s.opaque)
	return s.opaque
}
