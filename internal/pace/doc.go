// Package pace says what is slow about a format, and which line of its spec makes it
// so.
//
// Most formats are read in about the time that it takes to look at each byte once or
// twice, and nothing is to be said of them. What is not is found where it is decided:
// the analysis of the automaton says what is odd to masks (dfa.Masks), the converter of
// a column whether it has a loop for its fields (convert.FindSlow), the engine for GPUs
// what it leaves to the CPU. Where in the spec that is said, compile.Places has.
//
//	logs.dfp:4:12: slow: column "at": the clock of the layout has twelve hours, …
//
// What depends on the data alone, such as how many records are malformed, or which of
// the ways through a template are taken, is not said here: it would have to be
// measured, by dfaparse bench. Several shapes, each of which is a way, are said.
package pace
