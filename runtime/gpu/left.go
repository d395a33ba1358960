//go:build cuda

package gpu

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

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

// run is neighbouring rows that are read at once, and what came of them.
type run struct {
	rows     []leftRow
	columns  []patch // per output of the device, those of the worker that has read them
	first    int     // the run's first row there
	problems []runtime.Problem
	notes    []runtime.Note
}

// longestRun bounds the rows of a run, so that many workers share them.
const longestRun = 1024

// runs parts rows where they are not neighbours.
func runs(rows []leftRow) []run {
	var out []run
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && to-from < longestRun && rows[to].row == rows[to-1].row+1 {
			to++
		}
		out = append(out, run{rows: rows[from:to]})
		from = to
	}
	return out
}

// readLeft reads rows of a flight with the CPU's engine.
func (p *parser) readLeft(ctx context.Context, whole *runtime.Partition, rows []leftRow) ([]run, error) {
	all := runs(rows)
	workers := min(p.cfg.Threads, len(all))
	for len(p.readers) < workers {
		reader, err := p.cpu(p.mine, 1)
		if err != nil {
			return nil, err
		}
		p.readers = append(p.readers, reader)
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make([]error, workers)
	for w := range workers {
		wg.Go(func() {
			columns := newPatches(p.plan, p.mine)
			for {
				i := int(next.Add(1)) - 1
				if i >= len(all) || errs[w] != nil {
					return
				}
				errs[w] = runtime.Guard(whole.Data, func() error { return p.readRun(ctx, p.readers[w], whole, &all[i], columns) })
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// readRun reads the records of one run: they lie side by side, but for records
// that are no rows. Their values are appended to columns.
func (p *parser) readRun(ctx context.Context, reader runtime.Parser, whole *runtime.Partition, x *run, columns []patch) error {
	first, last := x.rows[0], x.rows[len(x.rows)-1]
	part := runtime.Partition{State: stateID(first.state), Binding: whole.Binding}
	if last.end > len(whole.Data) {
		part.Data, part.Final = whole.Data[first.start:], whole.Final
	} else {
		part.Data = whole.Data[first.start:last.end]
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
			problem.Row = x.rows[n+problem.Row].row
			x.problems = append(x.problems, p.moved(problem, p.mine, first.start))
		}
		for _, note := range rows.Notes {
			note.Row, note.Offset = x.rows[n+note.Row].row, note.Offset+first.start
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
