package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
)

// This file decides what becomes of rows: which the skip, the limit and the
// error mode leave out, and what is said of them. No engine has a part in it.

// rows hands rows to the assembler, leaving out those that the error mode, the
// skip and the limit exclude. vs are the verdicts on them.
func (r *Reader) rows(p *Partition, rows *Rows, vs *verdicts) error {
	r.notes = rows.Notes
	base, from := r.stats.Records, 0
	if skip := r.o.skip - base; skip > 0 {
		from = int(min(skip, int64(rows.N)))
	}
	r.stats.Records = base + int64(from)
	r.fate.skipped += int64(from)
	// Where all that are left out are gone from the columns, the others are handed
	// over at once.
	whole := r.o.limit < 0 && int64(rows.Gone.Len()) == vs.dropped.Records
	if whole && from == 0 && r.silent(vs) {
		r.count(vs)
		return r.append(rows, 0, rows.N)
	}
	for i := range vs.all {
		v := &vs.all[i]
		if v.row < from {
			continue
		}
		if !whole {
			if err := r.append(rows, from, v.row); err != nil {
				return err
			}
		}
		dropped, err := r.carryOut(p, rows.Problems[v.from:v.to], v, base)
		if err != nil {
			left := r.leftBefore(p, rows, vs, v.row)
			if whole {
				if full := r.append(rows, from, v.row); full != nil {
					return full
				}
			}
			r.stats.Records++
			r.countLeft(&left)
			return err
		}
		if !whole {
			if from = v.row; dropped {
				r.stats.Records++
				from++
			}
		}
	}
	r.countLeft(&vs.left)
	return r.append(rows, from, rows.N)
}

