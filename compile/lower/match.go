package lower

// matcher finds the first complete occurrence of any of its patterns, after
// Aho and Corasick ("Efficient string matching", 1975). Node 0 is the root:
// nothing of a pattern has been seen.
type matcher struct {
	nodes []matchNode
}

type matchNode struct {
	depth int          // symbols from the root
	child map[byte]int // only looked up, never ranged over
	fail  int          // the longest proper suffix that is a node
	match int          // length of the longest pattern that ends here, 0: none
	order []byte       // the keys of child in the order they were added
	text  []byte       // the path from the root
}

func newMatcher(patterns [][]byte) *matcher {
	m := &matcher{nodes: []matchNode{{child: map[byte]int{}}}}
	for _, p := range patterns {
		n := 0
		for _, b := range p {
			c, ok := m.nodes[n].child[b]
			if !ok {
				c = len(m.nodes)
				parent := &m.nodes[n]
				parent.child[b] = c
				parent.order = append(parent.order, b)
				text := append(append([]byte{}, parent.text...), b)
				m.nodes = append(m.nodes, matchNode{depth: len(text), child: map[byte]int{}, text: text})
			}
			n = c
		}
		m.nodes[n].match = max(m.nodes[n].match, len(p))
	}
	queue := []int{0}
	for len(queue) > 0 {
		n := queue[0]
		queue = queue[1:]
		for _, b := range m.nodes[n].order {
			c := m.nodes[n].child[b]
			if n != 0 {
				m.nodes[c].fail = m.next(m.nodes[n].fail, b)
			}
			f := &m.nodes[m.nodes[c].fail]
			m.nodes[c].match = max(m.nodes[c].match, f.match)
			queue = append(queue, c)
		}
	}
	return m
}

// next is the node after b: the longest suffix of what was read that begins a
// pattern.
func (m *matcher) next(n int, b byte) int {
	for {
		if c, ok := m.nodes[n].child[b]; ok {
			return c
		}
		if n == 0 {
			return 0
		}
		n = m.nodes[n].fail
	}
}

// match is the length of the longest pattern that ends at n, 0 for none.
func (m *matcher) match(n int) int { return m.nodes[n].match }

// matched is the pattern of that length.
func (m *matcher) matched(n int) []byte {
	text := m.nodes[n].text
	return text[len(text)-m.nodes[n].match:]
}
