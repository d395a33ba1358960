package runtime_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// readDirected gives the schema of an input, its rows as JSON, and what ended it; from a pipe, which
// cannot be read twice, or not.
func readDirected(t *testing.T, spec, in string, engine runtime.Engine, pipe bool) (schema, rows, failure string) {
	t.Helper()
	s, err := compile.Compile("directive.dfp", []byte(spec), compile.WithResolver(formats.Resolve))
	if err != nil {
		t.Fatal(err)
	}
	var from io.Reader = strings.NewReader(in)
	if pipe {
		from = io.MultiReader(from)
	}
	r, err := runtime.NewReader(from, s.Program, runtime.WithEngine(engine))
	if err != nil {
		return "", "", err.Error()
	}
	defer r.Release()
	for r.Next() {
		b, err := r.Record().MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		rows += string(b)
	}
	if r.Err() != nil {
		failure = r.Err().Error()
	}
	return r.Schema().String(), rows, failure
}

// TestDirectivesOfColumns reads what lines say of the columns: types, separators, values that they
// have to have, and metadata.
func TestDirectivesOfColumns(t *testing.T) {
	const zeek = "format z extends zeek {}"
	for _, c := range []struct{ name, spec, in, schema, rows, failure string }{
		{name: "types", spec: zeek, in: "#fields\ta\tb\tc\n#types\tcount\tset[count]\tnew\n1\t2,3\tx\n#close\n",
			schema: "a: type=uint64", rows: `[{"a":1,"b":[2,3],"c":"x"}`},
		{name: "types of a second segment", spec: zeek, in: "#fields\ta\n#types\tcount\n1\n#fields\tb\ta\n#types\tbool\tcount\nT\t2\n",
			rows: `[{"a":1,"b":null}` + "\n" + `,{"a":2,"b":true}`},
		{name: "the same again, and another between", spec: zeek,
			in:   "#fields\ta\tb\n#types\tcount\tbool\n1\tT\n#fields\ta\tb\n#types\tcount\tbool\n2\tF\n#fields\tb\ta\n#types\tbool\tcount\nT\t3\n#fields\ta\tb\n#types\tcount\tbool\n4\tT\n",
			rows: `[{"a":1,"b":true}` + "\n" + `,{"a":2,"b":false}` + "\n" + `,{"a":3,"b":true}` + "\n" + `,{"a":4,"b":true}`},
		{name: "the same names again, with other types", spec: zeek, in: "#fields\ta\n#types\tcount\n1\n#fields\ta\n#types\tcount\n1\n#fields\ta\n#types\tbool\nT\n",
			failure: `"#types" says that column "a" is "bool"; before it was "count"`},
		{name: "another type", spec: zeek, in: "#fields\ta\n#types\tcount\n1\n#fields\ta\n#types\tstring\nx\n", failure: `"#types" says that column "a" is "string"; before it was "count"`},
		{name: "a type too late", spec: zeek, in: "#fields\ta\n1\n#types\tcount\n2\n", failure: ""},
		{name: "too few types", spec: zeek, in: "#fields\ta\tb\n#types\tcount\n1\t2\n", failure: `"#types" names 1 types, and there are 2 columns`},
		{name: "separator", spec: zeek, in: "\xef\xbb\xbf#separator \\x7c\n#fields|a|b\n#types|count|string\n1|x\ty\n", rows: `[{"a":1,"b":"x\ty"}`},
		{name: "no separator", spec: zeek, in: "#separator \\x0\n#fields|a|b\n", failure: "no separator"},
		{name: "a separator that is data of words", spec: zeek, in: "#separator x\n#fieldsxa\n", failure: "means something else"},
		{name: "two separators", spec: zeek, in: "#separator \\x09\n#fields\ta\n1\n#separator ,\n#fields,a\n1\n", failure: "an input has one separator"},
		{name: "another value", spec: zeek, in: "#separator \\x09\n#unset_field\tNULL\n#fields\ta\nx\n", failure: `"#unset_field" says "NULL", and the format has "-"`},
		{name: "metadata", spec: "format v extends vcf {}", in: "##fileformat=VCFv4.3\n##INFO=<ID=DP>\n#CHROM\tPOS\tINFO\tQUAL\n1\t2\t.\t.\n##late\n", schema: `"##": "fileformat=VCFv4.3\nINFO=<ID=DP>"`},
		{name: "metadata of several kinds", spec: "format s extends sam {}", in: "@SQ\tSN:a\n@HD\tVN:1.6\n@SQ\tSN:b\nr\t4\t*\t0\t0\t*\t*\t0\t0\tCAT\t*\n", schema: `"@HD": "VN:1.6", "@SQ": "SN:a\nSN:b"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, engine := range []runtime.Engine{reference.Engine, cpu.Engine} {
				for _, pipe := range []bool{false, true} {
					if pipe && c.name == "types of a second segment" {
						continue // its columns are not known in time
					}
					schema, rows, failure := readDirected(t, c.spec, c.in, engine, pipe)
					if !strings.Contains(schema, c.schema) {
						t.Errorf("the schema is %s, want %s", schema, c.schema)
					}
					if !strings.HasPrefix(rows, c.rows) {
						t.Errorf("rows %s, want %s", rows, c.rows)
					}
					if !strings.Contains(failure, c.failure) || c.failure == "" && failure != "" && c.name != "a type too late" {
						t.Errorf("failed with %q, want %q", failure, c.failure)
					}
				}
			}
		})
	}
}

// TestManyDirectives reads lines that name ever other columns: there are no more than there can be, and few
// changes if there are very many.
func TestManyDirectives(t *testing.T) {
	lines := func(n, each int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("#Fields:")
			for j := range each {
				fmt.Fprintf(&b, " f%d", i*each+j)
			}
			b.WriteString("\n1\n")
		}
		return b.String()
	}
	const spec = "format f extends w3c {\n}\n"
	if _, _, failure := readDirected(t, spec, lines(3, 6000), cpu.Engine, false); !strings.Contains(failure, "as many as there can be") {
		t.Errorf("18000 columns: %q", failure)
	}
	var turns strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&turns, "#Fields: f%d\n", i%16_000)
	}
	if _, _, failure := readDirected(t, spec, lines(1, 16_000)+turns.String(), cpu.Engine, false); !strings.Contains(failure, "change too often") {
		t.Errorf("20000 changes of 16000 columns: %q", failure)
	}
	_, got, failure := readDirected(t, spec, lines(300, 1), cpu.Engine, false)
	_, want, _ := readDirected(t, spec, lines(300, 1), reference.Engine, false)
	if got != want || got == "" || failure != "" {
		t.Errorf("300 lines that name columns: other rows than the reference's, %q", failure)
	}
}
