package reference

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// Role says what a symbol is to the field that it lies in, in the end: the
// word of its own emission, unless a boundary that was found later took it
// back. A boundary lies in no field, so its role is never asked for.
type Role uint8

const (
	Control   Role = iota // no part of the value
	Lead                  // none either, but of an escape, see dfa.Written
	Decoded               // a byte of the value: what its emission decodes it to
	AsWritten             // a byte of the value: the symbol itself
)

// Index says where the fields and records of an input end, and of which column
// and kind they are: what the bitmap indexes and offsets of ParPaRaw, sections
// 3.1 and 3.2, say. Records are the complete ones, fields those of such records.
type Index struct {
	State    []dfa.StateID    // per symbol: before it; one more: at the end of the input
	Emission []dfa.EmissionID // per symbol; one more: of the end of the input
	Role     []Role           // per symbol
	Lines    []int            // per chunk: newlines before it

	Fields  FieldTable
	Records RecordTable
	Faults  []Fault // by record; at most one a record, the first
}

// FieldTable has one entry a field, in input order, in each of its columns.
type FieldTable struct {
	Record []int   // number of its record, from 0
	Column []int   // number in its record, as the automaton says
	Class  []uint8 // lexeme class
	Start  []int   // offset of its first symbol, control included
	End    []int   // offset of its boundary
	Found  []int   // offset of the symbol whose emission ended it, len(data) for the end of the input
}

// RecordTable has one entry a record, in input order, in each of its columns.
type RecordTable struct {
	Kind   []dfa.RecordKind
	Start  []int // offset of its first symbol
	End    []int // offset of its boundary
	Fields []int // number of its first field; one entry more: the number of fields
	Found  []int // as of its last field
	Fault  []int // index into Faults, -1 if it is well formed
}

// Len is the number of fields.
func (t *FieldTable) Len() int { return len(t.End) }

// Len is the number of records.
func (t *RecordTable) Len() int { return len(t.End) }

// Fault is a symbol, or an end of the input, at which a record is malformed.
type Fault struct {
	Record int // number of its record
	Field  int // number in its record of the field being read, if it is the next column
	Code   dfa.ErrorCode
	At     int         // offset of the symbol
	State  dfa.StateID // before it
	Offset int         // where it is reported
}

// ColumnOffset is what a run of symbols does to the number of the field being
// read (ParPaRaw, section 3.2): sets it to N if Absolute, adds N to it if not.
type ColumnOffset struct {
	Absolute bool
	N        int
}

// Then is the paper's operator ⊕: a run with offset a followed by one with b.
func (a ColumnOffset) Then(b ColumnOffset) ColumnOffset {
	if b.Absolute {
		return b
	}
	return ColumnOffset{a.Absolute, a.N + b.N}
}

// columnOffset is the offset of one emission that ends a field.
func columnOffset(e *dfa.Emission) ColumnOffset {
	switch {
	case e.Kind == dfa.Record:
		return ColumnOffset{Absolute: true}
	case e.Column != dfa.NextColumn:
		return ColumnOffset{Absolute: true, N: int(e.Column) + 1}
	}
	return ColumnOffset{N: 1}
}

// Counts is what the symbols of a run add to the index.
type Counts struct {
	Fields, Records, Faults, Lines int
	Column                         ColumnOffset
}

// Then counts a run and the run that follows it; it is associative.
func (a Counts) Then(b Counts) Counts {
	return Counts{a.Fields + b.Fields, a.Records + b.Records, a.Faults + b.Faults, a.Lines + b.Lines, a.Column.Then(b.Column)}
}

// add counts one emission.
func (a *Counts) add(e *dfa.Emission) {
	if e.Code != 0 {
		a.Faults++
	}
	if e.Boundary() {
		a.Fields++
		a.Column = a.Column.Then(columnOffset(e))
	}
	if e.Kind == dfa.Record {
		a.Records++
	}
}

// BuildIndex is the stage index. contexts are those of the chunks of data; if
// final, the end of the input has its emission too.
func BuildIndex(g Grid, a *dfa.Automaton, data []byte, contexts []dfa.StateID, final bool) *Index {
	ix := &Index{}
	counts := ix.simulate(g, a, data, contexts, final)
	before, total := ExclusiveScan(counts, Counts{Column: ColumnOffset{Absolute: true}}, Counts.Then)
	ix.locate(g, a, len(data), before, total)
	ix.bound(g, a)
	ix.reopen(g, a)
	return ix
}

