package columns

import "math"

// MaxData bounds what offsets point into, which are int32. It is a variable for the
// tests of what happens there.
var MaxData = math.MaxInt32

// AppendText appends a row of Texts; a null, and false, if there is no room.
func (c *Column) AppendText(b []byte) bool {
	if len(c.Data)+len(b) > MaxData {
		c.AppendNull()
		return false
	}
	c.AppendData(b)
	c.EndText()
	return true
}

// AppendData appends to the bytes of a row that EndText has not ended yet.
func (c *Column) AppendData(b []byte) {
	had := len(c.Data)
	c.Data = c.Grow(c.Data, len(b))
	copy(c.Data[had:], b)
}

// EndText ends a row whose bytes have been appended to Data.
func (c *Column) EndText() {
	c.GrowOffsets(1)[0] = int32(len(c.Data))
	c.AppendValid(1)
}

// AppendNull appends a row of Texts that is null.
func (c *Column) AppendNull() {
	c.GrowOffsets(1)[0] = int32(len(c.Data))
	c.AppendValid(1)
	c.SetNull(c.Len - 1)
}
