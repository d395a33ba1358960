package convert

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// drawNested draws a list or map of text whose form is one that a spec can say.
func drawNested(t *rapid.T) dfa.Type {
	odds := func(what string) bool { return rapid.Bool().Draw(t, what) }
	var quote byte
	if odds("quote") {
		quote = '"'
	}
	var open, end byte
	if odds("brackets") {
		open, end = '[', ']'
	}
	var escape *lower.Escape
	if odds("escape") {
		escape = &lower.Escape{Lead: '\\', Other: lower.DropLead}
	}
	separator := lower.Separator{Text: []byte(rapid.SampledFrom([]string{",", "||"}).Draw(t, "separator"))}
	if odds("run") {
		separator = lower.Separator{Text: []byte(","), Run: true}
	}
	doubled := quote != 0 && odds("doubled")
	var a *dfa.Automaton
	var err error
	typ := dfa.Type{Kind: dfa.List, Elem: &dfa.Type{}}
	if odds("list") {
		a, err = lower.BuildList(&lower.List{Separator: separator, Quote: quote, Doubled: doubled, Escape: escape, Open: open, Close: end})
	} else {
		m := &lower.Map{Pair: separator, KeyValue: []byte("="), Quote: quote, Doubled: doubled, Escape: escape, Open: open, Close: end}
		typ.Kind = dfa.Map
		if open != 0 && odds("groups") {
			m.Groups, typ.Elem = true, &dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}}
		}
		a, err = lower.BuildMap(m)
	}
	if err != nil {
		t.Fatal(err)
	}
	typ.Lex = a
	return typ
}

// leaves are the texts in a column of lists and maps, in the order of the value.
func leaves(c *columns.Column, from, to int, out []string) []string {
	if len(c.Children) == 0 {
		for i := from; i < to; i++ {
			if c.IsValid(i) {
				out = append(out, string(c.Data[c.Offsets[i]:c.Offsets[i+1]]))
			}
		}
		return out
	}
	for i := from; i < to; i++ {
		for k := int(c.Offsets[i]); k < int(c.Offsets[i+1]); k++ {
			for _, child := range c.Children {
				out = leaves(child, k, k+1, out)
			}
		}
	}
	return out
}

// TestNestedLosesNothing: what a list or map holds, and the separators, quotes,
// brackets and leads that are not in it, are together every byte of the value;
// or the value is an error that says where.
func TestNestedLosesNothing(t *testing.T) {
	good, bad := 0, 0
	drawn.Check(t, "no value was read, or all were", func() bool { return good > 0 && bad > 0 }, func(t *rapid.T) {
		typ := drawNested(t)
		words := []string{"a", "bc", "d", ",", "|", "||", "=", "\"", "\"\"", "[", "]", "\\", " ", "\n"}
		value := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 14).Draw(t, "value"), "")
		c, err := NewConverter(&dfa.Column{Name: "x", Type: typ}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var f Fields
		f.PushDecoded([]byte(value))
		dst := NewColumn(&typ)
		if errs := c.Append(dst, &f, nil); len(errs) > 0 {
			bad++
			if errs[0].Code == DuplicateKey {
				return // it is not the form of the value that is wrong
			}
			if what, at, ok := errs[0].Code.Fault(&typ, []byte(value)); !ok || what == "" || at > len(value) {
				t.Fatalf("%q: %v: %q at byte %d, %v", value, errs[0].Code, what, at, ok)
			}
			return
		}
		good++
		got := strings.Join(leaves(dst, 0, 1, nil), "")
		// The bytes of the leaves stand in the value in this order, and what stands
		// between them is no text.
		rest := []byte(value)
		for _, b := range []byte(got) {
			i := bytes.IndexByte(rest, b)
			if i < 0 || strings.ContainsAny(string(rest[:i]), "abcd\n") {
				t.Fatalf("%q: holds %q: %q is lost", value, got, rest)
			}
			rest = rest[i+1:]
		}
		if bytes.ContainsAny(rest, "abcd\n") {
			t.Fatalf("%q: holds %q: %q is lost", value, got, rest)
		}
	})
}

func TestNestedFaults(t *testing.T) {
	tests := []struct {
		lex   *dfa.Automaton
		kind  dfa.TypeKind
		elem  dfa.Type
		value string
		want  string
	}{
		{groupLex(), dfa.Map, dfa.Type{}, "g[a=1],h", "a field that is neither key nor value at byte 4"},
		{groupLex(), dfa.Map, dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}}, "g[a=1]", "a field that is neither key nor value at byte 6"},
		{columnsOf("0110"), dfa.Map, dfa.Type{}, "ab,cd,ef,gh", "a second value of a key at byte 6"},
		{columnsOf("1"), dfa.Map, dfa.Type{}, "ab", "a value without a key at byte 0"},
		{columnsOf("01"), dfa.Map, dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}}, "ab,cd", "nothing"},
		{columnsOf("1"), dfa.Map, dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}}, "ab", "a key without the outer one at byte 0"},
		{columnsOf("012210"), dfa.Map, dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}}, "a,b,c,d,e,f", "a second value of a key at byte 6"},
	}
	for _, c := range tests {
		typ := dfa.Type{Kind: c.kind, Elem: &c.elem, Lex: c.lex}
		converter, err := NewConverter(&dfa.Column{Type: typ}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var f Fields
		f.PushDecoded([]byte(c.value))
		got := "nothing"
		for _, e := range converter.Append(NewColumn(&typ), &f, nil) {
			what, at, _ := e.Code.Fault(&typ, []byte(c.value))
			got = fmt.Sprintf("%s at byte %d", what, at)
		}
		if got != c.want {
			t.Errorf("%q: %s, want %s", c.value, got, c.want)
		}
	}
}

// columnsOf reads fields with commas between them, which are of these columns.
func columnsOf(of string) *dfa.Automaton {
	return automaton(func(b *dfa.Builder) {
		for i := range len(of) {
			b.AddState(fmt.Sprint("F", i), "in a field")
		}
		for i := range len(of) {
			s, next := dfa.StateID(i), dfa.StateID(min(i+1, len(of)-1))
			b.On(s, dfa.Bytes(','), next, dfa.Emission{Kind: dfa.Field, Column: int16(of[i] - '0')})
			b.Otherwise(s, s, dfa.Emission{})
			b.EOF(s, dfa.Emission{Kind: dfa.Record, Column: int16(of[i] - '0')})
		}
	})
}
