package convert

import (
	"math/bits"
	"unicode/utf8"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// enum converts to the index of one of the type's tokens.
type enum struct {
	index map[string]int32
	words tokenWords
}

func newEnum(t *dfa.Type, _ Options) (appender, error) {
	p := &enum{index: make(map[string]int32, len(t.Tokens))}
	for i, s := range t.Tokens {
		if _, twice := p.index[s]; !twice {
			p.index[s] = int32(i)
		}
	}
	if !p.words.place(p.index) {
		return &fixed[int32]{parse: p.parse}, nil
	}
	if p.words.most <= 8 {
		return &fixed[int32]{run: p.words.runShort, parse: p.parse}, nil
	}
	return &fixed[int32]{run: p.words.run, parse: p.parse}, nil
}

// tokenWords finds tokens by their first eight symbols, their last eight, and their length.
type tokenWords struct {
	slots  []wordSlot // as many as a power of two, 2 to the power of 64-shift
	factor uint64
	shift  uint
	most   uint32   // symbols of one
	long   []string // tokens of more than 16 symbols, by index; of others ""
}

// wordSlot is a place for a token; it is free if size is 0. Of a token of at most eight symbols
// first and last are the same, with zeros behind it; last is 0 if no token has more.
type wordSlot struct {
	first, last uint64
	size        uint32
	index       int32
	_           uint64 // a power of two is quicker
}

// What a table of tokens has at most: more are looked for in a map.
const (
	mostTokens = 1 << 12
	mostProbes = 4 // of places for one
)

// place makes the table of tokens, but for the empty one; it is false if that is not worth it.
func (x *tokenWords) place(tokens map[string]int32) bool {
	if len(tokens) > mostTokens {
		return false
	}
	x.shift = 64 - 6
	last := int32(0)
	for ; 1<<(64-x.shift) < 8*len(tokens); x.shift-- {
	}
	for token, i := range tokens {
		last, x.most = max(last, i), max(x.most, uint32(len(token)))
	}
	x.long = make([]string, last+1)
next:
	for try := range uint64(16) {
		x.factor = (2*try + 1) * 0x9e3779b97f4a7c15
		x.slots = make([]wordSlot, 1<<(64-x.shift))
		for token, index := range tokens {
			if token == "" {
				continue
			}
			text := make([]byte, max(8, len(token)))
			copy(text, token)
			t := wordSlot{first: word(text, 0), size: uint32(len(token)), index: index}
			if x.most > 8 {
				t.last = word(text, uint32(len(text)-8))
			}
			at := x.at(t.first, t.last, t.size)
			for probes := 1; x.slots[at].size > 0; probes++ {
				if probes == mostProbes {
					continue next
				}
				at = (at + 1) % uint64(len(x.slots))
			}
			x.slots[at] = t
			if len(token) > 16 {
				x.long[index] = token
			}
		}
		return true
	}
	return false
}

func (x *tokenWords) at(first, last uint64, size uint32) uint64 {
	return (first ^ bits.RotateLeft64(last, 29) ^ uint64(size)) * x.factor >> (x.shift & 63)
}

// run is that of fixed.
func (x *tokenWords) run(out []int32, f *Fields, i int) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	src, factor, shift := eights{f.Src}, x.factor, x.shift&63
	slots := unsafe.Pointer(unsafe.SliceData(x.slots)) // as many as shift leaves places
	for ; i < len(start); i++ {
		s := start[i]
		n := end[i] - s
		if n-1 >= x.most || !src.has(s) {
			return i
		}
		keep := ^uint64(0) >> ((64 - 8*min(n, 8)) & 63)
		first, last := src.at(s)&keep, src.at(s+max(n, 8)-8)&keep
		at := (first ^ bits.RotateLeft64(last, 29) ^ uint64(n)) * factor >> shift
		t := (*wordSlot)(unsafe.Add(slots, at*uint64(unsafe.Sizeof(wordSlot{}))))
		if (t.first^first)|(t.last^last)|uint64(t.size^n) != 0 {
			if t = x.behind(at, first, last, n); t == nil {
				return i
			}
		}
		if n > 16 && string(f.Src[s:end[i]]) != x.long[t.index] {
			return i
		}
		out[i] = t.index
	}
	return i
}

// runShort is run if no token has more than eight symbols.
func (x *tokenWords) runShort(out []int32, f *Fields, i int) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
	src, factor, shift := eights{f.Src}, x.factor, x.shift&63
	slots := unsafe.Pointer(unsafe.SliceData(x.slots)) // as many as shift leaves places
	for ; i < len(start); i++ {
		s := start[i]
		n := end[i] - s
		if n-1 >= 8 || !src.has(s) {
			return i
		}
		first := src.at(s) << ((64 - 8*n) & 63) >> ((64 - 8*n) & 63)
		at := (first ^ uint64(n)) * factor >> shift
		t := (*wordSlot)(unsafe.Add(slots, at*uint64(unsafe.Sizeof(wordSlot{}))))
		if (t.first^first)|uint64(t.size^n) != 0 {
			if t = x.behind(at, first, 0, n); t == nil {
				return i
			}
		}
		out[i] = t.index
	}
	return i
}

// behind is the token with such symbols behind place at, nil if there is none.
func (x *tokenWords) behind(at, first, last uint64, size uint32) *wordSlot {
	for x.slots[at].size > 0 {
		at = (at + 1) & uint64(len(x.slots)-1)
		if t := &x.slots[at]; t.first == first && t.last == last && t.size == size {
			return t
		}
	}
	return nil
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
	plain   bool // rows are taken one by one
	scratch []byte
	present present[int32]
	missing int // rows of the round before that were null
}

func newDictionary(_ *dfa.Type, opt Options) (appender, error) {
	return &dictionary{policy: opt.UTF8}, nil
}

func (p *dictionary) giveUp() { p.plain = true }

func (p *dictionary) append(c *Converter, dst *columns.Column, f *Fields, errs []FieldError) []FieldError {
	n := f.Len()
	out := columns.AppendValues[int32](dst, n)
	dst.AppendValid(n)
	easy := !p.plain && !c.trim && len(f.Literal) == 0
	for _, token := range c.nulls { // which is none, unless it is a default
		easy = easy && dst.Token([]byte(token)) < 0
	}
	had := dst.Nulls
	find := func(out []int32, f *Fields, i int) int {
		return i + dst.FindTokens(out[i:], f.Src, f.Start[i:], f.End[i:])
	}
	if easy && p.missing*fewPresent > n && !c.required && c.def == nil {
		errs = p.present.apart(c, dst, f, out, errs, find, p.row)
	} else {
		for i := 0; i < n; i++ {
			if easy {
				if i = find(out, f, i); i == n {
					break
				}
			}
			errs = p.row(c, dst, f, out, i, errs)
		}
	}
	p.missing = dst.Nulls - had
	return errs
}

// row converts row i of the last len(out) rows of dst.
func (p *dictionary) row(c *Converter, dst *columns.Column, f *Fields, out []int32, i int, errs []FieldError) []FieldError {
	b, ok := c.value(f, i)
	code := IsNull
	if ok {
		out[i], code = p.parse(c, dst, b)
	} else if c.def != nil {
		out[i], code = intern(dst, c.def.Children[0].Data)
	}
	if code == OK {
		return errs
	}
	out[i] = 0
	row := dst.Len - len(out) + i
	dst.SetNull(row)
	if ok || c.def != nil || c.required {
		errs = append(errs, FieldError{row, code})
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
		p.scratch, n = replacer(p.plain)(p.scratch[:0], b)
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
