package compile

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// What shapes are refused for: where two are not told apart, with a record that shows it.
func TestShapesThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"record a `{x}:{y}`\n record b `{x} {z}`", `x.dfp:2:2: shapes a (line 1) and b (line 2): template: nothing tells shape a from shape b before this place, where a field ends in one, and goes on in the other; witness: ":"`},
		{"record a `{x} {y}`\n record b `{x} {z}`", `a record may be of shape a and of shape b; witness: " "`},
		{"record a `{x} {y}`\n record b `{z} {y}`", `where it is not the same field that ends, or no field; witness: " "`},
		{"record a `{x} {y...}`\n record b `{x} {n}:{m}` fields { n u8 }", `witness: " 0:"`},
		{"record a `[[{x}]`\n record b `{text...}`", `the byte is text of one and data of the other; witness: "["; let {_...} take what is no other shape`},
		{"record a `{_...}`\n record b `{x...}`", "shape b takes what is no other shape, and so does a"},
		{"record a `{x...}`", "shape a takes what is no other shape, and there is none"},
		{"record a `{x}`\n record a `{y}`", "shape a is there twice; the first is at line 1"},
		{"record a `{x}`\n record `{y}`", "says twice what its bytes look like"},
		{"record a `{x}`\n fixed b when '1' { y 1 }", "shape a is a template, and others are not"},
		{"record a `{x}` record b `{y} {z}` rest r", "rest goes with one template"},
		{"record a `{x}!` record b `{y}:` shape x", `shape: there is a column "x" already`},
		{"record `{x}` shape kind", "shape names the column that says which of several records one is"},
		{"record a `A{x}` record b `B{y}` shape kind fields { kind u8 }", `column "kind" is an enum of the names of the shapes`},
		{"fixed a { x 1 } fixed b when '2' { y 1 }", "fixed a does not say how its records begin"},
		{"fixed a when `12` { x 1 }", `"12" is longer than the record`},
		{"fixed a when '1' { x 1 w 1 } fixed b when `12` { y 1 z 1 }", "shapes a (line 1) and b (line 1)"},
		{"fixed when '1' { x 1 }", "when goes with a shape that has a name"},
		{"record a += `x` record b `{x}`", "record a += adds to a shape that is there already"},
	} {
		_, err := Compile("x.dfp", []byte("format f { "+tt.spec+" }"))
		if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), "x.dfp:1:12", "x.dfp:1:1"), tt.want) {
			t.Errorf("%s:\n%v\nwant %s", tt.spec, err, tt.want)
		}
	}
}

// A child adds shapes, replaces them and adds to them; a template alone replaces all.
func TestShapesOfAChild(t *testing.T) {
	const parent = "format p { record a `A{x}` record b `B{y}` shape kind }\n"
	for _, tt := range []struct{ child, in, want string }{
		{"record c `C{z}`", "A1\nB2\nC3\n", "a b c"},
		{"record b `B:{y}`", "A1\nB2\nB:3\n", "a ! b"},
		{"record a += ` {z}`", "A1 2\nA1\nB2\n", "a ! b"},
		{"shape which", "A1\n", "a"},
	} {
		spec, err := Compile("x.dfp", []byte(parent+"format f extends p { "+tt.child+" }"))
		if err != nil {
			t.Errorf("%s: %v", tt.child, err)
			continue
		}
		var got []string
		p := spec.Program
		p.Automaton.Walk([]byte(tt.in), p.Automaton.Start, func(r *dfa.RawRecord) bool {
			if r.Code != 0 {
				got = append(got, "!")
			} else {
				got = append(got, p.Shapes[r.Fields[len(r.Fields)-1].Class-1].Name)
			}
			return true
		})
		if text := strings.Join(got, " "); text != tt.want {
			t.Errorf("%s: %s, want %s", tt.child, text, tt.want)
		}
	}
	spec, err := Compile("x.dfp", []byte("format p { record a `A{x}` record b `B{y}` }\nformat f extends p { record `{z}` }"))
	if err != nil || len(spec.Program.Shapes) > 0 || len(spec.Program.Columns) != 1 {
		t.Errorf("%v", err)
	}
}

func TestShapesOfTheBuilder(t *testing.T) {
	spec, err := New("x").RecordShape("a", "{x}:{y}").RecordShape("b", "[[{z}]").Field("x", "u8").ShapeColumn("kind").Build()
	if err != nil || len(spec.Program.Columns) != 4 || !spec.Program.Columns[3].Shape {
		t.Errorf("%+v, %v", spec, err)
	}
	b := New("x").FixedShape("a", "1", Bytes("x", 1), Bytes("y", 3)).FixedShape("b", "2", Bytes("x", 1), Bytes("z", 2))
	if spec, err = b.Build(); err != nil || len(spec.Program.Shapes) != 2 {
		t.Errorf("%v\n%s", err, b.Source())
	}
}
