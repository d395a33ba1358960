package runtime

import (
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// This file accounts for the bytes of an input. Each part is counted where it
// arises: what comes before the data by the Reader, records that are no rows by
// the engine, rejects where they are judged. That the sum is what was read is
// therefore no matter of course, and checked.

// Extent is a number of records, and how many bytes they have together, their
// boundaries too.
type Extent struct{ Records, Bytes int64 }

// Add adds records.
func (e *Extent) Add(records, nbytes int64) {
	e.Records += records
	e.Bytes += nbytes
}

// Account says what became of every byte that was read. What a limit or an
// error leaves unread is in no part of it.
type Account struct {
	Delivered  Extent // records that are rows
	Rejected   Extent // records left out because they could not be read
	Skipped    Extent // data records left out by WithSkip
	Mark       int64  // the byte order mark
	Header     Extent // lines passed over at the head of the input, and the record that names the columns
	Dropped    Extent // comments, blank lines, records of shapes that are not asked for, and what else a spec drops
	Directives Extent
	Tail       int64 // bytes at the end of the input that are in no record, blanks for example
}

// Bytes is the sum of all parts: Stats.Bytes, once the reading has ended.
func (a *Account) Bytes() int64 {
	return a.Delivered.Bytes + a.Rejected.Bytes + a.Skipped.Bytes + a.Mark + a.Header.Bytes + a.Dropped.Bytes + a.Directives.Bytes + a.Tail
}

// Add adds the account of another input.
func (a *Account) Add(b *Account) {
	for _, p := range []struct{ to, from *Extent }{
		{&a.Delivered, &b.Delivered}, {&a.Rejected, &b.Rejected}, {&a.Skipped, &b.Skipped},
		{&a.Header, &b.Header}, {&a.Dropped, &b.Dropped}, {&a.Directives, &b.Directives},
	} {
		p.to.Add(p.from.Records, p.from.Bytes)
	}
	a.Mark += b.Mark
	a.Tail += b.Tail
}

// Add adds the counts of another input, which was read after those of s.
func (s *Stats) Add(t *Stats) {
	for _, p := range []struct {
		to   *int64
		from int64
	}{
		{&s.Bytes, t.Bytes}, {&s.Records, t.Records}, {&s.Rows, t.Rows}, {&s.Rejected, t.Rejected}, {&s.RejectedLines, t.RejectedLines},
		{&s.Nulled, t.Nulled}, {&s.Replaced, t.Replaced}, {&s.SurplusFields, t.SurplusFields}, {&s.SurplusRecords, t.SurplusRecords},
		{&s.Batches, t.Batches}, {&s.Partitions, t.Partitions},
	} {
		*p.to += p.from
	}
	if s.FirstReplaced == nil {
		s.FirstReplaced = t.FirstReplaced
	}
	if s.FirstSurplus == nil {
		s.FirstSurplus = t.FirstSurplus
	}
	s.Account.Add(&t.Account)
}

// pass counts records that are no data records.
func (a *Account) pass(t *Extents) {
	a.Dropped.Add(t.Dropped.Records, t.Dropped.Bytes)
	a.Directives.Add(t.Directives.Records, t.Directives.Bytes)
	a.Tail += t.Tail
}

// fate is what has become of the data records of a partition so far.
type fate struct {
	records  int64 // before it
	skipped  int64 // records of it
	rejected Extent
	failed   bool // the last record is the one that ends the reading, and counts nowhere
}

// settle accounts for a partition all of whose rows have been judged.
func (r *Reader) settle(p *Partition, result *Result) error {
	t := result.Extents
	if t.Bytes() != int64(result.Consumed) {
		return r.after(r.pos.offset, fmt.Errorf("%w: %d of %d bytes", errUnaccounted, t.Bytes(), result.Consumed))
	}
	skipped := int64(0)
	switch n := r.fate.skipped; {
	case n == 0:
	case n == int64(result.NRows()):
		skipped = t.Data
	default:
		_, before := r.until(p, n, false)
		skipped = before.Data
	}
	r.book(&t, skipped)
	return nil
}

// stop accounts for a partition at whose row number r.stats.Records the reading
// ends. Which bytes come before is found by reading it again: it happens once.
func (r *Reader) stop(p *Partition) {
	k := r.stats.Records - r.fate.records
	if r.fate.failed {
		k--
	}
	end, t := r.until(p, k, r.fate.failed)
	skipped := int64(0)
	if n := r.fate.skipped; n > 0 {
		_, before := r.until(p, n, false)
		skipped = before.Data
	}
	r.book(&t, skipped)
	r.stats.Bytes = r.pos.offset + int64(end) - r.from
}

// book enters what was consumed of a partition, of which so many bytes were skipped.
func (r *Reader) book(t *Extents, skipped int64) {
	a, x := &r.stats.Account, &r.fate
	a.Rejected.Add(x.rejected.Records, x.rejected.Bytes)
	a.Skipped.Add(x.skipped, skipped)
	a.Delivered.Bytes += t.Data - skipped - x.rejected.Bytes
	a.pass(t)
}

// until is where data record number n of p ends, from 1, and what lies before;
// or, if so far as the next, where that begins.
func (r *Reader) until(p *Partition, n int64, next bool) (end int, t Extents) {
	if n == 0 && !next {
		return 0, t
	}
	eachSpan(r.plan.Program.Automaton, p.Data, p.State, p.Final, func(s span) bool {
		switch {
		case s.kind != dfa.DataRecord:
			t.Pass(s.kind, s.next-s.start)
		case n == 0:
			return false
		default:
			t.Data += int64(s.next - s.start)
			n--
		}
		end = s.next
		return n > 0 || next
	})
	return end, t
}

// note counts the notes about rows from up to to that are delivered, the first of
// which is the one after so many records.
func (r *Reader) note(rows *Rows, from, to int, before int64) {
	for len(r.notes) > 0 && r.notes[0].Row < to {
		n := &r.notes[0]
		r.notes = r.notes[1:]
		if n.Row < from || rows.Gone.Has(n.Row) {
			continue
		}
		var first **Place
		switch n.What {
		case SurplusFields:
			r.stats.SurplusRecords++
			r.stats.SurplusFields += int64(n.N)
			first = &r.stats.FirstSurplus
		case ReplacedBytes:
			r.stats.Replaced += int64(n.N)
			first = &r.stats.FirstReplaced
		}
		if *first == nil {
			e := r.locate(n.Offset, &ParseError{})
			*first = &Place{e.File, e.Offset, e.Line, e.Column, r.first + before + int64(n.Row-from) + 1}
		}
	}
}

// Place says where something is in an input.
type Place struct {
	File                         string
	Offset, Line, Column, Record int64 // as in ParseError
}

func (p *Place) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: record %d (byte %d)", p.File, p.Record, p.Offset)
	}
	return fmt.Sprintf("%s:%d:%d: record %d (byte %d)", p.File, p.Line, p.Column, p.Record, p.Offset)
}

// size is what a record takes of the input.
type size struct{ bytes, lines int64 }
