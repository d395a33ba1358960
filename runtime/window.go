package runtime

import "math"

// This file bounds what is kept of the problems of a partition: of an input in
// which nearly every record is bad they take far more memory than the input.

const (
	fewProblems = 1 << 16   // that one partition should have at most, as far as is known
	firstWindow = 256 << 10 // bytes of the first partition, of which nothing is known
)

// window is how many bytes the next partition may have.
func (r *Reader) window() int {
	switch {
	case r.whole:
		return math.MaxInt
	case r.dense < 0:
		return firstWindow
	case r.dense*maxPartition <= fewProblems:
		return math.MaxInt
	}
	return max(int(fewProblems/r.dense), 1)
}

// meet takes in how many problems a partition had.
func (r *Reader) meet(result *Result) {
	if result.Consumed == 0 {
		return
	}
	n := 0
	for i := range result.Rows {
		n += len(result.Rows[i].Problems)
	}
	r.dense = float64(n) / float64(result.Consumed)
}
