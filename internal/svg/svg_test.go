package svg

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// graphs are connected or not, with loops, cycles and edges both ways.
func graphs(t *rapid.T) *Graph {
	g := &Graph{Title: "random & <odd>"}
	n := rapid.IntRange(1, 12).Draw(t, "nodes")
	for i := range n {
		g.Nodes = append(g.Nodes, Node{Name: fmt.Sprintf("S%d", i), Lines: []string{"a state"}[:i%2], Double: i%3 == 0, Grey: i%5 == 4})
	}
	g.Start = rapid.IntRange(0, n-1).Draw(t, "start")
	for from := range n {
		for to := range n {
			if rapid.IntRange(0, 3).Draw(t, "edge") == 0 {
				var label []Line
				for k := range rapid.IntRange(0, 3).Draw(t, "lines") {
					label = append(label, Line{fmt.Sprintf("'%d' <&> data", k), "#222"})
				}
				g.Edges = append(g.Edges, Edge{from, to, label})
			}
		}
	}
	return g
}

// Whatever the graph, nothing covers anything else, edges get on from layer to
// layer, and the result is XML.
func TestRandomGraphs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphs(t)
		l := newLayout(g)
		for k, layer := range l.layers {
			for p, i := range layer {
				it := &l.items[i]
				if it.layer != k {
					t.Fatalf("item %d of layer %d is in layer %d", i, it.layer, k)
				}
				if p > 0 {
					above := &l.items[layer[p-1]]
					if above.bottom()+itemGap > it.top()+1e-6 {
						t.Fatalf("layer %d: an item ends at %.1f, the next begins at %.1f", k, above.bottom(), it.top())
					}
				}
				if it.top() < margin-1e-6 {
					t.Fatalf("an item begins at %.1f", it.top())
				}
				for _, j := range it.right {
					if l.items[j].layer != k+1 || l.items[j].x < it.x+it.w {
						t.Fatalf("item %d is beside item %d, not right of it", j, i)
					}
				}
			}
		}
		labels := 0
		for i := range l.items {
			if l.items[i].label {
				labels++
			}
		}
		if labels+len(l.loops) != len(g.Edges) {
			t.Fatalf("%d labels and %d loops for %d edges", labels, len(l.loops), len(g.Edges))
		}
		d := xml.NewDecoder(bytes.NewReader(Render(g)))
		for {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A chain of states is a row: no edge bends.
func TestChainIsStraight(t *testing.T) {
	g := &Graph{Nodes: []Node{{Name: "A"}, {Name: "B"}, {Name: "C"}}, Edges: []Edge{
		{0, 1, []Line{{"x", "#222"}}}, {1, 2, []Line{{"y", "#222"}}},
	}}
	l := newLayout(g)
	for i := range l.items {
		if math.Abs(l.items[i].y-l.items[0].y) > 0.01 {
			t.Errorf("item %d is at %.1f, the first at %.1f", i, l.items[i].y, l.items[0].y)
		}
	}
}

func TestStable(t *testing.T) {
	g := &Graph{Nodes: []Node{{Name: "A"}, {Name: "B"}}, Edges: []Edge{{0, 1, nil}, {1, 0, nil}, {1, 1, nil}}}
	first := Render(g)
	for range 5 {
		if !bytes.Equal(first, Render(g)) {
			t.Fatal("two drawings of a graph differ")
		}
	}
}
