package cpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// roundFields is about how many fields are indexed before they are converted:
// their places, 8 bytes a field, stay in the second-level cache.
const roundFields = 16 << 10

// maxRoundBytes bounds how far the fields of a round lie apart, so that their
// places fit into 31 bits together with one record of the largest size.
const maxRoundBytes = 1 << 28

// worker reads one chunk at a time.
type worker struct {
	plan      *runtime.Plan
	machine   *machine
	masked    *masked    // nil if the automaton has no masks, or none that pay here
	single    *masked    // it where few separators are in a row, nil if the automaton has no such masks
	inRows    *masked    // it where many are; likewise
	chosen    int        // from here on it is asked again which of them it is
	bracketed *bracketed // nil if records are no values in brackets
	headed    *headed    // nil if records are not told by heads
	hopper    *hopper    // nil if nobody has asked for it, or it has too many symbol groups

	// How the records of the segment are shaped: see bind.
	binding      *runtime.Binding
	dest         []int         // field number -> fields; -1: nobody wants it
	classes      []uint8       // field number -> expected class, 0: any
	rest         int           // field number of the rest, -1
	plainColumns []plainColumn // by field number, as far as fields are just that
	fewest       int           // the lowest field number that a good record may end with
	width        int           // fields that have to be made absent where they are missing
	classed      bool          // some plain column has a class

	widths     widths   // if records are cut by widths
	strides    *strides // nil if records are not binary
	sparse     bool     // records may lack any of their fields
	named      bool     // boundaries may say which column ends
	fixed      bool     // records are cut by widths
	shapes     int      // the column of the names of shapes, -1; and these
	shapeNames *shapeNames
	wanted     []bool   // by column: some output is made of it
	sink       []uint32 // where the places of fields go that nobody wants

	// The round.
	maxRows int
	nrows   int
	base    int              // offset in the partition that places are relative to
	fields  []convert.Fields // one a Plan.Column
	rows    []rowPlace       // see placeOf
	laid    []laid
	asked   int      // of laid: where the last row was that placeOf was asked for
	first   int      // where its first record begins
	cleared bool     // the rows of the round that are left have no fields
	lacking []uint32 // places of no fields, for as many rows as there are

	// Where to go on.
	cursor
	hopsTo   int // records up to here are read by hops, though there are masks,
	hopsFrom int // and none before here,
	hopsWait int // as it was of no use so many symbols before: see tryHops
	until    int // a record that ends at or after this offset is the last to be stepped
	strip    strip
	lanes    *lanes                        // nil until much is stepped, or if the automaton has none
	mask     [stripSize / blockSize]uint64 // of decode
	settlers []*convert.Settler            // by column, of those where it matters how a field was written
	written  dfa.Written                   // of decode
	seen     int                           // directives of the chunk
	rebind   *runtime.Binding              // set by the last of them, for the next round
	found    int                           // problems of the chunk before this round
	noted    int                           // notes of the chunk before this round
	omitted  []int                         // records of the round that have no row in it: the number of the row after each
	sizes    []runtime.Left                // of these, if brief
	brief    bool                          // records of the round that are left out are counted only
	dropped  bool                          // some are
	spoilt   bool                          // rows of the round have structural problems
	dropping []bool                        // Plan.Drops, by Output, from -1, and What; nil: of no problem
	earlier  int                           // of these, as many are before the row that before was last asked for
	drops    []uint64                      // of leaveOut: records of the round, as bits; none are set between calls
	gone     columns.Removal               // and rows, as numbers
	settling settling
	invalid  invalid

	scratch *scratch
	outputs []output
	view    convert.Fields // of rows that go to one portion
	splits  []*split
	errs    []convert.FieldError

	clock *clock // nil unless it measures
}

// plainColumn is where the places of a field go, and its class.
type plainColumn struct {
	start, end []uint32
	class      uint8
	wanted     bool
}

// mostFields is how many fields of the plan a record has at most: none of several shapes has those of all. It is no less
// than a fourth of the columns, as where nothing is is written down, too.
func mostFields(plan *runtime.Plan) int {
	const fourth = 4
	n := len(plan.Columns)
	if len(plan.Program.Shapes) == 0 {
		return n
	}
	most := n / fourth
	for i := range plan.Program.Shapes {
		most = max(most, len(plan.Program.Shapes[i].Columns))
	}
	return min(n, most)
}

