package lower

import (
	"bytes"
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// prefixes are the beginnings of lines that are no records, as a trie.
type prefixes struct {
	list  []prefix
	nodes []prefixNode
	// blanks is the root of those that blanks may stand in front of, where such are; 0:
	// there are none.
	blanks int16
}

type prefix struct {
	text []byte
	kind dfa.RecordKind
	word bool // it ends within a word, which has to end there too
	stop bool // the data end here
}

func (p prefix) where() string {
	if p.stop {
		return "stop at"
	}
	if p.kind == dfa.DroppedRecord {
		return "comment"
	}
	return "directive"
}

type prefixNode struct {
	text  []byte
	child map[byte]int // only looked up
	kind  int16        // 1 + index of the prefix that ends here
}

func newPrefixes(l *Lines) (*prefixes, error) {
	t := &prefixes{nodes: []prefixNode{{child: map[byte]int{}}}}
	for _, c := range l.Comments {
		t.list = append(t.list, prefix{text: []byte(c), kind: dfa.DroppedRecord})
	}
	for _, s := range l.Stops {
		t.list = append(t.list, prefix{text: []byte(s), kind: dfa.DroppedRecord, stop: true})
	}
	after := len(t.list)
	for _, c := range l.AfterBlanks {
		t.list = append(t.list, prefix{text: []byte(c), kind: dfa.DroppedRecord})
	}
	directives := len(t.list)
	for i, d := range l.Directives {
		if i > 255-int(dfa.FirstDirective) {
			return nil, &Fault{Where: "directive", What: fmt.Sprintf("at most %d kinds of directives", 256-int(dfa.FirstDirective))}
		}
		if i+1 == l.Names {
			continue
		}
		word := i < len(l.Words) && l.Words[i] && d != "" && dfa.InWord(d[len(d)-1])
		t.list = append(t.list, prefix{text: []byte(d), kind: dfa.FirstDirective + dfa.RecordKind(i), word: word})
	}
	length := 0
	for i, p := range t.list {
		if length += len(p.text); length > maxPatterns {
			return nil, &Fault{Where: p.where(), What: fmt.Sprintf("all prefixes together have more than %d bytes", maxPatterns)}
		}
		if len(p.text) == 0 {
			return nil, &Fault{Where: p.where(), What: "an empty prefix begins every line"}
		}
		if bytes.ContainsAny(p.text, "\r\n") {
			return nil, &Fault{Where: p.where(), What: fmt.Sprintf("the prefix %q holds a line end", p.text)}
		}
		if bytes.ContainsAny(p.text, string(l.End)) {
			return nil, &Fault{Where: p.where(), What: fmt.Sprintf("the prefix %q holds a symbol of %q, which ends records", p.text, l.End)}
		}
		if len(l.AfterBlanks) > 0 && blankByte(p.text[0]) {
			return nil, &Fault{Where: p.where(), What: fmt.Sprintf("%q begins with a blank, and blanks may stand before a comment", p.text), Witness: p.text[:1]}
		}
		roots := []int{0}
		if i >= after && i < directives {
			if t.blanks == 0 {
				t.blanks = int16(len(t.nodes))
				t.nodes = append(t.nodes, prefixNode{child: map[byte]int{}})
			}
			roots = append(roots, int(t.blanks))
		}
		for _, n := range roots {
			if !t.insert(n, p.text, i) {
				return nil, &Fault{Where: p.where(), What: fmt.Sprintf("two kinds of lines begin with %q", p.text), Witness: p.text}
			}
		}
	}
	return t, nil
}

// insert adds the text of prefix i below node n, and reports whether none is there.
func (t *prefixes) insert(n int, text []byte, i int) bool {
	for depth, b := range text {
		c := t.next(n, b)
		if c < 0 {
			c = len(t.nodes)
			t.nodes[n].child[b] = c
			t.nodes = append(t.nodes, prefixNode{text: text[:depth+1], child: map[byte]int{}})
		}
		n = c
	}
	if t.nodes[n].kind != 0 {
		return false
	}
	t.nodes[n].kind = int16(i + 1)
	return true
}

// passes reports whether a line at node n has nothing on it but blanks, of which b is one,
// and may still be a comment.
func (t *prefixes) passes(n int16, b byte) bool {
	return t.blanks > 0 && (n == 0 || n == t.blanks) && blankByte(b)
}

func blankByte(b byte) bool { return b == ' ' || b == '\t' }

// waits reports whether a prefix ends at node n, but counts only if the word that
// it ends in does not go on.
func (t *prefixes) waits(n int16) bool {
	return n >= 0 && t.nodes[n].kind > 0 && t.list[t.nodes[n].kind-1].word
}

// next is the node after b, -1 if no prefix goes on so.
func (t *prefixes) next(n int, b byte) int {
	if c, ok := t.nodes[n].child[b]; ok {
		return c
	}
	return -1
}
