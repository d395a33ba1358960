package convert

import "github.com/dfaparse/dfaparse/dfa"

// Column is plain buffers: the converted values of one column, in the layouts
// of the Arrow columnar format, before they become Arrow arrays.
type Column struct {
	Type  *dfa.Type
	Len   int    // rows
	Nulls int    // of them null
	Valid []byte // bitmap, bit i&7 of byte i>>3 set: row i is not null

	// Values of fixed width, Len*ByteWidth(Type) bytes, zero where null; for
	// Bool a bitmap like Valid; for Enum and Dictionary int32 indices.
	Fixed []byte
	// Offsets (Len+1) into Data for strings and raw binary, into the rows of
	// Children for lists and maps.
	Offsets []int32
	Data    []byte
	// Children: [elements] of a List, [keys, values] of a Map, [tokens] of a
	// Dictionary (distinct, in order of first appearance in this Column).
	Children []*Column

	dict map[string]int32 // Dictionary: token -> index
}

// FieldError says that the field of a row was not converted; the row is null.
type FieldError struct {
	Row  int // of the Column
	Code Code
}
