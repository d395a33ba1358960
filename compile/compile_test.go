package compile

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/golden"
)

const combined = `
escape clf = '\' { '"' '\' n t r v b x:hex2 }
format common {
  record ` + "`" + `{host} {ident:-} {user:-} [[{time}] "{request:clf}" {status} {bytes:-}` + "`" + `
  fields { time ts("%d/%b/%Y:%H:%M:%S %z")  status u16  bytes u64 }
}
format combined extends common { record += ` + "` \"{referer:clf:-}\" \"{agent:clf:-}\"`" + `  rest extra }
`

func TestDumps(t *testing.T) {
	for name, src := range map[string]string{
		"delimited": "format orders { doc \"orders\" delimited { sep ','  quote '\"' doubled  comment '#' } header names " +
			"fields { id u64!  price dec(12,2) null \"-\" default \"0\" trim  \"x-*\" ts(epoch(ms), unit ns) ? } null \"NULL\" on_error null ragged pad truncate utf8 keep max_record 1MiB }",
		"fixed": "format fx { fixed { id 5  _ 1  name 20 } fields { id u32  name str trim } }",
		"table": "format tb { dfa { group N='\\n' | C=',' | X=*  A \"in a field\" : A r | A f | A d  eof : A r } fields { a str  b bool(true \"Y\", false \"N\") } }",
		"split": "format sp { record `{a} {_} {b}` split a `{c}:{d}` else error fields { d u8 } }",
	} {
		t.Run(name, func(t *testing.T) {
			spec, err := Compile(name+".dfp", []byte(src))
			if err != nil {
				t.Fatal(err)
			}
			golden.File(t, filepath.Join("testdata", name+".dump"), spec.Program.Dump())
		})
	}
}

// One lexical machine reads all columns of a log line.
func TestCombinedIsSmall(t *testing.T) {
	spec, err := Compile("x.dfp", []byte(combined))
	if err != nil {
		t.Fatal(err)
	}
	if n := spec.Program.Automaton.NStates(); n > 16 {
		t.Errorf("%d states, want at most 16", n)
	}
	var names []string
	for _, c := range spec.Program.Columns {
		names = append(names, c.Name)
	}
	if got, want := strings.Join(names, " "), "host ident user time request status bytes referer agent extra"; got != want {
		t.Errorf("columns %s, want %s", got, want)
	}
	if !spec.Program.HasRest || spec.Program.OnError != dfa.Reject || spec.Program.UTF8 != dfa.ReplaceUTF8 {
		t.Errorf("rest %v, on_error %d, utf8 %d", spec.Program.HasRest, spec.Program.OnError, spec.Program.UTF8)
	}
}

func TestWithFormat(t *testing.T) {
	spec, err := Compile("x.dfp", []byte(combined), WithFormat("common"))
	if err != nil || spec.Program.Name != "common" {
		t.Errorf("format common: %v", err)
	}
	_, err = Compile("x.dfp", []byte(combined), WithFormat("comon"))
	if err == nil || err.Error() != `x.dfp:2:1: there is no format "comon"; did you mean "common"?` {
		t.Errorf("format comon: %v", err)
	}
}

