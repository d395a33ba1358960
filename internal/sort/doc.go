// Package sort puts the rows of Arrow records in the order of some of their columns.
//
//	record ──copied──▶ slabs ──keys──▶ items ──radix──▶ rows in order ──gathered──▶ records
//	                     │ do not fit                       │
//	                     ▼                                  ▼
//	              sorted as a run ──────────────▶ files of Arrow IPC ──merged──▶ records
//
// An Order is a text (docs/sort.md); Parse reads it and Bind gives a Plan for the columns of a
// schema. A Sorter takes records of that schema and keeps copies of their rows.
//
// What is sorted are items: a number of 64 bits and the place of a row. The number
// is made of as many of the key's columns as it has bits for, of each only the bits
// by which the values that are there differ (layout.go): of a day's times 17 bits, of
// ten words 4, of texts those behind what all begin with. Items are sorted by a radix
// sort (radix.go). Rows that have the same number although their keys may differ are
// sorted again, by what was left over (run.go). Equal rows keep their order.
//
// A run is sorted and written beside the taking in of the next (sorter.go, spill.go). Runs are
// merged by numbers that are made in the same way of what is known of all runs (merge.go): their
// blocks are read ahead, one goroutine draws up which rows come next, and records of them
// are made by all workers (blocks.go). The words of dictionaries are not in the files: the last
// dictionary has them all.
package sort
