package cpu

import "slices"

// Records often differ in a word of a few, as a level or a method, of which each has a hop of its own, and are alike behind
// it. So that they need no paths of their own, a path has *byways*: a few hops that some records take in place of some of
// its own. Those that have left the path at the first of these take the byway side by side, and wait behind it for the
// others.
//
//	path      at ─▶ host ─▶ "Built" ─▶ " TCP " ──▶ conn ─▶ port
//	byway                          └─▶ " UDP " ─┘

// byway is hops that records take in place of a path's from one up to another.
type byway struct {
	from, to int
	hops     []pathHop
	passed   []uint32 // as path.passed
	usable   bool     // as many places are passed as on the path
}

const (
	// maxByway is how many hops a byway has at most, or the path beside it.
	maxByway = 4
	// maxByways is how many a path has.
	maxByways = 16
	// afterByway is how many times as many hops of the path follow at least.
	afterByway = 2
)

// What is added to the number of the hop of a record: it has not taken the first hop of a byway, or the first, but not all.
const (
	offByway  = 1 << 17
	inByway   = 1 << 18
	minByways = 4 // records that take one
)

// along is how far hops lead along p and its byways: so many of the path's, and of theirs.
func (p *path) along(hops []pathHop) (n, of int) {
walk:
	for n < len(p.hops) && of < len(hops) {
		if p.hops[n].is(hops[of]) {
			n, of = n+1, of+1
			continue
		}
		for i := range p.byways {
			if y := &p.byways[i]; y.usable && y.from == n && leadsOn(y.hops, hops[of:]) {
				n, of = y.to, of+len(y.hops)
				continue walk
			}
		}
		break
	}
	return n, of
}

// leadsOn reports whether hops begin with some others.
func leadsOn(others, hops []pathHop) bool {
	return len(hops) >= len(others) && slices.EqualFunc(others, hops[:len(others)], pathHop.is)
}

// covers reports whether p and its byways have all of some hops.
func (p *path) covers(hops []pathHop) bool {
	n, of := p.along(hops)
	return n == len(p.hops) && of == len(hops)
}

// addByway makes of a path that leaves one of those there are, and comes back to it, a byway of that. It reports whether
// it does.
func (k *hopper) addByway(of *path) bool {
	if !hasLeaps() || !k.table.uniform || of.joint.hop >= 0 {
		return false
	}
	for i := range k.paths {
		p := &k.paths[i]
		from, at := p.along(of.hops)
		n, same := min(len(p.hops)-from, len(of.hops)-at), 0
		for same < n && p.hops[len(p.hops)-1-same].is(of.hops[len(of.hops)-1-same]) {
			same++
		}
		y := byway{from: from, to: len(p.hops) - same, hops: of.hops[at : len(of.hops)-same]}
		longest := max(len(y.hops), y.to-from)
		if from == 0 || len(y.hops) == 0 || y.to == from || longest > maxByway || same < afterByway*longest || p.joint.hop >= 0 || !k.isPlain(y.hops) {
			continue
		}
		if k.passesBy(p, &y); !y.usable {
			continue
		}
		if b := slices.IndexFunc(p.byways, func(b byway) bool { return b.from == from && b.hops[0].is(y.hops[0]) }); b >= 0 {
			if len(p.byways[b].hops) <= len(y.hops) { // records take the first of the two
				continue
			}
			p.byways = slices.Delete(p.byways, b, b+1)
		}
		if len(p.byways) < maxByways {
			p.byways = append(p.byways, y)
			return true
		}
	}
	return false
}

// isPlain reports whether vector code takes hops, none of which ends a record.
func (k *hopper) isPlain(hops []pathHop) bool {
	for _, x := range hops {
		if k.hops[x.hop].does&(odd|endsRecord) != 0 {
			return false
		}
	}
	return true
}

// passesBy is passes of a byway of p.
func (k *hopper) passesBy(p *path, y *byway) {
	beside := path{hops: slices.Concat(p.hops[:y.from], y.hops, p.hops[y.to:])}
	k.passes(&beside)
	y.passed = beside.passed[y.from:][:len(y.hops)]
	y.usable = beside.passed[y.from+len(y.hops)] == p.passed[y.to]
}

// isByway reports whether a byway of p begins or ends at a hop.
func (p *path) isByway(hop int) bool {
	return slices.ContainsFunc(p.byways, func(y byway) bool { return y.from == hop || y.to == hop })
}

// takeByways takes the records that have left p at a hop along its byways.
func (k *hopper) takeByways(w *worker, data []byte, p *path, number int) {
	for i := range p.byways {
		y := &p.byways[i]
		if y.from != number || !y.usable {
			continue
		}
		if k.abreast.numberLeft(number) < minByways {
			return
		}
		k.takeByway(w, data, y)
	}
}

func (k *hopper) takeByway(w *worker, data []byte, y *byway) {
	b := k.abreast
	if !k.table.uniform || y.passed[len(y.passed)-1] > uint32(k.nplaces+maxSymbols) {
		return
	}
	number := uint32(y.from)
	b.leap.onWay = number // those who left
	defer func() { b.leap.onWay = onWay }()
	off := y.from + offByway
	for i, x := range y.hops {
		k.leap(w, data, &k.hops[x.hop], off, x.lead, y.passed[i])
		off = y.from + inByway
	}
	b.waiting += b.leaveByway(number, waits+uint32(y.to))
}

// leaveByway makes those who left a path at a hop, and have taken all of a byway, wait, and those who have not taken its
// first hop who left there. It gives how many wait.
func (b *abreast) leaveByway(number, wait uint32) (n int) {
	for r, left := range b.left[:b.n] {
		took, not := isEqual(left, number), isEqual(left, number+offByway)
		b.left[r] = left + took*(wait-number) - not*offByway
		n += int(took)
	}
	return n
}

// isEqual is 1 if two numbers are equal, without a branch.
func isEqual(a, b uint32) uint32 { return uint32((uint64(a^b) - 1) >> 63) }

// beginsByway reports whether a byway of p begins at a hop: its records are to be told there.
func (p *path) beginsByway(hop int) bool {
	return slices.ContainsFunc(p.byways, func(y byway) bool { return y.from == hop })
}
