package gpu

import (
	"encoding/binary"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/kernels"
)

// image is a Program as kernels read it: the structure kernels.Program and its
// tables side by side in memory, the structure first. Until it is placed,
// addresses are offsets in it.
type image struct {
	program kernels.Program
	blob    []byte
	shared  int // bytes that the tables of the stage context take of a block's shared memory
}

// imageAlign is the alignment of each table, in bytes.
const imageAlign = 64

// newImage builds the image of an automaton of which states are tracked by t.
func newImage(a *dfa.Automaton, t *trackTables) *image {
	im := &image{blob: make([]byte, binary.Size(kernels.Program{})), shared: t.shared}
	n := a.NStates()
	im.program = kernels.Program{
		States: uint32(n), Groups: uint32(a.NGroups), NEmissions: uint32(len(a.Emissions)), Start: uint32(a.Start),
		Flags: programFlags(a), MaxLag: uint32(a.MaxLag()), Tracking: t.kind, Tracked: uint32(t.tracked),
	}

	group := make([]byte, len(a.Group))
	for symbol, g := range a.Group {
		group[symbol] = byte(g)
	}
	table := make([]uint32, len(a.Next))
	for i, next := range a.Next {
		table[i] = transition(a, next, a.Emit[i])
	}
	flat := make([]uint32, n*len(a.Group))
	for i := range flat {
		flat[i] = table[int(a.Group[i%len(a.Group)])*n+i/len(a.Group)]
	}
	emissions := make([]kernels.Emission, len(a.Emissions))
	for i := range a.Emissions {
		e := &a.Emissions[i]
		emissions[i] = kernels.Emission{
			Column: int32(e.Column), Lag: e.Lag, Open: e.Open, Code: uint16(e.Code), Kind: uint8(e.Kind), Sub: uint8(e.Sub),
			Byte: e.Byte, Cls: e.Class, Record: uint8(e.Record), Blame: uint8(e.Blame),
		}
	}
	im.program.Group = im.add(group)
	im.program.Table = im.add(table)
	im.program.Emissions = im.add(emissions)
	im.program.AtEOF = im.add(a.AtEOF)
	im.program.Flat = im.add(flat)

	im.program.ContextWords = t.words
	im.program.Context = uint64(im.align())
	for word, data := range t.tables {
		if data != nil {
			im.program.ContextWords[word] = im.add(data) - im.program.Context
		}
	}
	im.align()
	return im
}

// align pads the image to where a table may begin.
func (im *image) align() int {
	im.blob = append(im.blob, make([]byte, -len(im.blob)&(imageAlign-1))...)
	return len(im.blob)
}

// add puts a table of fixed-size values at the end and gives its offset.
func (im *image) add(values any) uint64 {
	at := im.align()
	blob, err := binary.Append(im.blob, binary.LittleEndian, values)
	if err != nil {
		panic(err) // a table of another type
	}
	im.blob = blob
	return uint64(at)
}

// place makes offsets addresses, of an image that begins at address.
func (im *image) place(address uint64) {
	p := &im.program
	for _, field := range []*uint64{&p.Group, &p.Table, &p.Emissions, &p.AtEOF, &p.Flat, &p.Context} {
		*field += address
	}
	if _, err := binary.Encode(im.blob, binary.LittleEndian, p); err != nil {
		panic(err) // the structure is of fixed size, and the blob begins with room for it
	}
}

// transition packs a transition, see layout.cuh.
func transition(a *dfa.Automaton, next dfa.StateID, id dfa.EmissionID) uint32 {
	e := &a.Emissions[id]
	t := uint32(next) | uint32(id)<<kernels.EmissionShift | uint32(e.Kind)<<kernels.KindShift
	if e.Kind == dfa.Data && e.Sub != dfa.Itself {
		t |= kernels.Coded
	}
	if e.Lag != 0 {
		t |= kernels.Lagged
	}
	return t
}

// programFlags are the facts that let kernels leave work out. Emissions that no
// transition has count too, which is on the safe side.
func programFlags(a *dfa.Automaton) uint32 {
	flags := uint32(0)
	set := func(flag uint32, on bool) {
		if on {
			flags |= flag
		}
	}
	for i := range a.Emissions {
		e := &a.Emissions[i]
		set(kernels.HasLag, e.Boundary() && e.Lag != 0)
		set(kernels.HasCoded, e.Kind == dfa.Data && e.Sub != dfa.Itself)
		set(kernels.HasColumns, e.Boundary() && e.Column != dfa.NextColumn)
		set(kernels.HasKinds, e.Kind == dfa.Record && e.Record != dfa.DataRecord)
		set(kernels.HasClasses, e.Boundary() && e.Class != 0)
	}
	return flags
}
