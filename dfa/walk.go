package dfa

import (
	"bytes"
	"slices"
)

// This file is what an Automaton means: the records of an input, read one
// symbol at a time, written for reading. Every engine is tested against it.

// RawField is one field of a RawRecord.
type RawField struct {
	Column int    // from 0
	Class  uint8  // lexeme class
	Value  []byte // its data symbols, decoded
	Start  int    // offset of its first symbol, control included
	End    int    // offset of its boundary

	// Written is how it was written; its Text is empty if nothing was escaped.
	Written Written
}

// RawRecord is one record of an input, of any kind.
type RawRecord struct {
	Kind   RecordKind
	Start  int // offset of its first symbol
	End    int // offset after its last symbol, the boundary left out
	Next   int // where the next record begins
	Fields []RawField

	// A malformed record has a Code, the offset that it is reported at, and the
	// offset and state in which the automaton had no transition.
	Code   ErrorCode
	Offset int
	At     int
	State  StateID
}

// Walk reads in from state s to the end of the input and gives each record to
// yield, until it returns false.
func (a *Automaton) Walk(in []byte, s StateID, yield func(*RawRecord) bool) {
	a.WalkColumns(in, s, nil, yield)
}

// WalkColumns is Walk by a caller who wants the fields of some columns alone: of the others a record
// has none, but for its last field, which is then without its value. Columns that are nil are all.
func (a *Automaton) WalkColumns(in []byte, s StateID, columns []int, yield func(*RawRecord) bool) {
	w := walker{a: a, in: in, state: s, columns: columns}
	for p := 0; p < len(in); p++ {
		next, e := a.Step(s, in[p])
		switch e.Kind {
		case Data, Skip:
			if next == s {
				p += a.alike(in[p:]) - 1
			}
		case Field:
			w.endField(p, e)
			w.open(p, next, e)
		case Record:
			w.blame(p, s, e)
			if !w.endRecord(p, e, yield) {
				return
			}
			w.open(p, next, e)
		case Error:
			w.blame(p, s, e)
		}
		s = next
	}
	if e := a.EOF(s); e.Kind == Record {
		w.blame(len(in), s, e)
		w.endRecord(len(in), e, yield)
	}
}

// alike is how many of the first symbols of in are of the same group.
func (a *Automaton) alike(in []byte) int {
	n := 1
	for n < len(in) && a.Group[in[n]] == a.Group[in[0]] {
		n++
	}
	return n
}

type walker struct {
	a       *Automaton
	in      []byte
	rec     RawRecord
	columns []int // that are wanted, nil: all
	column  int   // of the field being read
	start   int   // its first symbol

	opened int       // behind what came before the field
	state  StateID   // there
	opens  *Emission // what opened it, nil: the first of the input
}

func (w *walker) endField(p int, e *Emission) {
	f := RawField{Column: w.column, Class: e.Class, Start: w.start, End: p - int(e.Lag)}
	if e.Column != NextColumn {
		f.Column = int(e.Column)
	}
	wanted := w.columns == nil || slices.Contains(w.columns, f.Column)
	if wanted {
		w.read(&f, p)
	}
	if wanted || e.Kind == Record {
		w.rec.Fields = append(w.rec.Fields, f)
	}
	w.column, w.start = f.Column+1, e.After(p)
}

// read gives f, which ends by symbol p, what was written of it.
func (w *walker) read(f *RawField, p int) {
	written, coded := &f.Written, false
	add := func(at int, value byte, lead, code bool) {
		if at >= f.End {
			return
		}
		if code && !coded {
			coded, written.Text = true, bytes.Clone(f.Value) // what stands for itself
			for i := range f.Value {
				written.End = append(written.End, uint32(i+1))
			}
		}
		if coded {
			written.Text = append(written.Text, w.in[at])
		}
		if !lead {
			f.Value = append(f.Value, value)
		}
		if coded && !lead {
			written.End = append(written.End, uint32(len(written.Text)))
		}
	}
	f.Value = []byte{}
	if e := w.opens; e != nil {
		// Symbols behind a boundary that lies Lag symbols back are the field's that follows it.
		for q := e.Opens(w.opened - 1); q < w.opened; q++ {
			add(q, w.in[q], false, false)
		}
		if e.Escape {
			add(w.opened-1, 0, true, true)
		}
	}
	s, plain := w.state, w.opened // what stands for itself is not in f yet from there on
	copied := func(to int) {
		if plain < to {
			f.Value = append(f.Value, w.in[plain:to]...)
		}
		plain = to
	}
	end := min(p, f.End)
	for q := w.opened; q < end; q++ {
		next, e := w.a.Step(s, w.in[q])
		if e.Kind == Data && !coded && !e.Coded() {
			if next == s {
				q += w.a.alike(w.in[q:end]) - 1
			}
			s = next
			continue
		}
		copied(q)
		switch {
		case e.Kind == Data:
			add(q, substitute(w.in, q, e), false, e.Coded())
		case e.Kind == Skip && e.Escape:
			add(q, 0, true, true)
		}
		plain, s = q+1, next
	}
	copied(end)
}

func (w *walker) endRecord(p int, e *Emission, yield func(*RawRecord) bool) bool {
	w.endField(p, e)
	w.rec.Kind, w.rec.End, w.rec.Next = e.Record, p-int(e.Lag), min(e.After(p), len(w.in))
	done := w.rec
	w.rec, w.column = RawRecord{Start: e.After(p)}, 0
	return yield(&done)
}

// open begins the field behind the one that symbol p has ended.
func (w *walker) open(p int, s StateID, e *Emission) { w.opened, w.state, w.opens = p+1, s, e }

func (w *walker) blame(p int, s StateID, e *Emission) {
	if e.Code == 0 || w.rec.Code != 0 {
		return
	}
	w.rec.Code, w.rec.State, w.rec.At, w.rec.Offset = e.Code, s, p, p
	if e.Blame == BlameField {
		w.rec.Offset = w.start
	}
}

// Decode gives the byte that the data symbol in[p] stands for. A valid automaton
// has the digits before it in the same field.
func Decode(in []byte, p int, e *Emission) byte { return substitute(in, p, e) }

func substitute(in []byte, p int, e *Emission) byte {
	switch e.Sub {
	case ByByte:
		return e.Byte
	case ByHex:
		return hexDigit(in[p-1])<<4 | hexDigit(in[p])
	case ByOctal:
		return (in[p-2]-'0')<<6 | (in[p-1]-'0')<<3 | (in[p] - '0')
	}
	return in[p]
}

func hexDigit(b byte) byte {
	switch {
	case b >= '0' && b <= '9':
		return b - '0'
	case b >= 'a' && b <= 'f':
		return b - 'a' + 10
	case b >= 'A' && b <= 'F':
		return b - 'A' + 10
	}
	return 0
}
