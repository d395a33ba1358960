// Package reference is the engine "reference": the stages of ParPaRaw (Stehle
// and Jacobsen, "ParPaRaw: Massively Parallel Parsing of Delimiter-Separated
// Raw Data", PVLDB 13(5), 2020), written for reading. What the other engines do
// fast they must do with the same result; each kernel of a GPU has its twin here.
//
// # The idea
//
// The input is cut into chunks of any size, wherever the cuts fall: within a
// quoted field, an escape, a separator. No stage reads a chunk with knowledge
// of what came before it in the input. Instead each chunk says what it does
// to whatever came before, in a form that can be composed; an exclusive scan
// composes these, and so every chunk learns where it stands. That happens
// twice: for the state of the automaton (stage context), and for how many
// fields and records there were and which column is being read (stage index).
// Then fields are cut out, their symbols are sorted by column (stage partition)
// and each column is converted on its own (stage convert).
//
// Every stage is a sequence of loops over chunks, symbols, fields, records or
// columns whose steps are independent of each other (Grid.Each), and of scans
// and selections that are made of such loops (ExclusiveScan, Select). Grid
// runs the steps on several workers, so that the race detector can tell.
//
// # The stages on a small input
//
// Two records of two columns, an integer and a string, in chunks of four
// symbols. The second chunk begins inside the quotes:
//
//	input      7  ,  "  a | ,  b  "  \n| ,  x  \n
//	offset     0  1  2  3 | 4  5  6  7 | 8  9  10
//
// Context. The states of RFC 4180 are R, at the start of a record; F, of a
// field; B, in a bare field; Q, in a quoted one; E, after a quote in one; X,
// after an error, until the line ends. A chunk's vector says where each leads:
//
//	from       R F B Q E X | R F B Q E X | R F B Q E X
//	to         Q Q Q X X X | R R R R R R | R R R Q R R
//	before it  R F B Q E X | Q Q Q X X X | R R R R R R     composed
//	context    R           | Q           | R               from R
//
// Index. One run from the context gives each symbol its emission; what the
// chunk adds is counted, and the counts are scanned. A column offset is
// relative until the chunk ends a record; from there on it is absolute:
//
//	emission   d  f  s  d  | d  d  s  r  | f  d  r         data, skip, field, record
//	fields     1           | 1           | 2
//	records    0           | 1           | 1
//	column     +1          | =0          | =0
//	before it  0, 0, =0    | 1, 0, =1    | 2, 1, =0        fields, records, column
//
// With that each chunk writes the entries of its boundaries to their places:
//
//	field      0    1    2    3
//	record     0    0    1    1
//	column     0    1    0    1
//	symbols    0-1  2-7  8-8  9-10                          first to boundary
//
// Partition. Each symbol that is data is tagged with the column and the field
// that it belongs to, and sorted by column; the order is kept otherwise. What
// lies together then is the column's concatenated symbol string, its CSS:
//
//	symbols    7  a  ,  b  x             7  a  ,  b  x
//	column     0  1  1  1  1    sorted   0  1  1  1  1
//	field      0  1  1  1  3             0  1  1  1  3
//	index      field 0: 0-1   1: 1-4   2: none   3: 4-5
//
// Convert. Column by column, over its CSS:
//
//	column 0   7    null
//	column 1   a,b  x
//
// What a field means is defined in package convert, which the engines share. This one
// has every field converted by itself, by the code that defines it (convert.Options,
// Plain): to convert by kernels, and many rows in a loop, is the other engines' alone.
//
// # What it does not do
//
// It is not fast, and it holds 36 to 62 bytes for each byte of a partition
// (BenchmarkParse), more where fields are shorter or chunks smaller than there.
// It knows no format: quotes, separators and line ends are the automaton's.
package reference
