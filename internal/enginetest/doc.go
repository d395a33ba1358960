// Package enginetest holds engines against the contract of package runtime.
//
// An oracle reads an input record by record, as dfa.Automaton.Walk gives them,
// and applies the binding, the structural checks and the conversions one at a
// time; Run compares with it what an engine gives for the same input, for every
// chunk size, any split into partitions and batches of any size. The package is
// for tests: a new engine calls Run from one.
package enginetest
