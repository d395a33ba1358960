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
	var keys [256]int
	var next [256]uint8 // of the first symbols of what one group becomes; 0: none
	for c := range 256 {
		keys[c] = key(byte(c))
		first := g.of[c]
		for keys[first] != keys[c] && next[first] != 0 {
			first = next[first]
		}
		if keys[first] != keys[c] {
			next[first], first = uint8(c), uint8(c)
		}
		g.of[c] = first
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

// escape splits groups where an escape rule tells symbols apart.
func (g *groups) escape(e *Escape) {
	if e == nil {
		return
	}
	own := dfa.Bytes(e.Lead)
	for b := range e.To {
		own = own.Union(dfa.Bytes(b))
	}
	if e.Hex != 0 {
		own = own.Union(dfa.Bytes(e.Hex))
		g.tell(hexDigit)
	}
	if e.Octal {
		g.tell(func(b byte) bool { return '0' <= b && b <= '3' })
		g.tell(func(b byte) bool { return '0' <= b && b <= '7' })
	}
	g.own(own)
}

// tell splits groups in those of which something is so and those of which it is not.
func (g *groups) tell(is func(b byte) bool) {
	g.split(func(b byte) int {
		if is(b) {
			return 1
		}
		return 0
	})
}

// groups are those of a template: what it looks at are the symbols of texts, and the
// groups of forms, of escapes and of the rest.
func (t *template) groups() *groups {
	g := new(groups)
	var own dfa.Set
	add := func(s dfa.Set) { own = own.Union(s) }
	add(dfa.Bytes(' ', '\t', '\n', '\r'))
	for pc := range t.ins {
		i := &t.ins[pc]
		switch i.op {
		case opRest:
			g = merged(g, t.rest.groups())
		case opHole:
			g.escape(i.hole.Escape)
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

// merged are the groups of symbols that neither x nor y tells apart.
func merged(x, y *groups) *groups {
	g := *x
	g.split(func(b byte) int { return int(y.of[b]) })
	return &g
}

// groups are those of fields: the symbols of separators, enclosures, escapes and
// comments, and blanks and line ends.
func (x *lexer) groups() *groups {
	g := new(groups)
	own := dfa.Bytes(' ', '\t', '\n', '\r')
	for _, s := range x.seps {
		own = own.Union(dfa.Bytes(s.Text...))
	}
	for _, c := range x.comments {
		own = own.Union(dfa.Bytes([]byte(c)...))
	}
	for i := range x.encs {
		own = own.Union(dfa.Bytes(x.encs[i].open, x.encs[i].close))
		g.escape(x.encs[i].escape)
	}
	g.escape(x.escape)
	g.own(own)
	return g
}

// groups are those of the elements, and what stands around the list.
func (l *list) groups() *groups {
	g := l.lexer.groups()
	g.own(dfa.Bytes(l.open, l.close))
	return g
}

func (p *plain) groups() *groups {
	g := new(groups)
	g.own(dfa.Bytes('\n', '\r'))
	return g
}

func (m *lined[S]) groups() *groups {
	g := groupsOf(m.content) // which tells line ends from all else
	if g == nil {
		return nil
	}
	own := dfa.Bytes(m.text...)
	for i := range m.prefixes.list {
		p := &m.prefixes.list[i]
		own = own.Union(dfa.Bytes(p.text...))
		if p.word {
			g.tell(dfa.InWord)
		}
	}
	g.own(own)
	return g
}

func (m *valued[S]) groups() *groups { return groupsOf(m.valueContent) }

func (m *multiline[S]) groups() *groups {
	g := m.recordContent.groups()
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
