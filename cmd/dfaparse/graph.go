package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/svg"
)

func newGraph(std *streams) *cobra.Command {
	var asSVG bool
	var out, column string
	cmd := &cobra.Command{
		Use:   "graph FORMAT",
		Short: "Draw the automaton of a format, for Graphviz or as SVG",
		Long: `Graph writes the automaton as a graph in the DOT language of Graphviz, or, with
--svg or -o FILE.svg, as a picture. Boxes are states, those with a double border
may end the input; arrows are symbols and what they emit: black is data, blue
control, green ends a field, orange ends a record, red is an error. A state that
only errors lead to is grey.`,
		Args:              arguments(1, 1, "one format"),
		ValidArgsFunction: completeFormat,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch ext := strings.ToLower(filepath.Ext(out)); {
			case out == "" || out == "-" || ext == ".svg":
			case ext != ".dot" && ext != ".gv":
				return usagef("%s: want a file that is .svg, or .dot or .gv", out)
			case asSVG:
				return usagef("--svg writes no %s", ext)
			}
			spec, err := findSpec(cmd.Context(), args[0], std)
			if err != nil {
				return err
			}
			a, title, err := automatonOf(spec.Program, column)
			if err != nil {
				return err
			}
			text := []byte(a.DOT())
			if asSVG || strings.EqualFold(filepath.Ext(out), ".svg") {
				if a.NStates() > drawable {
					return usagef("%s has %d states, too many to draw; write DOT, and let Graphviz try", title, a.NStates())
				}
				text = svg.Render(graphOf(a, title))
			}
			if out != "" && out != "-" {
				return writeFile(std, out, text)
			}
			_, err = std.out.Write(text)
			return err
		},
	}
	cmd.Flags().BoolVar(&asSVG, "svg", false, "as SVG")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write `FILE` (.dot, .svg)")
	cmd.Flags().StringVar(&column, "column", "", "the automaton that takes the values of column `NAME` apart (list, map, split)")
	return cmd
}

// drawable is how many states a picture may have.
const drawable = 80

// automatonOf is the automaton of a Program, or of one of its columns.
func automatonOf(p *dfa.Program, column string) (*dfa.Automaton, string, error) {
	if column == "" {
		return p.Automaton, p.Name, nil
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if c.Name != column {
			continue
		}
		title := p.Name + ", column " + column
		switch {
		case c.Split != nil:
			return c.Apart(), title, nil
		case c.Type.Lex != nil:
			return c.Type.Lex, title, nil
		}
		return nil, "", usagef("the values of column %q are not taken apart: it is neither a list nor a map, and is not split", column)
	}
	return nil, "", usagef("%s has no column %q", p.Name, column)
}

// colours of transitions, by what they emit.
var colours = map[dfa.Kind]string{
	dfa.Data: "#222222", dfa.Skip: "#3a6ea5", dfa.Field: "#1e7b34", dfa.Record: "#c76a00", dfa.Error: "#b3261e",
}

// graphOf is an automaton as a graph: one edge for all the transitions from a
// state to another.
func graphOf(a *dfa.Automaton, title string) *svg.Graph {
	g := &svg.Graph{Title: title, Start: int(a.Start)}
	grey := a.AfterErrors()
	for s, state := range a.States {
		eof := a.EOF(dfa.StateID(s))
		node := svg.Node{Name: state.Name, Lines: wrap(state.Doc, 24), Grey: grey[s], Double: eof.Code == 0 && !grey[s]}
		if eof.Code != 0 {
			node.Lines = append(node.Lines, wrap("at the end: "+a.Message(eof.Code), 24)...)
		}
		g.Nodes = append(g.Nodes, node)
		edges := map[dfa.StateID]int{}
		for _, arc := range a.Arcs(dfa.StateID(s)) {
			e, ok := edges[arc.Next]
			if !ok {
				e = len(g.Edges)
				edges[arc.Next] = e
				g.Edges = append(g.Edges, svg.Edge{From: s, To: int(arc.Next)})
			}
			g.Edges[e].Label = append(g.Edges[e].Label, svg.Line{Text: arcText(&arc), Colour: colours[arc.Emission.Kind]})
		}
	}
	return g
}

// arcText is the symbols of a transition and what it emits.
func arcText(arc *dfa.Arc) string {
	words := arc.Words
	if len(words) > 6 {
		words = append(words[:5:5], fmt.Sprintf("… %d more", len(words)-5))
	}
	return strings.Join(words, " ") + " → " + emissionText(arc.Emission)
}

// emissionText is what a transition emits, in a word or two.
func emissionText(e *dfa.Emission) string {
	text := e.Kind.String()
	switch {
	case e.Kind == dfa.Data && e.Sub == dfa.ByByte:
		text += " " + dfa.FormatSymbol(e.Byte)
	case e.Kind == dfa.Data && e.Sub == dfa.ByHex:
		text += ", hex"
	case e.Kind == dfa.Data && e.Sub == dfa.ByOctal:
		text += ", octal"
	case e.Kind == dfa.Record && e.Code != 0:
		text = "malformed record"
	case e.Kind == dfa.Record && e.Record == dfa.DroppedRecord:
		text = "record, dropped"
	case e.Kind == dfa.Record && e.Record >= dfa.FirstDirective:
		text = "directive"
	case e.Kind == dfa.Field && e.Column != dfa.NextColumn:
		text += fmt.Sprintf(" %d", e.Column+1)
	}
	if e.Lag > 0 {
		text += fmt.Sprintf(", %d back", e.Lag)
	}
	if e.Touch {
		text += " before it"
	}
	return text
}

// wrap breaks text into lines of about width symbols.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines = append(lines, line)
			line = ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
