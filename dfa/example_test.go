package dfa_test

import (
	"fmt"

	"github.com/dfaparse/dfaparse/dfa"
)

// tsv is tab-separated text: what the examples run.
func tsv() *dfa.Automaton {
	b := dfa.NewBuilder()
	begin := b.AddState("BEGIN", "at the start of a record")
	inside := b.AddState("FIELD", "inside a field")
	for _, s := range []dfa.StateID{begin, inside} {
		b.On(s, dfa.Bytes('\t'), inside, dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn})
		b.On(s, dfa.Bytes('\n'), begin, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn})
		b.Otherwise(s, inside, dfa.Emission{Kind: dfa.Data})
	}
	b.EOF(begin, dfa.Emission{Kind: dfa.Skip})
	b.EOF(inside, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn})
	a, err := b.Build()
	if err != nil {
		panic(err)
	}
	return a
}

func ExampleAutomaton_Walk() {
	a := tsv()
	a.Walk([]byte("id\tname\n1\tAda\n"), a.Start, func(r *dfa.RawRecord) bool {
		for _, f := range r.Fields {
			fmt.Printf("column %d, offset %d: %s\n", f.Column, f.Start, f.Value)
		}
		return true
	})
	// Output:
	// column 0, offset 0: id
	// column 1, offset 3: name
	// column 0, offset 8: 1
	// column 1, offset 10: Ada
}

func ExampleAutomaton_Dump() {
	fmt.Print(tsv().Dump())
	// Output:
	// automaton: 2 states, 3 groups, 4 emissions, begins in BEGIN
	//   groups
	//     0  '\t'
	//     1  '\n'
	//     2  all but '\t' '\n'
	//   states
	//     BEGIN  at the start of a record
	//         '\t'   FIELD  field
	//         '\n'   BEGIN  record
	//         other  FIELD  data
	//         end           skip
	//     FIELD  inside a field
	//         '\t'   FIELD  field
	//         '\n'   BEGIN  record
	//         other  FIELD  data
	//         end           record
}

func ExampleAnalyse() {
	r := dfa.Analyse(tsv())
	fmt.Println(r.Path(), r.Choices()[0].Reason)
	// Output:
	// local a symbol of group 1 ends a record in every state
}

func ExampleTable_Fields() {
	value := []byte("left\tright")
	pieces, decoded, _ := tsv().Table().Fields(value, nil, nil)
	for _, p := range pieces {
		fmt.Printf("%d %s\n", p.Column, p.Of(value, decoded))
	}
	// Output:
	// 0 left
	// 1 right
}

// Two chunks are read without knowing where the first one leaves off; their
// vectors then say which state each began in.
func ExampleCompose() {
	a := tsv()
	first, second := a.Vector([]byte("1\tA")), a.Vector([]byte("da\n2"))
	both := make(dfa.STV, a.NStates())
	dfa.Compose(both, first, second)
	fmt.Println("the second chunk begins", a.States[first[a.Start]].Doc)
	fmt.Println("and ends", a.States[both[a.Start]].Doc)
	// Output:
	// the second chunk begins inside a field
	// and ends inside a field
}
