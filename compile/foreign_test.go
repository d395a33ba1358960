package compile

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// A fault that shows in the text of a parent is one of the child, and stands
// where the child extends it.
func TestFaultsOfTheChild(t *testing.T) {
	parent := "format parent {\n  record `{a} {b}`\n  fields { b u8 }\n  split a `{e}-{f}`\n}"
	resolve := func(name string) (*File, error) { return Parse("parent.dfp", []byte(parent)) }
	_, err := Compile("x.dfp", []byte("format x extends parent { record `{c} {d}` }"), WithResolver(resolve))
	want := `x.dfp:1:18: what format x says does not go with what it has from parent: split: there is no column "a"`
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "parent.dfp:4:9") || len(err.(Faults)) != 1 {
		t.Errorf("%v\nwant one fault, %s…", err, want)
	}
}

func isType(name string) bool {
	_, ok := dfa.KindOf(name)
	return ok
}

// No type of another language is a name of the language itself, and each names
// one of its types.
func TestForeignTypes(t *testing.T) {
	for foreign, own := range foreignTypes {
		if isType(foreign) {
			t.Errorf("%s is a type", foreign)
		}
		word := strings.FieldsFunc(own, func(r rune) bool { return strings.ContainsRune("(,; ", r) })[0]
		if !isType(word) {
			t.Errorf("%s: there is no type %s", foreign, word)
		}
	}
}
