package runtime

import "math"

// This file bounds what is kept of the problems of a partition: of an input in
// which nearly every record is bad they take far more memory than the input.

const (
	fewProblems = 1 << 16   // that one partition should have at most, as far as is known
	fewWords    = 1 << 14   // and where each is put into words: several partitions may wait with them
	firstWindow = 256 << 10 // bytes of the first partition, of which nothing is known,

	directWindow = 32 << 10 // and if directives are looked for in it symbol by symbol, as none is in force
)

// window is how many bytes the next partition may have.
func (r *Reader) window() int {
	few := float64(fewProblems)
	if r.quota().records > fewProblems {
		few = fewWords
	}
	switch {
	case r.whole:
		return math.MaxInt
	case r.dense < 0:
		return firstWindow
	case r.dense*maxPartition <= few:
		return math.MaxInt
	}
	return max(int(few/r.dense), 1)
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
