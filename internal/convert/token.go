package convert

import (
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// enum converts to the index of one of the type's tokens.
type enum struct {
	index map[string]int32
	// The tokens of at most eight bytes, each as a word with its length, at the
	// place that a product of both gives it.
	short  [shortTokens]shortToken
	factor uint64
}

type shortToken struct {
	word  uint64
	size  uint32
	index int32
}

const shortTokens = 128

func newEnum(t *dfa.Type, _ Options) (appender, error) {
	p := &enum{index: make(map[string]int32, len(t.Tokens))}
	var short []shortToken
	for i, s := range t.Tokens {
		if _, twice := p.index[s]; twice {
			continue
		}
		p.index[s] = int32(i)
		if n := len(s); n > 0 && n <= 8 {
			var b [8]byte
			copy(b[:], s)
			short = append(short, shortToken{word(b[:], 0), uint32(n), int32(i)})
		}
	}
	run := p.run
	if !p.place(short) {
		run = nil
	}
	return &fixed[int32]{run: run, parse: p.parse}, nil
}

// place looks for a factor that gives each token a place of its own.
func (p *enum) place(tokens []shortToken) bool {
	if len(tokens) > shortTokens/4 {
		return false
	}
next:
	for try := range uint64(1000) {
		p.factor = (2*try + 1) * 0x9e3779b97f4a7c15
		p.short = [shortTokens]shortToken{}
		for _, t := range tokens {
			at := p.at(t.word, t.size)
			if p.short[at].size > 0 {
				continue next
			}
			p.short[at] = t
		}
		return true
	}
	return false
}

func (p *enum) at(word uint64, size uint32) uint64 {
	return (word ^ uint64(size)) * p.factor >> 57 // as many as there are places
}

func (p *enum) run(out []int32, f *Fields, i int) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	for ; i < len(start); i++ {
		s := start[i]
		n := end[i] - s
		if n-1 >= 8 || uint64(s)+8 > uint64(len(f.Src)) {
			return i
		}
		x := word(f.Src, s) << ((64 - 8*n) & 63) >> ((64 - 8*n) & 63)
		t := &p.short[p.at(x, n)&(shortTokens-1)]
		if t.word != x || t.size != n {
			return i
		}
		out[i] = t.index
	}
	return i
}

func (p *enum) parse(b []byte) (int32, Code) {
	if i, ok := p.index[string(b)]; ok {
		return i, OK
	}
	return 0, NotInEnum
}

// dictionary converts strings to indices of tokens that it collects.
type dictionary struct {
	policy  dfa.UTF8Policy
	scratch []byte
}

func newDictionary(_ *dfa.Type, opt Options) (appender, error) {
	return &dictionary{policy: opt.UTF8}, nil
}

func (p *dictionary) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	base, n := dst.Len, f.Len()
	out := columns.AppendValues[int32](dst, n)
	dst.AppendValid(n)
	easy := !c.trim && len(f.Literal) == 0
	for _, token := range c.nulls { // which is none, unless it is a default
		easy = easy && dst.Token([]byte(token)) < 0
	}
	for i := 0; i < n; i++ {
		if easy {
			if i += dst.FindTokens(out[i:], f.Src, f.Start[i:], f.End[i:]); i == n {
				break
			}
		}
		b, ok := c.value(f, i)
		code := IsNull
		if ok {
			out[i], code = p.parse(c, dst, b)
		} else if c.def != nil {
			out[i], code = intern(dst, c.def.Children[0].Data)
		}
		if code == OK {
			continue
		}
		out[i] = 0
		dst.SetNull(base + i)
		if ok || c.def != nil || c.required {
			errs = append(errs, FieldError{base + i, code})
		}
	}
	return errs
}

func (p *dictionary) parse(c *Converter, dst *columns.Column, b []byte) (int32, Code) {
	// A token that is there has been checked.
	if i := dst.Token(b); i >= 0 {
		return i, OK
	}
	if p.policy != dfa.KeepUTF8 && !utf8.Valid(b) {
		if p.policy == dfa.RejectUTF8 {
			return 0, InvalidUTF8
		}
		var n int
		p.scratch, n = replaceInvalid(p.scratch[:0], b)
		b, c.replaced = p.scratch, c.replaced+int64(n)
	}
	return intern(dst, b)
}

func intern(dst *columns.Column, token []byte) (int32, Code) {
	i, ok := dst.Intern(token)
	if !ok {
		return 0, BatchFull
	}
	return i, OK
}
