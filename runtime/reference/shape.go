package reference

import (
	"bytes"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// Segment is a run of records that one binding governs.
type Segment struct {
	Binding  *runtime.Binding
	From, To int // records
	// Column inverts Binding.Source: per field number of a record, the column of
	// the plan that it is the value of, or -1.
	Column []int
}

func newSegment(b *runtime.Binding, from int) Segment {
	s := Segment{Binding: b, From: from}
	for column, field := range b.Source {
		if field < 0 {
			continue
		}
		for len(s.Column) <= field {
			s.Column = append(s.Column, -1)
		}
		s.Column[field] = column
	}
	return s
}

// column is the column of the plan that a field is the value of, or -1.
func (s *Segment) column(field int) int {
	if field >= len(s.Column) {
		return -1
	}
	return s.Column[field]
}

// Segments hands the directives among the records of ix to the plan, in order,
// and gives the segments that they begin; b is in force at the first record.
// Finding the directives is data-parallel, obeying them is not: they are few.
//
// Where the plan refuses a directive the last segment ends before it.
func Segments(g Grid, plan *runtime.Plan, data []byte, ix *Index, b *runtime.Binding) ([]Segment, *runtime.BindError) {
	r := &ix.Records
	if b == nil { // nothing has named a column yet
		b = &runtime.Binding{Rest: -1, Source: slices.Repeat([]int{-1}, len(plan.Columns))}
	}
	segments := []Segment{newSegment(b, 0)}
	last := func() *Segment { return &segments[len(segments)-1] }
	for _, i := range Select(g, r.Len(), func(i int) bool { return r.Kind[i] >= dfa.FirstDirective && plan.Bind != nil }) {
		raw := bytes.TrimRight(data[r.Start[i]:r.End[i]], "\r\n")
		next, err := plan.Bind(r.Kind[i], raw)
		if err != nil {
			last().To = i
			return segments, &runtime.BindError{Offset: r.Start[i], Err: err}
		}
		if next != nil {
			last().To = i
			segments = append(segments, newSegment(next, i+1))
		}
	}
	last().To = r.Len()
	return segments, nil
}

// Shape is what the records of a partition are cut into: rows, and spans, the
// fields that a column is made from.
type Shape struct {
	Record   []int             // per row: number of its record
	Segment  []int             // per row: number of its segment
	Problems []runtime.Problem // structural, by row, at most one a row
	Notes    []runtime.Note    // of surplus fields, by row
	Wanted   []int             // the columns of the plan that an output needs
	Spans    SpanTable
	Span     [][]int // per Wanted, per row: number of its span, -1 if the record has none

	plan     *runtime.Plan
	ix       *Index
	segments []Segment
	index    []int // per column of the plan: index into Wanted, -1 if no output needs it
}

// SpanTable has one entry a span, in input order, in each of its columns.
type SpanTable struct {
	Column []int  // its column tag: index into Shape.Wanted
	Start  []int  // offset of its first symbol
	End    []int  // offset after its last symbol
	Raw    []bool // all its symbols are its value, as written
}

// Len is the number of spans.
func (t *SpanTable) Len() int { return len(t.End) }

// NewShape makes rows of the data records of the segments, checks how many
// fields they have and how these are enclosed, and cuts them into spans: the
// fields as the index has them, the rest of a record from one field on, or
// columns of fixed width. Fields that no output needs are left out (ParPaRaw,
// section 4.3, selecting columns), and so are those of malformed records.
//
// Rows are independent of each other in every step.
func NewShape(g Grid, plan *runtime.Plan, ix *Index, segments []Segment) *Shape {
	s := &Shape{plan: plan, ix: ix, segments: segments}
	s.want()
	s.rows(g)
	s.check(g)
	s.cut(g)
	return s
}

func (s *Shape) want() {
	s.index = make([]int, len(s.plan.Columns))
	for i := range s.index {
		s.index[i] = -1
	}
	for _, o := range s.plan.Outputs {
		if s.index[o.Column] < 0 {
			s.index[o.Column] = len(s.Wanted)
			s.Wanted = append(s.Wanted, o.Column)
		}
	}
}

func (s *Shape) rows(g Grid) {
	r := &s.ix.Records
	segment := make([]int, r.Len()) // per record; -1 for one that no segment has
	for i := range segment {
		segment[i] = -1
	}
	for i := range s.segments {
		for record := s.segments[i].From; record < s.segments[i].To; record++ {
			segment[record] = i
		}
	}
	s.Record = Select(g, r.Len(), func(i int) bool { return r.Kind[i] == dfa.DataRecord && segment[i] >= 0 })
	s.Segment = make([]int, len(s.Record))
	g.Each(len(s.Record), func(row int) { s.Segment[row] = segment[s.Record[row]] })
}

// cut lays out the spans: each row counts its own, the prefix sum of the
// counts gives each row its place, and each row writes them there.
func (s *Shape) cut(g Grid) {
	n := len(s.Record)
	malformed := make([]bool, n)
	g.Each(len(s.Problems), func(i int) { malformed[s.Problems[i].Row] = true })
	s.Span = make([][]int, len(s.Wanted))
	g.Each(len(s.Wanted), func(w int) {
		s.Span[w] = make([]int, n)
		for row := range s.Span[w] {
			s.Span[w][row] = -1
		}
	})

	counts := make([]int, n)
	g.Each(n, func(row int) {
		if !malformed[row] {
			s.spans(row, func(tag, start, end int, raw bool) { counts[row]++ })
		}
	})
	place, total := PrefixSum(counts)
	t := &s.Spans
	t.Column, t.Raw = make([]int, total), make([]bool, total)
	t.Start, t.End = make([]int, total), make([]int, total)
	g.Each(n, func(row int) {
		if malformed[row] {
			return
		}
		i := place[row]
		s.spans(row, func(tag, start, end int, raw bool) {
			t.Column[i], t.Start[i], t.End[i], t.Raw[i] = tag, start, end, raw
			s.Span[tag][row] = i // of two fields of one number, the last
			i++
		})
	})
}

// spans gives the spans of a row, in order, that an output needs.
func (s *Shape) spans(row int, yield func(tag, start, end int, raw bool)) {
	segment := &s.segments[s.Segment[row]]
	needed := func(field, start, end int, raw bool) {
		if column := segment.column(field); column >= 0 && s.index[column] >= 0 {
			yield(s.index[column], start, end, raw)
		}
	}
	i := s.Record[row]
	f, r := &s.ix.Fields, &s.ix.Records
	if widths := s.plan.Program.Widths; len(widths) > 0 {
		start := r.Start[i]
		if len(s.plan.Program.Cells) > 0 { // all is there, the boundary too
			for field, width := range widths {
				needed(field, start, start+width, true)
				start += width
			}
			return
		}
		for field, width := range widths {
			if start >= r.End[i] {
				return
			}
			end := start + min(width, r.End[i]-start)
			needed(field, start, end, true)
			start = end
		}
		return
	}
	rest := segment.Binding.Rest
	for j := r.Fields[i]; j < r.Fields[i+1]; j++ {
		if rest >= 0 && f.Column[j] >= rest {
			needed(rest, f.Start[j], r.End[i], true)
			return
		}
		needed(f.Column[j], f.Start[j], f.End[j], false)
	}
}
