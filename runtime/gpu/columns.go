//go:build cuda

package gpu

import (
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// columnSet is which outputs the kernels convert, and from what.
type columnSet struct {
	mine, theirs []int // outputs of the kernels, of the CPU
	span         []int // per column of the plan: its column of the spans, -1: no kernel wants it
	nspans       int   // columns of the spans
	nparts       int   // the last of these, which splits make

	images   []kernels.Output // per output of mine
	text     []bool           // likewise: it has offsets
	viewable []bool           // likewise: it is a text, of which there may be views
	digits   []bool           // likewise: one of its null tokens has a digit
	tokens   []*dictionary    // likewise; nil: it is no column of a dictionary
	ntexts   int              // of mine
	texts    int              // outputs that may have the same symbol in their text
	defaults int              // bytes of the defaults of all texts

	splits []splitColumn
	maps   []mapColumn

	device *device.Device
	memory device.Memory // what images point to
}

// open describes the outputs of a plan on the device. Where the columns stay there, those of
// dictionaries are the CPU's; so are those of maps where maps is false.
func (c *columnSet) open(d *device.Device, s *device.Stream, plan *runtime.Plan, stay, maps bool) error {
	c.device = d
	c.span = slices.Repeat([]int{-1}, len(plan.Columns))
	led := plan.Program.Automaton.LeadingFields() // the device cannot leave their records, see escapesLeft
	touch := plan.Program.Automaton.Touches()     // no kernel parts fields with no symbol between them
	images := make([]*outputImage, len(plan.Outputs))
	onCPU := make([]bool, len(plan.Columns)) // one has all parts of a column, CPU or device: misfits are found once
	for i, o := range plan.Outputs {
		image, err := newCellImage(plan, o)
		if image == nil && err == nil {
			if maps && o.Part < 0 && onDevice(plan.Program, plan.Def(o)) {
				image, err = newMapImage(plan, o)
			} else {
				image, err = newOutputImage(plan, o)
			}
		}
		if err != nil {
			return err
		}
		images[i] = image
		onCPU[o.Column] = onCPU[o.Column] || o.Part >= 0 && (image.Flags&kernels.OnHost != 0 || OnHostSplit(&plan.Columns[o.Column]))
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
		matters := convert.NewSettler(&plan.Columns[o.Column], plan.Program.Openers) != nil // how a field was written
		numbered := plan.Def(o).Type.Kind == dfa.Dictionary
		if stay && numbered || touch || plan.Columns[o.Column].Shape || image.Flags&kernels.OnHost != 0 || o.Part >= 0 && onCPU[o.Column] || led && matters {
			c.theirs = append(c.theirs, i)
			continue
		}
		if matters && plan.Program.Automaton.Escapes() {
			image.Flags |= convertWritten
		}
		if numbers := len(plan.Program.Cells) > 0 && plan.Program.Cells[o.Column].Kind != dfa.TextCell; !numbers {
			if c.span[o.Column] < 0 {
				c.span[o.Column] = c.nspans
				c.nspans++
			}
			image.Column = uint32(c.span[o.Column])
		}
		if o.Part >= 0 {
			if err := c.addPart(d, plan, o, len(c.mine), place); err != nil {
				return err
			}
		}
		ofMaps := image.Flags&kernels.OfMaps != 0
		if ofMaps {
			if err := c.addMap(d, &plan.Def(o).Type, len(c.mine)); err != nil {
				return err
			}
		}
		image.Tokens, image.DefaultBytes, image.Type = place(image.tokens), place(image.defaultBytes), place(image.typ)
		var tokens *dictionary
		if numbered {
			var err error
			if tokens, err = newDictionary(d, s); err != nil {
				return err
			}
			image.Options[0] = tokens.address()
		}
		c.tokens = append(c.tokens, tokens)
		c.mine = append(c.mine, i)
		c.images = append(c.images, image.Output)
		text := tokens != nil || convert.NewColumn(&plan.Def(o).Type).Offsets != nil
		c.text = append(c.text, text)
		c.viewable = append(c.viewable, text && tokens == nil && !ofMaps)
		c.digits = append(c.digits, slices.ContainsFunc(plan.Def(o).NullTokens(), func(s string) bool { return strings.ContainsAny(s, "0123456789") }))
		if text {
			c.ntexts++
			if !ofMaps { // their bytes are elsewhere
				times[o.Column]++
			}
			c.texts = max(c.texts, times[o.Column])
			c.defaults += int(image.DefaultLength)
		}
	}
	for i := range c.splits {
		x := &c.splits[i]
		for _, p := range x.parts {
			if x.column[p.part] < 0 {
				x.column[p.part] = int32(c.nspans)
				c.nspans++
				c.nparts++
			}
			c.images[p.output].Column = uint32(x.column[p.part])
		}
		x.image.NParts, x.image.PartColumn = uint32(len(x.column)), place(bytesOf(x.column))
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
	for i := range c.splits {
		x := &c.splits[i].image
		x.Column = uint32(c.span[c.splits[i].of])
		x.PartColumn += memory.Address
		x.Tokens += memory.Address
	}
	return nil
}

// splitColumn is a column of the plan whose values the device takes apart.
type splitColumn struct {
	of      int     // column of the plan
	column  []int32 // per part: its column of the spans, -1: nobody wants it
	parts   []splitPart
	image   kernels.Split
	program *program
}

// splitPart is an output that is a part.
type splitPart struct {
	part, output int // output of mine
}

// addPart adds output of mine, which is a part, to the split of its column.
func (c *columnSet) addPart(d *device.Device, plan *runtime.Plan, o runtime.Output, output int, place func([]byte) uint64) error {
	i := slices.IndexFunc(c.splits, func(x splitColumn) bool { return x.of == o.Column })
	if i < 0 {
		def := &plan.Columns[o.Column]
		a := def.Split.Automaton
		image, err := newProgramOf(d, a, chooseTrack(a, dfa.Analyse(a), d.Info().MaxShared))
		if err != nil {
			return err
		}
		x := splitColumn{of: o.Column, column: slices.Repeat([]int32{-1}, len(def.Split.Columns)), program: image}
		// Strict leaves what cannot be split to the host, which reports it.
		x.image = kernels.Split{Program: uint64(image.Address), NTokens: uint32(len(def.NullTokens())), Tokens: place(tokenBytes(def.NullTokens())), Strict: 1}
		i, c.splits = len(c.splits), append(c.splits, x)
	}
	c.splits[i].parts = append(c.splits[i].parts, splitPart{o.Part, output})
	return nil
}

// splitOf is the split that makes output of mine, -1 if none does.
func (c *columnSet) splitOf(output int) int {
	return slices.IndexFunc(c.splits, func(x splitColumn) bool {
		return slices.ContainsFunc(x.parts, func(p splitPart) bool { return p.output == output })
	})
}

func (c *columnSet) close() {
	for _, x := range c.splits {
		x.program.Close()
	}
	for _, m := range c.maps {
		m.program.Close()
	}
	c.splits, c.maps = nil, nil
	for _, t := range c.tokens {
		if t != nil {
			t.close(c.device)
		}
	}
	c.tokens = nil
	if c.device != nil {
		c.device.KeepMemory(c.memory)
	}
	c.memory = device.Memory{}
}
