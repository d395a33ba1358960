// Package infer finds out what a delimited file looks like that nobody has
// described, and writes it down as a spec: the dialect from a sample, which is cut
// by every dialect that may be meant, and the types from all of the file, which is
// read once more by the engine for it.
//
//	sample -> dialects, rated -> the best of them -> all rows as text -> types -> spec
//
// Nothing is guessed of a value: a type is taken that every value of the column
// has, without one becoming another; where several meanings remain, as of
// 01/02/2024, the column stays text, and the spec says why.
package infer
