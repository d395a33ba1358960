package convert

import (
	"hash/maphash"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
)

// enum converts to the index of one of the type's tokens.
type enum struct {
	index map[string]int32
	// The tokens of at most eight bytes, each as a word with its length, if
	// they are few enough to be tried one after the other.
	short []shortToken
}

type shortToken struct {
	word  uint64
	size  uint32
	index int32
}

const fewTokens = 16

func newEnum(t *dfa.Type, _ Options) (appender, error) {
	p := &enum{index: make(map[string]int32, len(t.Tokens))}
	for i, s := range t.Tokens {
		if _, twice := p.index[s]; twice {
			continue
		}
		p.index[s] = int32(i)
		if n := len(s); n > 0 && n <= 8 && len(t.Tokens) <= fewTokens {
			var b [8]byte
			copy(b[:], s)
			p.short = append(p.short, shortToken{word(b[:], 0), uint32(n), int32(i)})
		}
	}
	return &fixed[int32]{run: p.run, parse: p.parse}, nil
}

func (p *enum) run(out []int32, f *Fields, i int) int {
	start := f.Start
	end := f.End[:len(start)]
	out = out[:len(start)]
rows:
	for ; i < len(start); i++ {
		s := start[i]
		n := end[i] - s
		if n-1 >= 8 || uint64(s)+8 > uint64(len(f.Src)) {
			return i
		}
		x := word(f.Src, s) << ((64 - 8*n) & 63) >> ((64 - 8*n) & 63)
		for k := range p.short {
			if t := &p.short[k]; t.word == x && t.size == n {
				out[i] = t.index
				continue rows
			}
		}
		return i
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

func (p *dictionary) append(c *Converter, dst *Column, f *Fields, errs []FieldError) []FieldError {
	base, n := dst.Len, f.Len()
	out := appendValues[int32](dst, n)
	dst.appendValid(n)
	for i := range out {
		b, ok := c.value(f, i)
		code := IsNull
		if ok {
			out[i], code = p.parse(c, dst, b)
		} else if c.def != nil {
			out[i], code = dst.intern(c.def.Children[0].Data)
		}
		if code == OK {
			continue
		}
		out[i] = 0
		dst.setNull(base + i)
		if ok || c.def != nil || c.required {
			errs = append(errs, FieldError{base + i, code})
		}
	}
	return errs
}

func (p *dictionary) parse(c *Converter, dst *Column, b []byte) (int32, Code) {
	// A token that is there has been checked.
	if i, _ := dst.dict.find(dst.Children[0], b); i >= 0 {
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
	return dst.intern(b)
}

// intern is the index of a token in c, which it adds if need be.
func (c *Column) intern(b []byte) (int32, Code) {
	tokens := c.Children[0]
	i, hash := c.dict.find(tokens, b)
	if i >= 0 {
		return i, OK
	}
	if len(tokens.Data)+len(b) > maxData || tokens.Len == maxData {
		return 0, BatchFull
	}
	tokens.appendText(b)
	c.dict.add(tokens, hash)
	return int32(tokens.Len - 1), OK
}

// tokenTable finds the tokens of a dictionary: open addressing, at most half
// full.
type tokenTable struct {
	slots []tokenSlot // a power of two of them
}

type tokenSlot struct {
	hash  uint32
	token int32 // its index plus one; 0: the slot is free
}

// tokenSeed differs from run to run, so that no input can be made to collide.
// What is found does not depend on it.
var tokenSeed = maphash.MakeSeed()

// find gives the index of b in tokens, -1 if it is not there, and its hash.
func (t *tokenTable) find(tokens *Column, b []byte) (int32, uint32) {
	hash := uint32(maphash.Bytes(tokenSeed, b))
	if len(t.slots) == 0 {
		return -1, hash
	}
	mask := uint32(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		s := t.slots[i]
		if s.token == 0 {
			return -1, hash
		}
		if s.hash == hash {
			if k := s.token - 1; string(tokens.Data[tokens.Offsets[k]:tokens.Offsets[k+1]]) == string(b) {
				return k, hash
			}
		}
	}
}

// add enters the last one of tokens, which is not there yet.
func (t *tokenTable) add(tokens *Column, hash uint32) {
	if 2*tokens.Len > len(t.slots) {
		old := t.slots
		t.slots = make([]tokenSlot, max(64, 4*len(old)))
		for _, s := range old {
			if s.token != 0 {
				t.put(s)
			}
		}
	}
	t.put(tokenSlot{hash, int32(tokens.Len)})
}

func (t *tokenTable) put(s tokenSlot) {
	mask := uint32(len(t.slots) - 1)
	i := s.hash & mask
	for t.slots[i].token != 0 {
		i = (i + 1) & mask
	}
	t.slots[i] = s
}

// reset forgets all tokens, of which there were n. A table that one batch made
// large is not cleared again and again for small ones.
func (t *tokenTable) reset(n int) {
	if len(t.slots) > 64*max(n, 64) {
		t.slots = nil
	}
	clear(t.slots)
}
