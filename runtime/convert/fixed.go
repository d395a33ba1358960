package convert

// fixed converts to values of fixed width. Batches are mostly easy rows: a run
// converts them in a loop of its own, until it meets a row that is null, in
// the Decoded buffer, near the end of the input, unusual or wrong. That one
// row goes the long way, through nulls and the parser, and the next run begins
// after it.
type fixed[T comparable] struct {
	// run converts the rows of f from i on into out, and gives the first that
	// it does not convert. It reads bytes of f.Src only, and accepts nothing
	// that parse does not accept with the same value. nil: no row is easy.
	run func(out []T, f *Fields, i int) int
	// parse converts one field.
	parse func(b []byte) (T, Code)
}

// prepare gives up easy rows if a null token looks like a value.
func (p *fixed[T]) prepare(c *Converter) {
	for _, token := range c.nulls {
		if _, code := p.parse([]byte(token)); code == OK {
			p.run = nil
		}
	}
}

func (p *fixed[T]) append(c *Converter, dst *Column, f *Fields, errs []FieldError) []FieldError {
	base, n := dst.Len, f.Len()
	out := appendValues[T](dst, n)
	dst.appendValid(n)
	var zero T
	for i := 0; i < n; i++ {
		if p.run != nil {
			if i = p.run(out, f, i); i == n {
				break
			}
		}
		b, ok := c.value(f, i)
		code := IsNull
		if ok {
			if out[i], code = p.parse(b); code == OK {
				continue
			}
		} else if c.def != nil {
			out[i] = values[T](c.def.Fixed)[0]
			continue
		}
		out[i] = zero
		dst.setNull(base + i)
		if ok || c.required {
			errs = append(errs, FieldError{base + i, code})
		}
	}
	return errs
}
