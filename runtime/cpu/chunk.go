package cpu

import (
	"math"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// chunk is the bytes that one worker reads, and what it found there.
type chunk struct {
	part       *runtime.Partition
	begin, end int         // the chunk; its worker has the records whose preceding boundary is in it
	state      dfa.StateID // the context at begin
	first      *runtime.Binding
	stop       int // records that begin here are not read: a directive was refused, or they are the next partition's

	entered bool // it has records, the first of which begins
	at      int  // here
	from    dfa.StateID
	open    bool // the data ended before a boundary that is not the chunk's

	columns    []*columns.Column // its own
	batches    runtime.Batches   // where rows go rather than into these, if not nil
	portions   []portion
	nrows      int               // in them
	ngone      int               // of these
	problems   []runtime.Problem // rows counted through all portions
	notes      []runtime.Note    // likewise
	extents    runtime.Extents
	next       int // after the last boundary, 0 if there was none
	resume     dfa.StateID
	binding    *runtime.Binding // the last that a directive here set, nil if none did
	directives []directive
	missed     bool // a directive was met that nobody had looked for: with Partition.Again, where the reading ends
}

func newChunk(plan *runtime.Plan) *chunk {
	ck := &chunk{}
	for _, o := range plan.Outputs {
		ck.columns = append(ck.columns, plan.Memory.New(convert.FormOf(&plan.Def(o).Type)))
	}
	return ck
}

func (ck *chunk) reset(part *runtime.Partition, begin, end int, state dfa.StateID) {
	for _, c := range ck.columns {
		c.Reset()
	}
	*ck = chunk{
		part: part, begin: begin, end: end, state: state, first: part.Binding, stop: math.MaxInt,
		columns: ck.columns, portions: ck.portions[:0], problems: ck.problems[:0], notes: ck.notes[:0],
		directives: ck.directives[:0],
	}
	if part.Ahead > 0 {
		ck.stop = part.Own()
	}
}

// portion is rows of a chunk in columns, which are its own or those of a batch.
type portion struct {
	rows runtime.Rows
	room int // for more rows
}

// last is the portion that the next row goes to.
func (ck *chunk) last() *portion {
	if n := len(ck.portions); n > 0 && ck.portions[n-1].room > 0 {
		return &ck.portions[n-1]
	}
	b := portion{runtime.Rows{Columns: ck.columns}, math.MaxInt}
	if ck.batches != nil {
		b.rows.Columns, b.room = ck.batches.Next()
		b.rows.From = b.rows.Columns[0].Len
	}
	ck.portions = append(ck.portions, b)
	return &ck.portions[len(ck.portions)-1]
}

// deliver appends what ck has to rows.
func (ck *chunk) deliver(rows []runtime.Rows) []runtime.Rows {
	problems, notes, before := ck.problems, ck.notes, 0
	for i := range ck.portions {
		r := ck.portions[i].rows
		n := 0
		for n < len(problems) && problems[n].Row < before+r.N {
			problems[n].Row -= before
			n++
		}
		r.Problems, problems = problems[:n:n], problems[n:]
		for n = 0; n < len(notes) && notes[n].Row < before+r.N; n++ {
			notes[n].Row -= before
		}
		r.Notes, notes = notes[:n:n], notes[n:]
		before += r.N
		rows = append(rows, r)
	}
	return rows
}

// sizeOf is what a record that is left out counts for, before the one at next, if that is known.
func (ck *chunk) sizeOf(r *rowPlace, next int) (l runtime.Left) {
	if r.about&rowLine != 0 && ck.part.Lines {
		return runtime.Left{Records: 1, Bytes: int64(r.end + 1 - r.start), Lines: 1}
	}
	l.Records = 1
	l.Bytes, l.Lines = ck.part.Size(ck.part, r.start, r.end, next, r.begin())
	return l
}

// enter gives the offset and the context of the first record that is ck's, and
// whether there is one.
func (ck *chunk) enter(m *machine) (at int, begin dfa.StateID, ok bool) {
	if ck.begin == 0 {
		return 0, ck.state, true
	}
	data, row := ck.part.Data, m.Row(ck.state)
	last := min(len(data), ck.end+m.maxLag) // no further: a record may span any number of chunks
	for p := ck.begin; p < last; p++ {
		e := m.Entries[row|uint32(data[p])]
		row = e.Row()
		if e.Kind() != dfa.Record {
			continue
		}
		em := m.Emission(e)
		boundary := p - int(em.Lag)
		switch {
		case boundary < ck.begin:
		case boundary >= ck.end:
			return 0, 0, false
		default:
			return em.After(p), m.resume(em, e), true
		}
	}
	return 0, 0, false
}
