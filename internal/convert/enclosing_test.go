package convert

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestEnclosing: what is passed over in brackets is what the automaton steps over, up to the bracket that ends it, with
// strings, escapes and ends at any place of a block.
func TestEnclosing(t *testing.T) {
	p, err := gen.Program("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	table := p.Columns[0].Type.Lex.Table()
	x := newLexer(table)
	found := 0
	for s, r := range x.enclosing {
		if r == nil {
			continue
		}
		found++
		if r.deep != 24 {
			t.Errorf("state %d: %d deep, want 24", s, r.deep)
		}
	}
	if found != 1 {
		t.Fatalf("%d states have values in brackets, want 1", found)
	}
	at := dfa.StateID(slices.IndexFunc(x.enclosing, func(r *enclosing) bool { return r != nil }))
	r := x.enclosing[at]
	passed, left := 0, 0
	words := []string{"{", "[", "]", "}", "}", "]", `"`, `"a"`, `"é"`, `"}\\"`, `"\\\""`, `\`, ",", ": ", "1", "true", "\x01", "\xff", "é", `"of many symbols, as texts are"`, "[[[[[[", "]]]]]]"}
	rapid.Check(t, func(rt *rapid.T) {
		// In front of it are symbols of any number, so that it begins at any place of a block.
		front := rapid.IntRange(0, 130).Draw(rt, "front")
		value := make([]byte, front)
		for i := range value {
			value[i] = 'x'
		}
		for _, w := range rapid.SliceOfN(rapid.SampledFrom(words), 0, 80).Draw(rt, "words") {
			value = append(value, w...)
		}
		value = slices.Concat(value, make([]byte, 200))[:len(value)]
		row, want := table.Row(at), -1
		for q := front; q < len(value) && want < 0; q++ {
			e := table.Entries[row|uint32(value[q])]
			if e.Kind() != dfa.Data {
				break
			}
			if row = e.Row(); row == r.after {
				want = q + 1
			}
		}
		x.mark(value)
		end, ok := r.end(x, value, front)
		if ok && end != want {
			rt.Fatalf("%q from %d on: ends at %d, want %d", value, front, end, want)
		}
		switch {
		case ok:
			passed++
		case want >= 0:
			left++
		}
	})
	if passed == 0 || left > passed/10 {
		t.Errorf("%d passed over, %d left", passed, left)
	}
}

// TestEnclosingInVain: a value in brackets that is left to the automaton is not looked through again from each string in it,
// which would take minutes.
func TestEnclosingInVain(t *testing.T) {
	p, err := gen.Program("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	x := newLexer(p.Columns[0].Type.Lex.Table())
	texts := strings.Repeat(`"x",`, 1<<20)
	for name, end := range map[string]string{"not closed": "", "too deep": strings.Repeat("[", 30) + strings.Repeat("]", 31) + "}", "invalid": "\"\x01\"]}"} {
		value := []byte(`{"a": [` + texts + end)
		if _, _, ok := x.fields(value, nil, nil); ok {
			t.Errorf("%s: taken for an object", name)
		}
		if bridgesOf(x).find(value) {
			t.Errorf("%s: taken for an object by bridges", name)
		}
	}
}

// TestEnclosingEndsBehindLead: a value that ends behind a lead has no end in brackets, wherever in a block that is.
func TestEnclosingEndsBehindLead(t *testing.T) {
	p, err := gen.Program("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	x := newLexer(p.Columns[0].Type.Lex.Table())
	for n := range 200 {
		value := []byte(`{"a": ["` + strings.Repeat("x", n) + `\`)
		for _, memory := range [][]byte{value, slices.Concat(value, make([]byte, 200))[:len(value)]} {
			if _, _, ok := x.fields(memory, nil, nil); ok {
				t.Errorf("%q is taken for an object", memory)
			}
			if bridgesOf(x).find(memory) {
				t.Errorf("%q is taken for an object by bridges", memory)
			}
		}
	}
}
