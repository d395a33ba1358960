package svg

import (
	"cmp"
	"slices"
)

// item is what stands in a layer: a node, a label, or a bend of a long edge.
type item struct {
	node  int // -1 for labels and bends
	edge  int // of labels and bends
	label bool
	layer int

	w, h float64 // room it takes; of a node with a loop the loop's too
	rise float64 // of a node: what the loop takes at the top
	x, y float64 // left; middle of the box, loop left out

	left, right []int // neighbours in the layers beside it
}

// chain is the items of an edge from left to right, nodes included.
type chain struct {
	edge     int
	items    []int
	reversed bool // the edge points to the left
}

type layout struct {
	g      *Graph
	items  []item
	layers [][]int // items from top to bottom
	chains []chain
	loops  map[int]int // node -> edge
}

func newLayout(g *Graph) *layout {
	l := &layout{g: g, loops: map[int]int{}}
	layer, reversed := layering(g)
	for n := range g.Nodes {
		l.items = append(l.items, item{node: n, edge: -1, layer: 2 * layer[n]})
	}
	for e, edge := range g.Edges {
		if edge.From == edge.To {
			l.loops[edge.From] = e
			continue
		}
		l.addChain(e, reversed[e])
	}
	l.measure()
	l.order()
	l.place()
	return l
}

// layering gives each node its layer, and says which edges have to point left.
func layering(g *Graph) (layer []int, reversed []bool) {
	n := len(g.Nodes)
	out := make([][]int, n) // edges
	for e, edge := range g.Edges {
		if edge.From != edge.To {
			out[edge.From] = append(out[edge.From], e)
		}
	}
	reversed = make([]bool, len(g.Edges))
	const unseen, open, closed = 0, 1, 2
	state := make([]int, n)
	var finished []int
	var visit func(v int)
	visit = func(v int) {
		state[v] = open
		for _, e := range out[v] {
			switch state[g.Edges[e].To] {
			case open:
				reversed[e] = true
			case unseen:
				visit(g.Edges[e].To)
			}
		}
		state[v] = closed
		finished = append(finished, v)
	}
	visit(g.Start)
	for v := range n {
		if state[v] == unseen {
			visit(v)
		}
	}
	layer = make([]int, n)
	slices.Reverse(finished) // a topological order of what was not reversed
	for _, v := range finished {
		for e, edge := range g.Edges {
			if edge.From == v && edge.To != v && !reversed[e] {
				layer[edge.To] = max(layer[edge.To], layer[v]+1)
			}
			if edge.To == v && edge.From != v && reversed[e] {
				layer[edge.From] = max(layer[edge.From], layer[v]+1)
			}
		}
	}
	return layer, reversed
}

// addChain makes the items of an edge: one in each layer between its nodes,
// the one in the middle the label. Nodes stand in the even layers.
func (l *layout) addChain(e int, reversed bool) {
	from, to := l.g.Edges[e].From, l.g.Edges[e].To
	if reversed {
		from, to = to, from
	}
	c := chain{edge: e, reversed: reversed, items: []int{from}}
	first, last := l.items[from].layer, l.items[to].layer
	middle := (first + last) / 2
	if middle%2 == 0 {
		middle--
	}
	for layer := first + 1; layer < last; layer++ {
		c.items = append(c.items, len(l.items))
		l.items = append(l.items, item{node: -1, edge: e, label: layer == middle, layer: layer})
	}
	c.items = append(c.items, to)
	for i := 1; i < len(c.items); i++ {
		a, b := c.items[i-1], c.items[i]
		l.items[a].right = append(l.items[a].right, b)
		l.items[b].left = append(l.items[b].left, a)
	}
	l.chains = append(l.chains, c)
}

func (l *layout) measure() {
	for i := range l.items {
		it := &l.items[i]
		switch {
		case it.node >= 0:
			it.w, it.h = l.g.Nodes[it.node].box(max(len(it.left), len(it.right)))
			if e, ok := l.loops[it.node]; ok {
				w, h := labelBox(l.g.Edges[e].Label)
				it.rise = h + loopRise
				it.w, it.h = max(it.w, w), it.h+it.rise
			}
		case it.label:
			it.w, it.h = labelBox(l.g.Edges[it.edge].Label)
		default:
			it.h = 4
		}
		for len(l.layers) <= it.layer {
			l.layers = append(l.layers, nil)
		}
		l.layers[it.layer] = append(l.layers[it.layer], i)
	}
}

