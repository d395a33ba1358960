//go:build cuda

package gpu

import (
	"context"

	"github.com/dfaparse/dfaparse/runtime"
)

// This file learns from an input's head what flights say of those behind them: so the first one is
// read as they are, and its tables are as large as they have to be. No answer depends on it.

// sampledHead is how many symbols of the head are looked at.
var sampledHead = 128 << 10 // less in a test

// sample has the CPU read the head of an input.
func (p *parser) sample(ctx context.Context, head runtime.Partition) error {
	if p.transpose.length > 0 || p.isHosts(head.Binding) {
		return nil
	}
	if len(head.Data) > sampledHead {
		head.Data, head.Final = head.Data[:sampledHead], false
	}
	reader, err := p.cpu(nil, 1)
	if err != nil {
		return err
	}
	defer reader.Close()
	result, err := reader.Parse(ctx, &head)
	if err != nil {
		return err
	}
	rows, text := result.NRows(), 0
	if rows == 0 {
		return nil
	}
	for o := range p.plan.Outputs {
		n := 0
		for i := range result.Rows {
			n += len(result.Rows[i].Columns[o].Data)
		}
		text = max(text, n)
	}
	p.sampled = result.Consumed / rows * 2 / 3
	if err := p.bind(head.Binding); err != nil {
		return err
	}
	switch f := &p.fused; {
	case f.lines != nil:
		f.noteLines(rows, result.Consumed, text)
	case f.masks != nil:
		f.noteTiles(f.masks.quotedTiles(head.Data), len(head.Data))
	}
	return nil
}
