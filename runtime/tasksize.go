package runtime

import (
	"math"
	"slices"
)

// This file says how large partitions are that are read side by side: from what
// rows and texts took so far, so that each begins a little before a record does.

// Bounds of a task's partition, in bytes, unless the caller has set partitions'
// size. Records of more than the largest are gathered from smaller partitions.
const (
	leastTask  = 1 << 20 // what goes with a partition, not with its bytes, is done by one goroutine
	mostTask   = 32 << 20
	gatherTask = 1 << 20
)

// Bounds of what a loose record grows to if rows are narrow and nobody has said how many it
// should have: for each one, as for each partition, there is work that does not go with rows.
const (
	looseRecord = 7 << 18 // bytes of the input
	looseRows   = 128 << 10
	looseText   = 8 << 20 // of a column, where partitions do not go by records: one is a record, or some of equal size
)

// mostLearnt is of about how many partitions x.perRow and x.perText are means.
const mostLearnt = 12

// unknownOff is what part of a record x.off is as long as nobody knows better.
const unknownOff = 256

// learn takes in that a partition of so many bytes had so many rows.
func (r *Reader) learn(nbytes, rows int) {
	x := r.tasks
	if x == nil {
		return
	}
	text := slices.Max(append(r.asm.since, 1))
	clear(r.asm.since)
	x.rest = max(x.rest-1, 0)
	if nbytes == 0 || rows == 0 {
		x.perRow = 0
		return
	}
	n := float64(nbytes)
	perRow, perText := n/float64(rows), n/float64(text)
	if r.o.loose && !r.o.batched && r.o.account == nil {
		record := looseRecord / perRow
		if x.whole > 0 {
			partition := float64(x.whole+x.whole/16) / perRow
			record = partition / math.Ceil(partition/looseRows)
			r.asm.maxText = looseText
		}
		r.asm.batchSize = max(r.asm.batchSize, min(int(record), looseRows))
	}
	if x.perRow > 0 {
		part := max(float64(rows)/float64(r.asm.batchSize), float64(text)/float64(r.asm.maxText))
		x.off = (3*x.off + math.Abs(part*r.record()-n)) / 4
		x.learnt = min(x.learnt+1, mostLearnt)
		perRow, perText = x.perRow+(perRow-x.perRow)/x.learnt, x.perText+(perText-x.perText)/x.learnt
		x.perRow, x.perText = perRow, perText
		return
	}
	x.perRow, x.perText, x.learnt = perRow, perText, 1
	x.off = max(x.off, r.record()/unknownOff)
}

// early is by how many bytes before a record a partition should begin, ahead of which
// others are being read: a little, and what all of them may be off by, each by itself and all
// alike, since the bytes of a record are a mean of so many partitions.
func (x *tasks) early(record float64) float64 {
	n := float64(len(x.reading) + 1)
	return min(record/128+2*x.off*(math.Sqrt(n)+n/math.Sqrt(x.learnt)), record/8)
}

// record is about how many bytes make up a record.
func (r *Reader) record() float64 {
	return min(float64(r.asm.batchSize)*r.tasks.perRow, float64(r.asm.maxText)*r.tasks.perText)
}

// wanted is how many bytes the next partition should have, 0 if there should be none.
func (r *Reader) wanted() int {
	x := r.tasks
	record := r.record()
	begun := r.asm.begun() * record // from the last record's end to where the next partition begins
	for _, t := range x.reading {
		begun += float64(t.part.Own())
	}
	if r.o.limit >= 0 && float64(r.stats.Rows)+begun/x.perRow >= float64(r.o.limit) {
		return 0
	}
	if x.whole > 0 {
		n := max(min(x.whole, r.window()), 1)
		if !r.src.stays() {
			n = (n + 1) / 2 // taken has the rest, if it is there
		}
		return n
	}
	least, most := record/2, float64(x.most)
	if x.limit > 0 {
		most = float64(x.limit)
	} else {
		least = min(max(least, leastTask), most)
	}
	n := min(gatherTask, x.most)
	switch {
	case r.o.loose:
		each := record - record/16
		n = int(min(math.Ceil(leastTask/each)*each, most)) // a little less than a record each, or than several
	case record <= most:
		early := x.early(record)
		n = int(math.Ceil((begun+least+early)/record)*record - early - begun)
	}
	n = max(min(n, int(most), r.window()), 1)
	if x.limit == 0 {
		r.src.whole = n
	}
	return n
}

// taken is how many bytes a partition that does not go by records has, where want
// are wanted. Of an input that comes in blocks it is about a block and what the
// partition before has left over of another, so that less is left over than there is
// room for in front of a block: what is more would be copied.
func (r *Reader) taken(want int) int {
	have := len(r.src.data)
	if want > 0 && !r.src.stays() {
		return min(have, 2*want+want/4)
	}
	if r.src.final() {
		return min(have, want) // the last one is what is left
	}
	return want
}
