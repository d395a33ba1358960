package lower

import "github.com/dfaparse/dfaparse/dfa"

func pending() error { return &Fault{What: "not built yet"} }

// BuildRecord builds the automaton of r and says where its columns are.
func BuildRecord(r *Record) (*RecordShape, error) { return nil, pending() }

// BuildSplit builds the automaton that takes one whole value apart, line ends
// included, and names its columns, which are explicit in its emissions.
func BuildSplit(parts []Part) (*dfa.Automaton, []string, error) { return nil, nil, pending() }

// BuildList builds the automaton that reads one value of type List.
func BuildList(l *List) (*dfa.Automaton, error) { return nil, pending() }

// BuildMap builds the automaton that reads one value of type Map.
func BuildMap(m *Map) (*dfa.Automaton, error) { return nil, pending() }

// BuildTable builds the automaton that t writes out.
func BuildTable(t *Table) (*dfa.Automaton, error) { return nil, pending() }
