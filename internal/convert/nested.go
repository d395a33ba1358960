package convert

import (
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// nested converts a column of lists or maps. The elements of many rows are
// collected first and converted together, into scratch Columns; those of rows
// without a fault are then appended to the column.
//
//	rows      [1,2] [] [x,3] [4]        x is not a number
//	elements  1 2      x 3   4          ends 2 2 4 5
//	appended  1 2            4          offsets 0 2 2 2 3, row 2 null
type nested struct {
	lex       *dfa.Table
	fast      *lexer    // of lex, nil if there is none
	ahead     *dfa.Type // if some symbols of values may be opaque
	opaque    []bool    // scratch memory
	malformed Code
	asWritten bool // what was escaped in the field is no more than data to lex
	elements  elements
	texts     bool     // elements become texts, nothing else
	lists     *listing // of lists whose elements are found by masks, else nil
	// Of maps whose pairs are found by masks, else nil.
	pairs     *pairing
	maps      *maps
	keysAhead *keyAhead // of maps that end before a key only, else nil
	bridges   *bridges  // of maps whose pairs are not, nil if there are none
	others    *others   // of the Splitter that has read the values before, nil if there is none
	ends      []int32   // scratch memory: where the pairs of rows of others end
	packer    packer    // if keys and values need no conversion
	tries     tries     // of pairs
	unpack    int       // rows that are converted otherwise where a row cannot be packed
	alone     int       // rows that are read by themselves among those that are packed
	apart     apart
	rows      []nestedRow
	pieces    []dfa.Piece
	decoded   []byte
	notes     bool          // it is known in which rows bytes are replaced:
	replaced  []replacedRow // those of the last round
}

// nestedRow is a row whose elements wait to be converted.
type nestedRow struct {
	end  int // elements up to and with this row
	null bool
	code Code
}

// elements collects and converts the elements of rows.
type elements interface {
	// reset forgets all elements; those to come lie in src, or are copied. Of nil: there
	// are none to come.
	reset(src []byte)
	// add adds the elements of one row, or none, and says why, if they make no
	// value. at is where the row's value lies in src, -1: elsewhere.
	add(pieces []dfa.Piece, value, decoded []byte, at int) Code
	// size is how many elements there are, and the bytes that they keep.
	size() (n, nbytes int)
	// convert gives what the elements become, at the end of into if that is not nil,
	// and calls fail with each that cannot be converted; it gives nil if they have to
	// be collected again, one row after the other.
	convert(fail func(element int, code Code), into []*columns.Column) []*columns.Column
	// replaced is how many bytes of invalid UTF-8 have been replaced; countAgain sets
	// the number back.
	replaced() int64
	countAgain(from int64)
	// eachReplaced calls yield with the elements converted last in which bytes are replaced, and how many,
	// if all are texts.
	eachReplaced(yield func(element int, nbytes int64))
}

// A block of elements is converted when it has grown to so many of them, or so
// many bytes: enough for long loops, few enough to stay in the second-level cache.
const (
	blockElements = 1 << 13
	blockBytes    = 1 << 24
)

// giveUp leaves the values to lex, and their elements to flush.
func (p *nested) giveUp() {
	p.fast, p.lists, p.pairs, p.keysAhead, p.bridges, p.packer = nil, nil, nil, nil, nil, nil
	p.texts, p.notes = false, false
}

func (p *nested) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	p.replaced = p.replaced[:0]
	if p.pairs != nil && !c.trim && len(f.Literal) == 0 && !c.required && c.def == nil {
		if errs, ok := p.appendApart(c, dst, f, errs); ok {
			return errs
		}
	}
	return p.appendRows(c, dst, f, errs)
}

func (p *nested) appendRows(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	easy := !c.trim && len(f.Literal) == 0
	masks := (p.pairs != nil || p.lists != nil || p.keysAhead != nil || p.bridges != nil) && easy
	if p.packer != nil && easy {
		p.packer.begin(c, f)
	}
	for first := 0; ; {
		to := f.Len()
		if p.packer != nil && easy {
			n := 0
			n, errs = p.packAll(c, dst, f, first, errs)
			if first += n; first == to {
				break
			}
			to = min(first+p.unpack, to)
		}
		first, errs = p.appendBlock(c, dst, f, first, to, masks, errs)
		if first == f.Len() {
			break
		}
	}
	c.replaced = p.elements.replaced()
	p.elements.reset(nil)
	return errs
}