// order sorts the layers by the mean position of the neighbours, to and fro,
// and keeps the order with the fewest crossings.
func (l *layout) order() {
	pos := make([]float64, len(l.items))
	number := func() {
		for _, layer := range l.layers {
			for p, i := range layer {
				pos[i] = float64(p) - float64(len(layer))/2
			}
		}
	}
	sortBy := func(layer []int, neighbours func(*item) []int) {
		key := map[int]float64{}
		for _, i := range layer {
			key[i] = pos[i]
			if ns := neighbours(&l.items[i]); len(ns) > 0 {
				key[i] = 0
				for _, n := range ns {
					key[i] += pos[n] / float64(len(ns))
				}
			}
		}
		slices.SortStableFunc(layer, func(a, b int) int { return cmp.Compare(key[a], key[b]) })
	}
	number()
	best, fewest := cloneLayers(l.layers), l.crossings(pos)
	for range 12 {
		for k := 1; k < len(l.layers); k++ {
			sortBy(l.layers[k], func(it *item) []int { return it.left })
			number()
		}
		for k := len(l.layers) - 2; k >= 0; k-- {
			sortBy(l.layers[k], func(it *item) []int { return it.right })
			number()
		}
		if n := l.crossings(pos); n < fewest {
			best, fewest = cloneLayers(l.layers), n
		}
	}
	l.layers = best
}

func cloneLayers(layers [][]int) [][]int {
	out := make([][]int, len(layers))
	for i := range layers {
		out[i] = slices.Clone(layers[i])
	}
	return out
}

// crossings counts the pairs of edges that cross between two layers.
func (l *layout) crossings(pos []float64) int {
	n := 0
	for _, layer := range l.layers {
		for p, a := range layer {
			for _, b := range layer[p+1:] {
				for _, ra := range l.items[a].right {
					for _, rb := range l.items[b].right {
						if pos[ra] > pos[rb] {
							n++
						}
					}
				}
			}
		}
	}
	return n
}

// place gives every item its coordinates.
func (l *layout) place() {
	x := margin + 30 // room for the arrow to the start
	for _, layer := range l.layers {
		w := 0.0
		for _, i := range layer {
			w = max(w, l.items[i].w)
		}
		for _, i := range layer {
			it := &l.items[i]
			it.x = x + (w-it.w)/2
			if it.node < 0 && !it.label {
				it.x, it.w = x, w
			}
		}
		x += w + layerGap
	}
	for _, layer := range l.layers { // begin stacked
		y := 0.0
		for _, i := range layer {
			it := &l.items[i]
			it.y = y + (it.h+it.rise)/2
			y += it.h + itemGap
		}
	}
	for sweep := range 40 {
		for k := range l.layers {
			if sweep%2 == 1 {
				k = len(l.layers) - 1 - k
			}
			l.settle(l.layers[k])
		}
	}
	top := 0.0
	for i := range l.items {
		it := &l.items[i]
		if t := it.top(); i == 0 || t < top {
			top = t
		}
	}
	for i := range l.items {
		l.items[i].y += margin - top
	}
}

// top and bottom are where the room of an item ends.
func (it *item) top() float64    { return it.y - (it.h-it.rise)/2 - it.rise }
func (it *item) bottom() float64 { return it.y + (it.h-it.rise)/2 }

// settle moves the items of a layer to the mean height of their neighbours, as
// nearly as keeping their order and distance allows: the least squares are
// found by pooling adjacent violators.
func (l *layout) settle(layer []int) {
	type pool struct {
		sum float64 // of wanted positions, less what stands above
		n   float64 // weight
		len int     // items
	}
	var pools []pool
	offset := make([]float64, len(layer)) // of item i below the first, at least
	for p, i := range layer {
		it := &l.items[i]
		if p > 0 {
			above := &l.items[layer[p-1]]
			offset[p] = offset[p-1] + (above.bottom() - above.y) + itemGap + (it.y - it.top())
		}
		want, n := it.y, 0.0
		for _, ns := range [][]int{it.left, it.right} {
			for _, j := range ns {
				if n == 0 {
					want = 0
				}
				want += l.items[j].y
				n++
			}
		}
		if n > 0 {
			want /= n
		}
		weight := 1.0
		if it.node < 0 {
			weight = 3 // straight edges before centred nodes
		}
		pools = append(pools, pool{(want - offset[p]) * weight, weight, 1})
		for len(pools) > 1 {
			a, b := pools[len(pools)-2], pools[len(pools)-1]
			if a.sum/a.n <= b.sum/b.n {
				break
			}
			pools = append(pools[:len(pools)-2], pool{a.sum + b.sum, a.n + b.n, a.len + b.len})
		}
	}
	p := 0
	for _, q := range pools {
		for range q.len {
			l.items[layer[p]].y = q.sum/q.n + offset[p]
			p++
		}
	}
}
