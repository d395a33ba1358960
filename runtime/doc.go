// Package runtime reads inputs through Programs: what the engines
// of dfaparse have in common, for those who write one. Those who read files import
// the root of the module.
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
// An engine is a value that WithEngine is given: cpu.Engine, which reads;
// reference.Engine, which the others are compared with; gpu.New, under the build
// tag cuda.
//
// The package does not import the compiler of the spec language: a Program may
// come from package formats, from compile, or from a file written before.
package runtime
