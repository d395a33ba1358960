package convert

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/columns"
)

// fixed converts to values of fixed width. Rounds are mostly easy rows: a run
// converts them in a loop of its own, until it meets a row that is null, in
// the Decoded buffer, near the end of the input, unusual or wrong. That one
// row goes the long way, through nulls and the parser, and the next run begins
// after it. Where the machine has a kernel for the column, runs are of the rows
// that it left.
type fixed[T comparable] struct {
	// run converts the rows of f from i on into out, and gives the first that
	// it does not convert. It reads bytes of f.Src only, and accepts nothing
	// that parse does not accept with the same value. nil: no row is easy.
	run func(out []T, f *Fields, i int) int
	// recent, if it is not nil, has values that need no run.
	recent *recent[T]
	// parse converts one field.
	parse func(b []byte) (T, Code)
	// vectors come before run, and are held to the same.
	vectors vectors
	// plainly says that these leave what Options.Look is to see.
	plainly bool
	frames  *frames  // of times that have some, whether run asks them or not
	nulls   []T      // what null tokens are as values
	grouped *grouped // nil unless numbers may have separators of thousands
	part    Fields   // the rows up to the one where a stretch of rows ends,
	bare    Fields   // and as grouped has them
	present present[T]
	missing int // null rows of the last round that had no kernel
}

// prepare notes which values null tokens have. Easy rows of such a value are looked at again; NaN is no easy row's.
func (p *fixed[T]) prepare(c *Converter) {
	for _, token := range c.nulls {
		if v, code := p.parse([]byte(token)); code == OK {
			p.nulls = append(p.nulls, v)
		}
	}
}

func (p *fixed[T]) giveUp() { p.run, p.recent, p.vectors, p.grouped = nil, nil, vectors{}, nil }

// remember makes a column keep values that it has read, unless vector code reads them.
func (p *fixed[T]) remember() {
	if p.vectors.kernel == nil {
		p.recent = &recent[T]{credit: recentCredit}
	}
}

func (p *fixed[T]) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	n := f.Len()
	out := columns.AppendValues[T](dst, n)
	dst.AppendValid(n)
	bare := f
	if p.grouped != nil {
		bare = p.grouped.without(f)
	}
	todo := p.vectors.convert(unsafe.Pointer(unsafe.SliceData(out)), bare)
	p.leaveNulls(out, todo)
	if p.plainly && c.look != nil {
		p.show(c.look, f, todo)
	}
	if todo == nil {
		had := dst.Nulls
		if p.missing*fewPresent > n && bare == f && p.run != nil && c.clearlyNull() {
			errs = p.present.apart(c, dst, f, out, errs, p.easy, p.row)
		} else {
			errs = p.rows(c, dst, f, bare, out, 0, errs)
		}
		p.missing = dst.Nulls - had
		return errs
	}
	if left := todo.len(); left > 0 {
		left -= p.takeNulls(c, dst, f, out, todo)
		if p.grouped == nil || bare != f {
			p.vectors.left(left, n)
		}
	}
	for i := todo.next(0, none); i < n; {
		end := min(todo.next(i, all), n)
		if end == i+1 { // it is wrong more often than unusual
			errs = p.row(c, dst, f, out, i, errs)
		} else {
			p.part = Fields{f.Src, f.Decoded, f.Start[:end], f.End[:end], f.Literal}
			p.bare = Fields{Src: bare.Src, Start: bare.Start[:end], End: bare.End[:end]}
			errs = p.rows(c, dst, &p.part, &p.bare, out, i, errs)
		}
		i = todo.next(end, none)
	}
	p.part, p.bare = Fields{}, Fields{}
	return errs
}

// show lets look see the rows of todo; nil: all.
func (p *fixed[T]) show(look func(*Fields), f *Fields, todo rowSet) {
	if todo == nil {
		look(f)
		return
	}
	n := f.Len()
	for i := todo.next(0, none); i < n; {
		end := min(todo.next(i, all), n)
		f.Slice(&p.part, i, end)
		look(&p.part)
		i = todo.next(end, none)
	}
	p.part = Fields{}
}

// looks reports whether show is who lets look see.
func (p *fixed[T]) looks() bool { return p.plainly }

