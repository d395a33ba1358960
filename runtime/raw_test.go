package runtime_test

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestRawIsLine: the raw text of a reject is its line, whether its fields had to be read again or
// not, and what is said of the next one like it is the same.
func TestRawIsLine(t *testing.T) {
	for src, bad := range map[string][]string{
		`fixed { a 3  b 10 }  fields { a u32  b date("%d.%m.%Y") }`:                      {"0x706.05.2024", "00706.O5.2024", "00706.05.2024 more", ""},
		`delimited { sep ','  quote '"' doubled }  fields { a u32  b date("%d.%m.%Y") }`: {`x,06.05.2024`, `7,"06.O5.2024"`, `7,"a"b`, `7`, `7,06.05.2024,,`},
		"record `{a} on {b}: {c...}`  fields { a u32  b date(\"%d.%m.%Y\")  c str }":     {"x on 06.05.2024: y", "7 on 06.O5.2024: y", "7 at 06.05.2024: y", "7 on "},
	} {
		p := spec(t, src)
		in := strings.Join(bad, "\n") + "\n"
		var raw, words []string
		r, err := runtime.ReadBytes([]byte(in+in), p, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Reject), runtime.WithRejectHandler(func(r *runtime.Reject) error {
			raw, words = append(raw, string(r.Raw)), append(words, r.Detail+"|"+r.Expected+"|"+r.Field)
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		r.Release()
		var want []string
		for _, line := range append(bad, bad...) {
			if line != "" {
				want = append(want, line)
			}
		}
		if strings.Join(raw, "\n") != strings.Join(want, "\n") {
			t.Errorf("%s: rejects are\n%q, want\n%q", src, raw, want)
		}
		for i := range len(words) / 2 {
			if words[i] != words[i+len(words)/2] {
				t.Errorf("%s: %q is then %q", src, words[i], words[i+len(words)/2])
			}
		}
	}
}
