package sort

import (
	"context"
	"iter"

	"github.com/apache/arrow/go/v17/arrow"
)

// pick is the rows of a record that is to be made.
type pick struct {
	slabs []*slab
	rows  []item
	done  func() // nil, or what to call when the record is made
}

// made is what has become of a pick.
type made struct {
	rec   arrow.Record // nil: it is in a file
	place place
	err   error
}

// picks are the run's rows, in order.
func (s *Sorter) picks(r *run) iter.Seq2[pick, error] {
	return func(yield func(pick, error) bool) {
		for from := 0; from < len(r.items); {
			to := cut(r.slabs, r.items, from, s.blockBytes())
			if !yield(pick{slabs: r.slabs, rows: r.items[from:to]}, nil) {
				return
			}
			from = to
		}
	}
}

// cut says where a record ends that begins with an item.
func cut(slabs []*slab, items []item, from, nbytes int) int {
	to, n := from, 0
	for to < min(len(items), from+blockRows) {
		n += slabs[items[to].slab].bytesOf(int(items[to].row))
		if n > nbytes && to > from {
			break
		}
		to++
	}
	return to
}

// gatherAll makes records of picks, several at once, and hands them over in order.
func (s *Sorter) gatherAll(ctx context.Context, picks iter.Seq2[pick, error], yield func(arrow.Record) error) error {
	return s.each(ctx, picks, func(rec arrow.Record) made { return made{rec: rec} }, func(m made) error {
		defer m.rec.Release()
		return yield(m.rec)
	})
}

// spillAll makes a run in files of picks.
func (s *Sorter) spillAll(ctx context.Context, picks iter.Seq2[pick, error], to *spill) error {
	var places []place
	err := s.each(ctx, picks, func(rec arrow.Record) made {
		defer rec.Release()
		p, err := to.write(rec)
		return made{place: p, err: err}
	}, func(m made) error {
		places = append(places, m.place)
		return nil
	})
	to.runs = append(to.runs, places)
	return err
}

// each makes records of picks, and of each record something, in several goroutines; and hands
// over what was made, in order. Picks are drawn up in a goroutine of its own.
func (s *Sorter) each(ctx context.Context, picks iter.Seq2[pick, error], of func(arrow.Record) made, yield func(made) error) error {
	ahead := make(chan chan made, s.opts.Threads-1)
	stop := make(chan struct{})
	go func() {
		defer close(ahead)
		for b, err := range picks {
			c := make(chan made, 1)
			if err != nil {
				c <- made{err: err}
			} else {
				go func() {
					rec := gather(s.plan.coded, b.slabs, b.rows)
					if b.done != nil {
						b.done()
					}
					c <- of(rec)
				}()
			}
			ahead <- c
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	var err error
	for c := range ahead {
		m := <-c
		if err == nil {
			if err = context.Cause(ctx); err == nil {
				err = m.err
			}
			if err == nil {
				err = yield(m)
				m.rec = nil
			}
			if err != nil {
				close(stop)
			}
		}
		if m.rec != nil {
			m.rec.Release()
		}
	}
	return err
}
