// Package convert turns the fields of a column into typed values: the convert
// stage of both engines, and the type table that says what a column type is.
//
//	Fields (views of one column's fields, row by row)
//	   └─ Converter.Append ─▶ Column (plain buffers in Arrow's layouts)
//
// # What becomes of a field
//
// In this order: spaces and tabs are cut off if the column trims; a record
// without the field gives null; a null token gives null; an empty field gives
// null unless the type is a string, a dictionary or a binary. In place of null
// comes the column's default, if it has one; a null that is left in a required
// column is the error IsNull. Anything else is converted, and if it cannot be,
// its row is null and a FieldError says why.
//
// # What the types accept
//
//	integers    [+-]digits; thousands separators are passed over between two
//	            digits, wherever they stand; hexadecimal with or without 0x
//	floats      decimal and scientific notation, correctly rounded, beyond the
//	            largest value to infinity; inf, infinity and nan in any case with
//	            an optional sign; no hexadecimal form, no underscores
//	decimals    the same notation, exact: digits beyond the scale must be zeros
//	bool        the column's tokens, exactly; without any, true/false, t/f,
//	            yes/no, y/n, on/off and 1/0 in any case
//	dates       years 0001 to 9999, days that exist; layouts in strftime form, see
//	            Directives; second 60 is the first of the next minute; fraction
//	            digits finer than the unit must be zeros
//	duration    a number of units; "go": 1h2m3.5s; "clock": [h:]mm:ss[.fff]
//	binary      as it is; hexadecimal digits in pairs; base64 in the standard or
//	            the URL alphabet, padded or not
//	enum        one of the tokens, exactly
//	ip          IPv4 or IPv6, no zone
//	uuid        8-4-4-4-12 hexadecimal digits, or 32 of them
//	list, map   what the type's own automaton reads; a faulty element makes the
//	            whole field faulty
//
// The package knows nothing of records, rejects or error modes, and it
// allocates per batch, never per value.
package convert
