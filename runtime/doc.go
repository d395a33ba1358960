// Package runtime reads inputs through Programs: it is the public reader of
// dfaparse, and what its engines have in common.
//
// A Reader cuts its input into partitions, hands each to an Engine, and
// assembles what comes back into Arrow records:
//
//	input ─▶ source: partitions, carry-over ─▶ Engine ─▶ Result ─▶ assemble ─▶ arrow.Record
//	                                                       │
//	                                                       └─▶ problems ─▶ ErrorMode ─▶ rejects, ParseError
//
// The engine only says what it found. What becomes of a record that cannot be
// read is decided here, once, so it cannot depend on the engine. Nor does
// anything else: rows, nulls, rejects and error positions are the same for
// every engine, chunk size, partition size and number of threads.
//
// An engine is linked in by importing its package:
//
//	import (
//		dfaruntime "github.com/dfaparse/dfaparse/runtime"
//		_ "github.com/dfaparse/dfaparse/runtime/cpu"
//	)
//
// The package does not import the compiler of the spec language: a Program may
// come from package formats, from compile, or from a file written before.
package runtime
