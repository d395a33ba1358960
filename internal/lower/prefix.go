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
	for i, d := range l.Directives {
		if i > 255-int(dfa.FirstDirective) {
			return nil, &Fault{Where: "directive", What: fmt.Sprintf("at most %d kinds of directives", 256-int(dfa.FirstDirective))}
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
		n := 0
		for depth, b := range p.text {
			c := t.next(n, b)
			if c < 0 {
				c = len(t.nodes)
				t.nodes[n].child[b] = c
				t.nodes = append(t.nodes, prefixNode{text: p.text[:depth+1], child: map[byte]int{}})
			}
			n = c
		}
		if t.nodes[n].kind != 0 {
			return nil, &Fault{Where: p.where(), What: fmt.Sprintf("two kinds of lines begin with %q", p.text), Witness: p.text}
		}
		t.nodes[n].kind = int16(i + 1)
	}
	return t, nil
}

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
