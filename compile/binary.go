package compile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// cellForm is what a word for numbers of binary records means.
type cellForm struct {
	cell  dfa.CellKind
	big   bool
	width int
	kind  dfa.TypeKind // of columns of which fields says nothing
}

// cellForms are all of them, by word.
var cellForms = func() map[string]cellForm {
	forms := map[string]cellForm{
		"u8": {dfa.UnsignedCell, false, 1, dfa.Uint8}, "i8": {dfa.SignedCell, false, 1, dfa.Int8},
	}
	for _, f := range []struct {
		word string
		cellForm
	}{
		{"u16", cellForm{dfa.UnsignedCell, false, 2, dfa.Uint16}}, {"i16", cellForm{dfa.SignedCell, false, 2, dfa.Int16}},
		{"u32", cellForm{dfa.UnsignedCell, false, 4, dfa.Uint32}}, {"i32", cellForm{dfa.SignedCell, false, 4, dfa.Int32}},
		{"u64", cellForm{dfa.UnsignedCell, false, 8, dfa.Uint64}}, {"i64", cellForm{dfa.SignedCell, false, 8, dfa.Int64}},
		{"f32", cellForm{dfa.FloatCell, false, 4, dfa.Float32}}, {"f64", cellForm{dfa.FloatCell, false, 8, dfa.Float64}},
	} {
		forms[f.word+"le"] = f.cellForm
		f.big = true
		forms[f.word+"be"] = f.cellForm
	}
	return forms
}()

// cellWords are the words, in the order of messages.
var cellWords = []string{
	"u8", "u16le", "u16be", "u32le", "u32be", "u64le", "u64be", "i8", "i16le", "i16be", "i32le", "i32be", "i64le", "i64be", "f32le", "f32be", "f64le", "f64be",
}

// binary: records of one length.
func (d *definer) binary(it *Binary) {
	before := len(d.bad.list)
	if len(it.Columns) == 0 {
		d.bad.addf(it.Pos, "binary has no columns: binary { id u32le  name 12 }")
	}
	seen := map[string]bool{}
	stride := 0
	for _, w := range it.Columns {
		name := w.Name.String()
		if seen[name] && name != hiddenName {
			d.bad.addf(w.Pos, "column %q is there twice", name)
		}
		seen[name] = true
		_, said := d.columns[name]
		c := d.columnNamed(name)
		c.Hidden = name == hiddenName
		cell, width := d.cell(w, &c, said)
		stride = min(stride+width, dfa.LimitMaxRecord)
		d.def.Columns, d.def.Widths, d.def.Cells = append(d.def.Columns, c), append(d.def.Widths, width), append(d.def.Cells, cell)
	}
	d.preface(it)
	if it.Length != "" && it.Length != strconv.Itoa(stride) && len(d.bad.list) == before {
		d.bad.addf(it.Pos, "the columns have %d bytes together, and a record has %s; what is no column is a gap: _ 4", stride, it.Length)
	}
	if stride > dfa.MaxStride {
		d.bad.addf(it.Pos, "a record of %d bytes, at most %d", stride, dfa.MaxStride)
	}
	if d.maxRecord != nil && d.def.MaxRecord < stride {
		d.bad.addf(d.maxRecord.Pos, "max_record is less than the %d bytes that a record has", stride)
	}
	if len(d.bad.list) > before {
		return
	}
	a, err := lower.BuildStride(stride)
	if err != nil {
		d.bad.addf(it.Pos, "%v", err)
		return
	}
	d.def.Automaton = a
}

// preface reads what comes before the first record.
func (d *definer) preface(it *Binary) {
	if it.Magic != nil {
		if d.def.Magic = it.Magic.Value(); d.def.Magic == "" {
			d.bad.addf(it.Magic.Pos, "magic is what the input begins with, as \"TICK\"")
		}
		d.def.Preface = len(d.def.Magic)
	}
	if it.Header != "" {
		n, err := strconv.Atoi(it.Header)
		if err != nil || n < len(d.def.Magic) || n > dfa.LimitMaxRecord {
			d.bad.addf(it.Pos, "header %s: want a number of bytes from %d", it.Header, len(d.def.Magic))
			return
		}
		d.def.Preface = n
	}
}

