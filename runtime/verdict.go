package runtime

import (
	"bytes"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file finds out what becomes of records with problems, and puts it into
// words, as far as that does not depend on what came before: by the worker that has
// read them. What is left for the Reader, record by record, is to count.

// verdict is what becomes of a record with problems.
type verdict struct {
	row   int       // of Rows
	from  int       // Rows.Problems[from:to] are its problems
	to    int       //
	first int       // of these, the first that is not forgiven; -1: all are
	drop  bool      // it is left out
	size  size      // if it is left out or told of
	told  []*Reject // in words, as if nothing came before the Rows' partition; nil: not put into words
}

// verdicts are those of one Rows, in order.
type verdicts struct {
	all     []verdict
	dropped Extent // of the records left out
	lines   int64  // that these take
	nulled  int64  // problems of the others
	left    Left   // of those left out, the ones of which no more is known
}

// quota is how many rejects are told of at most: of records, and of fields.
type quota struct{ records, fields int }

// quota is what may still be told.
func (r *Reader) quota() quota { return quota{r.untold(r.told.records), r.untold(r.told.fields)} }

// tells reports whether anybody may be told of a line of the input.
func (r *Reader) tells(of quota) bool { return !r.cr && !r.binary && (of.records > 0 || of.fields > 0) }

// drops reports whether a problem is one for which its record is left out, unless the
// mode is to end the reading at it.
func (r *Reader) drops(pr *Problem) bool {
	if pr.Output < 0 || r.o.mode == dfa.Reject && r.plan.Outputs[pr.Output].Part < 0 {
		return true // as for nearly all
	}
	return r.o.mode == dfa.Reject && !r.lenient(pr) || r.required(pr)
}

// brief lets an engine count the records that are left out, as far as nobody is told of them and it matters for none how
// many there were before.
func (r *Reader) brief(p *Partition, tell quota) {
	if r.plan.Drops != nil && r.sizes() {
		p.Size, p.Told, p.Lines = r.sizeOf, tell.records, !r.cr
	}
}

// sizes reports whether of records that are left out only their sizes matter.
func (r *Reader) sizes() bool { return r.countsOnly() && r.o.maxReject < 0 && r.o.skip == 0 }

// weigh finds the verdicts on all of a Result's records, and puts so many of them
// into words, for which scout finds lines. It reads r, and may be called by a worker.
func (r *Reader) weigh(p *Partition, result *Result, tell quota, scout *scout) []verdicts {
	var all []verdicts
	for i := range result.Rows {
		if rows := &result.Rows[i]; all == nil && (len(rows.Problems) > 0 || rows.Left != (Left{})) {
			all = make([]verdicts, len(result.Rows))
		}
		if all != nil {
			all[i] = r.weighRows(p, &result.Rows[i], &tell, scout)
		}
	}
	return all
}

func (r *Reader) weighRows(p *Partition, rows *Rows, tell *quota, scout *scout) (vs verdicts) {
	if vs, ok := r.sums(p, rows, *tell); ok {
		return vs
	}
	vs.takeLeft(&rows.Left)
	problems := rows.Problems
	for from := 0; from < len(problems); {
		to := from + 1
		for to < len(problems) && problems[to].Row == problems[from].Row {
			to++
		}
		v := r.weighRecord(problems[from:to])
		v.row, v.from, v.to = problems[from].Row, from, to
		n := to - from
		if v.drop {
			r.measure(p, &problems[from], &v)
			vs.dropped.Add(1, v.size.bytes)
			vs.lines += v.size.lines
			n = min(1, tell.records)
			tell.records -= n
		} else {
			vs.nulled += int64(n)
			n = min(n, tell.fields)
			tell.fields -= n
		}
		if n > 0 && !r.cr && !(r.o.mode == dfa.Fail && v.first >= 0) {
			r.measure(p, &problems[from], &v)
			v.told = r.words(p, v.tellable(problems[from:to])[:n], &v, scout)
		}
		if vs.all == nil {
			vs.all = make([]verdict, 0, len(problems))
		}
		vs.all = append(vs.all, v)
		from = to
	}
	return vs
}

// sums are the verdicts without those on each record, if nobody will ask for them: nobody is told, and
// all records that are left out are gone. It reports whether that is so.
func (r *Reader) sums(p *Partition, rows *Rows, tell quota) (vs verdicts, ok bool) {
	if !r.sizes() || tell.records > 0 {
		return vs, false
	}
	vs.takeLeft(&rows.Left)
	problems, gone := rows.Problems, int64(rows.Gone.Len())
	for from, to := 0, 0; from < len(problems) && vs.dropped.Records <= gone; from = to {
		drop := false
		for to = from; to < len(problems) && problems[to].Row == problems[from].Row; to++ {
			drop = drop || r.drops(&problems[to])
		}
		if !drop {
			vs.nulled += int64(to - from)
			continue
		}
		pr := &problems[from]
		nbytes, nlines := r.sizeOf(p, pr.Start, pr.End, 0, pr.Begin)
		vs.dropped.Add(1, nbytes)
		vs.lines += nlines
	}
	return vs, vs.dropped.Records == gone && (vs.nulled == 0 || tell.fields == 0)
}

// takeLeft counts those of which no more is known.
func (vs *verdicts) takeLeft(left *Left) {
	vs.left = *left
	vs.dropped.Add(left.Records, left.Bytes)
	vs.lines += left.Lines
}

// countsOnly reports whether nothing that becomes of a record depends on how many there were before.
func (r *Reader) countsOnly() bool { return r.o.limit < 0 && r.o.mode != dfa.Fail && r.o.maxShare >= 1 }

// weighRecord is the verdict on a record, but for its size.
func (r *Reader) weighRecord(problems []Problem) (v verdict) {
	v.first = -1
	for i := range problems {
		pr := &problems[i]
		if v.first < 0 && !r.lenient(pr) {
			v.first = i
		}
		v.drop = v.drop || r.drops(pr)
	}
	return v
}

// tellable are the problems that are told of: of a record that is left out, one.
func (v *verdict) tellable(problems []Problem) []Problem {
	if v.drop {
		return problems[max(v.first, 0):][:1]
	}
	return problems
}

// words puts the problems of one record into words, as of partition p alone.
func (r *Reader) words(p *Partition, problems []Problem, v *verdict, scout *scout) (told []*Reject) {
	raw := r.reread(p, problems, v.size)
	for i := range problems {
		pr := &problems[i]
		reject := r.rejected(p, pr, raw, v)
		at := r.where(p, pr, raw)
		reject.Record, reject.Start, reject.Offset = int64(v.row), int64(pr.Start), int64(at)
		reject.Line, reject.Column = scout.locate(p.Data, pr.Start, at)
		told = append(told, reject)
	}
	return told
}

// rejected is the reject of a problem, which does not say where it is.
func (r *Reader) rejected(p *Partition, pr *Problem, raw *dfa.RawRecord, v *verdict) *Reject {
	end := pr.End
	if raw != nil {
		end = pr.Start + raw.Next // with what stands between the last field and the line end
	}
	text := p.Data[pr.Start:min(end, pr.Start+r.rawLimit(pr))]
	if !r.binary {
		text = trimEOL(text)
	}
	return &Reject{ParseError: *r.explain(p, pr, raw, v.size), FieldOnly: !v.drop, Lines: v.size.lines, Raw: bytes.Clone(text)}
}

// place makes a reject that words has made one of the input: its record, counted
// from 0 in Rows, is the one after so many.
func (r *Reader) place(reject *Reject, before int64) *Reject {
	r.pos.count()
	reject.File = r.o.name
	reject.Record += before + 1
	reject.Start += r.pos.offset
	if reject.Line == 0 {
		reject.Column += r.pos.offset - r.pos.line
	}
	reject.Offset += r.pos.offset
	if reject.Line += r.pos.lines + 1; r.binary {
		reject.Line, reject.Column = 0, 0
	}
	return reject
}

// scout finds lines in a partition, of which it knows how many come before a record.
type scout struct {
	known []LineEnds // of it

	at    int   // this record's start
	lines int64 // line ends before it
	line  int   // offset after the last of these
}

// locate gives the line of an offset in the record at start, counted from 0, and the
// column, from 1. Records come in order.
func (s *scout) locate(data []byte, start, offset int) (line, column int64) {
	s.pass(data, start)
	t := *s
	t.pass(data, offset)
	return t.lines, int64(offset - t.line + 1)
}

// all are the lines of data, of which those are known that have been passed.
func (s *scout) all(data []byte) *lines {
	s.pass(data, len(data))
	return &lines{s.lines, s.line - 1}
}

func (s *scout) pass(data []byte, to int) {
	l := linesOf(s.known, data, s.at, to)
	if l.n > 0 {
		s.lines += l.n
		s.line = s.at + l.last + 1
	}
	s.at = to
}

// told reports whether a reject has been put into words.
func told(of []verdicts) bool {
	return slices.ContainsFunc(of, func(vs verdicts) bool {
		return slices.ContainsFunc(vs.all, func(v verdict) bool { return len(v.told) > 0 })
	})
}

// silent reports whether all that is to be done about the records with problems of a
// Rows is to count them: nobody is told, and none ends the reading.
func (r *Reader) silent(vs *verdicts) bool {
	return r.countsOnly() &&
		(vs.dropped.Records == 0 || r.untold(r.told.records) == 0) && (vs.nulled == 0 || r.untold(r.told.fields) == 0) &&
		(r.o.maxReject < 0 || r.stats.Rejected+vs.dropped.Records <= r.o.maxReject)
}

// count counts them.
func (r *Reader) count(vs *verdicts) {
	r.countLeft(&Left{vs.dropped.Records, vs.dropped.Bytes, vs.lines})
	r.stats.Nulled += vs.nulled
}

func (r *Reader) countLeft(left *Left) {
	r.stats.Rejected += left.Records
	r.stats.RejectedLines += left.Lines
	r.fate.rejected.Add(left.Records, left.Bytes)
}

// leftBefore are those of Rows.Left, if the reading ends at a row: they are looked for.
func (r *Reader) leftBefore(p *Partition, rows *Rows, vs *verdicts, row int) (left Left) {
	if vs.left == (Left{}) {
		return left
	}
	told := map[int]bool{}
	for i := range vs.all {
		told[vs.all[i].row] = true
	}
	n, first := 0, int(r.stats.Records-r.fate.records) // rows of p
	eachSpan(r.plan.Program.Automaton, p.Data, p.State, p.Final, func(s span) bool {
		if s.kind != dfa.DataRecord {
			return true
		}
		at := n - first
		n++
		if at < row && rows.Gone.Has(at) && !told[at] {
			of := r.sizeUpTo(p.Data[s.start:s.next])
			left.Records++
			left.Bytes += of.bytes
			left.Lines += of.lines
		}
		return at < row
	})
	return left
}

// extents says by a record's boundary symbol how many bytes after it the next
// record begins; 0: that depends.
type extents [256]uint8

// mostLag is the largest lag with which records end in automata that are looked through for them.
const mostLag = 2

// newExtents looks through all boundaries: which symbols they may be, and where
// what follows begins.
func newExtents(a *dfa.Automaton) *extents {
	var x extents
	if slices.ContainsFunc(a.Emissions, func(e dfa.Emission) bool { return e.Kind == dfa.Record && e.Lag > mostLag }) {
		return &x
	}
	// before[s] are the symbols that lead to state s, from[s] the states.
	before, from := make([]dfa.Set, a.NStates()), make([][]dfa.StateID, a.NStates())
	eachStep(a, func(s dfa.StateID, symbols dfa.Set, next dfa.StateID, _ *dfa.Emission) {
		before[next] = before[next].Union(symbols)
		if !slices.Contains(from[next], s) {
			from[next] = append(from[next], s)
		}
	})
	var depends, seen [256]bool
	eachStep(a, func(s dfa.StateID, symbols dfa.Set, _ dfa.StateID, e *dfa.Emission) {
		if e.Kind != dfa.Record {
			return
		}
		boundaries := symbols
		switch e.Lag {
		case 1:
			boundaries = before[s]
		case 2:
			boundaries = dfa.Set{}
			for _, t := range from[s] {
				boundaries = boundaries.Union(before[t])
			}
		}
		n := uint8(e.After(int(e.Lag)))
		for c := range 256 {
			if boundaries.Has(byte(c)) {
				depends[c] = depends[c] || seen[c] && x[c] != n
				x[c], seen[c] = n, true
			}
		}
	})
	for c, d := range depends {
		if d {
			x[c] = 0
		}
	}
	return &x
}

// eachStep gives f what each state does with the symbols of each group, which is the same.
func eachStep(a *dfa.Automaton, f func(s dfa.StateID, symbols dfa.Set, next dfa.StateID, e *dfa.Emission)) {
	groups := make([]dfa.Set, a.NGroups)
	for symbol, g := range a.Group {
		groups[g] = groups[g].Union(dfa.Bytes(byte(symbol)))
	}
	for s := range a.NStates() {
		for _, symbols := range groups {
			if symbols.Empty() {
				continue
			}
			next, e := a.Step(dfa.StateID(s), symbols.First())
			f(dfa.StateID(s), symbols, next, e)
		}
	}
}

// next is where the record after one begins, whose boundary is end.
func (r *Reader) next(p *Partition, start, end int, begin dfa.StateID) int {
	a := r.plan.Program.Automaton
	if end+mostLag+1 < len(p.Data) {
		if n := r.extents()[p.Data[end]]; n > 0 {
			return end + int(n)
		}
	}
	next := len(p.Data)
	eachSpan(a, p.Data[start:], begin, p.Final, func(s span) bool {
		next = start + s.next
		return false
	})
	return next
}

// measure finds how large the record of a verdict is, which has such a problem, unless it is known.
func (r *Reader) measure(p *Partition, pr *Problem, v *verdict) {
	if v.size == (size{}) {
		v.size.bytes, v.size.lines = r.sizeOf(p, pr.Start, pr.End, 0, pr.Begin)
	}
}

// sizeOf is Partition.Size.
func (r *Reader) sizeOf(p *Partition, start, end, next int, begin dfa.StateID) (nbytes, nlines int64) {
	if next == 0 {
		next = r.next(p, start, end, begin)
	}
	of := r.sizeUpTo(p.Data[start:next])
	return of.bytes, of.lines
}

// sizeUpTo is how large a record is, with all before the next.
func (r *Reader) sizeUpTo(b []byte) size {
	if r.binary || !r.cr && len(b) > 0 && bytes.IndexByte(b[:len(b)-1], '\n') < 0 {
		return size{int64(len(b)), 1}
	}
	at := position{cr: r.cr}
	at.pass(b)
	if at.line < at.offset {
		at.lines++ // the last one has no end
	}
	return size{int64(len(b)), at.lines}
}
