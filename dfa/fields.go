package dfa

// Piece is one field of a value that Table.Fields took apart.
type Piece struct {
	Column  int32 // from 0
	Class   uint8 // lexeme class
	Decoded bool  // the field is decoded[Start:End], else value[Start:End]
	// Offsets of the field's first byte and after its last.
	Start, End uint32
}

// Of is the field's bytes, where value and decoded are what Fields was given
// and gave back.
func (p *Piece) Of(value, decoded []byte) []byte {
	if p.Decoded {
		return decoded[p.Start:p.End:p.End]
	}
	return value[p.Start:p.End:p.End]
}

// Fields takes one value apart, from the start state to its end: a list, a map
// or a field to split. It appends to pieces, and to decoded those fields whose
// data symbols do not lie side by side or do not stand for themselves. It
// allocates only to grow these two. The value is shorter than 4 GiB.
//
// A value is read to its end, whatever it holds; it has fields, no records. A
// Record ends a field as Field does, and the field after it is of column 0; of
// a dropped record the fields since the one before are taken back, for the
// table says so. At the end of the value Record ends one more field, Skip none:
// those that have ended stand. The code is the first that is met, 0 if there is
// none. Where ValidateValue holds, each symbol of a value without a code is thus
// data of a piece, or is passed over because an emission says so.
func (t *Table) Fields(value []byte, pieces []Piece, decoded []byte) ([]Piece, []byte, ErrorCode) {
	x := lexing{t: t, value: value, first: len(pieces), pieces: pieces, decoded: decoded}
	row := t.Row(t.Start)
	x.fromRow = row
	for p, symbol := range value {
		e := t.Entries[row|uint32(symbol)]
		if e.Kind() == Data && !e.Coded() && p == x.dataEnd {
			x.dataEnd++
			row = e.Row()
			continue
		}
		switch e.Kind() {
		case Data:
			if !e.Coded() && x.dataStart == x.dataEnd {
				x.dataStart, x.dataEnd = p, p+1
			} else {
				x.copied = true
			}
		case Field:
			x.endField(p, t.Emission(e), e.Row())
		case Record:
			x.endRecord(p, t.Emission(e), e.Row())
		case Error:
			x.blame(t.Emission(e))
		}
		row = e.Row()
	}
	if e := t.EOF(StateID(row >> entryState)); e.Kind == Record {
		x.endRecord(len(value), e, 0)
	}
	return x.pieces, x.decoded, x.code
}

// lexing is one value being taken apart.
type lexing struct {
	t       *Table
	value   []byte
	first   int // piece after the last record
	pieces  []Piece
	decoded []byte
	code    ErrorCode
	column  int32 // of the field being read

	escaped *Written // how the value was written, nil if nothing of it was escaped
	opaque  []bool   // by symbol of the value: it means nothing; nil if there is none such

	// The field's data symbols so far are value[dataStart:dataEnd], unless it
	// has to be copied.
	dataStart, dataEnd int
	copied             bool

	// Where the field began to be read: in row fromRow at symbol from, after
	// value[opened:from], which are data of it that a lagging boundary left.
	fromRow      uint32
	opened, from int
}

// endField ends the field with e at symbol p; what follows is read in row.
func (x *lexing) endField(p int, e *Emission, row uint32) {
	boundary := p - int(e.Lag)
	piece := Piece{Column: x.column, Class: e.Class}
	if e.Column != NextColumn {
		piece.Column = int32(e.Column)
	}
	if x.copied {
		piece.Decoded = true
		piece.Start = uint32(len(x.decoded))
		x.decode(p, boundary)
		piece.End = uint32(len(x.decoded))
	} else {
		end := min(x.dataEnd, boundary)
		piece.Start, piece.End = uint32(min(x.dataStart, end)), uint32(end)
	}
	x.pieces = append(x.pieces, piece)
	x.column = piece.Column + 1
	x.opened, x.from, x.fromRow = e.Opens(p), p+1, row
	x.dataStart, x.dataEnd, x.copied = x.opened, x.from, false
}

// endRecord ends the field, and with it a record, with e at symbol p.
func (x *lexing) endRecord(p int, e *Emission, row uint32) {
	x.blame(e)
	x.endField(p, e, row)
	if e.Record != DataRecord {
		x.pieces = x.pieces[:x.first]
	}
	x.first, x.column = len(x.pieces), 0
}

// decode appends the data symbols of the field that lie before boundary,
// reading the field again from its beginning to symbol p.
func (x *lexing) decode(p, boundary int) {
	if x.opened < boundary {
		x.decoded = append(x.decoded, x.value[x.opened:min(x.from, boundary)]...)
	}
	row := x.fromRow
	for q := x.from; q < min(p, boundary); q++ {
		e := x.entry(row, q)
		if e.Kind() == Data {
			x.decoded = append(x.decoded, substitute(x.value, q, x.t.Emission(e)))
		}
		row = e.Row()
	}
}

func (x *lexing) blame(e *Emission) {
	if x.code == 0 {
		x.code = e.Code
	}
}

// ValueFault is the code that Table.Fields gives for value, and the offset that
// it is reported at; 0 if there is none.
func (a *Automaton) ValueFault(value []byte) (code ErrorCode, at int) {
	s, field := a.Start, 0
	blame := func(e *Emission, p int) (ErrorCode, int) {
		if e.Blame == BlameField {
			p = field
		}
		return e.Code, p
	}
	for p, symbol := range value {
		next, e := a.Step(s, symbol)
		if e.Code != 0 {
			return blame(e, p)
		}
		if e.Boundary() {
			field = e.After(p)
		}
		s = next
	}
	return blame(a.EOF(s), len(value))
}
