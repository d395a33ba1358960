// Package cpu is the engine that runs Programs on the cores of a processor. It
// gives what the reference engine gives (package runtime/reference, the
// same stages written for reading), faster.
//
// As a rule each worker has a partition of its own, which the Reader cuts where
// it guesses, by Guess, that a record begins, and checks. Where that cannot be,
// workers share one: a partition is cut into chunks. The context stage finds the state in which
// each chunk begins, exactly: every chunk's state-transition vector is computed
// independently and the vectors are composed. From then on chunks are
// independent: a worker takes the records whose preceding boundary lies in its
// chunk, and reads past the chunk's end to finish the last of them.
//
//	chunk      |        0        |        1        |        2        |
//	records    [ a ][   b   ][      c      ][ d ][        e         ][
//	worker     0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1 1 1 1 1 1
//
// Within a chunk, index and partition are one pass: where a field ends, its
// place is put with its column's fields. Where the automaton allows it
// (dfa.Masks), ends are found by bit masks (marker), and records are taken from
// there (masked, scatter); records with something odd in them, and those of other
// automata, are stepped (index, strip, step). Some thousands of records later,
// while all of it is in the cache, the columns are converted one by one.
package cpu
