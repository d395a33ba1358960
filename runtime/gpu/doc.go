// Package gpu is the engine "gpu": the stages of ParPaRaw as kernels on an
// NVIDIA GPU, for any Program, without compiling anything for a format. It is
// there under the build tag cuda only.
//
//	partition ─▶ flights ─▶ context ─▶ index ─▶ partition ─▶ convert ─▶ offsets ─▶ gather ─▶ narrow ─▶ rows
//	                                                           │
//	             the CPU's engine ◀── rows that were left ─────┘
//
// # One result
//
// A kernel decides what it is sure of. A row with a structural problem, an odd
// number, text that is not UTF-8: whatever a kernel is not sure of, it leaves,
// and the engine "cpu" reads that row's record again, from where it begins to
// where it ends, with the context and the binding in force there. So problems
// are made in one place, and a result cannot differ by a value that only one
// side knows how to read. A type that no kernel converts is the CPU's in every
// row; a flight with directives that name other columns than those before, or of
// which more than a quarter of the rows are left, is the CPU's as a whole.
//
// # Where facts stand
//
// What the host and the kernels both have to know stands in the kernels' sources.
// facts.go has constants, sizes and structures from there, launches.go a type for
// the kernels that are launched alike, whose parameters have their order and
// types; make generate writes both.
//
// # Memory
//
// A partition is read in flights, and the record that a flight does not complete
// is put before the next on the device. Three streams run at once: the next
// flight comes in while this one is parsed and the values of the one before go
// out. All host memory that they touch is pinned. Integers, times and the lengths
// of texts go out in as few bytes as the flight's need, and the host makes the
// values of them, beside all this, in memory that Arrow arrays may read. Each flight
// has its own, a haul, which arrays hold as long as they have parts of it, and
// which another flight has after that.
package gpu
