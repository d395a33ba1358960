// Package rows puts Arrow records into values of a struct type, column by
// column: a block of rows at a time, one tight loop a field.
//
//	record    fare  5.5 7.0 12.5 …        block   [ {Fare Vendor} {Fare Vendor} … ]
//	          vendor  1   2    1 …                   ▲ stride ▲
//
// Match checks the fields of the struct against the schema, once: a column goes
// into a field only if every value of its type can be held there exactly. After
// that, what can go wrong is a null in a field that has none, and a length of
// time beyond what time.Duration counts.
//
// It parses nothing and knows no reader: package dfaparse gives it records.
package rows
