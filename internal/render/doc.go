// Package render writes the values of Arrow arrays as text and as JSON. The
// command's tables, CSV and JSON Lines and the tests inside specs all show
// values in these two forms, so that what one prints the other accepts. Bytes that mean more than Arrow's type
// says, addresses for example, are written as the type table of internal/convert has it.
//
//	Arrow type                    text                         JSON
//	null, any null value          (nothing)                    null
//	bool                          true                         true
//	integers                      -12                          -12
//	floats                        shortest that reads back     the same number
//	                              NaN, Inf, -Inf               the same, as strings
//	decimal(p,s)                  12.50: exactly s digits      12.50, a number
//	date32, date64                2018-01-31                   string
//	time32, time64                15:04:05.25                  string
//	timestamp                     2018-01-31T15:04:05.25       string
//	timestamp, zone UTC           2018-01-31T15:04:05.25Z      string
//	timestamp, another zone       2018-01-31T15:04:05.25+01:00 string
//	duration                      1h2m3.5s, 250µs, 0s          string
//	utf8                          as it is                     string
//	binary                        hexadecimal                  string, base64
//	fixed size binary             hexadecimal                  string, base64
//	... of a dfaparse.type        as the type table has it:    string
//	                              192.0.2.1, 6ba7b810-9dad-...
//	dictionary                    the value                    the value
//	list                          its JSON                     [1,2]
//	map                           its JSON                     {"a":1}, in order
//
// Times have as many digits of a second as they need and no more. Decimals are
// JSON numbers with all their digits; a reader that makes floats of them loses
// what lies beyond 17. The keys of a map come as they are. Invalid UTF-8, which only the policy "keep" lets through, stays
// in text and is U+FFFD in JSON.
//
// Both functions append to the caller's buffer and allocate nothing else.
package render
