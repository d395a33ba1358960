// Package dfa holds the automaton at the heart of dfaparse: a deterministic
// finite-state transducer over bytes, the analyses that choose how to run it,
// and the Program, the compiled form of a spec.
//
// # The words
//
//	symbol        one input byte
//	symbol group  the symbols with identical transitions (ParPaRaw, Table 1)
//	state         of the automaton; a transition has an emission
//	emission      what a transition says about its symbol: data, skip, field,
//	              record or error, and the byte it decodes to
//	chunk         the bytes that one worker (CPU) or thread (GPU) reads
//	partition     the bytes handed to an engine at once; its incomplete last
//	              record is the carry-over of the next one
//	STV           state-transition vector: for every start state, the state
//	              after a chunk
//	composition   (a∘b)[s] = b[a[s]], associative, so STVs are scanned
//	context       the state in which a chunk really starts
//	tag           the (record, column) of a field or a symbol
//	CSS           the concatenated symbol string of a column
//	Program       the compiled, immutable, validated form of a spec
//	engine        what runs a Program
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
