package fuzz

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func many(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

func word(format string) func(int) string {
	return func(i int) string { s, _, _ := strings.Cut(fmt.Sprintf(format, i), "%!(EXTRA"); return s }
}

// big are specs at the limits of what one may hold, each of at most 64 KiB.
var big = map[string]string{
	"literal 3900":   "format x { record `{a}" + strings.Repeat("x", 3900) + "` }",
	"literal abc":    "format x { record `{a}" + many(1000, word("%03d")) + "{b}` }",
	"literals":       "format x { record `{a}" + many(100, func(i int) string { return fmt.Sprintf("%s{b%d}", strings.Repeat("x", 36), i) }) + "` }",
	"literal split":  "format x { delimited { sep ',' } fields { a str } split a `{p}" + strings.Repeat("x", 3900) + "{q}` }",
	"holes other":    "format x { record `" + many(1000, word("{a%d}; ")) + "{z}` }",
	"holes quoted":   "format x { record `" + many(1000, word("\"{a%d}\" ")) + "{z}` }",
	"holes ts":       "format x { record `" + many(300, word("{a%d};; ")) + "{z}` fields { " + many(300, word("a%d ts(\"%%F %%T\")")) + "} }",
	"holes enum":     "format x { record `" + many(300, word("{a%d};; ")) + "{z}` fields { " + many(300, word("a%d enum(a b c d ef g)")) + "} }",
	"optionals long": "format x { record `{a}" + many(64, func(i int) string { return fmt.Sprintf("[ %02d%s={b%d}]", i, strings.Repeat("y", 50), i) }) + "` }",
	"optionals same": "format x { record `{a}" + many(64, func(i int) string { return fmt.Sprintf("[ %s%02d={b%d}]", strings.Repeat("y", 50), i, i) }) + "` }",
	"nested types":   "format x { delimited { sep ',' } fields { a " + strings.Repeat("list(", 14) + "str" + strings.Repeat(")", 14) + " } }",
	"columns":        "format x { delimited { sep ',' } fields { " + many(8000, word("a%d u8 ")) + "} }",
	"maps":           "format x { delimited { sep ',' } fields { " + many(7000, func(i int) string { return short(i) + " map(str) " }) + "} }",
	"maps other":     "format x { delimited { sep ',' } fields { " + many(1500, word("a%d map(str, pairs '&', kv \"=%[1]d\") ")) + "} }",
	"lists long":     "format x { delimited { sep ',' } fields { a list(str, sep \"" + strings.Repeat("&", 3000) + "\") } }",
	"many long lists": "format x { delimited { sep ',' } fields { " + many(50, func(i int) string {
		return fmt.Sprintf("a%d list(str, sep \"%s%d\") ", i, strings.Repeat("&", 1000), i)
	}) + "} }",
	"tokens":          "format x { delimited { sep ',' } fields { a enum(" + many(8000, word("t%d ")) + ") } }",
	"tokens template": "format x { record `{a} {b}` fields { a enum(" + many(6000, word(`"t %d" `)) + ") } }",
	"token long":      "format x { record `{a} {b}` fields { a enum(\"" + strings.Repeat("t ", 1900) + "\" b) } }",
	"tokens many":     "format x { delimited { sep ',' } fields { " + many(1000, word("a%d enum(t u v w x y z aa bb cc) ")) + " } }",
	"nulls strings":   "format x { delimited { sep ',' } null " + many(6000, word("\"%d\" ")) + " fields { a u8 } }",
	"null column":     "format x { delimited { sep ',' } fields { a u8 null " + many(8000, word("\"%d\" ")) + " } }",
	"wildcards":       "format x { delimited { sep ',' } header names fields { " + many(4000, word("\"a%d*\" u8 ")) + "} }",
	"sep 1000":        "format x { delimited { sep \"" + strings.Repeat(",", 1000) + "\" | \";" + strings.Repeat("x", 1000) + "\" | \"|" + strings.Repeat("y", 1000) + "\" } fields { a str b str } }",
	"sep 60000":       "format x { delimited { sep \"" + strings.Repeat(",", 60000) + "\" } fields { a str b str } }",
	"sep many":        "format x { delimited { sep " + many(2000, func(i int) string { return fmt.Sprintf("\"~%04d\" | ", i) }) + " ',' } fields { a str b str } }",
	"comments":        "format x { delimited { sep ',' comment " + many(5000, word("\"#%d!\" ")) + " } fields { a str b str } }",
	"comment 60000":   "format x { delimited { sep ',' comment \"" + strings.Repeat("#", 60000) + "\" } fields { a str b str } }",
	"comment record":  "format x { record `{a} {b}` lines { comment " + many(2000, word("\"#%d!\" ")) + " } }",
	"directives":      "format x { delimited { sep ',' } header names " + many(2000, word("directive \"#%d\" skip ")) + " }",
	"directive long":  "format x { delimited { sep ',' } header names directive \"" + strings.Repeat("#", 3000) + "\" schema }",
	"escapes":         "escape e = '\\' { " + many(255, func(i int) string { return fmt.Sprintf("'\\x%02x' = 'a' ", i) }) + " other drop } format x { delimited { sep ',' quote '\"' escape e } fields { a str b str } }",
	"extends":         many(1500, func(i int) string { return fmt.Sprintf("format f%d extends f%d { } ", i, i+1) }) + "format f1500 { delimited { sep ',' } fields { a str } }",
	"extends syslog":  many(1500, func(i int) string { return fmt.Sprintf("format f%d extends syslog_rfc5424 { } ", i) }),
	"formats":         many(1200, func(i int) string { return fmt.Sprintf("format f%d { record `{a};{b}` } ", i) }),
	"formats literal": many(16, func(i int) string { return fmt.Sprintf("format f%d { record `{a}%s` } ", i, strings.Repeat("x", 3900)) }),
	"layout":          "format x { delimited { sep ',' } fields { a ts(\"" + strings.Repeat("%F ", 10000) + "\") } }",
	"layout template": "format x { record `{a} {b}` fields { a ts(\"" + strings.Repeat("x", 3000) + " %F\") } }",
	"layouts":         "format x { delimited { sep ',' } fields { a ts(" + many(2000, word("\"%%F %%T x%d\" ")) + ") } }",
	"multiline start": "format x { record `{t} {m...}` fields { t ts(\"" + strings.Repeat("x", 200) + "%F\") } multiline { start `{t}` } }",
	"multiline cont":  "format x { record `{t} {m...}` multiline { continue " + many(2000, word("\"%d!\" ")) + " } }",
	"splits":          "format x { delimited { sep ',' } fields { " + many(500, word("a%d str ")) + "}" + many(500, func(i int) string { return fmt.Sprintf("split a%d `{b%d} {c%d};;{d%d}` ", i, i, i, i) }) + " }",
	"splits long": "format x { delimited { sep ',' } fields { " + many(16, word("a%d str ")) + "}" + many(16, func(i int) string {
		return fmt.Sprintf("split a%d `{b%d}%s{c%d}` ", i, i, strings.Repeat("x", 3800), i)
	}) + " }",
	"tests":          "format x { delimited { sep ',' } fields { a u8 } " + many(2500, word("test 'a' => reject ")) + "}",
	"tests ok":       "format x { delimited { sep ',' } fields { a u8 } " + many(2000, word("test '1' => { a 1 } ")) + "}",
	"tests template": "format x { record `{a} {b}` fields { a ts(\"%F %T\") }" + many(1000, word("test \"2020-01-02 03:04:05 x\" => { b x } ")) + "}",
	"tests holes":    "format x { record `" + many(300, word("{a%d};; ")) + "{z}` " + many(1000, word("test \"%d\" => reject ")) + "}",
	"tests literal":  "format x { record `{a}" + strings.Repeat("x", 3900) + "` " + many(60, word("test \"%d\" => reject ")) + "}",
	"tests columns":  "format x { delimited { sep ',' } fields { " + many(3000, word("a%d u8 ")) + "} on_error reject " + many(1000, word("test \"%d\" => reject ")) + "}",
	"tests lists":    "format x { delimited { sep ',' } fields { " + many(1000, word("a%d list(str) ")) + "} on_error reject " + many(1000, word("test \"%d\" => reject ")) + "}",
	"test wide 2":    "format x { delimited { sep ',' } ragged pad truncate header names test \"" + many(2000, word("a%d,")) + "\\n" + strings.Repeat("1\\n", 8000) + "\" => none }",
	"dfa states":     "dfa x { group A='a' | X=* " + many(2500, word("S%d : S0 d | S0 d ")) + "eof : S0 ok } format y { dfa x }",
	"dfa messages":   "dfa x { group A='a' | X=* " + many(2000, func(i int) string { return fmt.Sprintf("S%d : S%d d | !\"m%d\" ", i, (i+1)%2000, i) }) + "eof : " + strings.TrimSuffix(many(2000, word("S%d|")), "|") + " r } format y { dfa x fields { a str } }",
	"fixed":          "format x { fixed { " + many(4000, word("a%d 1 ")) + " } }",
	"brackets":       "format x { delimited { sep ',' " + many(90, func(i int) string { return fmt.Sprintf("bracket '\\x%02x' '\\x%02x' ", 0x80+i, 0xff-i) }) + " } fields { a str } }",
}

// short is a short name, another one for every i.
func short(i int) string {
	const letters = "abcdefghijklmnopqrstuvwxyz"
	s := ""
	for i++; i > 0; i /= 26 {
		s += letters[i%26 : i%26+1]
	}
	return s + "_"
}

// TestCost: specs of at most 64 KiB compile, or are refused, in bounded time.
// The bound is far above what they take (under a second each where nothing else
// runs), as the machine may be busy.
func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	for name, src := range big {
		t.Run(name, func(t *testing.T) {
			src = src[:min(len(src), 1<<16)]
			before := cpuTime()
			spec, err := compile.Compile("x.dfp", []byte(src), compile.WithResolver(formats.Resolve), compile.WithVerifier(runtime.Verifier(cpu.Engine)))
			compiled := cpuTime() - before
			if compiled > 5*time.Second {
				t.Errorf("%v to compile it: %.200v", compiled, err)
			}
			if err != nil {
				t.Logf("%v: %.200v", compiled, err)
				return
			}
			encoded := spec.Program.Encode()
			before = cpuTime()
			if _, err := dfa.DecodeProgram(encoded); err != nil {
				t.Fatal(err)
			}
			decoded := cpuTime() - before
			if decoded > time.Second {
				t.Errorf("%v to decode it", decoded)
			}
			t.Logf("%v to compile, %v to decode %d bytes", compiled, decoded, len(encoded))
		})
	}
}
