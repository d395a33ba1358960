// Package gen writes inputs for tests and benchmarks: files shaped like real
// ones, of any size, the same bytes for the same kind, size and seed on every
// platform (integers only, a generator of its own).
//
//	taxi      NYC yellow taxi trips of 2018: 17 columns, header, short numbers
//	yelp      reviews: nine quoted columns, text with newlines, commas and ""
//	lineitem  TPC-H's largest table: 16 columns, each ended by '|', no header
//	combined  an Apache access log in the combined format
//	1brc      station;temperature, the one billion row challenge
//	torture   RFC 4180 records that look like other records inside their quotes
//
// The first three have formats of their own, which are here and not in package
// formats: Find knows them by name.
//
// It does not aim at the statistics of the originals beyond what matters to a
// parser: lengths, alphabets, how often a rare thing occurs.
package gen
