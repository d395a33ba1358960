package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
)

// This file decides what becomes of rows: which the skip, the limit and the
// error mode leave out, and what is said of them. No engine has a part in it.

// rows hands rows to the assembler, leaving out those that the error mode, the
// skip and the limit exclude.
func (r *Reader) rows(p *Partition, rows *Rows) error {
	r.notes = rows.Notes
	base, from := r.stats.Records, 0
	if skip := r.o.skip - base; skip > 0 {
		from = int(min(skip, int64(rows.N)))
	}
	r.stats.Records = base + int64(from)
	r.fate.skipped += int64(from)
	problems := rows.Problems
	for from < rows.N {
		for len(problems) > 0 && problems[0].Row < from {
			problems = problems[1:]
		}
		to, dropped := rows.N, false
		var own []Problem
		if len(problems) > 0 {
			to = problems[0].Row
			n := 1
			for n < len(problems) && problems[n].Row == to {
				n++
			}
			own, problems = problems[:n], problems[n:]
		}
		if err := r.append(p, rows, from, to); err != nil {
			return err
		}
		if own == nil {
			break
		}
		var err error
		if dropped, err = r.judge(p, own, base+int64(to)+1, nil); err != nil {
			r.stats.Records++
			return err
		}
		if dropped {
			r.stats.Records++
		} else if err := r.append(p, rows, to, to+1); err != nil {
			return err
		}
		from = to + 1
	}
	return nil
}

// append hands the rows from up to to to the assembler, as far as the limit
// allows; io.EOF says that it is reached.
func (r *Reader) append(p *Partition, rows *Rows, from, to int) error {
	for from < to {
		n := to - from
		if r.o.limit >= 0 {
			n = int(min(int64(n), r.o.limit-r.stats.Rows-int64(r.asm.rows())))
			if n <= 0 {
				return io.EOF
			}
		}
		done, full := r.asm.append(rows, from, from+n)
		r.note(p, rows, from, from+done)
		from += done
		r.stats.Records += int64(done)
		r.stats.Account.Delivered.Records += int64(done)
		if full {
			if err := r.flush(); err != nil {
				return err
			}
		}
	}
	if r.o.limit >= 0 && r.stats.Rows+int64(r.asm.rows()) >= r.o.limit {
		return io.EOF
	}
	return nil
}

// judge decides about the row of a data record with problems: it reports whether
// the row is left out, or gives the error that ends the reading. The record is so
// large; nil: that is to be found out.
func (r *Reader) judge(p *Partition, problems []Problem, record int64, of *size) (dropped bool, err error) {
	sized := func(pr *Problem, raw *dfa.RawRecord) size {
		if of != nil {
			return *of
		}
		return r.sizeOf(p, pr, raw)
	}
	first := slices.IndexFunc(problems, func(pr Problem) bool { return !r.lenient(&pr) })
	if r.o.mode == dfa.Fail && first >= 0 {
		r.fate.failed = true
		raw := r.reread(p, &problems[first])
		return false, r.explain(p, &problems[first], raw, record, sized(&problems[first], raw))
	}
	drop := r.o.mode == dfa.Reject && first >= 0
	for i := range problems {
		if pr := &problems[i]; pr.Output < 0 || r.required(pr) {
			drop = true
		}
	}
	if drop {
		problems = problems[max(first, 0):][:1]
		r.stats.Rejected++
	} else {
		r.stats.Nulled += int64(len(problems))
		if problems = problems[:min(len(problems), r.untold(r.told.fields))]; len(problems) == 0 {
			return false, nil // nobody asks what was wrong
		}
		r.told.fields += len(problems)
	}
	var raw *dfa.RawRecord
	tell := !drop || r.untold(r.told.records) > 0
	explain := tell || r.mayEnd()
	if explain {
		raw = r.reread(p, &problems[0])
	}
	its := sized(&problems[0], raw)
	if drop {
		r.stats.RejectedLines += its.lines
		r.fate.rejected.Add(1, its.bytes)
		if !explain {
			return true, nil
		}
		if tell {
			r.told.records++
		}
	}
	for i := range problems {
		pr := &problems[i]
		reject := &Reject{ParseError: *r.explain(p, pr, raw, record, its), FieldOnly: !drop, Start: r.pos.offset + int64(pr.Start), Lines: its.lines}
		end := pr.End
		if raw != nil {
			end = pr.Start + raw.Next // with what stands between the last field and the line end
		}
		reject.Raw = bytes.Clone(trimEOL(p.Data[pr.Start:min(end, pr.Start+r.rawLimit(pr))]))
		if err := r.reject(reject, tell); err != nil {
			r.fate.failed = !drop
			return false, err
		}
	}
	return drop, nil
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
	return slices.ContainsFunc(r.plan.Outputs, func(other Output) bool {
		return other.Column == o.Column && other.Part >= 0 && r.plan.Def(other).Required
	})
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
		e.Detail = fmt.Sprintf("more than %s; the last one: %s", count(int(r.o.maxReject), "reject"), e.Detail)
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
