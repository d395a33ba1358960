package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/formats/identify"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
)

func newIdentify(std *streams) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "identify [INPUT...]",
		Short: "Say which built-in format an input is of",
		Example: `  dfaparse identify /var/log/*.log
  dfaparse identify --json access.log.gz`,
		Long: `Identify reads a sample of each input, its head and of a file a few places
further on, with every built-in format, and prints a line an input: the format
that reads it, and the share of the sample's records that it reads with all
their values. Of formats that read as much, the one counts that demands most of
a record; those that demand as much are named too. A file is of no built-in
format if none reads half of its records, or, of formats that demand little,
nine tenths; the nearest one is said.

The names of files and their extensions are not looked at.`,
		Args: inputs(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			paths, err := inputsOf(args)
			if err != nil {
				return err
			}
			for _, path := range paths {
				m, err := identifyInput(cmd.Context(), path, std)
				if err != nil {
					return err
				}
				line := verdict(path, m)
				if asJSON {
					line = verdictJSON(path, m)
				}
				if _, err := io.WriteString(std.out, line); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as JSON Lines, an input a line, with all formats that read a part of it")
	return cmd
}

// identifyInput looks at an input; of a file that is not compressed also further on.
func identifyInput(ctx context.Context, path string, std *streams) (identify.Matches, error) {
	in, err := openInput(ctx, path, std, nil)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var file io.ReaderAt
	size := int64(0)
	if info, err := os.Stat(path); path != "-" && err == nil && info.Mode().IsRegular() {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		start := make([]byte, 8)
		if n, _ := f.ReadAt(start, 0); !input.Compressed(start[:n]) {
			file, size = f, info.Size()
		}
	}
	sample, err := identify.Sample(in, file, size)
	if err != nil {
		return nil, err
	}
	return identify.Bytes(ctx, sample)
}

// verdict is a line for people.
func verdict(path string, m identify.Matches) string {
	name := render.Printable(path)
	switch {
	case len(m) == 0:
		return fmt.Sprintf("%s: no built-in format reads it\n", name)
	case !m.Named():
		return fmt.Sprintf("%s: no built-in format reads it; the nearest is %s, %s\n", name, m[0].Name, share(&m[0]))
	}
	line := fmt.Sprintf("%s: %s, %s", name, m[0].Name, share(&m[0]))
	if ties := m.Ties(); len(ties) > 0 {
		var names []string
		for i := range ties {
			names = append(names, ties[i].Name)
		}
		line += "; so does " + strings.Join(names, ", ")
	} else if len(m) > 1 && m[1].Share() >= 0.5 {
		line += fmt.Sprintf("; next is %s, %s", m[1].Name, share(&m[1]))
	}
	return line + "\n"
}

// share is how many of the records are read, in words.
func share(m *identify.Match) string {
	if m.Read == m.Records {
		return "all of " + render.Count(m.Records, "record")
	}
	return fmt.Sprintf("%.1f%% of %s", 100*m.Share(), render.Count(m.Records, "record"))
}

func verdictJSON(path string, m identify.Matches) string {
	b := render.AppendQuoted([]byte(`{"input":`), path)
	b = append(b, `,"format":`...)
	if m.Named() {
		b = render.AppendQuoted(b, m[0].Name)
	} else {
		b = append(b, "null"...)
	}
	b = append(b, `,"read":[`...)
	for i := range m {
		if i > 0 {
			b = append(b, ',')
		}
		b = render.AppendQuoted(append(b, `{"format":`...), m[i].Name)
		b = fmt.Appendf(b, `,"records":%d,"read":%d,"bits":%.1f}`, m[i].Records, m[i].Read, m[i].Bits)
	}
	return string(append(b, "]}\n"...))
}
