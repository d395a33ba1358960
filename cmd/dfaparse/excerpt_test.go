package main

import (
	"strings"
	"testing"
)

func TestExcerpt(t *testing.T) {
	long := strings.Repeat("é", 100) + "X" + strings.Repeat("漢", 100)
	for _, c := range []struct {
		text string
		at   int
		line int64
		want string
	}{
		{"a,b\n1,\"x\r\n", 6, 2, "  2 | 1,\"x\n    |   ^\n"},
		{"\tx\xffy", 3, 12, "  12 | \\tx\\xffy\n     |        ^\n"},
		{"北京,x", 6, 1, "  1 | 北京,x\n    |     ^\n"},
		{"a\n", 2, 2, "  2 | \n    | ^\n"},
		{"a\n", 1, 1, "  1 | a\n    |  ^\n"},
		{"", 0, 1, ""},
		{long, 200, 1, "  1 | …" + strings.Repeat("é", 30) + "X" + strings.Repeat("漢", 19) + "…\n    | " + strings.Repeat(" ", 31) + "^\n"},
	} {
		if got := excerptOf([]byte(c.text), c.at, c.line); got != c.want {
			t.Errorf("%q at %d:\n%swant\n%s", c.text, c.at, got, c.want)
		}
	}
}