// simulate runs the automaton over every chunk from its context, notes the
// state and the emission of each symbol and counts what they add (ParPaRaw,
// sections 3.1, last paragraph, and 3.2, first step). The end of the input
// belongs to the last chunk. One entry a chunk.
func (ix *Index) simulate(g Grid, a *dfa.Automaton, data []byte, contexts []dfa.StateID, final bool) []Counts {
	n := len(data)
	ix.State = make([]dfa.StateID, n+1)
	ix.Emission = make([]dfa.EmissionID, n, n+1)
	ix.Role = make([]Role, n)
	counts := make([]Counts, g.Chunks(n))
	g.Each(len(counts), func(i int) {
		from, to := g.Bounds(i, n)
		s := contexts[i]
		for p := from; p < to; p++ {
			t := int(a.Group[data[p]])*a.NStates() + int(s)
			ix.State[p], ix.Emission[p] = s, a.Emit[t]
			e := &a.Emissions[a.Emit[t]]
			switch {
			case e.Kind == dfa.Data:
				ix.Role[p] = Decoded
			case e.Escape:
				ix.Role[p] = Lead
			}
			if data[p] == '\n' {
				counts[i].Lines++
			}
			counts[i].add(e)
			s = a.Next[t]
		}
		if to == n {
			ix.State[n] = s
		}
	})
	if final {
		id := a.AtEOF[ix.State[n]]
		ix.Emission = append(ix.Emission, id)
		counts[len(counts)-1].add(&a.Emissions[id])
	}
	return counts
}

// locate writes the entry of every boundary and fault to its place in the
// tables, which the offsets before its chunk give (ParPaRaw, section 3.2,
// second step). A boundary may lie in an earlier chunk than the symbol that
// tells of it; the entry is written by the chunk that has the symbol.
func (ix *Index) locate(g Grid, a *dfa.Automaton, n int, before []Counts, total Counts) {
	f, r := &ix.Fields, &ix.Records
	f.Record, f.Column, f.Class = make([]int, total.Fields), make([]int, total.Fields), make([]uint8, total.Fields)
	f.Start, f.End, f.Found = make([]int, total.Fields), make([]int, total.Fields), make([]int, total.Fields)
	r.Kind, r.Start, r.End = make([]dfa.RecordKind, total.Records), make([]int, total.Records), make([]int, total.Records)
	r.Fields, r.Found, r.Fault = make([]int, total.Records+1), make([]int, total.Records), make([]int, total.Records)
	ix.Faults = make([]Fault, total.Faults)
	ix.Lines = make([]int, len(before))

	g.Each(len(before), func(i int) {
		from, to := g.Bounds(i, n)
		if i == len(before)-1 {
			to = len(ix.Emission) // with the end of the input
		}
		at := before[i]
		ix.Lines[i] = at.Lines
		for p := from; p < to; p++ {
			e := &a.Emissions[ix.Emission[p]]
			if e.Code != 0 {
				ix.Faults[at.Faults] = Fault{Record: at.Records, Field: at.Column.N, Code: e.Code, At: p, State: ix.State[p], Offset: p}
				if e.Blame == dfa.BlameField {
					ix.Faults[at.Faults].Offset = -1 - at.Fields // bound knows where that field starts
				}
			}
			if e.Boundary() {
				column := at.Column.N
				if e.Column != dfa.NextColumn {
					column = int(e.Column)
				}
				f.Record[at.Fields], f.Column[at.Fields], f.Class[at.Fields] = at.Records, column, e.Class
				f.End[at.Fields], f.Found[at.Fields] = p-int(e.Lag), p
			}
			if e.Kind == dfa.Record {
				r.Kind[at.Records], r.End[at.Records], r.Found[at.Records] = e.Record, p-int(e.Lag), p
				r.Fields[at.Records+1] = at.Fields + 1
			}
			at.add(e)
		}
	})
}

