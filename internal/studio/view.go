package studio

import (
	"bytes"
	"slices"
	"sort"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// What a byte is that is no data of a field.
const (
	Separator = -1 - iota // it ends a field or a record, or tells of that
	Control               // a quote, the lead of an escape, text of a template
	Dropped               // of a record of which nothing comes: a comment, an empty line
	Preface               // of a header, a directive, or lines that are passed over
	Malformed             // from where a record is malformed
	Unread                // no record of it is complete in the window, or there is no format yet
)

// Line is a line of the input as it is shown, or a piece of a long one.
type Line struct {
	Offset int64  `json:"offset"`
	Number int    `json:"number"` // of the line in the window, from 1; 0: it goes on
	Text   string `json:"text"`   // a character for each byte, of its value
	// Runs are of bytes that are alike, four numbers each: how many, what they are (a field, or
	// one of the above), the state before each, the emission.
	Runs   []int `json:"runs"`
	Record int   `json:"record"` // of the window, from 0; -1: none begins here
	Row    int   `json:"row"`    // of the table; -1: none
	Reject int   `json:"reject"` // 1 + its number among rejects; 0: none
}

type line struct{ start, end, number int } // of data

// widest is how many bytes a line is shown with, before it is broken.
const widest = 512

// cutLines cuts the window into lines.
func (a *Analysis) cutLines() {
	data := a.window.data()
	number := 0
	if a.program != nil && len(a.program.Cells) > 0 { // no lines: a record each
		for i := range a.records {
			if r := &a.records[i]; r.start >= len(a.window.Head) {
				a.display = a.pieces(a.display, r.start, r.next, i+1)
			}
		}
		return
	}
	for at := len(a.window.Head); at < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		number++
		a.display = a.pieces(a.display, at, end, number)
		at = end
	}
}

func (a *Analysis) pieces(to []line, start, end, number int) []line {
	data := a.window.data()
	for end-start > widest {
		cut := start + widest
		for k := 0; k < utf8.UTFMax && !utf8.RuneStart(data[cut]); k++ {
			cut--
		}
		to = append(to, line{start, cut, number})
		start, number = cut, 0
	}
	return append(to, line{start, end, number})
}

// LineOf is which line shows a byte of the input.
func (a *Analysis) LineOf(offset int64) int {
	at := a.window.at(offset)
	return max(0, sort.Search(len(a.display), func(i int) bool { return a.display[i].start > at })-1)
}

// LineOfRow is which line shows the beginning of a row of the table.
func (a *Analysis) LineOfRow(row int) int {
	i := slices.IndexFunc(a.records, func(r record) bool { return r.row == row })
	if i < 0 {
		return 0
	}
	return a.LineOf(a.window.offset(a.records[i].start))
}

// Lines are some of the lines.
func (a *Analysis) Lines(from, to int) []Line {
	from, to = max(from, 0), min(to, len(a.display))
	out := make([]Line, 0, max(to-from, 0))
	data := a.window.data()
	var b *bytesOf
	for i := from; i < to; i++ {
		l := a.display[i]
		x := Line{Offset: a.window.offset(l.start), Number: l.number, Text: latin(data[l.start:l.end]), Record: -1, Row: -1}
		for at := l.start; at < l.end; at++ {
			if b == nil || at < b.start || at >= b.end {
				b = a.around(at)
			}
			k := at - b.start
			if b.record >= 0 {
				r := &a.records[b.record]
				if at == r.start || x.Record < 0 && at == l.start {
					x.Row, x.Reject = r.row, r.reject
				}
				if at == r.start && x.Record < 0 {
					x.Record = b.record
				}
				if r.reject > 0 {
					x.Reject = r.reject
				}
			}
			x.add(b.what[k], b.state[k], b.emission[k])
		}
		out = append(out, x)
	}
	return out
}

func (x *Line) add(what, state, emission int) {
	if n := len(x.Runs); n > 0 && x.Runs[n-3] == what && x.Runs[n-2] == state && x.Runs[n-1] == emission {
		x.Runs[n-4]++
		return
	}
	x.Runs = append(x.Runs, 1, what, state, emission)
}