func TestExtendsOtherFiles(t *testing.T) {
	files := map[string]string{
		"common":   combined,
		"combined": combined,
		"csv":      "format csv { delimited { sep ',' } header names null \"NULL\" fields { a u8 b str } test \"a,b\\n\" => none }",
		"loop":     "format loop extends csv2 { }",
		"csv2":     "format csv2 extends loop { }",
		"other":    "format another { delimited { sep ',' } }",
	}
	resolve := func(name string) (*File, error) {
		src, ok := files[name]
		if name == "nothing" {
			return nil, errors.New(`no format "nothing" (of the 6 there are)`)
		}
		if !ok {
			return nil, fmt.Errorf("no spec %q", name)
		}
		return Parse(name+".dfp", []byte(src))
	}
	for _, c := range []struct{ src, want string }{
		{"format x extends combined { split request `{method:clf} {path}` fields { status u32 } }", ""},
		{"format csv extends csv { null \"-\" fields { b i64 c str } }", ""},
		{"format x extends loop { }", "csv2.dfp:1:21: format loop extends itself: loop extends csv2 extends loop"},
		{"format x extends other { }", `x.dfp:1:18: there is no format "other" to extend: its file defines only another`},
		{"format x extends nosuch { }", `x.dfp:1:18: there is no format "nosuch" to extend: no spec "nosuch"`},
		{"format x extends nothing { }", `x.dfp:1:18: there is no format "nothing" to extend (of the 6 there are)`},
	} {
		spec, err := Compile("x.dfp", []byte(c.src), WithResolver(resolve))
		if c.want != "" {
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("%s: error %v, want %s…", c.src, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if len(spec.Examples) != 0 {
			t.Errorf("%s: the parent's tests are inherited", c.src)
		}
	}
	spec, err := Compile("x.dfp", []byte("format csv extends csv { null \"-\" fields { b i64 c str } }"), WithResolver(resolve))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range spec.Program.Columns {
		got = append(got, fmt.Sprintf("%s:%d:%v", c.Name, c.Type.Kind, c.Nulls))
	}
	want := fmt.Sprintf("a:%d:[NULL -] b:%d:[NULL -] c:%d:[NULL -]", dfa.Uint8, dfa.Int64, dfa.String)
	if strings.Join(got, " ") != want {
		t.Errorf("columns %v, want %s", got, want)
	}
}

// A spec whose tests fail does not compile.
func TestVerifier(t *testing.T) {
	src := []byte("format x {\n  delimited { sep ',' }\n  fields { a u8 }\n  test \"one\" \"1\\n\" => { a 2 } reject \"no\"\n}")
	var got []dfa.Example
	fail := errors.New("x.dfp:4:24: a is 1, want 2")
	_, err := Compile("x.dfp", src, WithVerifier(func(_ *dfa.Program, ex []dfa.Example) error {
		got = ex
		return fail
	}))
	if !errors.Is(err, fail) || err.Error() != fail.Error() {
		t.Errorf("error %v, want %v", err, fail)
	}
	want := dfa.Example{Pos: "x.dfp:4:3", Name: "one", Input: "1\n", Rejects: []string{"no"},
		Rows: []dfa.ExampleRow{{Cells: []dfa.ExampleCell{{Pos: "x.dfp:4:25", Column: "a", Value: "2"}}}}}
	if fmt.Sprint(got) != fmt.Sprint([]dfa.Example{want}) {
		t.Errorf("examples %v, want %v", got, want)
	}
}

// What package lower refuses is reported where it stands in the spec, with its
// witness.
func TestWitness(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"format x {\n  record `{a}[ {b}] {c}`\n}", "x.dfp:2:21: "},
		{"format x { delimited { sep '|' | \"||\" } fields { a str } }", "x.dfp:1:24: "},
		{"format x { delimited { sep ','  quote ',' } fields { a str } }", "x.dfp:1:33: "},
	} {
		_, err := Compile("x.dfp", []byte(c.src))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) || !strings.Contains(err.Error(), "; witness: \"") {
			t.Errorf("%s:\n%v", c.src, err)
		}
	}
}

func TestFaultsAreErrors(t *testing.T) {
	_, err := Compile("x.dfp", []byte("format x { delimited { sep ',' } fields { a u7 b u9 } }"))
	var fault *Fault
	if !errors.As(err, &fault) || fault.Pos.Line != 1 || fault.Pos.Column != 45 {
		t.Errorf("fault %v of %v", fault, err)
	}
	if w := (Warning{fault.Pos, "m"}).String(); w != "x.dfp:1:45: warning: m" {
		t.Error(w)
	}
}
