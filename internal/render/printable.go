package render

import (
	"fmt"
	"strconv"
	"strings"
)

// Printable is s for people to read on one line: what does not print is escaped
// as in Go, and so are bytes that are not UTF-8. That is all that a terminal
// could take for a command (C0, DEL, C1) and what would turn the direction of
// the text or not be seen.
func Printable(s string) string { return printable(s, false) }

// PrintableLines is Printable of each line of s.
func PrintableLines(s string) string { return printable(s, true) }

func printable(s string, lines bool) string {
	plain := func(r rune) bool {
		return strconv.IsPrint(r) || r == 0xa0 || r == 0x3000 || lines && r == '\n'
	}
	clean := true
	for _, r := range s {
		if !plain(r) || r == '\uFFFD' {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\uFFFD' && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case plain(r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}
