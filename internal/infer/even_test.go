package infer

import (
	"strings"
	"testing"
)

// TestEvenLines: lines of one length with values that are filled up may be records of fixed width, which is said.
func TestEvenLines(t *testing.T) {
	for in, want := range map[string]bool{
		"00001ALICE SMITH    20240101\n00002BOB            20240102\n00003CARL VON HOUT  20240103\n":  true,
		"00001ALICE SMITH  01\r\n00002BOB          02\r\n00003CARL         03":                        true,
		"00001ALICE SMITH    20240101\n00002BOB            20240102\n":                                false, // two by chance
		"00001ALICE SMITH    20240101\n00002BOB            20240102\n00003CARL VON HOUT   20240103\n": false,
		"2fd4e1c67a2d28fc\nde9f2c7fd25e1b3a\nda39a3ee5e6b4b0d\n":                                      false, // filled up by nothing
		"a b\nc  \nd e\n": false,
	} {
		table, err := Guess([]byte(in), true, nil)
		if err != nil {
			t.Fatalf("%q: %v", in, err)
		}
		if got := strings.Contains(table.Summary(""), "columns of fixed width, -f with a spec"); got != want {
			t.Errorf("%q: %s", in, table.Summary(""))
		}
	}
}
