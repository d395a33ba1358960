// Package parquetfile writes Arrow records as a Parquet file, the columns side by
// side.
//
//	record ─┬─▶ column 0: levels, values ─▶ pages, compressed ─┐
//	        ├─▶ column 1                                       ├─▶ row group, in order ─▶ file
//	        └─▶ ...                                            ┘
//
// Every column has a goroutine, which encodes its part of one record after the
// other while the next records are still being read. Where processors are left,
// pages are compressed beside their column, so that one of long texts does not
// hold up the others. What is kept in memory is some records that wait, bounded
// by their bytes, and the compressed pages of the row group. Where row groups and pages end depends on the records alone, so
// that the file does not depend on how many goroutines run at once.
//
// A column chunk begins with a dictionary. It is given up for the rest of the
// chunk, and of the file, where values turn out to repeat too seldom (payoff).
//
// The schema, the footer and its statistics are arrow/go's; the pages are
// written here, as the format's specification says:
// https://github.com/apache/parquet-format/blob/master/Encodings.md
// Pages are of version 1, levels and indices RLE and bit-packed, values PLAIN.
package parquetfile
