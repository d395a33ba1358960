// Package compile turns specs, the short texts that describe formats, into
// Programs. docs/spec.md is the reference of the language.
//
//	spec text ──Parse──▶ *File ──Check──▶ *File ──Build──▶ *Spec{*dfa.Program, Examples, Warnings}
//	                       ▲
//	     New("x")…File() ──┘   the same tree, built by a program
//
// Parse reads the text with a grammar whose structs are the tree (ast.go);
// each node knows its position. Check reports everything that is wrong, each
// fault as file:line:col with what was expected and, where a name is near, a
// suggestion. Build lays the items of a format over those of its parents
// (form.go), turns types and policies into those of package dfa
// (definition.go, types.go), and has package lower build the automaton
// (lexing.go, record.go, table.go). Compile does all of it, and runs the tests
// in the spec if it is told how.
//
//	spec, err := compile.Compile("orders.dfp", src, compile.WithVerifier(runtime.Verifier(cpu.Engine)))
//
// Print writes a tree as text again; Parse of that text gives the same tree.
//
// The package does not run Programs, and it finds no files: a Resolver gives
// it the parents of a format that stand in other files.
package compile
