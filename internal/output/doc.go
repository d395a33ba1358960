// Package output writes Arrow records in the forms that the command offers.
//
//	table    for people: aligned, as wide as the terminal
//	jsonl    one JSON object a line
//	csv, tsv text that this program and others read back; tsv with the escapes of pgcopy
//	arrow    Arrow IPC file
//	arrows   Arrow IPC stream
//	parquet  Parquet, by package parquetfile
//	none     nothing; the input is read and checked all the same
//
// The dictionaries of the records given to a Writer grow: each begins with all
// of the one before. A Unifier makes that true across inputs.
package output
