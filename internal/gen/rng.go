package gen

import "hash/fnv"

// rng is splitmix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", 2014): one addition and three multiplications a number.
type rng struct{ state uint64 }

func newRNG(name string, seed uint64) *rng {
	h := fnv.New64a()
	h.Write([]byte(name))
	return &rng{h.Sum64() ^ seed*0x9e3779b97f4a7c15}
}

func (r *rng) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// n is a number in [0, k), k > 0 and below 2^32.
func (r *rng) n(k int) int { return int(r.next() >> 32 * uint64(k) >> 32) }

// between is a number in [lo, hi].
func (r *rng) between(lo, hi int) int { return lo + r.n(hi-lo+1) }

// oneIn is true once in k times.
func (r *rng) oneIn(k int) bool { return r.n(k) == 0 }

// skewed is a number in [0, k) whose small values are the most frequent.
func (r *rng) skewed(k int) int { return r.n(1 + r.n(k)) }

// quantile draws from the distribution whose equally spaced quantiles are qs,
// with a straight line between neighbours.
func (r *rng) quantile(qs []int) int {
	i := r.n(len(qs) - 1)
	return r.between(qs[i], qs[i+1])
}

func pick[T any](r *rng, from []T) T { return from[r.n(len(from))] }
