package reference

// ExclusiveScan gives, for each of xs, what op makes of zero and all that lie
// before it, and the total of all (ParPaRaw, section 2, prefix scan). op must
// be associative; it need not be commutative, and zero stands on the left.
//
// It is the work-efficient form: neighbours are joined in pairs, the half as
// many pairs are scanned, and each pair hands its result to its two halves.
// Every line is a loop of independent steps, and there are log2(len(xs)) levels.
//
//	xs            3   5   1   2   9
//	pairs           8       3     9
//	scanned         0       8     11
//	out           0   3   8   9   11     total 20
func ExclusiveScan[T any](xs []T, zero T, op func(a, b T) T) (out []T, total T) {
	switch len(xs) {
	case 0:
		return nil, zero
	case 1:
		return []T{zero}, op(zero, xs[0])
	}
	pairs := make([]T, (len(xs)+1)/2)
	for i := range pairs {
		pairs[i] = xs[2*i]
		if 2*i+1 < len(xs) {
			pairs[i] = op(xs[2*i], xs[2*i+1])
		}
	}
	before, total := ExclusiveScan(pairs, zero, op)
	out = make([]T, len(xs))
	for i := range pairs {
		out[2*i] = before[i]
		if 2*i+1 < len(xs) {
			out[2*i+1] = op(before[i], xs[2*i])
		}
	}
	return out, total
}

// PrefixSum is the ExclusiveScan of numbers under addition.
func PrefixSum(xs []int) (out []int, total int) {
	return ExclusiveScan(xs, 0, func(a, b int) int { return a + b })
}

// Select gives, ascending, the numbers below n that keep holds for: flags,
// their prefix sum, and each number to the place that the sum gives it.
func Select(g Grid, n int, keep func(i int) bool) []int {
	flags := make([]int, n)
	g.Each(n, func(i int) {
		if keep(i) {
			flags[i] = 1
		}
	})
	place, total := PrefixSum(flags)
	selected := make([]int, total)
	g.Each(n, func(i int) {
		if flags[i] == 1 {
			selected[place[i]] = i
		}
	})
	return selected
}
