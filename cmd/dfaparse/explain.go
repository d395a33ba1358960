package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/internal/charset"
	"github.com/dfaparse/dfaparse/internal/explain"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
)

func newExplain(std *streams) *cobra.Command {
	r := reading{untyped: true}
	var at int64
	cmd := &cobra.Command{
		Use:   "explain --at OFFSET [-f FORMAT] INPUT",
		Short: "Say why a byte of an input is data, a delimiter or an error",
		Long: `Explain says what the byte at an offset is, and why: its record, line and field,
the automaton's state before it, what it emits, the state after it. Offsets
count from 0, as errors and rejects say them. Of a compressed input the offset
is that of the decompressed bytes; of one in another encoding it is that of the
input's own bytes where errors are, and what is said of it is of the text as
UTF-8.`,
		Example: "  dfaparse explain --at 1042 -f csv data.csv",
		Args:    arguments(1, 1, "one input, or - for the standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("at") {
				return &usageError{errors.New("say which byte, with --at OFFSET"), cmd.CommandPath()}
			}
			path, err := oneInput(args[0])
			if err != nil {
				return err
			}
			if err := checkInputs([]string{path}); err != nil {
				return err
			}
			how, err := choose(cmd.Context(), &guess{r: &r, paths: []string{path}, std: std})
			if err != nil {
				return err
			}
			if how.doubted {
				how.say()
			}
			in, err := openInput(cmd.Context(), path, std, nil)
			if err != nil {
				return err
			}
			defer in.Close()
			byteAt, decoded := fmt.Sprintf("byte %d", at), at
			if std.encoding != "" && in.Name != input.Stdin {
				raw, err := openRaw(cmd.Context(), in.Name, std, nil)
				if err != nil {
					return err
				}
				defer raw.Close()
				encoding, err := raw.EncodingOf(std.encodingToFind())
				if err != nil {
					return err
				}
				if to, ok := charset.DecodedOffset(raw, encoding, at); ok {
					byteAt, decoded = fmt.Sprintf("byte %d of it in %s, byte %d of it as UTF-8", at, encoding, to), to
				}
			}
			x, err := explain.At(in, how.program, decoded, r.skipLines)
			if err != nil {
				return fmt.Errorf("%s: %w", in.Name, err)
			}
			if _, err := fmt.Fprintf(people{std.out}, "%s, %s: %s\n\n%s\n", render.Printable(in.Name), byteAt, x.Place(), excerptOf(x.Around, x.At, x.Line)); err != nil {
				return err
			}
			var rows [][]string
			for _, r := range x.Rows() {
				rows = append(rows, []string{r.Head, r.Text})
			}
			return writeAligned(std.out, rows)
		},
	}
	cmd.Flags().Var(offset{number[int64]{&at}}, "at", "`OFFSET` of the byte, from 0")
	formatFlag(cmd, &r.format, foundOut)
	r.dialect.flags(cmd, false)
	skipLinesFlag(cmd.Flags(), &r.skipLines)
	return cmd
}
