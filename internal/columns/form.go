package columns

import "github.com/apache/arrow/go/v17/arrow"

// Form is how the values of a column lie in a Column's buffers, and the Arrow
// type that they become. It says nothing of what they mean.
type Form struct {
	Buffers Buffers
	Width   int            // bytes of one of Values; 4, an int32, for Tokens
	Arrow   arrow.DataType // what Array makes of the rows

	// Tokens are what Values of four bytes, indices, stand for, if they are known
	// before any row; else nil.
	Tokens []string

	// Texts makes Arrow's texts of Values that are kept in a shorter form: it
	// appends that of each row of c that is not null to text, which has room for
	// LongestText bytes a row, and sets ends[i] to where row i's ends. nil: the
	// Arrow values are the Values.
	Texts       func(c *Column, ends []int32, text []byte) []byte
	LongestText int

	Children []*Form // by Buffers, see there
}

// Buffers says which buffers of a Column hold its values.
type Buffers uint8

const (
	Values Buffers = iota // Fixed: Width bytes each
	Bits                  // Fixed: a bitmap
	Texts                 // Offsets into Data
	Lists                 // Offsets into the elements, the one child
	Maps                  // Offsets into keys and values, the two children
	Tokens                // Fixed: int32 indices of the child's rows, which are texts, distinct, in order of first appearance
)

// Text is the Form of UTF-8 text, keys of maps and tokens among them.
var Text = &Form{Buffers: Texts, Arrow: arrow.BinaryTypes.String}