func newWorker(plan *runtime.Plan, m *machine) (*worker, error) {
	n := len(plan.Columns)
	s := scratches.Get().(*scratch)
	w := &s.worker
	*w = worker{scratch: s, plan: plan, machine: m, maxRows: min(max(roundFields/max(mostFields(plan), 1), 64), 4096)}
	w.fixed, w.fields = len(plan.Program.Widths) > 0, make([]convert.Fields, n)
	w.strides = newStrides(plan.Program)
	if err := w.prepare(); err != nil {
		return w, err
	}
	w.askDrops()
	if w.strides != nil {
		w.maxRows = w.strideRound()
	}
	w.sparse = len(plan.Program.Directives) > 0 || w.fixed
	if m.named {
		w.sparse, w.named = true, true
	}
	places := s.takePlaces(2*n+1, w.maxRows)
	for i := range w.fields {
		w.fields[i].Start, w.fields[i].End = places[2*i], places[2*i+1]
	}
	s.drops, s.rows = grow(s.drops, (2*w.maxRows+64)/64), grow(s.rows, w.maxRows)
	clear(s.drops)
	w.drops, w.rows, w.sink = s.drops, s.rows, places[2*n]
	w.single, w.inRows = newMasked(m.roles), newMasked(m.runRoles)
	if w.inRows != nil {
		w.inRows.marks, w.inRows.records, w.inRows.kept, w.inRows.runs = s.marks, s.records, s.kept, s.takeRuns(m.runRoles)
	}
	if w.masked = w.single; w.masked != nil {
		w.masked.marks, w.masked.records, w.masked.kept, w.masked.bitmaps = s.marks, s.records, s.kept, s.bitmaps
		if s.bitmaps != nil {
			s.bitmaps.reset(m.roles)
		}
		if w.masked.near = s.near; s.near != nil {
			s.near.reset(m.roles)
		}
	} else if x := m.brackets(); x != nil {
		own := *x
		w.bracketed = &own
	} else if x := m.heads(); x != nil && w.strides == nil {
		w.headed = &headed{heads: x}
	}
	w.wanted, w.settlers = make([]bool, n), make([]*convert.Settler, n)
	w.shapes = -1
	for _, o := range plan.Outputs {
		w.wanted[o.Column] = true
		if plan.Columns[o.Column].Shape {
			w.shapes, w.shapeNames = o.Column, newShapeNames(plan.Program.Shapes)
		}
		if plan.Program.Automaton.Escapes() {
			w.settlers[o.Column] = convert.NewSettler(&plan.Columns[o.Column], plan.Program.Openers)
		}
	}
	return w, nil
}

// bind makes b the shape of the records that follow.
func (w *worker) bind(b *runtime.Binding) {
	if w.binding == b {
		return
	}
	w.binding, w.rest = b, b.Rest
	w.dest, w.classes = make([]int, b.MaxFields), make([]uint8, b.MaxFields)
	for i := range w.dest {
		w.dest[i] = -1
	}
	for c, f := range b.Source {
		if f < 0 {
			continue
		}
		if w.wanted[c] {
			w.dest[f] = c
		}
		w.classes[f] = w.plan.Columns[c].Class
	}
	w.fewest, w.width = b.MinFields-1, len(w.dest)
	if w.sparse {
		w.width = 0
	}
	n := len(w.dest)
	switch {
	case w.fixed:
		n = 0
	case w.rest >= 0:
		n = w.rest
	}
	w.plainColumns, w.classed = w.plainColumns[:0], false
	for i, d := range w.dest[:n] {
		c := plainColumn{w.sink, w.sink, w.classes[i], false}
		if d >= 0 {
			c = plainColumn{w.fields[d].Start, w.fields[d].End, w.classes[i], true}
		}
		w.classed = w.classed || c.class != 0
		w.plainColumns = append(w.plainColumns, c)
	}
	if w.masked != nil {
		if w.fixed {
			w.widths.bind(w)
			w.masked.stay(w.machine)
		}
		w.masked.bind(w)
	}
	if w.bracketed != nil {
		w.bracketed.bind(w)
	}
	if w.headed != nil {
		w.headed.bind()
	}
	if (w.masked == nil || !w.masked.usable) && (w.bracketed == nil || !w.bracketed.usable) {
		w.hops()
	}
	if w.hopper != nil {
		w.hopper.reset()
	}
}