// bound lets every field and record begin where the one before it ended, keeps
// the first fault of each record, and drops what belongs to the record that is
// not complete.
func (ix *Index) bound(g Grid, a *dfa.Automaton) {
	f, r := &ix.Fields, &ix.Records
	start := func(found []int, i int) int {
		if i == 0 {
			return 0
		}
		return ix.after(a, found[i-1])
	}
	g.Each(f.Len(), func(i int) { f.Start[i] = start(f.Found, i) })
	g.Each(r.Len(), func(i int) { r.Start[i], r.Fault[i] = start(r.Found, i), -1 })

	g.Each(len(ix.Faults), func(i int) {
		if x := &ix.Faults[i]; x.Offset < 0 {
			x.Offset = start(f.Found, -1-x.Offset)
		}
	})
	first := Select(g, len(ix.Faults), func(i int) bool {
		x := &ix.Faults[i]
		return x.Record < r.Len() && (i == 0 || ix.Faults[i-1].Record != x.Record)
	})
	faults := make([]Fault, len(first))
	g.Each(len(first), func(i int) {
		faults[i] = ix.Faults[first[i]]
		r.Fault[faults[i].Record] = i
	})
	ix.Faults = faults

	n := r.Fields[r.Len()]
	f.Record, f.Column, f.Class = f.Record[:n], f.Column[:n], f.Class[:n]
	f.Start, f.End, f.Found = f.Start[:n], f.End[:n], f.Found[:n]
}

// after is where the field begins that follows the boundary found at p.
func (ix *Index) after(a *dfa.Automaton, p int) int {
	return a.Emissions[ix.Emission[p]].After(p)
}

// reopen rewrites the roles of the symbols between a boundary that lags and
// the symbol that told of it: they begin the field that follows, as control
// and then as written, whatever was said of them before. No two fields share a
// symbol, so none is written twice: where one boundary was found while the
// symbols after another were still open, each rewrites its own field only.
func (ix *Index) reopen(g Grid, a *dfa.Automaton) {
	f := &ix.Fields
	g.Each(f.Len(), func(i int) {
		if i == 0 {
			return
		}
		found := f.Found[i-1]
		open := f.Start[i] + int(a.Emissions[ix.Emission[found]].Open)
		for q := f.Start[i]; q < f.End[i] && q <= found; q++ {
			ix.Role[q] = AsWritten
			if q < open {
				ix.Role[q] = Control
			}
		}
	})
}

// Value is the byte that the symbol at p is in its field, and whether it is
// one at all.
func (ix *Index) Value(a *dfa.Automaton, data []byte, p int) (value byte, ok bool) {
	switch ix.Role[p] {
	case Decoded:
		return dfa.Decode(data, p, &a.Emissions[ix.Emission[p]]), true
	case AsWritten:
		return data[p], true
	}
	return 0, false
}

// Written is how the field data[start:end] was written, and whether something was
// escaped in it.
func (ix *Index) Written(a *dfa.Automaton, data []byte, start, end int) (w dfa.Written, escaped bool) {
	if start > 0 {
		if e := &a.Emissions[ix.Emission[start-1]]; e.Boundary() && e.Escape {
			w.Text, escaped = append(w.Text, data[start-1]), true
		}
	}
	for p := start; p < end; p++ {
		role := ix.Role[p]
		if role == Control {
			continue
		}
		w.Text = append(w.Text, data[p])
		if role != Lead {
			w.End = append(w.End, uint32(len(w.Text)))
		}
		escaped = escaped || role == Lead || role == Decoded && a.Emissions[ix.Emission[p]].Coded()
	}
	return w, escaped
}

// Next is the offset at which the record after record i begins.
func (ix *Index) Next(a *dfa.Automaton, i int) int {
	return min(ix.after(a, ix.Records.Found[i]), len(ix.Role))
}

// Begin is the state in which record i begins.
func (ix *Index) Begin(a *dfa.Automaton, i int) dfa.StateID {
	if i == 0 {
		return ix.State[0]
	}
	p := ix.Records.Found[i-1]
	if p == len(ix.Role) {
		return a.Start // after the end of the input
	}
	return a.Resume(&a.Emissions[ix.Emission[p]], ix.State[p+1])
}

// Extents counts the bytes of the first n records, one by one, and what follows
// them up to offset consumed.
func (ix *Index) Extents(a *dfa.Automaton, n, consumed int) (t runtime.Extents) {
	r, end := &ix.Records, 0
	for i := range n {
		nbytes := ix.Next(a, i) - r.Start[i]
		if end = ix.Next(a, i); r.Kind[i] == dfa.DataRecord {
			t.Data += int64(nbytes)
		} else {
			t.Pass(r.Kind[i], nbytes)
		}
	}
	t.Tail = int64(consumed - end)
	return t
}