// appendBlock appends a block of rows from row i on, before row to, and gives the row behind it.
func (p *nested) appendBlock(c *Converter, dst *columns.Column, f *Fields, i, to int, masks bool, errs []FieldError) (next int, _ []FieldError) {
	next = p.collect(c, f, i, to, masks)
	replaced := p.elements.replaced()
	defer func() {
		if p.notes && p.elements.replaced() != replaced {
			p.noteReplaced(i)
		}
	}()
	if all, ok := p.appendTexts(c, dst, f, errs); ok {
		return next, all
	}
	scratch := p.convert(nil)
	if scratch == nil { // keys repeat that are to be merged
		p.elements.countAgain(replaced)
		next = p.collect(c, f, i, to, false)
		scratch = p.convert(nil)
	}
	return next, p.flush(c, dst, scratch, errs)
}

// noteReplaced notes the rows of a block, the first of which is row i, in which bytes are replaced.
func (p *nested) noteReplaced(i int) {
	had, k := len(p.replaced), 0
	p.elements.eachReplaced(func(element int, nbytes int64) {
		k = p.rowOf(element, k)
		p.replaced = append(p.replaced, replacedRow{i + k, nbytes})
	})
	own := p.replaced[had:]
	slices.SortFunc(own, func(a, b replacedRow) int { return a.row - b.row })
	n := 0
	for _, r := range own {
		if n > 0 && own[n-1].row == r.row {
			own[n-1].nbytes += r.nbytes
			continue
		}
		own[n] = r
		n++
	}
	p.replaced = p.replaced[:had+n]
}

// collect collects a block of rows from row i on, before row to, and gives the row behind it.
func (p *nested) collect(c *Converter, f *Fields, i, to int, masks bool) int {
	p.elements.reset(f.Src)
	p.rows = p.rows[:0]
	for i < to {
		n := 0
		if masks && p.lists != nil {
			n = p.listRows(c, f, i, to)
		} else if masks && p.keysAhead != nil {
			if p.addAhead(c, f, i) {
				n = 1
			}
		} else if masks {
			if p.others != nil {
				n = p.addOthers(f, i, to)
			}
			if n == 0 && p.pairs != nil && p.tries.due() {
				n = p.batch(c, f, i, to)
				p.tries.gave(n)
			}
			if n == 0 && p.bridges != nil && (p.pairs == nil || p.tries.last >= untriedAll) && p.addBridged(c, f, i) {
				n = 1
			}
		}
		if i += n; n == 0 {
			p.add(c, f, i)
			i++
		}
		if n, nbytes := p.elements.size(); n >= blockElements || nbytes >= blockBytes {
			break
		}
	}
	return i
}

// addOthers collects rows from row i on, before row to, as many of which the Splitter has noted the pairs, and gives how many.
func (p *nested) addOthers(f *Fields, i, to int) (n int) {
	keys, values := &p.maps.keys[0].fields, &p.maps.values.fields
	at, first := int32(keys.Len()), int32(values.Len())
	p.ends = p.others.addRows(f, i, to, keys, values, p.ends[:0])
	n = len(p.ends)
	p.addRows(at, first, p.ends, f.Start[i:i+n], f.End[i:i+n])
	return n
}

// batch collects rows from row i on, before row to, by masks: as many as it can.
func (p *nested) batch(c *Converter, f *Fields, i, to int) int {
	keys := &p.maps.keys[0].fields
	at, first := int32(keys.Len()), int32(p.maps.values.fields.Len())
	n := p.pairs.batch(c, f, i, to, keys, &p.maps.values.fields)
	ends := p.pairs.ends[:n]
	if p.maps.taken != nil {
		p.maps.known.others(keys, &p.maps.values.fields, at, ends)
	}
	p.addRows(at, first, ends, p.pairs.start, p.pairs.end)
	return n
}

