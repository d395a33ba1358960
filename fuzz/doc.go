// Package fuzz tests dfaparse as a whole: the conformance matrix (every case
// through every engine, chunk size, partition size, number of threads and
// error mode, with one result), properties, fuzz targets, and real files.
//
// Real files are looked for in the folder that DFAPARSE_CORPORA names, else in
// ../shared/corpora beside the checkout; tests that want them are skipped where
// they are not.
package fuzz
