// Package input opens files and what else is read: decompressed by what their
// first bytes show, to be read again where the file can, and given up when a
// context is done.
//
// A file that is not compressed is handed on as it is (Input.Plain), so that the
// reader may map it into memory.
package input
