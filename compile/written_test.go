package compile

import (
	"strings"
	"testing"
)

// TestAfterEscape: "after escape" survives being printed, and what it is refused and
// warned for.
func TestAfterEscape(t *testing.T) {
	const source = `escape e = '\' { 'N' }
format f {
  delimited { sep ','  escape e }
  null after escape "a" "b"
  fields { x list(str, sep ';', after escape) null after escape "c" null "d"  y str }
  split y ` + "`{p} {q}`" + ` after escape else error
}`
	spec, err := Compile("f.dfp", []byte(source))
	if err != nil || len(spec.Warnings) > 0 {
		t.Fatal(err, spec)
	}
	file, err := Parse("f.dfp", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Compile("f.dfp", []byte(Print(file)))
	if err != nil || string(again.Program.Encode()) != string(spec.Program.Encode()) {
		t.Errorf("printed and compiled, it differs (%v):\n%s", err, Print(file))
	}
	x, y := spec.Program.Columns[0], spec.Program.Columns[1]
	if got := strings.Join(x.DecodedNulls, "") + " " + strings.Join(x.Nulls, ""); got != "abc d" || !x.Type.Decoded || !y.Split.Decoded {
		t.Errorf("%+v, %+v", x, y)
	}
	built, err := New("f").Delimited(Separator(","), Escaped('\\')).NullAfterEscape("a").Field("x", "str", NullTokensAfterEscape("b")).Build()
	if err != nil || strings.Join(built.Program.Columns[0].DecodedNulls, "") != "ab" {
		t.Errorf("%v, %+v", err, built)
	}

	spec, err = Compile("f.dfp", []byte(`format f { delimited { sep ',' }  fields { x str null after escape "a" } }`))
	if err != nil || len(spec.Warnings) != 1 || !strings.Contains(spec.Warnings[0].String(), "no escapes") {
		t.Errorf("%v, %v", err, spec)
	}
	for source, want := range map[string]string{
		`format f { delimited { sep ','  escape '\' }  fields { x list(str, after that) } }`:                            "after what?",
		"escape e = '\\' { 'N' }\nformat f { record `{a:e} {m...}`  multiline { continue '\\t' into m } }":              "cannot have an escape rule",
		`format f { delimited { sep ','  escape '\' }  fields { x map(map(str, after escape), open '[', close ']') } }`: "belongs to the outer type",
	} {
		if _, err := Compile("f.dfp", []byte(source)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
}
