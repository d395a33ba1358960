// Package symbols finds the symbols of a set in a text, 64 at a time, as bits:
//
//	set , \n        text  a , b \n
//	                mask  0 1 0 1
//
// A [Set] is looked up symbol by symbol with vector code, where the machine has some.
// [Words] are for machines that have none, and for sets of which there may be no symbol
// at all: rare ones cost a call each, and what is not there next to nothing.
//
// What is found is the caller's to understand: this package knows no automaton and no field.
package symbols
