package convert

import (
	"slices"
	"strings"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

// forms are the easy rows of a column whose times are written in one of several forms: of the first
// one as those of a column of that form alone, of others by frames. Easy are those of one form
// at a time, another one when enough rows are in that.
//
// A row is in the first form that it fits, by which symbols stand where. If a form does not fit a
// time whose digits of the clock are all 0, it fits none with other digits there: no text of it has
// digits, and an offset that may be 00 may be other numbers at most. So a frame holds for all its
// times that no form before reads them.
type forms[T int32 | int64] struct {
	first  *fixed[T] // runs what the form runs whose rows are easy
	runs   []func(out []T, f *Fields, i int) int
	each   []vectors
	frames []*frames
	framed []bool // a row in a frame of the form is in no form before
	now    int    // the form whose rows are easy
	other  int    // one whose rows would be,
	times  int    // how many of them there were,
	enough int    // and how many there have to be for it to be the next: twice as many each time
}

// How many rows have to be in another form for its rows to be easy: at first, and at most.
const otherForm, mostOtherForm = 4, 1 << 12

// firstForm reads each field in the first of t's forms that it fits, as build's
// parsers say: by which symbols stand where. A field that fits and means no day or
// time that exists is wrong, and no other form is tried.
func firstForm[T int32 | int64](t *dfa.Type, opt Options, misfit Code, build func(*dfa.Type, Options) (appender, error)) (appender, error) {
	var parsers []func([]byte) (T, Code)
	p, all := &forms[T]{enough: otherForm}, t.Forms()
	for i, form := range all {
		a, err := build(&form, opt)
		if err != nil {
			return nil, err
		}
		one := a.(*fixed[T])
		run, vectors := one.run, one.vectors
		plain := plainForms(all[:i])
		switch f := one.frames; {
		case i == 0:
			if p.first = one; run == nil {
				one.run = func(_ []T, _ *Fields, i int) int { return i }
			}
		case f != nil && plain:
			before := parsers[:i:i]
			f.earlier = func(b []byte) bool {
				return slices.ContainsFunc(before, func(parse func([]byte) (T, Code)) bool {
					_, code := parse(b)
					return code != misfit
				})
			}
			run = func(out []T, fields *Fields, i int) int { return runFrames(f, out, fields, i) }
			vectors = f.vectors(int(unsafe.Sizeof(T(0))))
		default:
			run = nil
		}
		p.runs, p.each, p.frames = append(p.runs, run), append(p.each, vectors), append(p.frames, one.frames)
		p.framed = append(p.framed, one.frames != nil && plain)
		parsers = append(parsers, one.parse)
	}
	if opt.Plain {
		return &fixed[T]{parse: func(b []byte) (v T, code Code) {
			for _, parse := range parsers {
				if v, code = parse(b); code != misfit {
					break
				}
			}
			return v, code
		}}, nil
	}
	p.first.parse = func(b []byte) (v T, code Code) {
		if v, ok := p.inFrame(b); ok {
			return v, OK
		}
		for i, parse := range parsers {
			if v, code = parse(b); code != misfit {
				if f := p.frames[i]; code == OK && p.framed[i] && f.in(b) == nil {
					f.learn(b)
				}
				p.fits(i, b)
				return v, code
			}
		}
		return v, misfit
	}
	return p.first, nil
}

// inFrame reads b if it is in a frame of some form: where rows of several forms take turns, most are.
func (p *forms[T]) inFrame(b []byte) (v T, ok bool) {
	for i, f := range p.frames {
		if !p.framed[i] {
			continue
		}
		if m := f.in(b); m != nil {
			if v, ok := f.value(m, b); ok {
				f.hits++
				p.fits(i, b)
				return T(v), true
			}
		}
	}
	return 0, false
}

// plainForms reports whether all forms have layouts, whose text has no digits and no names that
// may have some.
func plainForms(all []dfa.Type) bool {
	return !slices.ContainsFunc(all, func(t dfa.Type) bool {
		l, err := layoutOf(&t)
		return t.Epoch || err != nil || slices.ContainsFunc(l.ops, func(o op) bool { return o.words != nil || strings.ContainsAny(o.text, "0123456789") })
	})
}

// slowForm is the first form of t that has no easy rows, by its number; 0: all have.
func slowForm(t *dfa.Type, opt Options) (i int) {
	all := t.Forms()
	for i := 1; i < len(all); i++ {
		c, err := NewConverter(&dfa.Column{Type: all[i]}, opt)
		if err != nil {
			continue
		}
		if p, ok := c.impl.(interface{ hasFrames() bool }); !ok || !p.hasFrames() || !plainForms(all[:i]) {
			return i
		}
	}
	return 0
}

func (p *fixed[T]) hasFrames() bool { return p.frames != nil }

// fits is told that a row that was not easy, b, is in form i.
func (p *forms[T]) fits(i int, b []byte) {
	if i == p.now || p.runs[i] == nil || p.first.run == nil {
		return
	}
	if f := p.frames[i]; i > 0 && f.in(b) == nil && !f.learn(b) {
		return // it would not be easy
	}
	if i != p.other {
		p.other, p.times = i, 0
	}
	if p.times++; p.times < p.enough {
		return
	}
	p.each[p.now] = p.first.vectors
	p.first.run, p.first.vectors = p.runs[i], p.each[i]
	p.now, p.times, p.enough = i, 0, min(2*p.enough, mostOtherForm)
}
