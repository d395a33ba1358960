package convert

import (
	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// Facts is all that is known of a kind of types outside of package dfa: a row of
// the type table. Who reads specs, converts, renders, or writes files asks it. A
// part that is named in a tag must be there, TestTypeTable says which is not.
type Facts struct {
	dfa.TypeWords // its names and examples, which are listed beside the kinds

	Width  int                                              // bytes of a value in Column.Fixed; 0: none, or a bitmap
	Arrow  func(t *dfa.Type) arrow.DataType                 `part:"Arrow type"`
	Empty  bool                                             // an empty field is a value, and not null
	Reader func(t *dfa.Type, opt Options) (appender, error) `part:"converter"`

	// Expected is what a field should be, after "expected ".
	Expected func(t *dfa.Type) string `part:"words of what is expected"`

	Text    *Text       `part:"text form"`
	JSON    JSONForm    `part:"JSON form"`
	Parquet ParquetForm `part:"Parquet form"`
	Kernel  Kernel      `part:"kernel"`

	// Extension is the type's name among Arrow's canonical extension types.
	Extension string
}

// Text is how values are written as text, in Arrow's types that do not say it: a
// field of such a type says in its metadata which type it is.
type Text struct {
	// Append appends the text of a value, of Width bytes.
	Append func(dst, value []byte) []byte
	// Column is set if the Arrow values may be the texts: see columns.Form.
	Column  func(c *columns.Column, ends []int32, text []byte) []byte
	Longest int
}

// AsArrow is the text of values whose Arrow type says how they are written.
var AsArrow = &Text{}

// JSONForm is how values are written in JSON.
type JSONForm uint8

const (
	JSONByArrow JSONForm = 1 + iota // as package render writes values of the Arrow type
	JSONString                      // the text, as a string
)

// ParquetForm is the logical type of values in Parquet files.
type ParquetForm uint8

const (
	ParquetByArrow ParquetForm = 1 + iota // that of the Arrow type
	ParquetInteger                        // none: integers, of which the Arrow schema in the file says what they are
	ParquetUUID
)

// Kernel is the file in kernels/convert that converts fields on a GPU, or OnHost.
type Kernel string

const (
	OnHost         Kernel = "on the host" // the engine leaves the columns to the CPU's
	KernelText     Kernel = "text"
	KernelBool     Kernel = "bool"
	KernelInteger  Kernel = "integer"
	KernelFloat    Kernel = "float"
	KernelDecimal  Kernel = "decimal"
	KernelClock    Kernel = "clock"
	KernelDuration Kernel = "duration"
	KernelBinary   Kernel = "binary"
	KernelTokens   Kernel = "tokens"
	KernelAddress  Kernel = "address"
)

// FactsOf is the row of a kind, which nobody changes.
func FactsOf(k dfa.TypeKind) *Facts { return &table[k] }

// TypeKey is the key of the field metadata that names a type of which the Arrow type
// does not say how it is written.
const TypeKey = "dfaparse.type"

// The field metadata of Arrow's canonical extension types in files and streams. A Go
// program has the storage, unless it registers the type.
const (
	extensionKey     = "ARROW:extension:name"
	extensionDataKey = "ARROW:extension:metadata"
)

// FactsOfField is the row that a field's metadata names; nil if it names none, or one
// whose values are stored otherwise.
func FactsOfField(f *arrow.Field) *Facts {
	if !f.HasMetadata() {
		return nil
	}
	name, named := f.Metadata.GetValue(TypeKey)
	extension, extended := f.Metadata.GetValue(extensionKey)
	for k := range table {
		row := &table[k]
		if row.Text == AsArrow || !(named && row.Name == name) && !(extended && row.Extension == extension) {
			continue
		}
		switch t := f.Type.(type) {
		case *arrow.FixedSizeBinaryType:
			if t.ByteWidth == row.Width {
				return row
			}
		case *arrow.StringType:
			if row.Text.Column != nil {
				return row
			}
		}
		return nil
	}
	return nil
}

// metadata is what the fields of type t say of it.
func (f *Facts) metadata() arrow.Metadata {
	switch {
	case f.Text == AsArrow:
		return arrow.Metadata{}
	case f.Extension == "":
		return arrow.NewMetadata([]string{TypeKey}, []string{f.Name})
	}
	return arrow.NewMetadata([]string{TypeKey, extensionKey, extensionDataKey}, []string{f.Name, f.Extension, ""})
}
