package dfa

// This file is the order in which the parts of a Definition are encoded. To
// add a part is to add a line here and to count encodingVersion up.

func (c *codec) definition(d *Definition) {
	c.text("name", &d.Name)
	c.text("doc", &d.Doc)
	c.text("encoding", &d.Encoding)
	pointer(c, "automaton", &d.Automaton, c.automaton)
	list(c, "shape", &d.Shapes, 2, func(s *Shape) {
		c.text("name", &s.Name)
		list(c, "column", &s.Columns, 1, func(i *int) { number(c, "index", i) })
	})
	c.texts("class", &d.Classes)
	list(c, "column", &d.Columns, 12, c.column)
	c.texts("default null", &d.DefaultNulls)
	c.texts("default decoded null", &d.DefaultDecodedNulls)
	c.texts("default empty", &d.DefaultEmpties)
	pointer(c, "default keep", &d.DefaultKeep, c.kept)
	c.text("openers", &d.Openers)
	list(c, "width", &d.Widths, 1, func(w *int) { number(c, "bytes", w) })
	list(c, "cell", &d.Cells, 4, func(cell *Cell) {
		number(c, "kind", &cell.Kind)
		c.flag("big-endian", &cell.BigEndian)
		c.text("pad", &cell.Pad)
		since := int(cell.Since)
		c.signed("since", &since)
		if !c.encoding {
			cell.Since = int64(since)
		}
	})
	number(c, "preface", &d.Preface)
	c.text("magic", &d.Magic)
	c.flag("rest", &d.HasRest)
	list(c, "skip", &d.Skip, 3, func(s *SkippedLines) {
		number(c, "lines", &s.Lines)
		c.texts("prefix", &s.Prefixes)
		c.texts("until", &s.Until)
	})
	number(c, "header mode", &d.Header.Mode)
	number(c, "header rows", &d.Header.Rows)
	c.flag("header joined", &d.Header.Joined)
	c.text("header between", &d.Header.Between)
	list(c, "directive", &d.Directives, 2, func(dir *Directive) {
		c.text("prefix", &dir.Prefix)
		number(c, "action", &dir.Action)
		c.text("text", &dir.Text)
		list(c, "column", &dir.Columns, 12, c.column)
	})
	number(c, "ragged", &d.Ragged)
	number(c, "error mode", &d.OnError)
	number(c, "utf8 policy", &d.UTF8)
	number(c, "longest record", &d.MaxRecord)
}

func (c *codec) column(col *Column) {
	c.text("name", &col.Name)
	c.enter("type", -1)
	c.columnType(&col.Type)
	c.leave()
	c.flag("required", &col.Required)
	c.flag("optional", &col.Optional)
	c.texts("null", &col.Nulls)
	c.texts("decoded null", &col.DecodedNulls)
	c.texts("empty", &col.Empties)
	c.text("default", &col.Default)
	c.flag("has default", &col.HasDefault)
	pointer(c, "keep", &col.Keep, c.kept)
	c.flag("trim", &col.Trim)
	c.flag("hidden", &col.Hidden)
	number(c, "class", &col.Class)
	c.flag("shape", &col.Shape)
	pointer(c, "split", &col.Split, func(s *Split) {
		if len(c.path) > maxNesting {
			c.fail("nested too deep")
			return
		}
		pointer(c, "automaton", &s.Automaton, c.automaton)
		list(c, "column", &s.Columns, 12, c.column)
		c.flag("strict", &s.Strict)
		c.flag("decoded", &s.Decoded)
		c.texts("text from the end", &s.FromEnd)
		c.flag("keyed", &s.Keyed)
		c.flag("json", &s.JSON)
		c.text("path", &s.Path)
	})
}

func (c *codec) kept(k *Kept) {
	number(c, "lead", &k.Lead)
	c.text("itself", &k.Itself)
}

// maxNesting bounds the path to a part of a Definition while it is read;
// validation, which asks for less, comes later.
const maxNesting = 16

