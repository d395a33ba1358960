package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newMan() *cobra.Command {
	return &cobra.Command{
		Use:   "man FOLDER",
		Short: "Write the manual pages",
		Long: `Man writes a page of the manual for each command into a folder, which is made if
it is not there. Their date is now, or what SOURCE_DATE_EPOCH says.

  dfaparse man ~/.local/share/man/man1 && man dfaparse-parse`,
		Args: arguments(1, 1, "a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			root := cmd.Root()
			markdown(root)
			root.DisableAutoGenTag = true
			return doc.GenManTree(root, &doc.GenManHeader{Title: "DFAPARSE", Section: "1", Source: "dfaparse " + version(), Manual: "dfaparse"}, args[0])
		},
	}
}

// markdown makes what commands say of themselves the Markdown that pages are written from: lines that
// are indented stand as they are, and no sign of another line means emphasis.
func markdown(cmd *cobra.Command) {
	lines := strings.Split(cmd.Long, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			lines[i] = "  " + line
			if i > 0 && lines[i-1] != "" && !strings.HasPrefix(lines[i-1], "    ") {
				lines[i] = "\n" + lines[i]
			}
		} else {
			lines[i] = strings.NewReplacer("*", `\*`, "_", `\_`).Replace(line)
		}
	}
	cmd.Long = strings.Join(lines, "\n")
	for _, sub := range cmd.Commands() {
		markdown(sub)
	}
}
