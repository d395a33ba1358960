package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestFolded: descriptions go on below their beginnings, commands stay in their lines.
func TestFolded(t *testing.T) {
	const text = `A text of its own that is longer than the width and stays as it is written.

Examples:
  dfaparse parse --where 'a > 1' --columns a,b,c,d,e,f,g,h some/long/path.csv

Flags:
  -f, --format NAME   the format by which the input is read (default: found out)
      --lax           short
`
	const want = `A text of its own that is longer than the width and stays as it is written.

Examples:
  dfaparse parse --where 'a > 1' --columns a,b,c,d,e,f,g,h some/long/path.csv

Flags:
  -f, --format NAME   the format by which the input is
                      read (default: found out)
      --lax           short
`
	if got := folded(text, 55); got != want {
		t.Errorf("%s", got)
	}
	if got := folded(text, 40); got != text {
		t.Errorf("no room to fold:\n%s", got)
	}
}

// TestHelpFits: the texts of commands have lines of at most 80 symbols, and no flag says its
// default twice.
func TestHelpFits(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		for line := range strings.Lines(cmd.Long) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("%s: a line of %d symbols: %s", cmd.CommandPath(), n, line)
			}
		}
		for line := range strings.Lines(cmd.LocalFlags().FlagUsages()) {
			if strings.Count(line, "(default") > 1 && !strings.Contains(line, "of Arrow") {
				t.Errorf("%s: the default is said twice: %s", cmd.CommandPath(), line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s: --%s says nothing", cmd.CommandPath(), f.Name)
			}
		})
		for _, c := range cmd.Commands() {
			check(c)
		}
	}
	check(newRoot(&streams{}))
}
