package runtime

import (
	"bytes"
	"math"

	"github.com/dfaparse/dfaparse/dfa"
)

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
		rows := &result.Rows[i]
		n += len(rows.Problems) + int(rows.Left.Records)/8 // of which there are no more than numbers
	}
	r.dense = float64(n) / float64(result.Consumed)
}

// A binding has all columns, and lives as long as its partition.
const (
	manyColumns = 16      // with fewer there is no need to look,
	mostBound   = 1 << 23 // and so many columns may the bindings of a partition have together
)

// bindable is how much of data has no more lines that may name columns than there should be in one partition.
func (r *Reader) bindable(data []byte) int {
	columns := len(r.plan.Columns)
	if columns < manyColumns || r.plan.Program.Header.Mode == dfa.NamesHeader {
		return len(data)
	}
	for i := range r.plan.Program.Directives {
		d := &r.plan.Program.Directives[i]
		if d.Action != dfa.SchemaDirective {
			continue
		}
		at, line := 0, []byte("\n"+d.Prefix)
		for range mostBound / columns {
			n := bytes.Index(data[at:], line)
			if n < 0 {
				at = len(data)
				break
			}
			at += n + 1
		}
		data = data[:at]
	}
	return len(data)
}
