// Package conformance holds dfaparse against independent readers, over public
// data that nobody here wrote; `make conformance` runs all of it.
//
//	corpora ─▶ dialects.py: file × stated dialect ─┬▶ cells (Go): our rows, rejects, names
//	                                               ├▶ model.py: what docs/spec.md says
//	                                               └▶ readers.py: DuckDB, polars, pyarrow, csv
//	                                                       │
//	             classified.toml: why they differ ─▶ compare.py ─▶ docs/conformance.md
//
// The model and dfaparse may not differ at all. From the other readers it may
// differ where classified.toml says why, and the reason is tried: the model with
// the traits of that reader must give that reader's result, row for row. What is
// unexplained, and an explanation that explains nothing, fail.
//
// Beside files there are tables drawn at random and written by the other
// libraries (generate.py), and numbers and logs read by Python's float, json and
// re (logs.py).
//
// The Go test here reads every file truncated, with bits flipped and one behind
// the other, in all error modes and several engines and cuts: no panic, no hang,
// one result, no byte that is not accounted for. What a damaged file should give
// nobody knows; that is why it has no oracle.
//
// The corpora are not in the repository: CONTRIBUTING.md says where they are
// looked for. Without them the tests are skipped.
package conformance