// leaveNulls adds those rows to todo whose value is that of a null token.
func (p *fixed[T]) leaveNulls(out []T, todo rowSet) {
	for _, null := range p.nulls {
		for k := range todo {
			var w uint64
			for i, v := range out[64*k : min(64*(k+1), len(out))] {
				if v == null {
					w |= 1 << i
				}
			}
			todo[k] |= w
		}
	}
}

// clearlyNull reports whether rows that are absent, empty or a token are null, and nothing but null.
func (c *Converter) clearlyNull() bool {
	return !c.trim && !c.required && c.def == nil && c.emptyIsNull
}

// takeNulls takes the rows out of todo that are clearly null, and nothing but
// null, and gives how many.
func (p *fixed[T]) takeNulls(c *Converter, dst *columns.Column, f *Fields, out []T, todo rowSet) int {
	if !c.clearlyNull() {
		return 0
	}
	var zero T
	had, first := dst.Nulls, dst.Len-len(out)
	for k := range todo {
		p.takeAbsent(dst, f, out, todo, k)
		for w := todo[k]; w != 0; w &= w - 1 {
			i := 64*k + bits.TrailingZeros64(w)
			if c.tokens.plain(c, f, i) {
				out[i] = zero
				dst.SetNull(first + i)
				todo[k] &^= w & -w
			}
		}
	}
	return dst.Nulls - had
}

// takeAbsent is takeNulls for the absent rows of word k of todo: of records of several shapes most are, without a branch for each.
func (p *fixed[T]) takeAbsent(dst *columns.Column, f *Fields, out []T, todo rowSet, k int) {
	var absent [1]uint64
	for w := todo[k]; w != 0; w &= w - 1 {
		if bit := w & -w; f.Start[64*k+bits.TrailingZeros64(w)] == Absent {
			absent[0] |= bit
		}
	}
	if absent[0] == 0 {
		return
	}
	var zero T
	for w := absent[0]; w != 0; w &= w - 1 {
		out[64*k+bits.TrailingZeros64(w)] = zero
	}
	todo[k] &^= absent[0]
	dst.SetNulls(dst.Len-len(out)+64*k, absent[:])
}

// rows converts the rows of f from i on, which are bare for run; out, and the last rows of dst, may be
// of more.
func (p *fixed[T]) rows(c *Converter, dst *columns.Column, f, bare *Fields, out []T, i int, errs []FieldError) []FieldError {
	for n := f.Len(); i < n; i++ {
		if p.run != nil {
			from := i
			i = p.easy(out[:n], bare, i)
			if len(p.nulls) > 0 {
				for k := from; k < i; k++ {
					if slices.Contains(p.nulls, out[k]) {
						errs = p.row(c, dst, f, out, k, errs)
					}
				}
			}
			if i == n {
				break
			}
		}
		errs = p.row(c, dst, f, out, i, errs)
	}
	return errs
}

// easy converts rows as run does.
func (p *fixed[T]) easy(out []T, f *Fields, i int) int {
	if p.recent != nil {
		return p.recent.run(out, f, i, p.run)
	}
	return p.run(out, f, i)
}

// row converts row i of f, the long way; the last rows of dst are out.
func (p *fixed[T]) row(c *Converter, dst *columns.Column, f *Fields, out []T, i int, errs []FieldError) []FieldError {
	b, ok := c.value(f, i)
	code := IsNull
	if ok {
		if p.grouped != nil {
			p.grouped.some++
		}
		if out[i], code = p.parse(b); code == OK {
			return errs
		}
	} else if c.def != nil {
		out[i] = columns.ValuesOf[T](c.def.Fixed)[0]
		return errs
	}
	var zero T
	out[i] = zero
	row := dst.Len - len(out) + i
	dst.SetNull(row)
	if ok || c.required {
		errs = append(errs, FieldError{row, code})
	}
	return errs
}

// kernels is for tests, which do not know T.
func (p *fixed[T]) kernels() *vectors { return &p.vectors }

// oneByOne reports whether no row is easy.
func (p *fixed[T]) oneByOne() bool { return p.run == nil && p.vectors.kernel == nil }
