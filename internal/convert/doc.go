// Package convert turns the fields of a column into typed values: the convert
// stage of all engines, and the type table that says what a column type is.
//
//	Fields (views of one column's fields, row by row)
//	   └─ Converter.Append ─▶ columns.Column (plain buffers in Arrow's layouts)
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
//	dates       years 0001 to 9999, days that exist; see Layouts
//	duration    a number of units; "go": 1h2m3.5s; "clock": [h:]mm:ss[.fff]
//	binary      as it is; hexadecimal digits in pairs; base64 in the standard or
//	            the URL alphabet, padded or not
//	enum        one of the tokens, exactly
//	ip          IPv4 or IPv6, no zone
//	uuid        8-4-4-4-12 hexadecimal digits, or 32 of them
//	list, map   what the type's own automaton reads; a faulty element makes the
//	            whole field faulty
//
// # Layouts
//
// Dates and times have a layout in strftime form, or one of ISO 8601.
//
//	%Y  year, 4 digits                 %H  hour 00-23
//	%y  69-99: 19yy, 00-68: 20yy       %I  hour 01-12
//	%m  month 01-12                    %p  AM or PM, any case
//	%b  Jan, any case                  %M  minute 00-59
//	%B  January, any case              %S  second 00-59, 60
//	%d  day 01-31                      %f  fraction, 1 to 9 digits
//	%e  day, a space in place of the 0 %L  milliseconds, 3 digits
//	%j  day of the year 001-366        %s  seconds since 1970
//	%a  Mon, any case                  %z  +hh:mm, +hhmm, +hh or Z
//	%A  Monday, any case               %Z  UTC, GMT or Z
//	%F  %Y-%m-%d   %T  %H:%M:%S        %D  %m/%d/%y   %R  %H:%M
//	%%  a percent sign                 %n  a newline  %t  a tab
//
// Numbers may come without their leading zeros, but for %Y, %y and %L, and where
// the layout has a digit or another number next to them: %d/%m reads 5/7, %d%m
// only 0507. Nothing that may begin with a digit follows %f, %s and %z. The name
// of a weekday has to be one; it need not be that of the date. Anything else
// in a layout stands for itself.
//
// Second 60 is the first of the next minute. Fraction digits that the unit of
// the column cannot hold must be zeros: nothing is cut off silently. Without a
// year, a time is in the last year in which it is not after the base time. A wall clock time of a zone that the clock showed twice is the
// first of the two; one that it never showed is by so much later as the clock
// was put forward.
//
// The package knows nothing of records, rejects or error modes, and it
// allocates per round, never per value.
//
// # Kernels
//
// On processors with AVX-512 or AVX2 plain rows of numbers and times are
// converted eight at a time by vector code, see kernel: it says which rows it
// leaves, and these go the way that all rows go elsewhere. Module asm generates
// it; BenchmarkRounds measures it. With Options.Plain, which the engine reference
// sets, there are none, nor other ways to take rows together.
package convert
