package studio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dfaparse/dfaparse/dfa"
)

// Graph is an automaton to be drawn.
type Graph struct {
	Start  int      `json:"start"`
	Nodes  []Node   `json:"nodes"` // by state
	Edges  []Edge   `json:"edges"`
	Groups []string `json:"groups"` // of states, in the order of a record
	// Emissions are what transitions say, in words, by their number.
	Emissions []string `json:"emissions"`
	Analysis  string   `json:"analysis"` // as check -v has it
	Path      string   `json:"path"`     // how contexts are found
	Index     string   `json:"index"`    // and fields
	Slow      []Fault  `json:"slow"`
}

// Node is a state.
type Node struct {
	Name  string `json:"name"`
	Doc   string `json:"doc"`
	Group int    `json:"group"` // of Groups
	End   string `json:"end"`   // what the input's end means there
	Final bool   `json:"final"` // it may end there
	Error bool   `json:"error"` // only errors lead there
}

// Edge is all that leads from a state to another.
type Edge struct {
	From   int     `json:"from"`
	To     int     `json:"to"`
	Labels []Label `json:"labels"`
}

// Label is the symbols that do the same.
type Label struct {
	Symbols string `json:"symbols"`
	Emits   string `json:"emits"`
	Kind    string `json:"kind"` // data, skip, field, record or error
}

// symbolsShown is how many ranges of symbols an edge is written with.
const symbolsShown = 6

// Graph is the automaton of the spec, nil if that does not compile.
func (a *Analysis) Graph() *Graph {
	if a.program == nil {
		return nil
	}
	m, p := a.program.Automaton, a.program
	g := &Graph{Start: int(m.Start), Edges: []Edge{}, Slow: []Fault{}, Analysis: p.Analysis().String(), Path: p.Analysis().Path().String(), Index: p.Analysis().IndexPath()}
	for _, f := range a.Faults {
		if f.Severity == isSlow {
			g.Slow = append(g.Slow, f)
		}
	}
	for i := range m.Emissions {
		g.Emissions = append(g.Emissions, emits(a.program, &m.Emissions[i]))
	}
	grey := m.AfterErrors()
	groups := a.groups(g)
	for s, state := range m.States {
		eof := m.EOF(dfa.StateID(s))
		n := Node{Name: state.Name, Doc: state.Doc, Group: groups[s], Error: grey[s], Final: eof.Code == 0 && !grey[s], End: "the input may end here"}
		if eof.Code != 0 {
			n.End = "at the end: " + m.Message(eof.Code)
		}
		g.Nodes = append(g.Nodes, n)
		edges := map[dfa.StateID]int{}
		for _, arc := range m.Arcs(dfa.StateID(s)) {
			e, ok := edges[arc.Next]
			if !ok {
				e = len(g.Edges)
				edges[arc.Next] = e
				g.Edges = append(g.Edges, Edge{From: s, To: int(arc.Next)})
			}
			words := arc.Words
			if len(words) > symbolsShown {
				words = append(slices.Clone(words[:symbolsShown-1]), fmt.Sprintf("… %d more", len(words)-symbolsShown+1))
			}
			g.Edges[e].Labels = append(g.Edges[e].Labels, Label{strings.Join(words, " "), emits(p, arc.Emission), kindOf(arc.Emission)})
		}
	}
	return g
}

func kindOf(e *dfa.Emission) string {
	if e.Code != 0 {
		return dfa.Error.String()
	}
	return e.Kind.String()
}

// emits is an emission in some words.
func emits(p *dfa.Program, e *dfa.Emission) string {
	text := e.Kind.String()
	switch {
	case e.Kind == dfa.Error:
		return "error: " + p.Automaton.Message(e.Code)
	case e.Kind == dfa.Data && e.Sub == dfa.ByByte:
		text += " " + dfa.FormatSymbol(e.Byte)
	case e.Kind == dfa.Data && e.Sub == dfa.ByHex:
		text += ", hexadecimal"
	case e.Kind == dfa.Data && e.Sub == dfa.ByOctal:
		text += ", octal"
	case e.Kind == dfa.Skip && e.Escape:
		text += ", of an escape"
	case e.Kind == dfa.Record && e.Code != 0:
		text = "malformed record: " + p.Automaton.Message(e.Code)
	case e.Kind == dfa.Record && e.Record == dfa.DroppedRecord:
		text = "end of a record that is dropped"
	case e.Kind == dfa.Record && e.Record >= dfa.FirstDirective:
		text = "end of a directive"
	case e.Kind == dfa.Record:
		text = "end of the record"
	case e.Kind == dfa.Field:
		text = "end of the field"
	}
	if e.Boundary() && e.Lag > 0 {
		text += fmt.Sprintf(", %d back", e.Lag)
	}
	if e.Touch {
		text += ", before it"
	}
	return text
}

// groups puts states together by the field that they read: a state belongs to the least
// field of those that a record may be in there. Where one machine reads all fields alike, all states
// are of one group; errors are the last.
func (a *Analysis) groups(g *Graph) []int {
	m := a.program.Automaton
	n := len(m.States)
	// least[s]: the fewest fields that end before s is reached in a record.
	least := fill(n, -1)
	type at struct {
		s     dfa.StateID
		field int
	}
	queue := []at{{m.Start, 0}}
	least[m.Start] = 0
	grey := m.AfterErrors()
	most := 0
	for len(queue) > 0 {
		x := queue[0]
		queue = queue[1:]
		if least[x.s] < x.field {
			continue
		}
		for group := range m.NGroups {
			i := group*n + int(x.s)
			e, next := &m.Emissions[m.Emit[i]], m.Next[i]
			field := x.field
			switch {
			case e.Kind == dfa.Error || e.Code != 0 || grey[next]:
				continue
			case e.Kind == dfa.Record:
				field = 0
			case e.Kind == dfa.Field && e.Column != dfa.NextColumn:
				field = int(e.Column) + 1
			case e.Kind == dfa.Field:
				field++
			}
			if field < n+1 && (least[next] < 0 || field < least[next]) {
				least[next] = field
				queue = append(queue, at{next, field})
				most = max(most, field)
			}
		}
	}
	names := []string{}
	of := map[int]int{}
	for f := 0; f <= most; f++ {
		if !slices.Contains(least, f) {
			continue
		}
		of[f] = len(names)
		name := fmt.Sprintf("field %d", f+1)
		if f < len(a.Fields) {
			name = a.Fields[f]
		}
		names = append(names, name)
	}
	if len(names) <= 2 { // one machine for all fields
		names = []string{"any field"}
		for k := range of {
			of[k] = 0
		}
	}
	out := make([]int, n)
	errors := -1
	for s := range out {
		if least[s] >= 0 {
			out[s] = of[least[s]]
			continue
		}
		if errors < 0 {
			errors = len(names)
			names = append(names, "after an error")
		}
		out[s] = errors
	}
	g.Groups = names
	return out
}
