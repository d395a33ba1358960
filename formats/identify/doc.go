// Package identify says which built-in format a file is of.
//
// A sample of the file is read with every built-in format; those whose automaton refuses each
// record of it are found without being compiled (needs.go). Two numbers of each count:
// the share of its records that the format reads, values converted; and how much it
// demands of a record, in bits: for each byte that the format itself lays down, text of
// a template, a separator, a digit of a number or a time, one of the tokens of an enum.
// What a column of text takes, whatever it is, demands nothing, but for the form that it has
// to have, as a path; blanks in a row are one, and so are empty lines. A record that has
// nothing of what its format has in each is not counted. So a format that reads every line,
// because it asks for little, loses to one that would refuse another text.
//
//	m, err := identify.Bytes(ctx, sample)
//	if m.Named() { fmt.Println(m[0].Name, m[0].Share()) }
//
// It does not guess formats that are not built in, and looks at no name of a file.
package identify