// choiceSpan is for how many symbols it holds how fields are found, at least. Tests have other numbers.
var choiceSpan = 256 << 10

// chooseMasks chooses how fields are found in data from w.at on, where a record begins, unless that has just been done.
func (w *worker) chooseMasks(data []byte) {
	k, x := w.single, w.inRows
	if x == nil || w.at < w.chosen || len(data)-w.at < blockSize {
		return
	}
	w.chosen = w.at + choiceSpan
	if x.count > 0 || x.runs.many(&x.marker, data[w.at:], w.single == nil) {
		k = x
	}
	if k != w.masked {
		b := w.binding
		w.masked, w.binding = k, nil
		w.bind(b)
		w.restart()
	}
}

// restart is for other data, or for those who have not read what is before w.at.
func (w *worker) restart() {
	if w.masked != nil {
		w.masked.restart()
	}
	if w.bracketed != nil {
		w.bracketed.known = 0
	}
	if w.headed != nil {
		w.headed.restart()
	}
	if w.hopper != nil {
		w.hopper.to, w.hopper.steppedTo = 0, 0
	}
}

// full reports whether the round has to be converted before another record.
func (w *worker) full() bool {
	return w.nrows == w.maxRows || len(w.omitted) == w.maxRows || w.at-w.base > maxRoundBytes || w.rebind != nil
}

// read indexes and converts the records of ck.
func (w *worker) read(ck *chunk) error {
	w.clock.begin()
	at, state, ok := ck.enter(w.machine)
	if !ok {
		return nil
	}
	ck.entered, ck.at, ck.from = true, at, state
	w.at, w.row, w.seen, w.rebind = at, w.machine.Row(state), 0, nil
	w.strip.from, w.strip.to, w.strip.laned, w.hopsTo, w.hopsFrom = 0, 0, false, 0, at+w.hopsWait/2
	if w.lanes != nil {
		w.lanes.n, w.lanes.next = 0, 0 // strips of other data
	}
	w.chosen = at
	w.bind(ck.first)
	w.restart()
	for more := true; more && w.at < ck.stop; {
		w.chooseMasks(ck.part.Data)
		w.nrows, w.base, w.first, w.found = 0, w.at, w.at, len(ck.problems)
		w.noted, w.omitted, w.laid = len(ck.notes), w.omitted[:0], w.laid[:0]
		w.brief, w.dropped, w.sizes = ck.part.Size != nil && w.plan.Drops != nil && ck.ngone >= ck.part.Told, false, w.sizes[:0]
		w.spoilt = false
		passed := ck.extents.Bytes() - ck.extents.Data
		for i := range w.fields {
			f := &w.fields[i]
			f.Src, f.Decoded, f.Literal = ck.part.Data[w.base:], f.Decoded[:0], f.Literal[:0]
		}
		w.cleared = false
		more = w.index(ck)
		if ck.next > w.first { // what was not passed over meanwhile are rows
			ck.extents.Data += int64(ck.next-w.first) - (ck.extents.Bytes() - ck.extents.Data - passed)
		}
		w.clock.lap(indexStage)
		w.convert(ck)
		w.clock.lap(convertStage)
		ck.nrows += w.nrows + len(w.omitted)
		if w.rebind != nil {
			w.bind(w.rebind)
			w.rebind = nil
		}
	}
	return nil
}

// letGo forgets the data.
func (w *worker) letGo() {
	w.view.Src = nil
	for i := range w.fields {
		w.fields[i].Src = nil
	}
	for _, s := range w.splits {
		for i := range s.parts {
			s.parts[i].Src = nil
		}
	}
	for _, k := range []*masked{w.single, w.inRows} {
		if k != nil {
			k.marker.src = nil
		}
	}
	if w.hopper != nil && w.hopper.abreast != nil {
		w.hopper.abreast.leap.src = nil
	}
}
