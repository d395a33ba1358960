package lower

import "github.com/dfaparse/dfaparse/dfa"

func pending() error { return &Fault{What: "not built yet"} }

// BuildList builds the automaton that reads one value of type List.
func BuildList(l *List) (*dfa.Automaton, error) { return nil, pending() }

// BuildMap builds the automaton that reads one value of type Map.
func BuildMap(m *Map) (*dfa.Automaton, error) { return nil, pending() }

// BuildTable builds the automaton that t writes out.
func BuildTable(t *Table) (*dfa.Automaton, error) { return nil, pending() }
