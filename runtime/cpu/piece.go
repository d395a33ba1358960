package cpu

import (
	"math"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// piece is a chunk and what became of it.
type piece struct {
	part       *runtime.Partition
	begin, end int         // the chunk; its worker has the records whose preceding boundary is in it
	state      dfa.StateID // the context at begin
	first      *runtime.Binding
	stop       int // offset of the directive that was refused

	entered bool // it has records, the first of which begins
	at      int  // here
	from    dfa.StateID
	open    bool // the data ended before a boundary that is not the piece's

	columns    []*convert.Column // its own
	batches    runtime.Batches   // where rows go rather than into these, if not nil
	portions   []portion
	nrows      int               // in them
	problems   []runtime.Problem // rows counted through all portions
	notes      []runtime.Note    // likewise
	taken      runtime.Taken
	next       int // after the last boundary, 0 if there was none
	resume     dfa.StateID
	binding    *runtime.Binding // the last that a directive here set, nil if none did
	directives []directive
	missed     bool // a directive was met that nobody had looked for
}

func newPiece(plan *runtime.Plan) *piece {
	pc := &piece{}
	for _, o := range plan.Outputs {
		pc.columns = append(pc.columns, plan.Memory.NewColumn(&plan.Def(o).Type))
	}
	return pc
}

func (pc *piece) reset(part *runtime.Partition, begin, end int, state dfa.StateID) {
	for _, c := range pc.columns {
		c.Reset()
	}
	*pc = piece{
		part: part, begin: begin, end: end, state: state, first: part.Binding, stop: math.MaxInt,
		columns: pc.columns, portions: pc.portions[:0], problems: pc.problems[:0], notes: pc.notes[:0],
		directives: pc.directives[:0],
	}
}

// portion is rows of a piece in columns, which are its own or those of a batch.
type portion struct {
	rows runtime.Rows
	room int // for more rows
}

// last is the portion that the next row goes to.
func (pc *piece) last() *portion {
	if n := len(pc.portions); n > 0 && pc.portions[n-1].room > 0 {
		return &pc.portions[n-1]
	}
	b := portion{runtime.Rows{Columns: pc.columns}, math.MaxInt}
	if pc.batches != nil {
		b.rows.Columns, b.room = pc.batches.Next()
		b.rows.From = b.rows.Columns[0].Len
	}
	pc.portions = append(pc.portions, b)
	return &pc.portions[len(pc.portions)-1]
}

// deliver appends what pc has to rows.
func (pc *piece) deliver(rows []runtime.Rows) []runtime.Rows {
	problems, notes, before := pc.problems, pc.notes, 0
	for i := range pc.portions {
		r := pc.portions[i].rows
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

// enter gives the offset and the context of the first record that is pc's, and
// whether there is one.
func (pc *piece) enter(m *machine) (at int, begin dfa.StateID, ok bool) {
	if pc.begin == 0 {
		return 0, pc.state, true
	}
	data, row := pc.part.Data, m.Row(pc.state)
	last := min(len(data), pc.end+m.maxLag) // no further: a record may span any number of chunks
	for p := pc.begin; p < last; p++ {
		e := m.Entries[row|uint32(data[p])]
		row = e.Row()
		if e.Kind() != dfa.Record {
			continue
		}
		em := m.Emission(e)
		boundary := p - int(em.Lag)
		switch {
		case boundary < pc.begin:
		case boundary >= pc.end:
			return 0, 0, false
		default:
			return em.After(p), m.resume(em, e), true
		}
	}
	return 0, 0, false
}
