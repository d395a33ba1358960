package svg

import "unicode/utf8"

// Graph is what Render draws. Nodes are named by their index.
type Graph struct {
	Title string
	Nodes []Node
	Edges []Edge // at most one from a node to another
	Start int    // the node that the drawing begins at
}

// Node is a box.
type Node struct {
	Name   string
	Lines  []string // smaller, under the name
	Double bool     // with a double border
	Grey   bool
}

// Edge is an arrow with a label of several lines.
type Edge struct {
	From, To int
	Label    []Line
}

// Line is a line of a label in its colour.
type Line struct {
	Text   string
	Colour string // of CSS
}

// Sizes, in pixels at scale 1.
const (
	nameSize  = 15.0 // of the font
	lineSize  = 11.0
	labelSize = 12.0
	lineStep  = 15.0 // from line to line
	padding   = 9.0  // inside boxes
	portStep  = 14.0 // between arrows at one side of a node
	itemGap   = 14.0 // between items of a layer
	layerGap  = 34.0 // between layers
	loopRise  = 26.0 // of a loop above its node
	margin    = 24.0
)

// textWidth estimates the width of text in a sans-serif font of the size; fonts
// differ, so that it is generous.
func textWidth(text string, size float64) float64 {
	return float64(utf8.RuneCountInString(text)) * size * 0.58
}

func labelBox(lines []Line) (w, h float64) {
	for _, l := range lines {
		w = max(w, textWidth(l.Text, labelSize))
	}
	return w + 8, float64(len(lines))*lineStep + 4
}

// box is the size of the node without its loop.
func (n *Node) box(ports int) (w, h float64) {
	w = textWidth(n.Name, nameSize)
	for _, l := range n.Lines {
		w = max(w, textWidth(l, lineSize))
	}
	h = nameSize + lineStep*float64(len(n.Lines)) + 2*padding
	return w + 2*padding, max(h, portStep*float64(ports+1))
}
