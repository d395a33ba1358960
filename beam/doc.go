// Package beam reads files in Apache Beam pipelines, each by many workers: exactly, whatever
// quotes, records of several lines and directives there are.
//
//	func init() { dfabeam.Register[Trip]() }
//
//	p, s := beam.NewPipelineWithRoot()
//	trips := dfabeam.Read[Trip](s, dfabeam.Options{Format: "csv"}, "trips.csv")
//
// A splittable DoFn has the file's splits as its restriction: so many, and a runner hands
// out ranges of them. Whoever reads a range reads these splits, and nothing between them is
// guessed (docs/splits.md). What an element is, is a struct, as for dfaparse.Rows.
//
// It is a module of its own, so that nobody else needs Beam.
package beam
