package dfa

import (
	"fmt"
	"strings"
)

// Colours of transitions in graphs, by what they emit.
var dotColour = map[Kind]string{
	Data:   "black",
	Skip:   "steelblue",
	Field:  "darkgreen",
	Record: "darkorange",
	Error:  "firebrick",
}

// DOT is the automaton as a graph for Graphviz: a node for each state with its
// words, an edge for all the symbols with the same transition, labelled with
// them and with what they emit. Where every symbol does the same the edge says
// "any", and "other" where it has most of them. Edges are coloured by emission,
// and a state that only errors lead to is grey.
func (a *Automaton) DOT() string {
	var b strings.Builder
	b.WriteString("digraph automaton {\n\trankdir=LR\n\tnode [shape=box style=\"rounded,filled\" fillcolor=white fontname=Helvetica]\n\tedge [fontname=Helvetica fontsize=10]\n")
	b.WriteString("\tbegin [shape=point]\n")
	after := a.AfterErrors()
	for s, state := range a.States {
		more := ""
		if after[s] {
			more = " fillcolor=lightgrey"
		}
		label := state.Name + "\n" + state.Doc
		if e := a.EOF(StateID(s)); e.Kind == Record {
			label += "\nat the end: " + a.explain(e)
		}
		fmt.Fprintf(&b, "\ts%d [label=%s%s]\n", s, dotQuote(label), more)
	}
	fmt.Fprintf(&b, "\tbegin -> s%d\n", a.Start)
	for s := range a.States {
		for _, arc := range a.Arcs(StateID(s)) {
			colour := dotColour[arc.Emission.Kind]
			label := strings.Join(arc.Words, " ") + "\n" + a.explain(arc.Emission)
			fmt.Fprintf(&b, "\ts%d -> s%d [label=%s color=%s fontcolor=%s]\n", s, arc.Next, dotQuote(label), colour, colour)
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// explain is e with its error in words.
func (a *Automaton) explain(e *Emission) string {
	if e.Code == 0 {
		return e.String()
	}
	return e.String() + ": " + a.Message(e.Code)
}

// dotQuote is s as a quoted string of the DOT language, in which a backslash
// has to be doubled and a newline is \n.
func dotQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\x00", "").Replace(s) + `"`
}

// AfterErrors gives the states that no input without an error leads to.
func (a *Automaton) AfterErrors() []bool {
	n := len(a.States)
	after := make([]bool, n)
	for s := range after {
		after[s] = true
	}
	after[a.Start] = false
	for stack := []StateID{a.Start}; len(stack) > 0; {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for g := range a.NGroups {
			i := g*n + int(s)
			if t := a.Next[i]; after[t] && a.Emissions[a.Emit[i]].Kind != Error {
				after[t] = false
				stack = append(stack, t)
			}
		}
	}
	return after
}
