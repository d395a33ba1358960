package main

import (
	"bytes"
	"fmt"
	"math"

	"github.com/dfaparse/dfaparse/internal/studio"
)

// Sizes of a picture of arcs.
const (
	arcsWidth, arcsHeight = 240.0, 96.0
	arcsMargin            = 8.0
)

// arcColours are those of transitions by what they emit; they are seen on light and dark.
var arcColours = []struct{ kind, colour string }{
	{"data", "#8b95a5"}, {"skip", "#3f83d4"}, {"field", "#2fa35a"}, {"record", "#e08a1e"},
}

// arcs draws an automaton small: states on a line, in the order in which they are reached,
// transitions as arcs from left to right above it and back below. Errors are left out.
func arcs(g *studio.Graph) []byte {
	kind := func(e *studio.Edge) string { // of the first label that is no error
		for _, l := range e.Labels {
			if l.Kind != "error" {
				return l.Kind
			}
		}
		return ""
	}
	out := make([][]*studio.Edge, len(g.Nodes))
	for i := range g.Edges {
		if e := &g.Edges[i]; kind(e) != "" && !g.Nodes[e.To].Error && !g.Nodes[e.From].Error {
			out[e.From] = append(out[e.From], e)
		}
	}
	place := map[int]int{g.Start: 0}
	order := []int{g.Start}
	for i := 0; i < len(order); i++ {
		for _, e := range out[order[i]] {
			if _, seen := place[e.To]; !seen {
				place[e.To] = len(order)
				order = append(order, e.To)
			}
		}
	}
	const middle = arcsHeight / 2
	step := (arcsWidth - 2*arcsMargin) / float64(max(len(order)-1, 1))
	x := func(state int) float64 { return arcsMargin + step*float64(place[state]) }
	radius := max(0.8, min(4, step/3))
	paths := map[string]*bytes.Buffer{}
	for _, from := range order {
		for _, e := range out[from] {
			k := kind(e)
			if paths[k] == nil {
				paths[k] = &bytes.Buffer{}
			}
			if e.To == from { // a loop, over its state
				fmt.Fprintf(paths[k], "M%.1f %.1fa%.1f %.1f 0 1 1 .1 0", x(from), middle-radius/2, radius*1.1, radius*1.6)
				continue
			}
			width := math.Abs(x(e.To)-x(from)) / 2
			height := (middle - arcsMargin) * math.Sqrt(width*2/(arcsWidth-2*arcsMargin))
			fmt.Fprintf(paths[k], "M%.1f %.1fA%.1f %.1f 0 0 1 %.1f %.1f", x(from), middle, width, height, x(e.To), middle)
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" width="%g" height="%g">`, arcsWidth, arcsHeight, arcsWidth, arcsHeight)
	line := max(0.35, min(1.1, 66/float64(len(order)))) // many arcs are thin ones
	for _, c := range arcColours {
		if p := paths[c.kind]; p != nil {
			fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="%.2f"/>`, p, c.colour, line)
		}
	}
	b.WriteString(`<g fill="#5f6b7c">`)
	for _, state := range order {
		fmt.Fprintf(&b, `<circle cx="%.1f" cy="%g" r="%.1f"/>`, x(state), middle, radius)
	}
	b.WriteString("</g></svg>\n")
	return b.Bytes()
}