// cell reads one column, of which fields has said the type or not, and gives its width.
func (d *definer) cell(w *BinaryColumn, c *dfa.Column, said bool) (cell dfa.Cell, width int) {
	if w.Form == "" {
		width, err := strconv.Atoi(w.Bytes)
		if err != nil || width < 1 || width > dfa.MaxStride {
			d.bad.addf(w.Pos, "column %s: a text has 1 to %d bytes, not %s", c.Name, dfa.MaxStride, w.Bytes)
			width = 1
		}
		if w.Since != nil {
			d.bad.addf(w.Since.Pos, "column %s: since goes with an integer that is a date or a ts", c.Name)
		}
		if w.Pad != nil {
			if cell.Pad = w.Pad.Value(); len(cell.Pad) != 1 {
				d.bad.addf(w.Pad.Pos, "pad wants one symbol (one byte), as '\\x00'")
			}
		}
		if k := c.Type.Kind; k != dfa.String && k != dfa.Dictionary && k != dfa.Binary {
			c.Trim = true // as in fixed
		}
		return cell, width
	}
	form, ok := cellForms[w.Form]
	if !ok {
		d.bad.addf(w.Pos, "column %s: %q is neither a number of bytes nor one of %s%s", c.Name, w.Form, strings.Join(cellWords, " "), onlySuggestion(d.bad.suggest(w.Form, cellWords)))
		return cell, 1
	}
	if w.Pad != nil {
		d.bad.addf(w.Pad.Pos, "column %s: pad goes with texts", c.Name)
	}
	cell.Kind, cell.BigEndian = form.cell, form.big
	if !said {
		c.Type.Kind = form.kind
		c.Empties = nil
	}
	if why := notOfNumber(&c.Type, form.cell); why != "" {
		d.bad.addf(w.Pos, "column %s: %s", c.Name, why)
	}
	if w.Since != nil {
		d.since(w, c, &cell)
	}
	return cell, form.width
}

// notOfNumber says why values of a type are not numbers in binary form, "" if they are.
func notOfNumber(t *dfa.Type, cell dfa.CellKind) string {
	notation := t.Base16 || t.Size != 0 || t.Thousands != 0 || t.Point != 0
	switch k := t.Kind; {
	case notation:
		return "thousands, point, hex and size are of numbers that are written out, and this one is binary"
	case k == dfa.Date && (t.Layout != "" || len(t.Or) > 0 || cell == dfa.FloatCell):
		return "a date that is a number is one of days, an integer: write date, and no layout"
	case k == dfa.Timestamp && (!t.Epoch || len(t.Or) > 0):
		return "a ts that is a number counts from 1970: write ts(epoch(s)), or ms, us, ns"
	case k == dfa.Duration && t.Layout != "":
		return "a dur that is a number has a unit alone, as dur(ms)"
	case k == dfa.Time || k == dfa.Binary || k == dfa.IP || k == dfa.UUID || k == dfa.List || k == dfa.Map:
		return fmt.Sprintf("no %s is a number; a text has a width, as 16", dfa.WordsOf(k).Name)
	}
	return ""
}

// since reads the day that a column counts from.
func (d *definer) since(w *BinaryColumn, c *dfa.Column, cell *dfa.Cell) {
	day, err := time.Parse(time.DateOnly, w.Since.Value())
	switch k := c.Type.Kind; {
	case k != dfa.Date && k != dfa.Timestamp || cell.Kind == dfa.FloatCell:
		d.bad.addf(w.Since.Pos, "column %s: since goes with an integer that is a date or a ts", c.Name)
	case err != nil || day.Year() < 1:
		d.bad.addf(w.Since.Pos, "since wants a day, as \"1900-01-01\", not %s", w.Since.Token)
	case k == dfa.Date:
		cell.Since = day.Unix() / 86400
	default:
		per := [...]int64{dfa.Microsecond: 1e6, dfa.Second: 1, dfa.Millisecond: 1e3, dfa.Nanosecond: 1e9}[c.Type.CountUnit]
		if cell.Since = day.Unix() * per; cell.Since/per != day.Unix() {
			d.bad.addf(w.Since.Pos, "%s is too far from 1970 to be counted in nanoseconds", w.Since.Token)
		}
	}
}

// linesInBinary reports items that are for lines of text.
func (d *definer) linesInBinary() {
	type said struct {
		is  bool
		pos func() lexer.Position
		of  string
	}
	for _, s := range []said{
		{d.lines != nil, func() lexer.Position { return d.lines.Pos }, "lines"},
		{len(d.skips) > 0, func() lexer.Position { return d.skips[0].Pos }, "skip"},
		{d.form.header != nil, func() lexer.Position { return d.form.header.Pos }, "header"},
		{len(d.stops) > 0, func() lexer.Position { return d.stops[0].Pos }, "stop"},
		{d.ragged != nil, func() lexer.Position { return d.ragged.Pos }, "ragged"},
		{d.blank != nil, func() lexer.Position { return d.blank.Pos }, "blank"},
		{d.multiline != nil, func() lexer.Position { return d.multiline.Pos }, "multiline"},
		{len(d.direct) > 0, func() lexer.Position { return d.direct[0].Pos }, "directive"},
		{d.rest != nil, func() lexer.Position { return d.rest.Pos }, "rest"},
		{d.shape != nil, func() lexer.Position { return d.shape.Pos }, "shape"},
		{len(d.splits) > 0, func() lexer.Position { return d.splits[0].Pos }, "split"},
		{len(d.keyed) > 0, func() lexer.Position { return d.keyed[0].Pos }, "keyed"},
		{len(d.bare) > 0, func() lexer.Position { return d.bare[0] }, "null bare"},
	} {
		if s.is {
			d.bad.addf(s.pos(), "%s is for text, and binary records have neither lines nor separators%s", s.of, map[bool]string{true: "; bytes before the first one are binary header 16 { … }"}[slices.Contains([]string{"skip", "header"}, s.of)])
		}
	}
}
