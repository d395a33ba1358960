package convert

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/guard"
	"github.com/dfaparse/dfaparse/internal/lower"
)

// Keys that begin in the last symbols of a source are compared without those behind it.
func TestKeysAtSourceEnd(t *testing.T) {
	a, err := lower.BuildMap(&lower.Map{Pair: lower.Separator{Text: []byte(" ")}, KeyValue: []byte("="), Quote: '"'})
	if err != nil {
		t.Fatal(err)
	}
	m, free := guard.Bytes(4<<10, false)
	defer free()
	for size := 50; size < 140; size++ {
		for behind := range 12 {
			row := "a=" + strings.Repeat("x", size-4) + " k"
			f := &Fields{Src: m[len(m)-size-behind:]}
			copy(f.Src, row+strings.Repeat("\n", behind))
			f.Push(0, uint32(size))
			c, err := NewConverter(&dfa.Column{Name: "c", Type: dfa.Type{Kind: dfa.Map, Lex: a, Elem: &dfa.Type{}, Duplicates: dfa.LastDuplicate}}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			n := c.impl.(*nested)
			n.packer = nil
			dst := NewColumn(&dfa.Type{Kind: dfa.Map, Lex: a, Elem: &dfa.Type{}, Duplicates: dfa.LastDuplicate})
			if errs := c.Append(dst, f, nil); len(errs) > 0 || string(dst.Children[0].Data) != "ak" {
				t.Fatal(size, behind, errs, string(dst.Children[0].Data))
			}
		}
	}
}
