package lower

import "github.com/dfaparse/dfaparse/dfa"

// groups are symbols that a machine treats alike in every state: an automaton of a
// template is built from some dozen symbols, not 256 times as many states.
type groups struct {
	of [256]uint8 // the first symbol of the group
}

// grouped is a machine that knows groups; nil: it does not.
type grouped interface{ groups() *groups }

// groupsOf are those of a machine or content, nil if it knows none.
func groupsOf(x any) *groups {
	if g, ok := x.(grouped); ok {
		return g.groups()
	}
	return nil
}

// split splits groups where symbols differ in key.
func (g *groups) split(key func(b byte) int) {
	type part struct {
		of  uint8
		key int
	}
	first := map[part]uint8{}
	for c := range 256 {
		p := part{g.of[c], key(byte(c))}
		if _, ok := first[p]; !ok {
			first[p] = uint8(c)
		}
		g.of[c] = first[p]
	}
}

// own makes each of the symbols a group of its own.
func (g *groups) own(symbols dfa.Set) {
	g.split(func(b byte) int {
		if symbols.Has(b) {
			return 1 + int(b)
		}
		return 0
	})
}

// groups are those of a template without escapes and rest: what they look at are
// the symbols of texts, and the groups of forms.
func (t *template) groups() *groups {
	g := new(groups)
	var own dfa.Set
	add := func(s dfa.Set) { own = own.Union(s) }
	add(dfa.Bytes(' ', '\t', '\n', '\r'))
	for pc := range t.ins {
		i := &t.ins[pc]
		if i.op == opRest || i.op == opHole && i.hole.Escape != nil {
			return nil
		}
		add(dfa.Bytes(i.text...))
		add(dfa.Bytes(i.closer...))
		add(i.not)
		add(i.never)
	}
	g.own(own)
	seen := map[*dfa.Automaton]bool{}
	for pc := range t.ins {
		if i := &t.ins[pc]; i.op == opHole && i.hole.Embedded != nil && !seen[i.hole.Embedded] {
			a := i.hole.Embedded
			seen[a] = true
			g.split(func(b byte) int { return int(a.Group[b]) })
		}
	}
	return g
}

func (m *lined[S]) groups() *groups {
	if len(m.prefixes.list) > 0 {
		return nil
	}
	g := groupsOf(m.content) // which tells line ends from all else
	if g != nil {
		g.own(dfa.Bytes(m.text...))
	}
	return g
}

func (m *valued[S]) groups() *groups { return groupsOf(m.content) }

func (m *multiline[S]) groups() *groups {
	g := m.recordContent.groups()
	if g == nil {
		return nil
	}
	for rest := m.Start; len(rest) > 0; {
		n := min(len(rest), 60)
		g.split(func(b byte) (key int) {
			for _, s := range rest[:n] {
				key <<= 1
				if s.Has(b) {
					key++
				}
			}
			return key
		})
		rest = rest[n:]
	}
	var own dfa.Set
	for _, c := range m.Continue {
		own = own.Union(dfa.Bytes([]byte(c)...))
	}
	g.own(own)
	return g
}