// addRows collects rows whose keys are those from number at on, and their values those from number first on. Their keys end at
// ends, relative to at, which may be changed; the rows lie from start up to end.
func (p *nested) addRows(at, first int32, ends []int32, start, end []uint32) {
	early := p.maps.unifiesEarly()
	if early {
		p.maps.unify(at, first, ends, start, end)
	}
	from := at
	for _, end := range ends {
		p.rows = append(p.rows, nestedRow{end: int(at + end)})
		if !early {
			p.maps.unseen = append(p.maps.unseen, span{from, at + end})
		}
		from = at + end
	}
}

// add collects row i of f.
func (p *nested) add(c *Converter, f *Fields, i int) {
	row := nestedRow{}
	if value, ok := c.value(f, i); !ok {
		row.null, row.code = true, IsNull
	} else {
		at := -1
		if f.Start[i] < InDecoded {
			at = cap(f.Src) - cap(value) // what is cut off in front of a slice is cut off its capacity
		}
		var fault dfa.ErrorCode
		l := f.literal(i)
		if l != nil && l.Empty {
			p.pieces = p.pieces[:0]
		} else if l != nil && l.As != nil && p.asWritten {
			p.pieces, p.decoded, fault = p.lex.FieldsWritten(value, l.As, p.opaqueOf(value, l.As), p.pieces[:0], p.decoded[:0], nil)
		} else if p.ahead != nil {
			p.pieces, p.decoded, fault = p.lex.FieldsWritten(value, nil, p.opaqueOf(value, nil), p.pieces[:0], p.decoded[:0], nil)
		} else if !p.lexed(value) {
			p.pieces, p.decoded, fault = p.lex.Fields(value, p.pieces[:0], p.decoded[:0])
		}
		if fault != 0 {
			row.code = p.malformed
		} else {
			row.code = p.elements.add(p.pieces, value, p.decoded, at)
		}
	}
	row.end, _ = p.elements.size()
	p.rows = append(p.rows, row)
}

// faultOf says why row i of f, which has a value, is no map of one level; OK if it may be one.
func (p *nested) faultOf(c *Converter, f *Fields, i int) Code {
	value, _ := c.value(f, i)
	if !p.lexed(value) {
		var fault dfa.ErrorCode
		if p.pieces, p.decoded, fault = p.lex.Fields(value, p.pieces[:0], p.decoded[:0]); fault != 0 {
			return p.malformed
		}
	}
	if _, _, ok := misplaced(p.pieces, 1); !ok {
		return BadMap
	}
	if u := &p.maps.unique; u.policy == dfa.NoDuplicates && u.repeats(p.pieces, value, p.decoded) {
		return DuplicateKey
	}
	return OK
}

// opaqueOf says which symbols of value mean nothing to lex, nil if all do.
func (p *nested) opaqueOf(value []byte, w *dfa.Written) []bool {
	if p.ahead == nil {
		return nil
	}
	p.opaque = p.ahead.Opaque(value, w, p.opaque)
	return p.opaque
}

// lexed takes value apart if that can be done fast.
func (p *nested) lexed(value []byte) (ok bool) {
	if p.fast == nil {
		return false
	}
	p.pieces, p.decoded, ok = p.fast.fields(value, p.pieces[:0], p.decoded[:0])
	return ok
}

// convert converts the elements collected, and notes which rows have a fault.
func (p *nested) convert(into []*columns.Column) []*columns.Column {
	k := 0
	return p.elements.convert(func(element int, code Code) {
		k = p.rowOf(element, k)
		if p.rows[k].code == OK {
			p.rows[k].code = code
		}
	}, into)
}

