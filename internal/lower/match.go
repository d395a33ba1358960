package lower

// matcher finds the first complete occurrence of any of its patterns, after
// Aho and Corasick ("Efficient string matching", 1975). Node 0 is the root:
// nothing of a pattern has been seen. It is made in time proportional to the
// length of the patterns.
type matcher struct {
	nodes []matchNode
}

type matchNode struct {
	to    [256]int16 // by symbol: the longest suffix of what was read that begins a pattern
	depth int        // symbols from the root
	match int        // length of the longest pattern that ends here, 0: none
	text  []byte     // the path from the root
}

// newMatcher makes the matcher of patterns, which have at most maxPatterns bytes.
func newMatcher(patterns [][]byte) *matcher {
	m := &matcher{nodes: []matchNode{{}}}
	for _, p := range patterns {
		n := int16(0)
		for depth, b := range p {
			c := m.nodes[n].to[b]
			if c == 0 {
				c = int16(len(m.nodes))
				m.nodes[n].to[b] = c
				m.nodes = append(m.nodes, matchNode{depth: depth + 1, text: p[:depth+1]})
			}
			n = c
		}
		m.nodes[n].match = max(m.nodes[n].match, len(p))
	}
	// Breadth first: where a node's longest proper suffix leads is known before
	// the node is reached. In to a child is deeper than its parent.
	fail := make([]int16, len(m.nodes))
	queue := []int16{0}
	for i := 0; i < len(queue); i++ {
		n := queue[i]
		suffix := &m.nodes[fail[n]]
		node := &m.nodes[n]
		node.match = max(node.match, suffix.match)
		for b, c := range node.to {
			switch {
			case c == 0 && n != 0:
				node.to[b] = suffix.to[b]
			case c != 0:
				if n != 0 {
					fail[c] = suffix.to[b]
				}
				queue = append(queue, c)
			}
		}
	}
	return m
}

// next is the node after b: the longest suffix of what was read that begins a
// pattern.
func (m *matcher) next(n int, b byte) int { return int(m.nodes[n].to[b]) }

// match is the length of the longest pattern that ends at n, 0 for none.
func (m *matcher) match(n int) int { return m.nodes[n].match }

// matched is the pattern of that length.
func (m *matcher) matched(n int) []byte {
	text := m.nodes[n].text
	return text[len(text)-m.nodes[n].match:]
}
