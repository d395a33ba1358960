package runtime

import (
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// passPreface passes over what comes before binary records, which has to be all there and to
// begin as the format says.
func (r *Reader) passPreface(p *dfa.Program) error {
	r.binary = true
	for len(r.src.data) < len(p.Magic) && r.src.err == nil {
		r.src.more()
	}
	head := r.src.data[:min(len(r.src.data), len(p.Magic))]
	if string(head) != p.Magic {
		if r.src.err != nil && !r.src.final() {
			return r.inputError()
		}
		at := 0
		for at < len(head) && head[at] == p.Magic[at] {
			at++
		}
		return r.locate(at, &ParseError{Err: ErrHeader, Detail: fmt.Sprintf("the input begins with %q", head), Expected: fmt.Sprintf("%q, as the format's magic says", p.Magic)})
	}
	for left := p.Preface; left > 0; {
		if len(r.src.data) == 0 {
			if r.src.final() {
				return r.locate(0, &ParseError{Err: ErrHeader, Detail: fmt.Sprintf("the input ends in the header, of which %d bytes are missing", left), Expected: fmt.Sprintf("a header of %d bytes", p.Preface)})
			}
			if r.src.err != nil {
				return r.inputError()
			}
			r.src.more()
			continue
		}
		n := min(left, len(r.src.data))
		r.move(n)
		r.stats.Account.Header.Bytes += int64(n)
		left -= n
	}
	if p.Preface > 0 {
		r.stats.Account.Header.Records++
	}
	return nil
}

// checkBinary refuses options that are for text.
func (o *options) checkBinary(p *dfa.Program) error {
	stride := p.Stride()
	switch {
	case stride == 0:
	case stride > o.maxRecord:
		return &OptionError{"WithMaxRecord", fmt.Sprintf("records of at most %d bytes, and those of format %s have %d", o.maxRecord, p.Name, stride)}
	case o.skipLines > 0:
		return &OptionError{"WithSkipLines", fmt.Sprintf("format %s is binary, and has no lines to skip", p.Name)}
	}
	return nil
}
