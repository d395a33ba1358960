// Package expr is the language of --where, --by and --agg: tests and values of
// the columns of a record. docs/aggregate.md is its reference.
//
//	text ──ParseWhere, ParseList──▶ *Or, *List ──Bind──▶ *Filter, *Value ──▶ rows, arrays
//
// The grammar is structs, as in package compile (grammar.go). Binding to the
// columns of a schema finds every fault that does not depend on data: a column
// that is not there, a text where a number is wanted. What is bound works on
// whole Arrow records: a Filter says which rows of one are wanted, a Value gives
// a column, or one made of a column, as an array.
package expr
