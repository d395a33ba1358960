// Package arrow18 gives what dfaparse reads in the types of
// github.com/apache/arrow-go/v18.
//
// The reader of dfaparse is an array.RecordReader of
// github.com/apache/arrow/go/v17. Wrap makes one of v18 of it, and of any other
// reader of v17:
//
//	            v17                                      v18
//	array.RecordReader ──────────Wrap──────────▶ array.RecordReader
//	arrow.Record       ─────────Record─────────▶ arrow.RecordBatch
//	arrow.Schema       ─────────Schema─────────▶ arrow.Schema
//	memory.Buffer  ◀──keeps──  memory.Buffer over the same bytes
//
// No value is copied. A buffer of v18 lies over the bytes of the one of v17 and
// keeps it until it is released itself, so that memory goes back to where it came from,
// once, and records that were kept stay what they are when the reader is
// released. What a record costs is a few hundred bytes for each column,
// whatever its rows are.
//
// All types of v17 are known. A type becomes its namesake, with its parameters,
// fields and metadata; so does the metadata of schemas and fields. A type that
// v17 knows by its registry of extensions becomes the extension type of this
// name that is registered with v18, if there is one; otherwise its storage type,
// and metadata of the field names the extension, as in files of Arrow. A plain
// column whose field names an extension stays plain: what dfaparse reads as
// UUIDs are 16 bytes each in v18 as well.
//
// The package reads nothing, converts no value, and knows no format. It is a
// module of its own, so that programs that do not need v18 do not load it.
package arrow18
