// Package kernels holds the CUDA C++ sources of the GPU engine, the PTX that
// they compile to, and the layout of what both sides share. It runs nothing.
//
// A stage has one file, of the stem of its twin in runtime/reference, and
// its entry points are called dfa_ and that stem. Every parameter of an entry
// is 8 bytes: an address or a uint64.
package kernels

// This file is layout.cuh in Go: what the fields mean stands there. Addresses
// are of device memory.

// Sizes, see layout.cuh.
const (
	Chunk        = 64
	Padding      = 128 << 10
	MaxPartition = 1 << 31
)

// Of a Transition.
const (
	EmissionShift = 12
	KindShift     = 21
	NextMask      = 0xfff
	EmissionMask  = 0x1ff
	KindMask      = 7
	Coded         = 1 << 24
	Lagged        = 1 << 25
	EndOfInput    = 1 << 31
)

// Of Program.Flags.
const (
	HasLag = 1 << iota
	HasCoded
	HasColumns
	HasKinds
	HasClasses
)

// Of Program.Tracking.
const (
	Track4 = iota
	Track8
	Track16
	TrackMonoid
	TrackVector
	TrackLive8
	TrackLive16
	TrackWalk
)

// Of Output.Flags.
const (
	Trim = 1 << iota
	Required
	HasDefault
	EmptyIsNull
	Raw
	OnHost
	RejectUTF8
	KeepUTF8
	OfMaps
)

// Of a span's start.
const (
	Scattered   = 1 << 31
	Absent      = 1<<32 - 1
	DefaultText = 1<<32 - 2
)

// In place of a field number in Delivery.ColumnField.
const (
	NoField   = -1
	PartField = -2
)

// Of Css.Tagging.
const (
	Tagged = iota
	Terminated
	Delimited
)

// Emission mirrors the structure of that name, and so do the following.
type Emission struct {
	Column               int32
	Lag, Open            uint16
	Code                 uint16
	Kind, Sub, Byte, Cls uint8
	Record, Blame        uint8
}

type Program struct {
	Group, Table, Emissions, AtEOF, Flat uint64
	States, Groups, NEmissions, Start    uint32
	Flags, MaxLag, Tracking, Tracked     uint32
	Context                              uint64
	ContextWords                         [12]uint64
}

type Counts struct {
	Fields, Records, Rows, Data  uint32
	Faults, Directives, EndState uint32
	Consumed, Resume, Malformed  uint32
	Unfused, RowBytes            uint32
	Reserved                     [4]uint32
}

type Job struct {
	Data                      uint64
	Size, State, Final        uint32
	DirectiveCapacity         uint32
	ChunkState                uint64
	Found, Mark, Column       uint64
	RecordLast, RowRecord     uint64
	Directive, Fault          uint64
	IsData, DataBefore, Value uint64
	Counts, Scratch           uint64
	ScratchSize               uint64
	ChunkUTF8                 uint64
}

type Split struct {
	Program         uint64
	Column, NParts  uint32
	PartColumn      uint64
	Source, Tokens  uint64
	NTokens, Strict uint32
	Left            uint64
}

type Delivery struct {
	RowFrom, RowTo                 uint32
	Capacity, MaxRecord            uint32
	MinFields, MaxFields, Truncate uint32
	Rest                           int32
	NFields, NColumns              uint32
	FieldColumn, FieldClass        uint64
	Widths                         uint64
	NWidths, NOutputs              uint32
	ColumnField, Splits, NSplits   uint64
	SpanStart, SpanEnd             uint64
	Malformed, RecordStart         uint64
	Outputs, Heap, HeapSize        uint64
}

type Output struct {
	Kind, Column, Flags, Width uint32
	Source, Tokens             uint64
	NTokens, DefaultLength     uint32
	DefaultValue               [2]uint64
	DefaultBytes, Type         uint64
	Options                    [8]uint64
	Fixed, Valid, Todo, Left   uint64
	Offsets, Counters, Views   uint64
}

type Leftover struct {
	Row, Start, End, State uint32
}

type Css struct {
	Tagging, Terminator            uint32
	NColumns, Pitch                uint32
	Raw, Offsets, Counters, Failed uint64
	Symbols, Size, Tags, Ends      uint64
}
