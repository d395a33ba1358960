package dfa

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
	w := walker{in: in}
	for p, symbol := range in {
		next, e := a.Step(s, symbol)
		switch e.Kind {
		case Data:
			w.pending = append(w.pending, datum{at: p, value: substitute(in, p, e), coded: e.Coded()})
		case Skip:
			if e.Escape {
				w.pending = append(w.pending, datum{at: p, lead: true, coded: true})
			}
		case Field:
			w.endField(p, e)
			w.reopen(p, e)
		case Record:
			w.blame(p, s, e)
			if !w.endRecord(p, e, yield) {
				return
			}
			w.reopen(p, e)
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

// datum is a symbol that was written as part of a field.
type datum struct {
	at    int
	value byte
	coded bool // it is of an escape
	lead  bool // it is no data
}

type walker struct {
	in      []byte
	rec     RawRecord
	column  int     // of the field being read
	start   int     // its first symbol
	pending []datum // what was written of it so far
}

func (w *walker) endField(p int, e *Emission) {
	boundary := p - int(e.Lag)
	f := RawField{Column: w.column, Class: e.Class, Start: w.start, End: boundary, Value: make([]byte, 0, len(w.pending))}
	if e.Column != NextColumn {
		f.Column = int(e.Column)
	}
	var written Written
	coded := false
	for _, d := range w.pending {
		if d.at >= boundary {
			break
		}
		coded = coded || d.coded
		written.Text = append(written.Text, w.in[d.at])
		if !d.lead {
			f.Value = append(f.Value, d.value)
			written.End = append(written.End, uint32(len(written.Text)))
		}
	}
	if coded {
		f.Written = written
	}
	w.rec.Fields = append(w.rec.Fields, f)
	w.column, w.start, w.pending = f.Column+1, e.After(p), w.pending[:0]
}

func (w *walker) endRecord(p int, e *Emission, yield func(*RawRecord) bool) bool {
	w.endField(p, e)
	w.rec.Kind, w.rec.End, w.rec.Next = e.Record, p-int(e.Lag), min(e.After(p), len(w.in))
	done := w.rec
	w.rec, w.column = RawRecord{Start: e.After(p)}, 0
	return yield(&done)
}

// reopen gives the symbols after a boundary that lies Lag symbols back to the
// field that follows it.
func (w *walker) reopen(p int, e *Emission) {
	for q := e.Opens(p); q <= p; q++ {
		w.pending = append(w.pending, datum{at: q, value: w.in[q]})
	}
	if e.Escape {
		w.pending = append(w.pending, datum{at: p, lead: true, coded: true})
	}
}

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
