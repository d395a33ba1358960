package compile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Specs that are large, deep or full of faults are read or refused in bounded
// time.
func TestHostileSpecs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	many := func(n int, f func(i int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(f(i))
		}
		return b.String()
	}
	word := func(format string) func(int) string { return func(i int) string { return fmt.Sprintf(format, i) } }
	cases := map[string]string{
		"too large":       "format x { doc `" + strings.Repeat("x", 1<<20) + "` }",
		"too many words":  "format x { null " + strings.Repeat("'a' ", 1<<17) + "}",
		"nested braces":   strings.Repeat("format x {", 1000),
		"nested types":    "format x { delimited { sep ',' } fields { a " + strings.Repeat("list(", 1000) + strings.Repeat(")", 1000) + " } }",
		"nested groups":   "format x { record `{a}" + strings.Repeat("[ ", 1000) + "{b}" + strings.Repeat("]", 1000) + "` }",
		"many columns":    "format x { delimited { sep ',' } fields { " + many(15000, word("a%d u8 ")) + "} }",
		"too many":        "format x { delimited { sep ',' } fields { " + many(17000, word("a%d u8 ")) + "} }",
		"same columns":    "format x { delimited { sep ',' } fields { " + strings.Repeat("a u8 ", 15000) + "} }",
		"unknown types":   "format x { delimited { sep ',' } fields { " + many(15000, word("a%d u%[1]d ")) + "} }",
		"many holes":      "format x { record `" + many(1000, word("{a%d} ")) + "` }",
		"many optionals":  "format x { record `{a}" + many(300, word("[ x%d={b%[1]d}]")) + "` }",
		"optionals":       "format x { record `{a}" + many(64, word("[ x%d={b%[1]d}]")) + "` }",
		"like optionals":  "format x { record `{a}" + many(64, word("[ x{b%d}]")) + "` }",
		"many tokens":     "format x { record `{a} {b}` fields { a enum(" + many(15000, word(`"t %d" `)) + ") } }",
		"many states":     "dfa x { group A='a' | X=* " + many(8000, word("S%d : S0 d | S0 d ")) + "eof : S0 ok }",
		"many formats":    many(3000, word("format f%d extends f0 { } ")),
		"chain of forms":  many(300, func(i int) string { return fmt.Sprintf("format f%d extends f%d { } ", i, i+1) }),
		"many tests":      "format x { delimited { sep ',' } fields { a u8 } " + many(5000, word("test 'a' => { b%d 1 } ")) + "}",
		"unclosed string": "format x { doc \"" + strings.Repeat("\\\"", 1<<18),
		"odd bytes":       string([]byte{'f', 0, 0xff, 0xfe}),
		"NUL bytes":       strings.Repeat("\x00", 1000),
		"long name":       "format " + strings.Repeat("x", 1<<19) + " { }",
		"long layout":     "format x { delimited { sep ',' } fields { a ts(\"" + strings.Repeat("%F ", 10000) + "\") } }",
		"long literal":    "format x { record `{a}" + strings.Repeat("x", 100000) + "` }",
		"long start":      "format x { record `{t} {m...}` fields { t ts(\"" + strings.Repeat("x", 10000) + "%F\") } multiline { start `{t}` } }",
	}
	for name, src := range cases {
		t.Run(name, func(t *testing.T) {
			began := time.Now()
			_, err := Compile("x.dfp", []byte(src))
			took := time.Since(began)
			if took > 20*time.Second {
				t.Errorf("took %v", took)
			}
			var faults Faults
			if err != nil {
				faults = err.(Faults)
			}
			if len(faults) > maxFaults {
				t.Errorf("%d faults", len(faults))
			}
			for _, f := range faults {
				if len(f.Message) > 4000 {
					t.Errorf("a message of %d bytes", len(f.Message))
				}
			}
			t.Logf("%v: %.200v", took.Round(time.Millisecond), err)
		})
	}
}
