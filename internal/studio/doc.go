// Package studio says of a spec and a piece of an input all that can be seen of the two: what
// is wrong with the spec, what each byte is, which rows come of it, what they come to, and
// the automaton. It is what the page of "dfaparse studio" shows.
//
//	spec text ┐
//	          ├─ Analyse ─▶ *Analysis ─▶ Summary, Lines, Rows, Counts, Graph, Explain
//	Window ───┘
//
// A Window begins where a record does (window.go) and has the input's head before it, so
// that the engine reads it as it would read the input. Mark (mark.go) changes a template by
// an example, Propose (propose.go) begins a spec, and Run reads an input to its end.
//
// A Studio (call.go) holds inputs, and answers calls by name in JSON. A server (server.go)
// and WebAssembly (studio/wasm) hand these on, so that one page does with either. Everything
// is found by the compiler and the engine for reading; nothing is guessed here but where a
// window begins, and that is said.
package studio
