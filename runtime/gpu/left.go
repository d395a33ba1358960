//go:build cuda

package gpu

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/spread"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// leftRow is a row that the device leaves to the host, see kernels/leftover.cu.
// Its record is data[start:end] in the flight, read from state on.
type leftRow struct {
	row, start, end int
	state           uint32
}

// leftSize is the bytes of an entry of the list that the device makes.
const leftSize = int(unsafe.Sizeof(kernels.Leftover{}))

// leftRows decodes the list that the device made, in row order.
func leftRows(list []byte) []leftRow {
	rows := make([]leftRow, len(list)/leftSize)
	for i := range rows {
		x := valueOf[kernels.Leftover](list[i*leftSize:])
		rows[i] = leftRow{int(x.Row), int(x.Start), int(x.End), x.State}
	}
	slices.SortFunc(rows, func(a, b leftRow) int { return a.row - b.row })
	return rows
}

// run is rows that are read at once, and what came of them: neighbouring ones, or where
// records begin alike any, whose records are put side by side. To read a record by itself
// takes as long as to read fifty of them.
type run struct {
	rows     []leftRow
	gathered bool    // the records do not lie side by side
	columns  []patch // per output of the device, those of the worker that has read them
	first    int     // the run's first row there
	problems []runtime.Problem
	notes    []runtime.Note
}

// longestRun bounds the rows of a run, so that many workers share them. Of records that are
// put side by side there are fewer, of longestGathered bytes at most but for the last.
const (
	longestRun      = 1024
	mostGathered    = 128
	longestGathered = 64 << 10
)

// alike is the state in which every record begins that another one ends before, wherever that
// is; ok is false where there is no such state.
func alike(a *dfa.Automaton) (state dfa.StateID, ok bool) {
	for s := range a.NStates() {
		for symbol := range 256 {
			next, e := a.Step(dfa.StateID(s), byte(symbol))
			if e.Kind != dfa.Record {
				continue
			}
			if e.Lag > e.Open || ok && next != state {
				return 0, false
			}
			state, ok = next, true
		}
	}
	return state, ok
}

// runs parts rows of so many bytes where they are not neighbours, or where too many are.
func (p *parser) runs(rows []leftRow, nbytes int) []run {
	movable := func(x leftRow) bool {
		return p.alike && x.state == uint32(p.begins) && x.end <= nbytes
	}
	var out []run
	for from := 0; from < len(rows); {
		to, gathered := from+1, movable(rows[from])
		if size := rows[from].end - rows[from].start; gathered {
			for ; to < len(rows) && to-from < mostGathered && size < longestGathered && movable(rows[to]); to++ {
				size += rows[to].end - rows[to].start
			}
		} else {
			for to < len(rows) && to-from < longestRun && rows[to].row == rows[to-1].row+1 {
				to++
			}
		}
		out = append(out, run{rows: rows[from:to], gathered: gathered && to-from > 1})
		from = to
	}
	return out
}

// readLeft reads rows of a flight with the CPU's engine.
func (p *parser) readLeft(ctx context.Context, whole *runtime.Partition, rows []leftRow) ([]run, error) {
	all := p.runs(rows, len(whole.Data))
	workers := min(p.cfg.Threads, len(all))
	for len(p.readers) < workers {
		reader, err := p.cpu(p.mine, 1)
		if err != nil {
			return nil, err
		}
		p.readers = append(p.readers, reader)
	}
	var next atomic.Int64
	errs := make([]error, workers)
	spread.Over(workers, workers, func(w int) {
		var columns []patch
		var room []byte // for records that are put side by side
		for errs[w] == nil {
			i := int(next.Add(1)) - 1
			if i >= len(all) {
				return
			}
			if columns == nil {
				columns = newPatches(p.plan, p.mine)
			}
			errs[w] = runtime.Guard(whole.Data, func() error { return p.readRun(ctx, p.readers[w], whole, &all[i], columns, &room) })
		}
	})
	return all, cmp.Or(errs...)
}

// readRun reads the records of one run: they lie side by side, but for records
// that are no rows, or are put so. Their values are appended to columns.
func (p *parser) readRun(ctx context.Context, reader runtime.Parser, whole *runtime.Partition, x *run, columns []patch, room *[]byte) error {
	first, last := x.rows[0], x.rows[len(x.rows)-1]
	part := runtime.Partition{State: stateID(first.state), Binding: whole.Binding}
	moved := make([]int, len(x.rows)) // by row: from there to where its record is in whole
	switch {
	case x.gathered:
		part.Data = (*room)[:0]
		for i, row := range x.rows {
			moved[i] = row.start - len(part.Data)
			part.Data = append(part.Data, whole.Data[row.start:row.end]...)
		}
		*room = part.Data
	case last.end > len(whole.Data):
		part.Data, part.Final = whole.Data[first.start:], whole.Final
	default:
		part.Data = whole.Data[first.start:last.end]
	}
	if !x.gathered {
		for i := range moved {
			moved[i] = first.start
		}
	}
	result, err := reader.Parse(ctx, &part)
	if err != nil {
		return err
	}
	x.columns = columns
	if len(columns) > 0 {
		x.first = columns[0].column.Len
	}
	n := 0
	for i := range result.Rows {
		rows := &result.Rows[i]
		if n+rows.N > len(x.rows) {
			n += rows.N
			break
		}
		for c, column := range rows.Columns {
			x.columns[c].append(column)
		}
		for _, problem := range rows.Problems {
			i := n + problem.Row
			problem.Row = x.rows[i].row
			x.problems = append(x.problems, p.moved(problem, p.mine, moved[i]))
		}
		for _, note := range rows.Notes {
			i := n + note.Row
			note.Row, note.Offset = x.rows[i].row, note.Offset+moved[i]
			x.notes = append(x.notes, note)
		}
		n += rows.N
	}
	if n != len(x.rows) {
		return fmt.Errorf("gpu: the device has %d rows in %d bytes from offset %d on, the CPU %d", len(x.rows), len(part.Data), first.start, n)
	}
	return nil
}

// moved is a problem that was found in data that begins at offset, among the
// outputs numbered in outputs, nil if all are.
func (p *parser) moved(problem runtime.Problem, outputs []int, offset int) runtime.Problem {
	problem.Offset += offset
	problem.Start += offset
	problem.End += offset
	if problem.What == runtime.Lexical {
		problem.At += offset
	}
	if problem.Output >= 0 && outputs != nil {
		problem.Output = outputs[problem.Output]
	}
	return problem
}
