package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
)

func newCount(std *streams) *cobra.Command {
	r := reading{limit: -1, untyped: true}
	w := writing{to: "none"}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "count [-f FORMAT] [INPUT...]",
		Short: "Count the records of inputs",
		Example: `  dfaparse count data.csv
  dfaparse count -f apache_combined --json access.log.1.gz access.log`,
		Long: `Count prints how many rows "parse" would deliver: of one input the number; of
several a line each, and their total. Headers, comments and rejected records are
no rows. A record that cannot be read is what the format or --on-error makes of
it: a failure, or a reject, which is told on stderr and makes the exit code 3.

Values are not converted, which makes it fast: a record whose fields are there,
but hold no such values as their columns have, counts. Of the columns of --types
they are: a value that has not the type is what --on-error makes of it. Of keys
and values that nobody has named a format for, JSON among them, records are
taken apart.`,
		Args: inputs(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := r.dialect.typed()
			if err != nil {
				return err
			}
			if args, err = inputsOf(args); err != nil {
				return err
			}
			if r.engine == "auto" {
				r.engine = "cpu" // which has counted most files before a GPU is open
				r.why = "cpu, which counts most files before a gpu has started"
			}
			var c counts
			count := func() (doubted bool, err error) {
				j, err := newJob(cmd, args, &r, &w, std, nil)
				if err != nil {
					return false, err
				}
				j.opts = append(j.opts, runtime.WithColumns(append(wanted, j.chosen.telling...)...))
				c = counts{}
				j.counted = c.add
				err = j.run()
				c.addEmpty(args, j.empty)
				return j.unsettled, err
			}
			doubted, err := count()
			if doubted { // all records tell how the input is written
				r.untyped = false
				_, err = count()
			}
			if perr := c.print(std.out, len(args), asJSON); err == nil {
				err = perr
			}
			return err
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	formatFlag(cmd, &r.format, foundOut)
	r.dialect.flags(cmd, false)
	nullFlag(f, &r.dialect.null)
	f.StringArrayVar(&r.dialect.types, "types", nil, "types of columns whose values are held against them, as 'id:u64, at:ts(\"%F %T\")'")
	f.BoolVar(&asJSON, "json", false, "as JSON Lines, an input a line, without a total")
	skipLinesFlag(f, &r.skipLines)
	shapeFlag(f, &r.shape)
	r.execution(f)
	r.tolerance(f)
	w.account(f)
	return cmd
}

// counts are what was counted of each input, in order.
type counts struct {
	inputs   []string
	rows     []int64
	rejected []int64
}

func (c *counts) add(input string, s runtime.Stats) {
	c.inputs = append(c.inputs, input)
	c.rows = append(c.rows, s.Rows)
	c.rejected = append(c.rejected, s.Rejected)
}

// addEmpty adds those of args that are empty, up to where the reading has ended.
func (c *counts) addEmpty(args, empty []string) {
	read := *c
	*c = counts{}
	i := 0 // of read
	for _, path := range args {
		switch {
		case len(empty) > 0 && path == empty[0]:
			c.add(path, runtime.Stats{})
			empty = empty[1:]
		case i < len(read.inputs):
			c.add(read.inputs[i], runtime.Stats{Rows: read.rows[i], Rejected: read.rejected[i]})
			i++
		default:
			return
		}
	}
}

// print prints the inputs that were read to their end: as text with names if
// several were asked for, and with a total if all of them were read.
func (c *counts) print(w io.Writer, asked int, asJSON bool) error {
	total := int64(0)
	for _, n := range c.rows {
		total += n
	}
	width := len(fmt.Sprint(total))
	var b []byte
	for i, input := range c.inputs {
		switch {
		case asJSON:
			b = render.AppendQuoted(append(b, `{"input":`...), input)
			b = fmt.Appendf(b, ",\"rows\":%d,\"rejected\":%d}\n", c.rows[i], c.rejected[i])
		case asked > 1:
			b = fmt.Appendf(b, "%*d  %s\n", width, c.rows[i], render.Printable(input))
		default:
			b = fmt.Appendf(b, "%d\n", c.rows[i])
		}
	}
	if !asJSON && asked > 1 && len(c.inputs) == asked {
		b = fmt.Appendf(b, "%*d  total\n", width, total)
	}
	_, err := w.Write(b)
	return err
}
