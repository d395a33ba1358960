package dfa

import (
	"errors"
	"fmt"
)

// Cell is how the value of a column lies in a binary record.
//
// A number stands for its decimal notation: of this text it is what its column's type, null
// tokens, ranges and default make of it, as if it had been written so. Where the type is a Date
// without a Layout, it is the day so many days after 1970-01-01.
type Cell struct {
	Kind      CellKind
	BigEndian bool   // of a number of several bytes; else the lowest byte comes first
	Pad       string // of TextCell: symbols like this one at its end are no data; "": there is no such symbol
	Since     int64  // of an integer that is a Date or a Timestamp: added to it, in days or Type.CountUnit
}

// CellKind is the kind of a Cell.
type CellKind uint8

const (
	TextCell     CellKind = iota // the symbols are the field
	UnsignedCell                 // an integer of 1, 2, 4 or 8 bytes
	SignedCell                   // the same, as two's complement
	FloatCell                    // IEEE 754, 4 or 8 bytes
)

// String is the cell in the words of dumps.
func (c Cell) String() string {
	order := "le"
	if c.BigEndian {
		order = "be"
	}
	switch c.Kind {
	case TextCell:
		if c.Pad != "" {
			return "text/" + FormatSymbol(c.Pad[0])
		}
		return "text"
	case UnsignedCell:
		order = "unsigned-" + order
	case SignedCell:
		order = "signed-" + order
	case FloatCell:
		order = "float-" + order
	}
	if c.Since != 0 {
		order += fmt.Sprintf("%+d", c.Since)
	}
	return order
}

// Text is what is data of a cell of text.
func (c *Cell) Text(b []byte) []byte {
	for c.Pad != "" && len(b) > 0 && b[len(b)-1] == c.Pad[0] {
		b = b[:len(b)-1]
	}
	return b
}

// MaxStride bounds the bytes of a binary record, which an automaton counts.
const MaxStride = MaxStates

// Width is how many bytes columns of a fixed width have together, 0 if theirs is none.
func (d *Definition) Width() (n int) {
	for _, w := range d.Widths {
		n += w
	}
	return n
}

// Stride is how long each record is, 0 if they are not binary.
func (d *Definition) Stride() int {
	if len(d.Cells) == 0 {
		return 0
	}
	return d.Width()
}

// CutStride gives how much of n symbols, before the first of which the context is state, is whole
// binary records, and the context behind these; ok is false if that is not known.
func (d *Definition) CutStride(n int, state StateID) (at int, next StateID, ok bool) {
	length := d.Stride()
	if length == 0 || state != d.Automaton.Start {
		return 0, 0, false
	}
	return n - n%length, state, true
}

func (d *Definition) validateCells() error {
	if d.Preface < 0 || d.Preface > LimitMaxRecord || len(d.Magic) > d.Preface {
		return fmt.Errorf("%d bytes before the first record, beginning with %q", d.Preface, d.Magic)
	}
	if len(d.Cells) == 0 {
		if d.Preface > 0 {
			return errors.New("bytes before the first record of a format that is not binary")
		}
		return nil
	}
	stride := d.Stride()
	switch {
	case len(d.Cells) != len(d.Widths):
		return fmt.Errorf("%d cells of %d widths", len(d.Cells), len(d.Widths))
	case stride > d.MaxRecord || stride != d.Automaton.NStates():
		return fmt.Errorf("records of %d bytes, counted by %d states, at most %d", stride, d.Automaton.NStates(), d.MaxRecord)
	case d.HasRest || len(d.Shapes) > 0 || len(d.Directives) > 0 || len(d.Skip) > 0 || d.Header.Mode != NoHeader:
		return errors.New("binary records have neither rest nor shapes, and no lines before them or among them")
	}
	state := d.Automaton.Start
	for i := range stride {
		next, e := d.Automaton.Step(state, 0)
		if d.Automaton.NGroups != 1 || (e.Kind == Record) != (i == stride-1) || e.Kind == Field || e.Lag > 0 || e.Code != 0 || e.Record != DataRecord {
			return errors.New("the automaton of binary records does not count their symbols")
		}
		state = next
	}
	if state != d.Automaton.Start {
		return errors.New("the automaton of binary records does not count their symbols")
	}
	for i := range d.Cells {
		w, c := d.Widths[i], &d.Cells[i]
		switch {
		case d.Columns[i].Split != nil:
			return fmt.Errorf("column %q: a split of a cell", d.Columns[i].Name)
		case c.Kind > FloatCell || len(c.Pad) > 1 || c.Pad != "" && c.Kind != TextCell:
			return fmt.Errorf("column %q: cell %s", d.Columns[i].Name, c)
		case c.Kind != TextCell && w != 1 && w != 2 && w != 4 && w != 8 || c.Kind == FloatCell && w < 4:
			return fmt.Errorf("column %q: a number of %d bytes", d.Columns[i].Name, w)
		}
	}
	return nil
}
