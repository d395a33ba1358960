package infer

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestDirectPrograms: what is made of a built-in format's Program is what the spec compiles to.
func TestDirectPrograms(t *testing.T) {
	values := []string{"1", "-5", "18446744073709551615", "2.5", "12345678901234567.25", "true", "x", "2024-05-06", "2024-05-06T07:08:09Z", "2024-05-06 07:08:09", "31.05.2024", "06/May/2024:07:08:09 +0200", "07:08", "07:08:09", "11:02 AM", "1,25", "1.234,5", "-"}
	inputs := map[string][]string{"logfmt": {"flag a=1\n", "a=1 b=x\n"}, "ltsv": {"a:1\tfields:2\n"},
		"jsonl": {`{"a": 1, "fields": 2, "ü": null, "\u0061b": true}` + "\n", `{"a": [1], "b": {"c": 1}, "d": " 5 "}` + "\n", `{"a": "NA"}` + "\n" + `{"a": 5}` + "\n"}, "json": {`[{"a": 1.5}, {"b": "2024-05-06"}]`}}
	for _, v := range values {
		inputs["ltsv"] = append(inputs["ltsv"], fmt.Sprintf("a:%s\tb:%[1]s\n", v), fmt.Sprintf("a:%s\na:-\n", v))
		inputs["logfmt"] = append(inputs["logfmt"], fmt.Sprintf("a=%q b=%[1]q\n", v))
		inputs["jsonl"] = append(inputs["jsonl"], fmt.Sprintf("{\"a\": %q}\n", v), fmt.Sprintf("{\"a\": %s, \"b\": 1}\n", v))
	}
	direct := 0
	for format, texts := range inputs {
		for _, text := range append(texts, strings.Join(texts, "")) {
			k, err := NewKeyed(t.Context(), format, []byte(text), true, &Given{}, runtime.WithEngine(cpu.Engine))
			if err != nil || k == nil {
				continue
			}
			if err := k.InferTypes(t.Context(), "x", &Input{Sample: []byte(text), Whole: true}, runtime.WithEngine(cpu.Engine)); err != nil {
				t.Fatal(err)
			}
			for _, rest := range []bool{false, true} {
				if k.Keyed.Rest = rest; rest {
					k.choose()
				}
				p, err := k.direct("some_name")
				if err != nil {
					t.Fatal(err)
				}
				if p == nil {
					continue
				}
				direct++
				spec, err := k.Build(t.Context(), "some_name", true)
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(p.Encode(), spec.Program.Encode()) {
					t.Errorf("%s: %q: %+v, want %+v", format, text, p.Columns[0].Split.Columns, spec.Program.Columns[0].Split.Columns)
				}
			}
		}
	}
	if direct < 20 {
		t.Errorf("%d Programs are made so", direct)
	}
}
