// Package dfa holds the automaton at the heart of dfaparse: a deterministic
// finite-state transducer over bytes, the analyses that choose how to run it,
// and the Program, the compiled form of a spec.
//
// # The words
//
// One word a thing, and one thing a word, in code, documents and messages. What
// is in parentheses is where a thing lives that has one place.
//
//	symbol        one input byte
//	symbol group  the symbols with identical transitions (ParPaRaw, Table 1)
//	state         of the automaton; a transition has an emission
//	step          one transition of the automaton
//	emission      what a transition says about its symbol: data, skip, field,
//	              record or error, and the byte it decodes to
//	boundary      the symbol that ends a field, or a field and its record
//	record        the symbols up to a boundary that ends one; a data record is a
//	              row, others are directives, or dropped
//	field         the symbols up to a boundary; its data symbols are its value
//	piece         a field of a value that is taken apart: an element of a list, a
//	              key, a part that a split makes a column of (dfa.Piece)
//	STV           state-transition vector: for every start state, the state
//	              after a chunk
//	composition   (a∘b)[s] = b[a[s]], associative, so STVs are scanned
//	context       the state in which a chunk really starts
//	tag           the (record, column) of a field or a symbol
//	CSS           the concatenated symbol string of a column
//	Program       the compiled, immutable, validated form of a spec (dfa.Program)
//	engine        what runs a Program
//
// Of what is read, from the large to the small, and how:
//
//	split         a range of an input with what has to be known at its start: state,
//	              binding, numbers of records and lines. Of a column: what takes
//	              its fields apart into columns of their own
//	checkpoint    where a record begins, with the same (runtime.Checkpoint)
//	segment       the records from a header or directive to the next one; the
//	              binding says where their columns are (runtime.Binding)
//	partition     the bytes handed to an engine at once; its incomplete last
//	              record is the carry-over of the next one (runtime.Partition).
//	              The stage of this name puts the fields of a column together
//	task          a partition that a worker reads beside others (runtime.task)
//	guess         where a task begins, before that is known; it is checked when
//	              the partition in front has been read (runtime.Forker)
//	flight        the part of a partition that a GPU works on at once, from its
//	              launch until its rows are there (runtime/gpu.flight)
//	feed          what brings a partition to a GPU (runtime/gpu.feed)
//	chunk         the bytes that one worker (runtime/cpu.chunk), or thread of a
//	              GPU, reads
//	strip         some thousands of symbols that are looked at together, by a
//	              worker (runtime/cpu.strip) or by a warp
//	lane          one of several things of a kind that one thread, or one vector,
//	              works on in turn or at once
//	cursor        how far a worker has come (runtime/cpu.cursor)
//	round         the rows of a chunk that are indexed, and then converted, at
//	              once
//	extents       how many of the bytes consumed are of which kind
//	              (runtime.Extents)
//	delivery      rows of a flight with the memory that their values go to
//	              (kernels.Delivery)
//	haul          the memory of the host that a flight's values come to
//	              (runtime/gpu.haul)
//	lease         memory that an engine lends to Arrow arrays: it stays what it is
//	              until the last of them is released (internal/columns.Lease)
//	batch         the rows of one Arrow record, also the columns that are to have
//	              them (runtime.batch)
//
// To take is to have memory, or another thing, out of what is kept of it; what is
// taken is given back. Partitions are assembled, records are read.
//
// # The picture
//
// One transition a symbol, one emission a transition. The input a,"b""" read
// by RFC 4180:
//
//	symbol    a     ,      "     b     "     "     "     \n
//	state   EOR   FLD    EOF   ENC   ENC   ESC   ENC   ESC    -> EOR
//	emits   data  field  skip  data  skip  data  skip  record
//
// The data symbols between two field ends are the value of the field: a and
// b". Nothing else has to be known about a format: what a field may contain
// beyond its delimiters is checked by the converter of its type.
//
// # What it does not do
//
// It reads no spec (package compile), converts no value and touches no Arrow
// (package runtime). It imports the standard library alone.
package dfa
