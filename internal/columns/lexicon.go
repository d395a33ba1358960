package columns

import "slices"

// A Lexicon is the tokens that a Column had at one time, for others to begin with: what
// these have met then has the same indices in all of them, and nothing needs to be
// looked up, nor rows to be changed, where their rows come together. It is read-only.
type Lexicon struct {
	of     *Column
	tokens *Column
	dict   tokenTable
}

// mostLexicon bounds what is copied to make one, in bytes of text and tokens.
const (
	mostLexicon = 16 << 20
	mostTokens  = 1 << 20
)

// Lexicon is c's tokens, if it has enough more than last, which is one of before, or nil;
// otherwise it is last.
func (c *Column) Lexicon(last *Lexicon) *Lexicon {
	had, tokens := 0, c.Children[0]
	if last != nil {
		had = last.tokens.Len
	}
	if n := tokens.Len; n <= had+had/8 || n > mostTokens || len(tokens.Data) > mostLexicon {
		return last
	}
	x := &Lexicon{of: c, tokens: New(Text), dict: c.dict}
	x.tokens.AppendRows(tokens, 0, tokens.Len)
	x.dict.short, x.dict.long = slices.Clone(c.dict.short), slices.Clone(c.dict.long)
	return x
}

// Begin makes c, which is empty, begin with the tokens of x; nil: with none.
func (c *Column) Begin(x *Lexicon) { c.lexicon = x }

// known is how many tokens c began with.
func (c *Column) known() int32 {
	if c.lexicon == nil {
		return 0
	}
	return int32(c.lexicon.tokens.Len)
}

// tokenText is the token of index k.
func (c *Column) tokenText(k int32) []byte {
	tokens, n := c.Children[0], c.known()
	if k < n {
		tokens = c.lexicon.tokens
	} else {
		k -= n
	}
	return tokens.Data[tokens.Offsets[k]:tokens.Offsets[k+1]]
}

// remapping is where the tokens of a Column are in another one.
type remapping struct {
	of    *Column
	epoch uint32  // of it
	index []int32 // its token -> own token, -1: not met yet
}

// translate makes indices into c's tokens of src's, of the rows from number from on.
func (c *Column) translate(out []int32, src *Column, from int) {
	same, in := int32(0), ValuesOf[int32](src.Fixed)[from:][:len(out)]
	if src.lexicon != nil && src.lexicon.of == c {
		if same = src.known(); src.Children[0].Len == 0 { // nothing is new
			if len(out) > 0 && &out[0] != &in[0] {
				copy(out, in)
			}
			return
		}
	}
	m := &c.remap
	if m.of != src || m.epoch != src.epoch {
		*m = remapping{src, src.epoch, m.index[:0]}
	}
	if all := int(src.known()-same) + src.Children[0].Len; all > len(m.index) {
		had := len(m.index)
		m.index = slices.Grow(m.index, all-had)[:all]
		for i := had; i < all; i++ {
			m.index[i] = -1
		}
	}
	for i, k := range in {
		switch {
		case !src.IsValid(from + i):
			out[i] = 0
		case k < same:
			out[i] = k
		case m.index[k-same] >= 0:
			out[i] = m.index[k-same]
		default:
			own, ok := c.Intern(src.tokenText(k))
			if !ok {
				panic("columns: more than 2 GiB of tokens in one Column")
			}
			m.index[k-same], out[i] = own, own
		}
	}
}

// Adopt makes the rows of src from number from on rows of c's tokens, in place: those
// that only others have count for src no more, and it is only good for AppendAdopted, Drop
// and Array.
func (c *Column) Adopt(src *Column, from int) {
	if from < src.Len {
		c.translate(ValuesOf[int32](src.Fixed)[from:src.Len], src, from)
	}
	src.adopted = c
}

// AppendAdopted appends rows of src to c, which has been adopted.
func (c *Column) AppendAdopted(src *Column, from, to int) {
	if from < to {
		c.adopted.translate(AppendValues[int32](c, to-from), src, from)
		c.appendValid(src, from, to)
	}
}