// append hands the rows from up to to, less those that are gone, to the assembler, as
// far as the limit allows; io.EOF says that it is reached.
func (r *Reader) append(rows *Rows, from, to int) error {
	before := r.stats.Records
	at, end := rows.kept(from), rows.kept(to)
	gone := int64(to - from - (end - at)) // 0 if there is a limit
	for first := at; at < end; {
		n := end - at
		if r.o.limit >= 0 {
			n = int(min(int64(n), r.o.limit-r.stats.Rows-int64(r.asm.rows())))
			if n <= 0 {
				r.note(rows, from, from+at-first, before)
				return io.EOF
			}
		}
		done, full := r.asm.append(rows, at, at+n)
		at += done
		r.stats.Records += int64(done)
		r.stats.Account.Delivered.Records += int64(done)
		if full {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	r.stats.Records += gone
	r.note(rows, from, to, before)
	if r.o.limit >= 0 && r.stats.Rows+int64(r.asm.rows()) >= r.o.limit {
		return io.EOF
	}
	return nil
}

// kept is how many of the rows before number row are in the columns.
func (rows *Rows) kept(row int) int {
	return row - rows.Gone.Before(row)
}

// judge decides about the row of a data record with problems, which is so large: it
// reports whether the row is left out, or gives the error that ends the reading.
func (r *Reader) judge(p *Partition, problems []Problem, record int64, of size) (dropped bool, err error) {
	v := r.weighRecord(problems)
	v.size = of
	return r.carryOut(p, problems, &v, record-1)
}

// carryOut does what the verdict on a record says, which is v.row after so many
// others.
func (r *Reader) carryOut(p *Partition, problems []Problem, v *verdict, before int64) (dropped bool, err error) {
	before += r.first
	if r.o.mode == dfa.Fail && v.first >= 0 {
		r.fate.failed = true
		pr := &problems[v.first]
		r.measure(p, pr, v)
		raw := r.reread(p, problems[v.first:][:1], v.size)
		e := r.explain(p, pr, raw, v.size)
		e.Record = before + int64(v.row) + 1
		return false, r.locate(r.where(p, pr, raw), e)
	}
	problems = v.tellable(problems)
	if v.drop {
		r.stats.Rejected++
	} else {
		r.stats.Nulled += int64(len(problems))
		if problems = problems[:min(len(problems), r.untold(r.told.fields))]; len(problems) == 0 {
			return false, nil // nobody asks what was wrong
		}
		r.told.fields += len(problems)
	}
	tell := !v.drop || r.untold(r.told.records) > 0
	if v.drop {
		r.stats.RejectedLines += v.size.lines
		r.fate.rejected.Add(1, v.size.bytes)
		if !tell && !r.mayEnd() {
			return true, nil
		}
		if tell {
			r.told.records++
		}
	}
	told := v.told
	var raw *dfa.RawRecord
	if len(told) < len(problems) {
		r.measure(p, &problems[0], v)
		raw = r.reread(p, problems, v.size)
	}
	for i := range problems {
		pr := &problems[i]
		var reject *Reject
		if i < len(told) {
			reject = r.place(told[i], before)
		} else {
			reject = r.rejected(p, pr, raw, v)
			reject.Record, reject.Start = before+int64(v.row)+1, r.pos.offset+int64(pr.Start)
			r.locate(r.where(p, pr, raw), &reject.ParseError)
		}
		if err := r.reject(reject, tell); err != nil {
			r.fate.failed = !v.drop
			return false, err
		}
	}
	return v.drop, nil
}

// untold is how many more rejects of a kind are to be told, of which so many have
// been.
func (r *Reader) untold(told int) int {
	left := math.MaxInt
	if r.o.details >= 0 {
		left = max(0, r.o.details-told)
	}
	if r.o.onReject == nil {
		left = min(left, max(0, keptRejects-len(r.rejects)))
	}
	return left
}

// mayEnd reports whether the record that has just been left out may be the one
// that ends the reading, or that its end is told of.
func (r *Reader) mayEnd() bool {
	return r.o.maxReject >= 0 && r.stats.Rejected > r.o.maxReject || r.o.maxShare < 1
}

// lenient reports whether a problem is one of a split that says else null: what
// it could not have is null, in every mode, and counted.
func (r *Reader) lenient(pr *Problem) bool {
	if pr.Output < 0 || r.required(pr) {
		return false
	}
	o := r.plan.Outputs[pr.Output]
	return o.Part >= 0 && !r.plan.Columns[o.Column].Split.Strict
}

// required reports whether the problem of a field makes a value null that must
// not be: the field's, or that of any part of a field that cannot be split.
func (r *Reader) required(pr *Problem) bool {
	o := r.plan.Outputs[pr.Output]
	if pr.What != Part {
		return r.plan.Def(o).Required
	}
	return r.needsPart[o.Column]
}

// maxRaw bounds the raw text of a reject.
const maxRaw = 1 << 20

func (r *Reader) rawLimit(pr *Problem) int {
	if pr.What == TooLong {
		return min(maxRaw, r.o.maxRecord)
	}
	return maxRaw
}

// reject tells of a reject, unless nobody asks, and gives the error if it is one
// too many.
func (r *Reader) reject(reject *Reject, tell bool) error {
	switch {
	case !tell:
	case r.o.onReject != nil:
		if err := r.o.onReject(reject); err != nil {
			return err
		}
	default:
		r.rejects = append(r.rejects, reject)
	}
	if r.o.maxReject >= 0 && r.stats.Rejected > r.o.maxReject {
		e := reject.ParseError
		e.Detail = fmt.Sprintf("more than %s; the last one: %s", render.Count(int(r.o.maxReject), "reject"), e.Detail)
		e.Err = errors.Join(ErrTooManyRejects, e.Err)
		return &e
	}
	if r.o.maxShare < 1 && !reject.FieldOnly {
		r.lastReject = &reject.ParseError
		if n := reject.Record - r.o.skip; n >= LeastShared {
			return r.overShare(n)
		}
	}
	return nil
}

// overShare is the error of too large a share of rejects among n records, nil if
// it is not.
func (r *Reader) overShare(n int64) error {
	if r.o.maxShare >= 1 || float64(r.stats.Rejected) <= r.o.maxShare*float64(n) {
		return nil
	}
	e := *r.lastReject
	e.Detail = fmt.Sprintf("more than %s%% of the records are rejected, %s of %s; the last one: %s",
		strconv.FormatFloat(100*r.o.maxShare, 'g', 10, 64), render.Grouped(r.stats.Rejected), render.Grouped(n), e.Detail)
	e.Err = errors.Join(ErrTooManyRejects, e.Err)
	return &e
}

func trimEOL(b []byte) []byte { return bytes.TrimRight(b, "\r\n") }
