package infer

import (
	"bytes"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// field is a field of the sample.
type field struct {
	text   []byte // without quotes; what is escaped in it stays as it is
	quoted bool
}

// row is a record of the sample.
type row struct {
	fields []field
	line   int    // lines before it
	end    int    // bytes of the sample up to its end
	open   int    // the line, from 1, of a quote that is never closed; 0: there is none
	runs   int    // faults of a record with a quote that runs on into the next ones, or to the end
	raw    []byte // all of it, in the memory of its fields
}

// inOneLine reports whether no field goes on in another line.
func (r *row) inOneLine() bool {
	return !slices.ContainsFunc(r.fields, func(f field) bool { return bytes.IndexByte(bytes.TrimRight(f.text, "\r\n"), '\n') >= 0 })
}

// neverClosed is the line in which a quote opens a field that goes on to the end of an input, from 1; 0 if
// there is none.
func (d *Dialect) neverClosed(sample []byte, whole bool) int {
	if !whole || bytes.IndexByte(sample, '"') < 0 {
		return 0
	}
	quoted := *d
	quoted.Quote, quoted.Escape = '"', 0
	rows, _, _ := cut(sample, &quoted, true)
	if len(rows) == 0 {
		return 0
	}
	return rows[len(rows)-1].open
}

// cut makes rows of sample, and counts what RFC 4180 does not allow: quotes in bare
// fields, text after a closing quote, quotes that are never closed.
func cut(sample []byte, d *Dialect, whole bool) (rows []row, faults int, spaced bool) {
	s := cutter{Dialect: d, data: sample}
	for s.at < len(s.data) && len(rows) < maxSampleRows {
		line, start := s.line, s.at
		if d.Comment != "" && bytes.HasPrefix(s.data[s.at:], []byte(d.Comment)) {
			s.passLine()
			continue
		}
		before := s.faults
		s.runs = false
		r := row{fields: s.record(), line: line}
		r.raw = s.data[start:s.at]
		if r.end = s.at; s.runs {
			r.runs, r.open = s.faults-before, s.open
		}
		if !whole && !s.ended {
			s.faults = before // it goes on where the sample ends
			break
		}
		if len(r.fields) == 1 && len(r.fields[0].text) == 0 && !r.fields[0].quoted && s.at > start {
			continue // a blank line
		}
		rows = append(rows, r)
	}
	return rows, s.faults, s.spaced
}

type cutter struct {
	*Dialect
	data   []byte
	at     int
	line   int
	faults int
	spaced bool // blanks stand around quotes
	ended  bool // the last record ended with a line end
	open   int  // the line of a quote that is never closed
	width  int  // fields of the last record
	runs   bool // a quote in the last record is never closed, or what closes it on another line is to open a field
}

func (s *cutter) passLine() {
	for s.at < len(s.data) && !s.isEnd(s.at) {
		s.at++
	}
	s.lineEnd()
}

// record cuts one record. Of one that has more fields than there can be columns the others are not cut.
func (s *cutter) record() (fields []field) {
	fields = make([]field, 0, max(s.width, 1))
	defer func() { s.width = len(fields) }()
	for {
		if s.Run && s.Separator != 0 {
			for s.separator() > 0 {
				s.at += s.separator()
			}
			if len(fields) > 0 && (s.at == len(s.data) || s.isEnd(s.at)) {
				s.ended = s.lineEnd()
				return fields
			}
		}
		f := s.field()
		fields = append(fields, f)
		if len(fields) > dfa.MaxColumns {
			for s.at < len(s.data) && !s.isEnd(s.at) {
				s.at++
			}
		}
		if n := s.separator(); n > 0 {
			s.at += n
			continue
		}
		s.ended = s.lineEnd()
		return fields
	}
}

// separator is the length of the separator at s.at, 0 if there is none.
func (s *cutter) separator() int {
	switch {
	case s.at == len(s.data) || s.Separator == 0 || s.data[s.at] != s.Separator:
		return 0
	case s.Wide == "":
		return 1
	case bytes.HasPrefix(s.data[s.at:], []byte(s.Wide)):
		return len(s.Wide)
	}
	return 0
}

// isEnd reports whether a record ends at the symbol at i.
func (s *cutter) isEnd(i int) bool {
	switch s.data[i] {
	case '\n':
		return s.LineEnd != "cr"
	case '\r':
		return s.LineEnd == "cr" || s.LineEnd == "any" || s.LineEnd != "lf" && i+1 < len(s.data) && s.data[i+1] == '\n'
	}
	return false
}

// lineEnd passes over LF, CR or both.
func (s *cutter) lineEnd() bool {
	if s.at == len(s.data) {
		return false
	}
	if s.data[s.at] == '\r' {
		s.at++
	}
	if s.at < len(s.data) && s.data[s.at] == '\n' {
		s.at++
	}
	s.line++
	return true
}

// field cuts one field, up to what ends it.
func (s *cutter) field() field {
	var f field
	start := s.at
	if s.Quote != 0 {
		i := s.at
		for i < len(s.data) && blank(s.data[i]) && s.data[i] != s.Separator {
			i++
		}
		if i < len(s.data) && s.data[i] == s.Quote {
			s.spaced = s.spaced || i > s.at
			s.at = i
			return s.quoted()
		}
	}
	for s.at < len(s.data) {
		c := s.data[s.at]
		if c == s.Separator && s.separator() > 0 || s.isEnd(s.at) {
			break
		}
		switch {
		case c == s.Quote && s.Quote != 0:
			s.faults++
		case c == s.Escape && s.Escape != 0 && (s.Quote == 0 || s.Bare) && s.at+1 < len(s.data):
			if s.at++; s.data[s.at] == '\n' {
				s.line++
			}
		}
		s.at++
	}
	f.text = s.data[start:s.at]
	return f
}

func (s *cutter) quoted() field {
	s.at++
	start, line := s.at, s.line
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case c == '\n':
			s.line++
		case s.Escape != 0 && c == s.Escape:
			s.at++
		case c == s.Quote && s.Escape == 0 && s.at+1 < len(s.data) && s.data[s.at+1] == s.Quote:
			s.at++
		case c == s.Quote:
			f := field{s.data[start:s.at], true}
			s.at++
			from := s.at
			for s.at < len(s.data) && s.separator() == 0 && !s.isEnd(s.at) {
				s.at++
			}
			if after := s.data[from:s.at]; len(bytes.TrimLeft(after, " \t")) > 0 {
				s.faults++
				s.runs = s.runs || s.line > line
			} else if len(after) > 0 {
				s.spaced = true
			}
			return f
		}
	}
	s.at = len(s.data)
	s.faults++ // never closed
	s.runs, s.open = true, line+1
	return field{s.data[min(start, s.at):], true}
}
