package cpu

import "sync"

// scratch is memory of a worker that holds nothing between two calls of Parse. Readers of
// small files come and go by the thousands, and would do little else than make it.
type scratch struct {
	worker  worker
	places  []uint32 // of fields, and of those that nobody wants
	rows    []rowPlace
	marks   []mark
	kept    []mark
	records []uint32
	drops   []uint64
	bitmaps *bitmaps // nil if there was no use for them
	near    *near    // likewise
	runs    *runs    // likewise
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// takePlaces makes n arrays of size places. They are written side by side, row by row, so
// they begin at distances of an odd number of cache lines: at equal distances of a page all
// of them would want the same lines of the cache.
func (s *scratch) takePlaces(n, size int) [][]uint32 {
	const line = 16 // places in 64 bytes
	stride := (size+line-1)/line | 1
	s.places = grow(s.places, n*stride*line+line) // rows are written eight at a time: see leap
	places := make([][]uint32, n)
	for i := range places {
		places[i] = s.places[i*stride*line:][:size:size]
	}
	return places
}

// takeRuns gives what there is for runs, for the symbols of r.
func (s *scratch) takeRuns(r *roles) *runs {
	if s.runs == nil {
		s.runs = new(runs)
	}
	s.runs.reset(r)
	return s.runs
}

// close gives the memory of a worker to others. Nobody may use it any more.
func (w *worker) close() {
	s := w.scratch
	if k := w.single; k != nil {
		s.marks, s.records, s.kept, s.bitmaps, s.near = k.marks, k.records, k.kept, k.bitmaps, k.near
	}
	if k := w.inRows; k != nil {
		s.marks, s.records, s.kept, s.runs = k.marks, k.records, k.kept, k.runs
	}
	*w = worker{}
	scratches.Put(s)
}
