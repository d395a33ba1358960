// Package cpu is the engine that runs Programs on the cores of a processor. It
// gives what the reference engine gives (package runtime/reference, the
// same stages written for reading), faster.
//
// As a rule each worker has a partition of its own, which the Reader cuts where
// Guess says that a record begins, and checks. Where that cannot be, workers
// share a partition, which is cut into chunks. The context stage finds the state
// in which each chunk begins, exactly: every chunk's state-transition vector is
// computed independently and the vectors are composed. From then on chunks are
// independent: a worker reads the records whose preceding boundary lies in its
// chunk, and reads past the chunk's end to finish the last of them.
//
//	chunk      |        0        |        1        |        2        |
//	records    [ a ][   b   ][      c      ][ d ][        e         ][
//	worker     0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1
//
// A worker reads its chunk in rounds of some thousands of records: it indexes
// them, and then, while all of it is in the cache, converts their columns one by
// one. Index and partition are one pass: where a field ends, its place is put
// with its column's fields. Where the automaton allows it (dfa.Masks), ends are
// found by masks of bits (marker), and records are indexed from there (masked,
// scatter); where separators in a row are one, from two lists of places (runs).
// Records that are one value in brackets are found by masks as well (bracketed).
// Records of other automata go the way that others went, one by one or side by
// side (hop, learn, abreast, series, leap). What is odd is indexed by steps of
// the automaton (index, strip, step).
package cpu
