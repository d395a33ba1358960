//go:build cuda

package gpu

import (
	"context"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file learns from an input's head what flights say of those behind them: so the first one is
// read as they are, and its tables are as large as they have to be. No answer depends on it.

// sampledHead is how many symbols of the head are looked at.
var sampledHead = 128 << 10 // less in a test

// headFacts are what the head of an input says.
type headFacts struct {
	head    runtime.Partition
	rows    int // that are complete there, of so many symbols
	symbols int
	text    int // bytes of the column that has most
}

// sampleHead has the CPU read the head of an input.
func sampleHead(ctx context.Context, plan *runtime.Plan, cfg *runtime.Config, head runtime.Partition) (x headFacts, err error) {
	if len(head.Data) > sampledHead {
		head.Data, head.Final = head.Data[:sampledHead], false
	}
	unbound := *plan // what Bind is told of changes what it says
	unbound.Bind = func(dfa.RecordKind, []byte) (*runtime.Binding, error) { return nil, nil }
	reader, err := openCPU(&unbound, cfg, nil, 1)
	if err != nil {
		return x, err
	}
	defer reader.Close()
	result, err := reader.Parse(ctx, &head)
	if err != nil {
		return x, err
	}
	x = headFacts{head: head, rows: result.NRows(), symbols: result.Consumed}
	for o := range plan.Outputs {
		n := 0
		for i := range result.Rows {
			n += len(result.Rows[i].Columns[o].Data)
		}
		x.text = max(x.text, n)
	}
	return x, nil
}

// learn has the first flight be read as the head of the input is.
func (p *parser) learn(x *headFacts) error {
	if x.rows == 0 || p.transpose.length > 0 || p.isHosts(x.head.Binding) {
		return nil
	}
	p.sampled = x.symbols / x.rows * 2 / 3
	if err := p.bind(x.head.Binding); err != nil {
		return err
	}
	switch f := &p.fused; {
	case f.lines != nil:
		f.noteLines(x.rows, x.symbols, x.text)
	case f.masks != nil:
		f.noteTiles(f.masks.quotedTiles(x.head.Data), len(x.head.Data))
	}
	return nil
}
