package render_test

import (
	"testing"

	"github.com/dfaparse/dfaparse/internal/render"
)

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"plain, Köln 北京":          "plain, Köln 北京",
		"a\x1b[31mb":              `a\x1b[31mb`,
		"\x00\a\b\t\n\v\f\r\x7f":  `\x00\a\b\t\n\v\f\r\x7f`,
		"\u0085\u009b31m":         `\u0085\u009b31m`,
		"\x9b31m \xff\xc3":        `\x9b31m \xff\xc3`,
		"\u202eabc\u2066\u200b":   `\u202eabc\u2066\u200b`,
		"\ufeff\U000e0001\u2028":  `\ufeff\U000e0001\u2028`,
		"\ufffd no\u00a0break \\": "\ufffd no\u00a0break \\",
	} {
		got := render.Printable(in)
		if got != want || render.Printable(got) != got {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := render.PrintableLines("a\n\x1bb\r\n"); got != "a\n\\x1bb\\r\n" {
		t.Errorf("%q", got)
	}
}
