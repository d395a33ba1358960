// Package lower builds automata: from plain structs that say what the bytes of
// a format look like it makes the *dfa.Automaton that reads them. Package
// compile fills in the structs from a spec; nothing here knows the spec
// language.
//
//	BuildDelimited   fields with a separator between them: CSV, TSV, W3C
//	BuildRecord      a template with holes, one record: logs
//	BuildSplit       a template with holes, one field's value
//	BuildLines       each line is a record of one field: fixed width
//	BuildList        one value that holds several: a;b;c
//	BuildMap         one value that holds keys and values: a=1 b=2
//	BuildTable       states and symbol groups, written out
//
// # One meaning
//
// An automaton never guesses. What is not a record of the format is an error
// with a message that says what was expected, and reading goes on after the
// next line end that can end a record. Each file says what its construct
// accepts: lex.go for separated fields, template.go and listing.go for
// templates, lines.go for line ends and comments, escape.go for escapes,
// multiline.go for records of several lines, value.go for lists and maps,
// table.go for tables.
//
// # How
//
// A construct is written as a machine: a comparable state and a function that
// says, for a state and a symbol, the next state and the emission. explore
// walks all states that can be reached and hands them to dfa.Builder, which
// minimises. So a rule is written once, as code that reads like the rule, and
// no table is typed by hand.
//
// # Bounds
//
// A construct that would need to look ahead without bound, or whose meaning is
// not one, is refused with a Fault that carries a shortest witness: an input
// that could be read in two ways.
package lower
