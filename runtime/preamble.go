package runtime

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file passes over lines at the head of the input. They are lines of text
// and no records: neither quotes nor comments mean anything in them, blank lines
// count, and no line is too long. Lines are those that positions count, so that
// after three of them an error is in line 4 at the earliest.

// preamble passes over the lines before the header, and a header that names
// nothing.
func (r *Reader) preamble(p *dfa.Program) error {
	if len(p.Cells) > 0 {
		return r.passPreface(p)
	}
	if err := r.passLines(r.o.skipLines); err != nil {
		return err
	}
	for i := range p.Skip {
		s := &p.Skip[i]
		var err error
		switch {
		case len(s.Until) > 0:
			err = r.passUntil(s.Until)
		case len(s.Prefixes) > 0:
			err = r.passPrefixed(s.Prefixes)
		default:
			err = r.passLines(int64(s.Lines))
		}
		if err != nil {
			return err
		}
	}
	return r.passLines(int64(p.Header.Lines()))
}

// passLines passes over n lines, or as many as there are.
func (r *Reader) passLines(n int64) error {
	for ; n > 0; n-- {
		if more, err := r.passLine(); err != nil || !more {
			return err
		}
	}
	return nil
}

// passPrefixed passes over the lines that begin with one of prefixes.
func (r *Reader) passPrefixed(prefixes []string) error {
	for {
		begins, err := r.lineBegins(prefixes)
		if err != nil || !begins {
			return err
		}
		if _, err := r.passLine(); err != nil {
			return err
		}
	}
}

// passUntil passes over the lines before the first that begins with one of
// prefixes.
func (r *Reader) passUntil(prefixes []string) error {
	for {
		begins, err := r.lineBegins(prefixes)
		if err != nil || begins {
			return err
		}
		more, err := r.passLine()
		if err != nil {
			return err
		}
		if !more {
			return r.locate(0, &ParseError{Err: ErrHeader, Detail: fmt.Sprintf("no line begins with %s, up to which the format skips lines; the input ends here", alternatives(prefixes))})
		}
	}
}

// alternatives are texts, one of which something is.
func alternatives(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(quoted, " or ")
}

// lineBegins reports whether the data, which begin a line, begin with one of
// prefixes.
func (r *Reader) lineBegins(prefixes []string) (bool, error) {
	longest := 0
	for _, p := range prefixes {
		longest = max(longest, len(p))
	}
	for len(r.src.data) < longest && r.src.err == nil {
		r.src.more()
	}
	begins := slices.ContainsFunc(prefixes, func(p string) bool {
		return len(r.src.data) >= len(p) && string(r.src.data[:len(p)]) == p
	})
	if !begins && r.src.err != nil && !r.src.final() && len(r.src.data) < longest {
		return false, r.inputError()
	}
	return begins, nil
}

// passLine passes over one line in bounded memory, and reports whether there was
// one.
func (r *Reader) passLine() (bool, error) {
	if err := r.o.ctx.Err(); err != nil {
		return false, err
	}
	begun := false
	for {
		data := r.src.data
		next, seen := lineEnd(data, r.pos.cr, r.src.final())
		if next > 0 {
			r.move(next)
			r.stats.Account.Header.Add(1, int64(next))
			return true, nil
		}
		r.move(seen)
		r.stats.Account.Header.Bytes += int64(seen)
		begun = begun || seen > 0
		switch {
		case r.src.final():
			if begun {
				r.stats.Account.Header.Records++
			}
			return begun, nil
		case r.src.err != nil:
			return false, r.inputError()
		}
		r.src.more()
	}
}

// lineEnd is the offset after the first line of data, 0 if it does not end there;
// then seen bytes are of the line, whatever follows. With cr a \r ends a line
// too, and is one line end together with a \n after it. Data that are final end
// with the input.
func lineEnd(data []byte, cr, final bool) (next, seen int) {
	if !cr {
		return bytes.IndexByte(data, '\n') + 1, len(data)
	}
	i := bytes.IndexAny(data, "\r\n")
	switch {
	case i < 0:
		return 0, len(data)
	case data[i] == '\n':
		return i + 1, 0
	case i+1 < len(data) && data[i+1] == '\n':
		return i + 2, 0
	case i+1 < len(data) || final:
		return i + 1, 0
	}
	return 0, i
}
