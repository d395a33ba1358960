// Package bench measures how fast an input is read, and where the time goes.
//
// An input is read as the command reads it, through a Reader to Arrow records in
// memory that are dropped, from the file and from memory; and by its engine
// alone, stage by stage (runtime.Measure). One run comes first that does not
// count; of the others the median does.
//
// Rates are of decompressed bytes, in units of 10^9 bytes a second. Work is time
// of processor cores, all of them together: of a stage what its workers took, of
// a whole what the system counts for the process. Cycles are work in ticks of
// the time stamp counter, which runs at a fixed rate whatever the clock of the
// cores is.
package bench
