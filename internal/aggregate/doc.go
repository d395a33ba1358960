// Package aggregate groups the rows of Arrow records by keys and counts, sums,
// and finds the least and the greatest of the values of each group.
//
//	record ──where──▶ rows ──keys──▶ bytes ──table──▶ a group for each row ──tallies──▶ states
//	                                                     │ does not fit
//	                                                     ▼
//	                                       partitions of the hash, in files
//	tables of all workers, partitions ──merge, sorted by key──▶ results
//
// A Query is texts (docs/aggregate.md); Parse reads them and Bind gives a Plan for the
// columns of a schema. An Aggregation takes records of that schema in any order, from
// one goroutine, and spreads them over workers. Each has a table of its own (table.go):
// keys are encoded as bytes (key.go) whose order is that of the values, and looked up
// by their hash; no value becomes a Go string. What a group has come to is its state: some words (tally.go).
//
// Whatever a tally holds is the same for every order of the rows: whole numbers
// are summed exactly in more bits than they have, floats too (exactsum.go). So
// threads, partitions and spilling change no result.
//
// Keys and states as words and bytes are also how an entry is written to a file (entry.go), and the form in which
// whoever has groups of its own, as a device, hands them over: see Partial.
package aggregate
