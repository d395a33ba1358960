package svg

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

const ink, paper, faint = "#222", "#fff", "#e6e6e6"

// Render draws g.
func Render(g *Graph) []byte {
	l := newLayout(g)
	var width, height float64
	for i := range l.items {
		width = max(width, l.items[i].x+l.items[i].w)
		height = max(height, l.items[i].bottom())
	}
	d := &drawing{}
	d.put(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" font-family="Helvetica, Arial, sans-serif">`,
		width+margin, height+margin, width+margin, height+margin)
	d.put(`<title>%s</title>`, escape(g.Title))
	d.put(`<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z" fill="context-stroke"/></marker></defs>`)
	d.put(`<rect width="100%%" height="100%%" fill="%s"/>`, paper)
	ports := l.ports()
	for k := range l.chains {
		d.chain(l, k, ports)
	}
	for n := range g.Nodes {
		if e, ok := l.loops[n]; ok {
			d.loop(l, n, e)
		}
	}
	start := &l.items[g.Start]
	d.arrow(fmt.Sprintf("M%.1f %.1fL%.1f %.1f", start.boxX(l)-28, start.y, start.boxX(l), start.y), ink)
	for n := range g.Nodes {
		d.node(l, n)
	}
	for i := range l.items {
		if it := &l.items[i]; it.label {
			d.label(g.Edges[it.edge].Label, it.x+it.w/2, it.y)
		}
	}
	d.put(`</svg>`)
	return []byte(d.String())
}

type drawing struct{ strings.Builder }

func (d *drawing) put(format string, args ...any) {
	fmt.Fprintf(d, format+"\n", args...)
}

func escape(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s))
	return b.String()
}

// boxX and boxW are where a node's box is, its loop's label left out.
func (it *item) boxX(l *layout) float64 { return it.x + (it.w-it.boxW(l))/2 }

func (it *item) boxW(l *layout) float64 {
	w, _ := l.g.Nodes[it.node].box(0)
	return w
}

// port is where a chain meets a node.
type port struct{ chain, node int }

// ports spreads the arrows over the sides of the nodes, in the order in which
// they come in.
func (l *layout) ports() map[port]float64 {
	at := map[port]float64{}
	for n := range l.g.Nodes {
		it := &l.items[n]
		for _, end := range []int{0, 1} { // the right side of the left ends, the left side of the right ends
			var ks []int
			for k, c := range l.chains {
				if c.at(end) == n {
					ks = append(ks, k)
				}
			}
			slices.SortStableFunc(ks, func(a, b int) int {
				return cmp.Compare(l.items[l.chains[a].next(end)].y, l.items[l.chains[b].next(end)].y)
			})
			for p, k := range ks {
				h := it.h - it.rise
				at[port{k, n}] = it.y - h/2 + h*float64(p+1)/float64(len(ks)+1)
			}
		}
	}
	return at
}

// at is the node at the left (0) or right (1) end of a chain, next the item
// beside it.
func (c *chain) at(end int) int { return c.items[end*(len(c.items)-1)] }

func (c *chain) next(end int) int {
	if end == 0 {
		return c.items[1]
	}
	return c.items[len(c.items)-2]
}

// chain draws an edge: curves from item to item, straight lines through them.
func (d *drawing) chain(l *layout, k int, ports map[port]float64) {
	c := &l.chains[k]
	type point struct{ x, y float64 }
	var ps []point
	for i, id := range c.items {
		it := &l.items[id]
		switch {
		case i == 0:
			ps = append(ps, point{it.boxX(l) + it.boxW(l), ports[port{k, id}]})
		case i == len(c.items)-1:
			ps = append(ps, point{it.boxX(l), ports[port{k, id}]})
		default:
			ps = append(ps, point{it.x, it.y}, point{it.x + it.w, it.y})
		}
	}
	if c.reversed {
		slices.Reverse(ps)
	}
	var path strings.Builder
	fmt.Fprintf(&path, "M%.1f %.1f", ps[0].x, ps[0].y)
	for i := 1; i < len(ps); i++ {
		a, b := ps[i-1], ps[i]
		if a.y == b.y {
			fmt.Fprintf(&path, "L%.1f %.1f", b.x, b.y)
			continue
		}
		m := (a.x + b.x) / 2
		fmt.Fprintf(&path, "C%.1f %.1f %.1f %.1f %.1f %.1f", m, a.y, m, b.y, b.x, b.y)
	}
	d.arrow(path.String(), edgeColour(&l.g.Edges[c.edge]))
}

func edgeColour(e *Edge) string {
	if len(e.Label) == 0 {
		return ink
	}
	for _, line := range e.Label[1:] {
		if line.Colour != e.Label[0].Colour {
			return "#777"
		}
	}
	return e.Label[0].Colour
}

func (d *drawing) arrow(path, colour string) {
	d.put(`<path d="%s" fill="none" stroke="%s" stroke-width="1.3" marker-end="url(#head)"/>`, path, colour)
}

// loop draws the edge of a node to itself, above it.
func (d *drawing) loop(l *layout, n, e int) {
	it := &l.items[n]
	x, top := it.x+it.w/2, it.y-(it.h-it.rise)/2
	path := fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x-13, top, x-26, top-loopRise-8, x+26, top-loopRise-8, x+13, top)
	d.arrow(path, edgeColour(&l.g.Edges[e]))
	_, h := labelBox(l.g.Edges[e].Label)
	d.label(l.g.Edges[e].Label, x, top-loopRise-h/2+1)
}

func (d *drawing) label(lines []Line, x, y float64) {
	if len(lines) == 0 {
		return
	}
	w, h := labelBox(lines)
	d.put(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill="%s"/>`, x-w/2, y-h/2, w, h, paper)
	for i, line := range lines {
		d.put(`<text x="%.1f" y="%.1f" font-size="%.0f" fill="%s" text-anchor="middle" xml:space="preserve">%s</text>`,
			x, y-h/2+lineStep*float64(i+1)-1, labelSize, line.Colour, escape(line.Text))
	}
}

func (d *drawing) node(l *layout, n int) {
	it, node := &l.items[n], &l.g.Nodes[n]
	x, w, h := it.boxX(l), it.boxW(l), it.h-it.rise
	y := it.y - h/2
	fill := paper
	if node.Grey {
		fill = faint
	}
	d.put(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="8" fill="%s" stroke="%s" stroke-width="1.4"/>`, x, y, w, h, fill, ink)
	if node.Double {
		d.put(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="none" stroke="%s"/>`, x+3, y+3, w-6, h-6, ink)
	}
	text := nameSize + lineStep*float64(len(node.Lines))
	base := it.y - text/2 + nameSize - 2
	d.put(`<text x="%.1f" y="%.1f" font-size="%.0f" font-weight="bold" fill="%s" text-anchor="middle">%s</text>`, x+w/2, base, nameSize, ink, escape(node.Name))
	for i, line := range node.Lines {
		d.put(`<text x="%.1f" y="%.1f" font-size="%.0f" fill="#555" text-anchor="middle">%s</text>`, x+w/2, base+lineStep*float64(i+1), lineSize, escape(line))
	}
}
