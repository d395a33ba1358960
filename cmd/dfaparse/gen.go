package main

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/internal/gen"
)

func newGen(std *streams) *cobra.Command {
	var nbytes size
	var seed uint64
	var out string
	cmd := &cobra.Command{
		Use:   "gen KIND",
		Short: "Write a file to test with: " + strings.Join(gen.Kinds(), ", "),
		Long: `Gen writes a file shaped like a real one, the same for the same kind, size and
seed:

  taxi      17 columns of New York yellow taxi trips, 2018, with a header
  yelp      nine quoted columns, text with line ends, commas and doubled quotes
  lineitem  the 16 columns of TPC-H's lineitem, each ended by |
  combined  an Apache access log, combined
  1brc      station;temperature, the one billion row challenge
  haproxy   an HTTP log of HAProxy, 28 fields
  syslog    lines of RFC 3164, as they stand in files
  java      a log of Log4j; java_multiline has stack traces as well
  auditd    the audit log of Linux: keys and values
  fixed     movements of accounts, six columns of fixed width
  postgres  PostgreSQL's log, messages of several lines
  klog      logs of the components of Kubernetes
  syslog_rfc5424, w3c, logfmt
            files for the formats of these names
  torture   RFC 4180 records whose quoted fields hold 5,000 lines like records;
            without --size 1,300 of them, about 70 MB`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := arguments(1, 1, "one kind: "+strings.Join(gen.Kinds(), ", "))(cmd, args); err != nil {
				return err
			}
			if !slices.Contains(gen.Kinds(), args[0]) {
				return usagef("unknown kind %q, want one of %s", args[0], strings.Join(gen.Kinds(), ", "))
			}
			return nil
		},
		ValidArgs: gen.Kinds(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if out == "" || out == "-" {
				return gen.Write(until{cmd.Context(), std.out}, args[0], int64(nbytes), seed)
			}
			f, err := std.create(out)
			if err != nil {
				return err
			}
			if err := gen.Write(until{cmd.Context(), f}, args[0], int64(nbytes), seed); err != nil {
				f.Abort()
				return err
			}
			return f.Commit()
		},
	}
	f := cmd.Flags()
	f.Var(&nbytes, "size", "bytes to write at most, such as 1GiB (default 10MiB)")
	numberVar(f, &seed, "seed", "", 1, "another `N` gives another file")
	f.StringVarP(&out, "output", "o", "", "write `FILE` instead of the standard output")
	return cmd
}

// until is a Writer that fails when ctx is done.
type until struct {
	ctx context.Context
	w   io.Writer
}

func (u until) Write(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.w.Write(p)
}
