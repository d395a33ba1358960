// Package explain says why a byte of an input is what it is: in which record
// and field it lies, in which state the automaton met it, since when, what it
// emitted and where it went. It runs the automaton as it is written, one symbol
// at a time, and no engine.
package explain
