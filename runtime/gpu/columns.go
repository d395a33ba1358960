//go:build cuda

package gpu

import (
	"slices"

	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/convert"
	"github.com/dfaparse/dfaparse/runtime/gpu/device"
)

// columnSet is which outputs the kernels convert, and from what.
type columnSet struct {
	mine, theirs []int // outputs of the kernels, of the CPU
	span         []int // per column of the plan: its column of the spans, -1: no kernel wants it
	nspans       int   // columns of the spans
	nparts       int   // the last of these, which splits make

	images   []kernels.Output // per output of mine
	text     []bool           // likewise: it has offsets
	ntexts   int              // of mine
	texts    int              // outputs that may have the same symbol in their text
	defaults int              // bytes of the defaults of all texts

	device *device.Device
	memory device.Memory // what images point to
}

// open describes the outputs of a plan on the device.
func (c *columnSet) open(d *device.Device, s *device.Stream, plan *runtime.Plan) error {
	c.device = d
	c.span = slices.Repeat([]int{-1}, len(plan.Columns))
	images := make([]*outputImage, len(plan.Outputs))
	onCPU := make([]bool, len(plan.Columns)) // the CPU has all parts of a column or none: it finds misfits once
	for i, o := range plan.Outputs {
		image, err := newOutputImage(plan, o)
		if err != nil {
			return err
		}
		images[i] = image
		onCPU[o.Column] = onCPU[o.Column] || o.Part >= 0
	}
	var blob []byte
	place := func(b []byte) uint64 {
		at := uint64(len(blob))
		blob = append(blob, b...)
		blob = append(blob, make([]byte, -len(blob)&15)...)
		return at
	}
	times := make([]int, len(plan.Columns)) // texts of a column
	for i, o := range plan.Outputs {
		image := images[i]
		if image.Flags&kernels.OnHost != 0 || onCPU[o.Column] {
			c.theirs = append(c.theirs, i)
			continue
		}
		if c.span[o.Column] < 0 {
			c.span[o.Column] = c.nspans
			c.nspans++
		}
		image.Column = uint32(c.span[o.Column])
		image.Tokens, image.DefaultBytes, image.Type = place(image.tokens), place(image.defaultBytes), place(image.typ)
		c.mine = append(c.mine, i)
		c.images = append(c.images, image.Output)
		text := convert.NewColumn(&plan.Def(o).Type).Offsets != nil
		c.text = append(c.text, text)
		if text {
			c.ntexts++
			times[o.Column]++
			c.texts = max(c.texts, times[o.Column])
			c.defaults += int(image.DefaultLength)
		}
	}
	memory, err := upload(d, s, append(blob, 0))
	if err != nil {
		return err
	}
	c.memory = memory
	for i := range c.images {
		c.images[i].Tokens += memory.Address
		c.images[i].DefaultBytes += memory.Address
		c.images[i].Type += memory.Address
	}
	return nil
}

func (c *columnSet) close() {
	if c.device != nil {
		c.device.FreeMemory(c.memory)
	}
	c.memory = device.Memory{}
}
