package convert

// Fields are the fields of one column of a round, row by row. They are views:
// a field lies in Src, or, if it had to be decoded, in Decoded.
type Fields struct {
	Src     []byte
	Decoded []byte
	Start   []uint32  // per row: offset of the first byte; InDecoded set: in Decoded; Absent: no such field
	End     []uint32  // per row: offset after the last byte, in the same buffer, InDecoded not set
	Literal []Literal // by row, as a rule none; they lie in Decoded; of two for one row the last counts
}

const (
	// Absent as a Start says that the record has no such field: it is null.
	Absent = ^uint32(0)
	// InDecoded is the bit of a Start that says that the field is in Decoded.
	InDecoded = uint32(1) << 31
)

// Len is the number of rows.
func (f *Fields) Len() int { return len(f.Start) }

// At is the field of row i, and whether there is one.
func (f *Fields) At(i int) ([]byte, bool) {
	s := f.Start[i]
	if s < InDecoded {
		return f.Src[s:f.End[i]], true
	}
	if s == Absent {
		return nil, false
	}
	return f.Decoded[s&^InDecoded : f.End[i]], true
}

// Push appends a row that lies in Src.
func (f *Fields) Push(start, end uint32) {
	f.Start = append(f.Start, start)
	f.End = append(f.End, end)
}

// PushAbsent appends a row that has no such field.
func (f *Fields) PushAbsent() { f.Push(Absent, 0) }

// PushDecoded appends a row whose value is copied to Decoded.
func (f *Fields) PushDecoded(value []byte) {
	s := uint32(len(f.Decoded))
	f.Decoded = append(f.Decoded, value...)
	f.Push(s|InDecoded, uint32(len(f.Decoded)))
}

// set makes a copy of value row i.
func (f *Fields) set(i int, value []byte) {
	f.Start[i] = uint32(len(f.Decoded)) | InDecoded
	f.Decoded = append(f.Decoded, value...)
	f.End[i] = uint32(len(f.Decoded))
}

// Reset empties f and keeps its memory.
func (f *Fields) Reset(src []byte) {
	f.Src, f.Decoded, f.Start, f.End = src, f.Decoded[:0], f.Start[:0], f.End[:0]
	f.Literal = f.Literal[:0]
}
