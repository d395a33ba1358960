package convert

import (
	"errors"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

var errNoLex = errors.New("a list or map inside of another type needs a lexical form of its own")

// part converts the elements of one child of lists or maps.
type part struct {
	fields    Fields
	converter *Converter
	column    *columns.Column
	errs      []FieldError
}

func newPart(t *dfa.Type, opt Options) (*part, error) {
	c, err := newConverter(t, opt)
	if err != nil {
		return nil, err
	}
	c.emptyIsNull = !table[t.Kind].Empty
	return &part{converter: c, column: NewColumn(t)}, nil
}

// texts reports whether the elements become texts, which can be taken back.
func (p *part) texts() bool { return p.column.Form.Buffers == columns.Texts }

// plain reports whether the elements are texts as they stand there.
func (p *part) plain() bool {
	_, ok := p.converter.impl.(*text)
	return ok
}

// push adds an element.
func (p *part) push(piece *dfa.Piece, value, decoded []byte, at int) {
	if piece.Decoded || at < 0 {
		p.fields.PushDecoded(piece.Of(value, decoded))
		return
	}
	p.fields.Push(uint32(at)+piece.Start, uint32(at)+piece.End)
}

// convert gives the elements converted, with their errors in p.errs: at the end of to,
// if that is not nil.
func (p *part) convert(to *columns.Column) *columns.Column {
	if to == nil {
		to = p.column
		to.Reset()
	}
	p.errs = p.converter.Append(to, &p.fields, p.errs[:0])
	return to
}

// lists collects the elements of lists.
type lists struct{ *part }

func newList(t *dfa.Type, opt Options) (appender, error) {
	if t.Lex == nil {
		return nil, errNoLex
	}
	p, err := newPart(t.Elem, opt)
	if err != nil {
		return nil, err
	}
	lex := t.Lex.Table()
	return &nested{lex: lex, fast: newLexer(lex), malformed: BadList, asWritten: !t.Decoded, elements: lists{p}, texts: p.texts(), notes: p.plain(), lists: newListing(lex)}, nil
}

func (l lists) reset(src []byte) { l.fields.Reset(src) }

func (l lists) add(pieces []dfa.Piece, value, decoded []byte, at int) Code {
	for i := range pieces {
		l.push(&pieces[i], value, decoded, at)
	}
	return OK
}

func (l lists) size() (n, nbytes int) { return l.fields.Len(), len(l.fields.Decoded) }

func (l lists) convert(fail func(int, Code), into []*columns.Column) []*columns.Column {
	var to *columns.Column
	base := 0
	if into != nil {
		to = into[0]
		base = to.Len
	}
	c := l.part.convert(to)
	for _, e := range l.errs {
		fail(e.Row-base, e.Code)
	}
	return []*columns.Column{c}
}

func (l lists) replaced() int64 { return l.converter.replaced }

func (l lists) countAgain(from int64) { l.converter.replaced = from }

func (l lists) eachReplaced(yield func(int, int64)) {
	for _, r := range l.converter.impl.(*text).replaced {
		yield(r.row, r.nbytes)
	}
}