// appendTexts converts the elements collected where they will be, if they are texts for
// which there is room. If a row with elements turns out to have a fault they are taken
// back, and ok is false.
func (p *nested) appendTexts(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) (_ []FieldError, ok bool) {
	n, nbytes := p.elements.size()
	// A byte becomes three at most.
	if !p.texts || dst.Children[0].Len+n > columns.MaxData || 3*(len(f.Src)+nbytes) > columns.MaxData {
		return errs, false
	}
	var had, nulls [2]int
	for i, child := range dst.Children {
		if len(child.Data)+3*(len(f.Src)+nbytes) > columns.MaxData {
			return errs, false
		}
		had[i], nulls[i] = child.Len, child.Nulls
	}
	replaced := p.elements.replaced()
	ok = p.convert(dst.Children) != nil
	end := 0
	for i := range p.rows {
		row := &p.rows[i]
		ok = ok && (row.code == OK || row.end == end && !(row.null && c.def != nil))
		end = row.end
	}
	if !ok {
		p.elements.countAgain(replaced)
		for i, child := range dst.Children {
			child.Truncate(had[i], nulls[i])
		}
		return errs, false
	}
	first := dst.Len
	dst.AppendValid(len(p.rows))
	offsets := dst.GrowOffsets(len(p.rows))
	for i := range p.rows {
		row := &p.rows[i]
		offsets[i] = int32(had[0] + row.end)
		if row.code != OK {
			dst.SetNull(first + i)
			if !row.null || c.required {
				errs = append(errs, FieldError{first + i, row.code})
			}
		}
	}
	return errs, true
}

// flush appends the rows collected, whose elements have become scratch.
func (p *nested) flush(c *Converter, dst *columns.Column, scratch []*columns.Column, errs []FieldError) []FieldError {
	g := gathering{dst: dst, scratch: scratch, base: dst.Children[0].Len}
	tight := !g.fits(0, scratch[0].Len)
	if len(p.rows) > 0 && !tight && p.flawless() {
		g.rows(p.rows)
		return errs
	}
	for _, row := range p.rows {
		if tight && row.code == OK {
			if g.appendElements(g.end); !g.fits(g.end, row.end) {
				row.code = BatchFull
			}
		}
		switch {
		case row.code == OK:
			g.row(row.end)
			continue
		case row.null && c.def != nil:
			if g.appendElements(g.end); dst.Fits(c.def, 0, 1) {
				dst.AppendRows(c.def, 0, 1)
				g.base = dst.Children[0].Len
				tight = tight || !g.fits(g.end, scratch[0].Len)
				continue
			}
			row.null, row.code = false, BatchFull
		}
		g.skip(row.end)
		dst.SetNull(dst.Len - 1)
		if !row.null || c.required {
			errs = append(errs, FieldError{dst.Len - 1, row.code})
		}
	}
	g.appendElements(g.end)
	return errs
}

// flawless reports whether no row is null or has a fault.
func (p *nested) flawless() bool {
	var codes Code
	for i := range p.rows {
		codes |= p.rows[i].code
	}
	return codes == OK
}

// rowOf is the row of an element, looked for from row k on; before that if the
// element comes before it.
func (p *nested) rowOf(element, k int) int {
	if k > 0 && element < p.rows[k-1].end {
		k = 0
	}
	for p.rows[k].end <= element {
		k++
	}
	return k
}

// gathering appends rows to dst, and their elements, which lie in scratch, in
// long ranges.
type gathering struct {
	dst     *columns.Column
	scratch []*columns.Column
	from    int // elements from here to end belong to rows appended
	end     int
	base    int // elements in dst
}

func (g *gathering) fits(from, to int) bool {
	for i, child := range g.dst.Children {
		if !child.Fits(g.scratch[i], from, to) {
			return false
		}
	}
	return g.dst.Children[0].Len+to-from <= columns.MaxData
}

// appendElements appends the elements that belong to the rows appended so far; those
// that come next begin at to.
func (g *gathering) appendElements(to int) {
	for i, child := range g.dst.Children {
		child.AppendRows(g.scratch[i], g.from, g.end)
	}
	g.from, g.end, g.base = to, to, g.dst.Children[0].Len
}

// row appends a row whose elements end at end.
func (g *gathering) row(end int) {
	g.end = end
	g.dst.GrowOffsets(1)[0] = int32(g.base + end - g.from)
	g.dst.AppendValid(1)
}

// rows appends rows with all their elements.
func (g *gathering) rows(rows []nestedRow) {
	offsets := g.dst.GrowOffsets(len(rows))
	for i := range rows {
		offsets[i] = int32(g.base + rows[i].end)
	}
	g.dst.AppendValid(len(rows))
	g.end = rows[len(rows)-1].end
	g.appendElements(g.end)
}

// skip appends a row without its elements, which end at end.
func (g *gathering) skip(end int) {
	if end != g.end {
		g.appendElements(end)
	}
	g.row(end)
}
