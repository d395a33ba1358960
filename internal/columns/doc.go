// Package columns is the memory of columns: values in the layouts of the Arrow
// columnar format while they are appended, gathered and handed over to Arrow.
//
//	Form ─▶ Column ─ rows are appended ─▶ AppendRows, Drop ─▶ Array
//	          │                                                  │
//	         Pool ◀────────────── the last Release ──────────────┘
//
// A Form says how the values of a column lie: in which buffers, how wide, and as
// which Arrow type. What values mean, and how they are read from text, is the
// matter of package convert, whose type table gives the Form of each type.
//
// The Array of a Column takes its buffers over, without a copy; what Arrow
// releases goes back to the Column's Pool, and the next Column has it. An
// Account bounds how much memory there may be at once.
//
// The package reads no fields, knows no errors of data, and is told by its
// caller when a Column is full, see Fits.
package columns
