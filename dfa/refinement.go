package dfa

// refinement is a partition of the numbers 0..n-1 into blocks that can only be
// split, in time proportional to what is marked (after Valmari and Lehtinen,
// "Efficient minimization of DFAs with partial transition functions", 2008).
//
//	elems   [ 4 1 | 0 2 3 | 5 ]   the blocks side by side
//	first     0     2       5     of each block
//	at        where each number is in elems
type refinement struct {
	elems, at   []int32
	block       []int32 // of each number
	first, past []int32 // of each block
	marked      []int32 // of each block: how many of its first members are marked
	touched     []int32 // the blocks with marked members
}

// newRefinement puts together the numbers i with the same of[i]; these are the
// numbers of the blocks, counted from 0 without gaps.
func newRefinement(of []int32) *refinement {
	n := len(of)
	p := &refinement{elems: make([]int32, n), at: make([]int32, n), block: make([]int32, n)}
	blocks := int32(0)
	for _, b := range of {
		blocks = max(blocks, b+1)
	}
	p.first, p.past, p.marked = make([]int32, blocks, n), make([]int32, blocks, n), make([]int32, blocks, n)
	for _, b := range of {
		p.past[b]++
	}
	sum := int32(0)
	for b := range p.past {
		sum += p.past[b]
		p.first[b], p.past[b] = sum-p.past[b], sum-p.past[b]
	}
	for i, b := range of {
		p.elems[p.past[b]], p.at[i], p.block[i] = int32(i), p.past[b], b
		p.past[b]++
	}
	return p
}

func (p *refinement) len() int                { return len(p.first) }
func (p *refinement) size(b int32) int32      { return p.past[b] - p.first[b] }
func (p *refinement) members(b int32) []int32 { return p.elems[p.first[b]:p.past[b]] }

// mark moves i to the marked members of its block.
func (p *refinement) mark(i int32) {
	b := p.block[i]
	to := p.first[b] + p.marked[b]
	at := p.at[i]
	if at < to {
		return // marked already
	}
	if p.marked[b] == 0 {
		p.touched = append(p.touched, b)
	}
	j := p.elems[to]
	p.elems[to], p.elems[at] = i, j
	p.at[i], p.at[j] = to, at
	p.marked[b]++
}

// split makes a new block of the marked members of each block that has
// unmarked ones too, appends the pairs (block, new block) to pairs and takes
// all marks away.
func (p *refinement) split(pairs []int32) []int32 {
	for _, b := range p.touched {
		k := p.marked[b]
		p.marked[b] = 0
		if k == p.size(b) {
			continue
		}
		part := int32(len(p.first))
		p.first = append(p.first, p.first[b])
		p.past = append(p.past, p.first[b]+k)
		p.marked = append(p.marked, 0)
		p.first[b] += k
		for _, i := range p.members(part) {
			p.block[i] = part
		}
		pairs = append(pairs, b, part)
	}
	p.touched = p.touched[:0]
	return pairs
}