func (c *codec) columnType(t *Type) {
	number(c, "kind", &t.Kind)
	c.signed("precision", &t.Precision)
	c.signed("scale", &t.Scale)
	number(c, "unit", &t.Unit)
	number(c, "encoding", &t.Encoding)
	c.text("layout", &t.Layout)
	c.flag("epoch", &t.Epoch)
	number(c, "counted unit", &t.CountUnit)
	list(c, "other form", &t.Or, 3, func(f *ClockForm) {
		c.text("layout", &f.Layout)
		c.flag("epoch", &f.Epoch)
		number(c, "counted unit", &f.CountUnit)
	})
	c.texts("month", &t.Names.Months)
	c.texts("short month", &t.Names.ShortMonths)
	c.texts("weekday", &t.Names.Weekdays)
	c.texts("short weekday", &t.Names.ShortWeekdays)
	list(c, "zone name", &t.Names.Zones, 2, func(z *ZoneName) {
		c.text("name", &z.Name)
		c.signed("offset", &z.Offset)
	})
	c.text("zone", &t.Zone)
	c.flag("no zone", &t.NoZone)
	c.signed("year", &t.Year)
	c.flag("bytes", &t.Bytes)
	c.texts("true token", &t.True)
	c.texts("false token", &t.False)
	c.texts("token", &t.Tokens)
	number(c, "thousands", &t.Thousands)
	number(c, "point", &t.Point)
	c.flag("base 16", &t.Base16)
	c.flag("implied point", &t.Implied)
	number(c, "size", &t.Size)
	list(c, "range", &t.In, 2, func(r *Interval) {
		c.text("low", &r.Low)
		c.text("high", &r.High)
	})
	c.flag("decoded", &t.Decoded)
	number(c, "duplicates", &t.Duplicates)
	if t.Kind != List && t.Kind != Map {
		return
	}
	if len(c.path) > maxNesting {
		c.fail("nested too deep")
		return
	}
	pointer(c, "element", &t.Elem, c.columnType)
	pointer(c, "lex", &t.Lex, c.automaton)
	pointer(c, "ahead", &t.Ahead, func(k *KeyAhead) {
		number(c, "pair", &k.Pair)
		number(c, "sign", &k.Sign)
		c.flag("run", &k.Run)
		number(c, "lead", &k.Lead)
	})
}

func (c *codec) automaton(a *Automaton) {
	list(c, "state", &a.States, 2, func(s *State) {
		c.text("name", &s.Name)
		c.text("doc", &s.Doc)
	})
	number(c, "start", &a.Start)
	number(c, "groups", &a.NGroups)
	for symbol := range a.Group {
		number(c, "symbol's group", &a.Group[symbol])
	}
	list(c, "next", &a.Next, 1, func(s *StateID) { number(c, "state", s) })
	list(c, "emit", &a.Emit, 1, func(e *EmissionID) { number(c, "emission", e) })
	list(c, "at eof", &a.AtEOF, 1, func(e *EmissionID) { number(c, "emission", e) })
	list(c, "emission", &a.Emissions, 12, c.emission)
	c.texts("message", &a.Messages)
}

func (c *codec) emission(e *Emission) {
	number(c, "kind", &e.Kind)
	number(c, "substitution", &e.Sub)
	number(c, "byte", &e.Byte)
	c.flag("escape", &e.Escape)
	column := int(e.Column)
	c.signed("column", &column)
	if !c.encoding {
		if e.Column = int16(column); int(e.Column) != column {
			c.fail("column: %d is out of range", column)
		}
	}
	number(c, "class", &e.Class)
	number(c, "record kind", &e.Record)
	number(c, "lag", &e.Lag)
	number(c, "open", &e.Open)
	c.flag("touch", &e.Touch)
	number(c, "error code", &e.Code)
	number(c, "blame", &e.Blame)
}
