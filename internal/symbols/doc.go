// Package symbols finds the symbols of a set in a text, 64 at a time, as bits:
//
//	set , \n        text  a , b \n
//	                mask  0 1 0 1
//
// A [Set] is looked up symbol by symbol with vector code, where the machine has some: AVX2,
// or vectors of sixteen symbols, which are NEON on arm64 and SSSE3 on amd64. [Words] are for
// machines without AVX2, and for sets of which there may be no symbol at all: where there are
// no vectors, rare ones cost a call each, and what is not there next to nothing.
//
// What is found is the caller's to understand: this package knows no automaton and no field.
package symbols
