package cpu

import (
	"bytes"

	"github.com/dfaparse/dfaparse/dfa"
)

// In most states in which many symbols stay, as within quotes or behind a fault, all but a few do. Where symbols are
// stepped one by one, those are looked for.
//
//	,"a text, to the next quote",
//	 ─ ── steps ─▶ search ────▶ ─

const (
	// mostLeave is how many symbols are looked for.
	mostLeave = 4

	// fewStay in a row are stepped before it is looked for those that leave: most fields are short.
	fewStay = 8
)

// newLeaving gives by state the symbols that lead out of it or end something; nil if there are none or more than mostLeave.
// Those that are wrong are among them unless all that stay are.
func (m *machine) newLeaving() [][]byte {
	leaving := make([][]byte, len(m.AtEOF))
	for s := range leaving {
		row := m.Row(dfa.StateID(s))
		var leave, wrong []byte
		for c, e := range m.Entries[row : row+256] {
			if e.Boundary() || e.Row() != row {
				leave = append(leave, byte(c))
			} else if e.Kind() == dfa.Error {
				wrong = append(wrong, byte(c))
			}
		}
		if len(leave)+len(wrong) < 256 {
			leave = append(leave, wrong...)
		}
		if len(leave) <= mostLeave {
			leaving[s] = leave
		}
	}
	return leaving
}

// untilAny is how many symbols of data come before the first of some. No more than about twice as many are looked at,
// however far the others of them are.
func untilAny(data, some []byte) int {
	from := 0
	for n := 256; from < len(data); n *= 2 {
		piece, found := data[from:min(from+n, len(data))], false
		for _, symbol := range some {
			if at := bytes.IndexByte(piece, symbol); at >= 0 {
				piece, found = piece[:at], true
			}
		}
		if from += len(piece); found {
			break
		}
	}
	return from
}
