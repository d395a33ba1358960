package dfa

// FieldsWritten is Fields for a value that was written as w says, nil if nothing
// of it was escaped, and some of whose symbols are opaque, nil if none is. An escaped
// or opaque symbol has no meaning to the automaton: it is read
// as those of which there are most, the group with most symbols. Only where these
// are no data, in the digits of a date, say, and it is data itself, it is that; but never
// the second of two quotes that are one.
//
// All pieces are Decoded. If written is not nil, it is appended there how each of
// them was written: escapes of the value and of what it was written in alike.
func (t *Table) FieldsWritten(value []byte, w *Written, opaque []bool, pieces []Piece, decoded []byte, written *[]Written) ([]Piece, []byte, ErrorCode) {
	x := lexing{t: t, value: value, escaped: w, opaque: opaque, first: len(pieces), pieces: pieces, decoded: decoded}
	row := t.Row(t.Start)
	x.fromRow = row
	led := false // the field begins with an escape whose lead stands before it
	end := func(p int, e *Emission, row uint32) {
		if x.copied = true; written == nil {
			x.end(p, e, row)
			return
		}
		before := len(*written) - len(x.pieces)
		*written = append(*written, x.written(p, p-int(e.Lag), led))
		x.end(p, e, row)
		*written = (*written)[:before+len(x.pieces)]
		led = e.Escape
	}
	for p := range value {
		e := x.entry(row, p)
		switch e.Kind() {
		case Field, Record:
			end(p, t.Emission(e), e.Row())
		case Error:
			x.blame(t.Emission(e))
		}
		row = e.Row()
	}
	if e := t.EOF(StateID(row >> entryState)); e.Kind == Record {
		end(len(value), e, 0)
	}
	return x.pieces, x.decoded, x.code
}

// end ends the field, or with it the record, as e says at symbol p.
func (x *lexing) end(p int, e *Emission, row uint32) {
	if e.Kind == Record {
		x.endRecord(p, e, row)
	} else {
		x.endField(p, e, row)
	}
}

// entry is the transition from row for symbol p of the value.
func (x *lexing) entry(row uint32, p int) Entry {
	own := x.t.Entries[row|uint32(x.value[p])]
	if (x.opaque == nil || !x.opaque[p]) && (x.escaped == nil || !x.escaped.Escaped(x.value, p)) {
		return own
	}
	e := x.t.Entries[row|x.t.ordinary]
	if own.Kind() == Data && (e.Kind() != Data || e.Coded()) && !x.t.doubles(own, x.value[p]) {
		return own
	}
	return e
}

// doubles reports whether e, the transition of symbol b, is that of the second of two that are one datum: after
// it the next b is skipped, and one more is as e.
func (t *Table) doubles(e Entry, b byte) bool {
	first := t.Entries[e.Row()|uint32(b)]
	second := t.Entries[first.Row()|uint32(b)]
	return first.Kind() == Skip && second.Kind() == Data && second.Row() == e.Row()
}

// written is how the field was written that ends at boundary, as symbol p tells. led
// says that the symbol before it is the lead of an escape in it.
func (x *lexing) written(p, boundary int, led bool) (w Written) {
	text := func(q int) {
		if x.escaped == nil {
			w.Text = append(w.Text, x.value[q])
		} else {
			w.Text = append(w.Text, x.escaped.Of(q, q+1)...)
		}
	}
	datum := func(q int) {
		text(q)
		w.End = append(w.End, uint32(len(w.Text)))
	}
	if led {
		text(x.opened - 1)
	}
	for q := x.opened; q < min(x.from, boundary); q++ {
		datum(q)
	}
	row := x.fromRow
	for q := x.from; q < min(p, boundary); q++ {
		e := x.entry(row, q)
		switch {
		case e.Kind() == Data:
			datum(q)
		case e.Kind() == Skip && e.Coded():
			text(q)
		}
		row = e.Row()
	}
	return w
}
