package compile_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
)

// A format that is known only when the program runs: here a CSV whose columns
// come from somewhere else.
func ExampleNew() {
	b := compile.New("orders").
		Doc("orders of a shop").
		Delimited(compile.Separator(","), compile.Quoted('"', true)).
		HeaderSkip(1)
	for _, column := range []struct{ name, typ string }{{"id", "u64"}, {"price", "dec(12, 2)"}, {"null", "str"}} {
		b.Field(column.name, column.typ)
	}
	b.Field("at", `ts("%F %T", tz "UTC")`, compile.Required(), compile.NullTokens("-", "N/A"))
	spec, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(b.Source())
	fmt.Println(len(spec.Program.Columns), "columns")
	// Output:
	// format orders {
	//   doc "orders of a shop"
	//   delimited {
	//     sep ","
	//     quote `"` doubled
	//   }
	//   header skip 1
	//   fields {
	//     id     u64
	//     price  dec(12, 2)
	//     "null" str
	//     at     ts("%F %T", tz "UTC")! null "-" "N/A"
	//   }
	// }
	// 4 columns
}

func TestBuilderFaults(t *testing.T) {
	for _, c := range []struct {
		b    *compile.FormatBuilder
		want string
	}{
		{compile.New("x").Delimited(compile.Separator(",")).Field("a", "u46"), `x:6:7: unknown type "u46"; did you mean "u16"?`},
		{compile.New("x").Delimited(compile.Separator(",")).Field("a", "dec(1"), `type "dec(1" of column "a": 1:6: the file ends here; expected )`},
		{compile.New("x").Define("escape e"), `define:1:9: the file ends here; expected =`},
		{compile.New("x").Record("{a}").OnError("drop"), `x:3:12: on_error wants fail or null or reject, not "drop"`},
	} {
		_, err := c.b.Build()
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s\n%s", err, c.want, c.b.Source())
		}
	}
}

func TestBuilderSaysWhatTextSays(t *testing.T) {
	b := compile.New("x").
		Define(`escape clf = '\' { '"' '\' n t x:hex2 }`).
		Delimited(compile.SeparatorRun(" "), compile.Quoted('"', false), compile.EscapedAs("clf"), compile.Bracketed('[', ']'),
			compile.CommentPrefix("#", "//"), compile.CommentPrefix("%").AfterBlanks(), compile.CommentPrefix(";").AfterData(),
			compile.LineEnds("lf", "crlf"), compile.Laxly()).
		SkipLines(1).SkipPrefix("%", "--").SkipUntil("#Fields:").
		Directive("#Fields:", "schema").
		Directive("#", "skip").
		Field("*-bytes", "u64", compile.Optional()).
		Null("-", "NULL").
		OnError("null").Ragged("pad", "truncate").UTF8("keep").Blank("keep").MaxRecord(1<<20).
		Test("one", "x\n%\n#Fields: a b\n1 2\n", compile.Expect("a", 1, "b", nil)).
		Test("none", "x\n#Fields: a\n# x\n")
	f, err := b.File()
	if err != nil {
		t.Fatal(err)
	}
	if again := compile.Print(f); again != b.Source() {
		t.Errorf("printed again:\n%s\nfirst:\n%s", again, b.Source())
	}
	src := compile.New("x").Extends("csv").Without("a", "b c").NullBare("-").Empty("e").
		Field("d", "str", compile.NullTokensBare("x"), compile.EmptyTokens("y")).Source()
	if again, err := compile.Parse("x", []byte(src)); err != nil || compile.Print(again) != src {
		t.Errorf("%v\n%s", err, src)
	}
	src = compile.New("x").Record("{a}={b}").Lines(compile.RecordEnd("\x1e")).Source()
	if again, err := compile.Parse("x", []byte(src)); err != nil || compile.Print(again) != src {
		t.Errorf("%v\n%s", err, src)
	}
}

// TestBuilderLines: the options of lines do what they do in a spec.
func TestBuilderLines(t *testing.T) {
	built, err := compile.New("x").Record("{key}={value...}").
		Lines(compile.CommentPrefix("#"), compile.LineEnds("any"), compile.Laxly()).Build()
	if err != nil {
		t.Fatal(err)
	}
	spec, err := compile.Compile("x.dfp", []byte("format x { lines { comment '#'  eol any  lax }  record `{key}={value...}` }"))
	if err != nil {
		t.Fatal(err)
	}
	if built.Program.Dump() != spec.Program.Dump() {
		t.Errorf("built:\n%s\nwritten:\n%s", built.Program.Dump(), spec.Program.Dump())
	}
}
