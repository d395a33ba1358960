// Package pick decides which engine reads an input, where nobody has said: the one
// that is expected to be done first, by a model of both.
//
// An engine takes a while to start, and then reads so many bytes a second: that depends
// on what a format costs it, its Class, and on the cores. What is written of the rows
// takes time too, which is the same for both, so an engine is not chosen for a speed
// that nobody would see. The figures are those of one machine (measured.go), or of this
// one, if they have been fitted to it: see Calibrate, Load and Save.
package pick