// latin is a text with a character for each byte.
func latin(b []byte) string {
	if utf8.Valid(b) && len(b) == utf8.RuneCount(b) {
		return string(b)
	}
	out := make([]rune, len(b))
	for i, c := range b {
		out[i] = rune(c)
	}
	return string(out)
}

// bytesOf is what is known of the bytes of a record, or of what lies between records.
type bytesOf struct {
	start, end            int
	record                int // -1: none
	what, state, emission []int
}

func (a *Analysis) around(at int) *bytesOf {
	i := a.recordAt(at)
	if i < 0 {
		b := &bytesOf{start: at, record: -1}
		data := a.window.data()
		b.end = len(data)
		if a.program != nil && at < a.first {
			b.end = min(a.first, b.end)
		}
		n := b.end - at
		what := Unread
		if a.program != nil && at < a.first {
			what = Preface
		}
		b.what, b.state, b.emission = fill(n, what), fill(n, -1), fill(n, -1)
		return b
	}
	return a.bytesOf(i)
}

func fill(n, value int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = value
	}
	return out
}

// bytesOf steps through a record.
func (a *Analysis) bytesOf(i int) *bytesOf {
	r := &a.records[i]
	n := r.next - r.start
	b := &bytesOf{start: r.start, end: r.next, record: i, what: fill(n, Control), state: make([]int, n), emission: make([]int, n)}
	const datum = 1 << 20
	m := a.program.Automaton
	state, bad := r.begin, n
	set := func(q, what int) {
		if q >= 0 && q < n {
			b.what[q] = what
		}
	}
	for q, c := range a.data[r.start:min(len(a.data), r.next+lookAhead)] {
		next, e := m.Step(state, c)
		if q < n {
			b.state[q], b.emission[q] = int(state), int(m.Emit[int(m.Group[c])*len(m.States)+int(state)])
		}
		switch {
		case e.Kind == dfa.Data:
			set(q, datum)
		case e.Boundary():
			last := e.Opens(q)
			for k := q - int(e.Lag); k <= q; k++ {
				if k < last || e.Lag == 0 && !e.Touch {
					set(k, Separator)
				} else {
					set(k, datum)
				}
			}
		case e.Kind == dfa.Error:
			bad = min(bad, q)
		}
		state = next
		if e.Kind == dfa.Record {
			break
		}
	}
	a.name(r, b, datum)
	switch {
	case r.kind == dfa.DroppedRecord:
		set2(b.what, 0, Dropped)
	case r.kind >= dfa.FirstDirective || r.kind == dfa.DataRecord && i < a.headerRecords():
		set2(b.what, 0, Preface)
	case bad < n:
		set2(b.what, bad, Malformed)
	}
	return b
}

func set2(what []int, from, value int) {
	for i := from; i < len(what); i++ {
		what[i] = value
	}
}

// headerRecords is the index behind the records that name the columns.
func (a *Analysis) headerRecords() int {
	n := a.program.Header.Records()
	for i := range a.records {
		if n == 0 {
			return i
		}
		if a.records[i].kind == dfa.DataRecord {
			n--
		}
	}
	return len(a.records)
}

// name gives data the fields that they are of.
func (a *Analysis) name(r *record, b *bytesOf, datum int) {
	p := a.program
	if len(p.Widths) > 0 {
		at := 0
		for i, w := range p.Widths {
			for k := at; k < at+w && k < len(b.what); k++ {
				switch {
				case len(p.Cells) == 0 && b.what[k] != datum:
				case p.Columns[i].Hidden:
					b.what[k] = Control
				default:
					b.what[k] = i
				}
			}
			at += w
		}
	} else if raw := a.walk(r); raw != nil {
		for _, f := range raw.Fields {
			hidden := f.Column < len(p.Columns) && p.Columns[f.Column].Hidden && p.Columns[f.Column].Split == nil && !p.Dynamic()
			for k := f.Start; k < f.End && k < len(b.what); k++ {
				if b.what[k] == datum {
					b.what[k] = f.Column
					if hidden {
						b.what[k] = Control
					}
				}
			}
		}
	}
	for k := range b.what {
		if b.what[k] == datum {
			b.what[k] = Control
		}
	}
}
