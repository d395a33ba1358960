package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// foldHelp lets the help of root and its commands fit the terminal that out is.
func foldHelp(root *cobra.Command, out io.Writer) {
	width := tableOptions(out).Width
	if width == 0 {
		return
	}
	help := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		to := cmd.OutOrStdout()
		var text bytes.Buffer
		cmd.SetOut(&text)
		help(cmd, args)
		cmd.SetOut(to)
		_, _ = io.WriteString(to, folded(text.String(), width))
	})
}

// describedBy is what stands before the description of a flag or a command.
var describedBy = regexp.MustCompile(`^(?: +-.*?\S {3,}|  [a-z]+ {2,})`)

// leastFolded is the least room that descriptions are folded into.
const leastFolded = 30

// folded is text in which descriptions that are longer than width go on in lines of
// their own, below their beginnings. Other lines stay as they are: commands are copied.
func folded(text string, width int) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		before := describedBy.FindString(line)
		indent := utf8.RuneCountInString(before)
		if indent == 0 || width-indent < leastFolded {
			b.WriteString(line)
			continue
		}
		at := indent
		b.WriteString(before)
		for i, word := range strings.Fields(line[len(before):]) {
			n := utf8.RuneCountInString(word)
			switch {
			case i > 0 && at+1+n > width:
				b.WriteString("\n" + strings.Repeat(" ", indent))
				at = indent
			case i > 0:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(word)
			at += n
		}
		b.WriteByte('\n')
	}
	return b.String()
}
