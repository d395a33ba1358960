package dfa

import "fmt"

// Kind says what a transition makes of its symbol.
type Kind uint8

const (
	Data   Kind = iota // the symbol, or what it decodes to, belongs to the field
	Skip               // control: a quote, an escape, a padding byte
	Field              // ends a field
	Record             // ends a field and its record
	Error              // no transition was defined: the record is malformed
)

func (k Kind) String() string {
	switch k {
	case Data:
		return "data"
	case Skip:
		return "skip"
	case Field:
		return "field"
	case Record:
		return "record"
	case Error:
		return "error"
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Substitution says how a data symbol is decoded.
type Substitution uint8

const (
	Itself  Substitution = iota // the symbol stands for itself
	ByByte                      // Emission.Byte stands for the symbol
	ByHex                       // this symbol and the one before are two hexadecimal digits
	ByOctal                     // this symbol and the two before are three octal digits
)

// RecordKind tells the records of a file apart.
type RecordKind uint8

const (
	DataRecord     RecordKind = 0 // fields become a row
	DroppedRecord  RecordKind = 1 // a comment or a blank line: nothing comes of it
	FirstDirective RecordKind = 2 // FirstDirective+i is Program.Directives[i]
)

// NextColumn as an Emission's Column means the column after the one before.
const NextColumn = -1

// ErrorCode c > 0 means Automaton.Messages[c-1]; 0 is no error.
type ErrorCode uint16

// Emission is what a transition says about its symbol. It is comparable; an
// Automaton stores each distinct emission once.
//
// A field or a record may be found to have ended only some symbols later: the
// second byte of the separator "||", or the time stamp that shows that the
// last newline began a new record. Lag and Open say so. With Lag = 3, Open = 1
// and the symbols ... p-3 p-2 p-1 p, the boundary is p-3 (it belongs to
// neither side), p-2 is control, and p-1 and p are data of the field that
// follows, whatever was said of them before. Lag = 0 is the usual case: the
// symbol itself is the boundary. Where Open = Lag nothing of what follows has
// been seen yet: the symbols after the boundary belong to it (the second byte
// of "||", the line feed of "\r\n"), and the field or record that follows
// begins after them. See After.
//
// Touch is for a Field in which no symbol stands between two fields: the field ends in
// front of the symbol, which is data of the next. Then Lag is 0.
//
// Escape is for Skip: the lead of an escape, or a digit of its number but the last.
// It is also for a Field with Open = Lag > 0: the symbol that told of the boundary
// is the lead of the escape that the field which follows begins with.
type Emission struct {
	Kind   Kind
	Sub    Substitution // of Data
	Byte   byte         // of Data with Sub == ByByte
	Escape bool         // the symbol is of an escape: it was written though it is no data, see Written
	Column int16        // of Field and Record: NextColumn, or the column that ends
	Class  uint8        // of Field and Record: lexeme class of the field that ends, see Column.Class
	Record RecordKind   // of Record
	Lag    uint16       // of Field and Record: the boundary is this many symbols back
	Open   uint16       // Open <= Lag: of the symbols after the boundary, this many are control
	Touch  bool         // of Field: it ends in front of the symbol, and the next begins with it
	Code   ErrorCode    // of Error, and of a Record that is malformed where it ends
	Blame  Blame        // where an error with this Code is reported
}

// Blame says at which offset an error is reported.
type Blame uint8

const (
	BlameSymbol Blame = iota // at the symbol that had no transition
	BlameField               // where the field began: an unterminated quote
)

// After is the offset at which the field or record begins that follows the
// boundary e at offset p.
func (e *Emission) After(p int) int {
	if e.Touch {
		return p
	}
	if e.Open == e.Lag {
		return p + 1
	}
	return p - int(e.Lag) + 1
}

// Opens is the offset of the first symbol behind the boundary e at offset p that may be
// data of what follows it; where Open = Lag, none of those up to p is.
func (e *Emission) Opens(p int) int {
	if e.Touch {
		return p
	}
	return p - int(e.Lag) + 1 + int(e.Open)
}

// Coded reports whether the emission belongs to an escape: what was written is
// not what it stands for.
func (e *Emission) Coded() bool { return e.Escape || e.Sub != Itself }

// leads reports whether the emission ends a field, and its symbol is the lead of an
// escape in the next.
func (e *Emission) leads() bool { return e.Escape && e.Kind == Field && e.Lag > 0 && e.Open == e.Lag }

// Boundary reports whether the emission ends a field.
func (e *Emission) Boundary() bool { return e.Kind == Field || e.Kind == Record }

// String is the emission in the notation of text dumps, e.g. "data='\n'",
// "skip escape", "field column=2 class=1", "record kind=1 lag=3/1", "error 2",
// "record error 2@field".
func (e Emission) String() string {
	s := e.Kind.String()
	switch e.Sub {
	case ByByte:
		s += "=" + FormatSymbol(e.Byte)
	case ByHex:
		s += "=hex"
	case ByOctal:
		s += "=octal"
	}
	if e.Boundary() {
		if e.Column != NextColumn {
			s += fmt.Sprintf(" column=%d", e.Column)
		}
		if e.Class != 0 {
			s += fmt.Sprintf(" class=%d", e.Class)
		}
		if e.Record != 0 {
			s += fmt.Sprintf(" kind=%d", e.Record)
		}
		if e.Lag != 0 {
			s += fmt.Sprintf(" lag=%d/%d", e.Lag, e.Open)
		}
		if e.Touch {
			s += " touch"
		}
	}
	if e.Escape {
		s += " escape"
	}
	if e.Code != 0 {
		if e.Kind != Error {
			s += " error"
		}
		s += fmt.Sprintf(" %d", e.Code)
		if e.Blame == BlameField {
			s += "@field"
		}
	}
	return s
}
