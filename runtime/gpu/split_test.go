//go:build cuda

package gpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// checkSplit splits a column of every segment of x, whose parts unwanted[k] says
// nobody asks for, and holds it against convert.Splitter.
func checkSplit(x *rows, column int, unwanted map[int]bool) (left int) {
	x.t.Helper()
	def := &x.plan.Columns[column]
	nparts := len(def.Split.Columns)
	w := slices.Index(x.shape.Wanted, column)
	program := x.putAutomaton(def.Split.Automaton)
	tokens := []byte{}
	for _, token := range def.Nulls {
		tokens = append(binary.LittleEndian.AppendUint32(tokens, uint32(len(token))), token...)
		tokens = append(tokens, make([]byte, -len(token)&3)...)
	}
	for i := range x.segments {
		b := x.deliveryOf(i, len(x.shape.Record)+5, nparts, false)
		partColumn := make([]int32, nparts)
		for k := range partColumn {
			partColumn[k] = int32(len(x.shape.Wanted) + k)
			if unwanted[k] {
				partColumn[k] = -1
			}
		}
		split := kernels.Split{
			Program: program, Column: uint32(w), NParts: uint32(nparts), PartColumn: put(&x.memory, partColumn, 0), Source: x.valueAddr,
			Tokens: put(&x.memory, tokens, 0), NTokens: uint32(len(def.Nulls)), Left: x.alloc(4 * (b.capacity/32 + 1)),
		}
		if def.Split.Strict {
			split.Strict = 1
		}
		// A split of nothing stands before it.
		none := split
		none.PartColumn, none.Left = put(&x.memory, slices.Repeat([]int32{-1}, nparts), 0), x.alloc(4*(b.capacity/32+1))
		b.Splits, b.NSplits = put(&x.memory, []kernels.Split{none, split}, 0), 2
		at := b.runPartition()
		if err := x.d.split.launch(x.d.stream, x.job, at, b.capacity, 2); err != nil {
			x.t.Fatal(err)
		}
		left += b.checkParts(w, def, &split, unwanted)
	}
	return left
}

func (b *deliveryRows) checkParts(w int, def *dfa.Column, split *kernels.Split, unwanted map[int]bool) (nleft int) {
	b.t.Helper()
	start, end := b.spans()
	left := get[uint32](&b.memory, split.Left, (b.capacity+31)/32)
	var fields convert.Fields
	for row := range b.n {
		if value, _ := b.want(w, row); value != nil {
			fields.PushDecoded(value)
		} else {
			fields.PushAbsent()
		}
	}
	parts := make([]convert.Fields, len(def.Split.Columns))
	misfits := convert.NewPlainSplitter(def).Split(&fields, parts)
	lex := def.Split.Automaton.Table()
	for row := range b.capacity {
		isLeft := left[row>>5]>>(row&31)&1 == 1
		if row >= b.n {
			if isLeft {
				b.t.Fatalf("row %d, which there is not, is left", row)
			}
			continue
		}
		want := false
		if value, ok := fields.At(row); ok {
			scattered := start[w][row]&kernels.Scattered != 0
			want = scattered || len(value) > longestSplit
			if _, misfit := slices.BinarySearch(misfits, row); misfit {
				want = want || def.Split.Strict
			} else if !slices.Contains(def.Nulls, string(value)) {
				pieces, _, _ := lex.Fields(value, nil, nil)
				for _, p := range pieces {
					want = want || p.Decoded && int(p.Column) < len(parts)
				}
			}
		}
		if isLeft != want {
			value, _ := fields.At(row)
			b.t.Fatalf("row %d, %.100q: left %v, want %v", row, value, isLeft, want)
		}
		if isLeft {
			nleft++
			continue
		}
		for k := range parts {
			if unwanted[k] {
				continue
			}
			c := len(b.shape.Wanted) + k
			want, ok := parts[k].At(row)
			if got := start[c][row] != kernels.Absent; got != ok {
				b.t.Fatalf("row %d, part %d: there %v, want %v", row, k, got, ok)
			}
			if ok && !bytes.Equal(b.value[start[c][row]:end[c][row]], want) {
				b.t.Fatalf("row %d, part %d: %q, want %q", row, k, b.value[start[c][row]:end[c][row]], want)
			}
		}
	}
	return nleft
}

func TestSplitOfRequests(t *testing.T) {
	d := openRows(t)
	for _, name := range gen.VariedFormats() {
		program, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		for column := range program.Columns {
			if program.Columns[column].Split == nil {
				continue
			}
			t.Run(name, func(t *testing.T) {
				for i, in := range rowsInputs(t, name, 100_000) {
					plan, b := formatPlan(t, name)
					x := newRows(t, d, plan, in, true, b)
					left := checkSplit(x, column, map[int]bool{i % 5: true})
					if i == 0 && left*20 > len(x.shape.Record) {
						t.Errorf("%d of %d rows are left", left, len(x.shape.Record))
					}
					x.free()
				}
			})
		}
	}
}

func TestSplitOfDrawnMachines(t *testing.T) {
	d := openRows(t)
	machines := enginetest.Machines(t)
	rapid.Check(t, func(t *rapid.T) {
		outer := machines[0].Automaton
		inner := enginetest.DrawApart(t)
		if i := rapid.IntRange(0, 2*len(machines)).Draw(t, "machine"); i < len(machines) {
			inner = machines[i]
		}
		pair := dfa.Column{Name: "pair", Split: &dfa.Split{Automaton: enginetest.Splitter(inner.Automaton), Strict: rapid.Bool().Draw(t, "strict")}}
		for k := range rapid.IntRange(0, 4).Draw(t, "parts") {
			pair.Split.Columns = append(pair.Split.Columns, dfa.Column{Name: fmt.Sprint(k)})
		}
		if rapid.Bool().Draw(t, "nulls") {
			pair.Nulls = []string{"", inner.Alphabet[:1], "aab"}
		}
		program, err := dfa.NewProgram(dfa.Definition{Name: "split", Automaton: outer, Columns: []dfa.Column{{Name: "id"}, pair}})
		if err != nil {
			t.Fatal(err)
		}
		plan := &runtime.Plan{
			Program: program, Columns: program.Columns, MaxRecord: program.MaxRecord,
			Outputs: []runtime.Output{{Column: 1, Part: 0}, {Column: 0, Part: -1}},
		}
		b := &runtime.Binding{MinFields: 1, MaxFields: 2, Truncate: true, Source: []int{0, 1}, Rest: -1}
		var in strings.Builder
		for range rapid.IntRange(0, 70).Draw(t, "rows") {
			value := strings.NewReplacer("\r", "", "\n", "n").Replace(string(enginetest.DrawInput(t, inner.Alphabet, 12)))
			if strings.ContainsAny(value, `",`) {
				value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
			}
			fmt.Fprintf(&in, "1,%s\n", value)
		}
		x := newRows(t, d, plan, []byte(in.String()), true, b)
		checkSplit(x, 1, map[int]bool{rapid.IntRange(0, 4).Draw(t, "unwanted"): true})
		x.free()
	})
}

// Values around the longest that is split, and automata around the largest that
// is read from shared memory.
func TestSplitOfLongValues(t *testing.T) {
	d := openRows(t)
	for _, states := range []int{1, 1023, 1024, 1025, 2000} {
		a := &dfa.Automaton{NGroups: 2, Emissions: []dfa.Emission{{Kind: dfa.Data}, {Kind: dfa.Field, Column: dfa.NextColumn}, {Kind: dfa.Record, Column: dfa.NextColumn}}}
		a.Group['-'] = 1
		for i := range states {
			a.States = append(a.States, dfa.State{Name: fmt.Sprint(i)})
			a.Next, a.Emit, a.AtEOF = append(a.Next, dfa.StateID((i+1)%states)), append(a.Emit, 0), append(a.AtEOF, 2)
		}
		for i := range states {
			a.Next, a.Emit = append(a.Next, dfa.StateID((i+3)%states)), append(a.Emit, 1)
		}
		pair := dfa.Column{Name: "pair", Split: &dfa.Split{Automaton: a, Columns: []dfa.Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}}}
		program, err := dfa.NewProgram(dfa.Definition{Name: "split", Automaton: enginetest.Machines(t)[0].Automaton, Columns: []dfa.Column{pair}})
		if err != nil {
			t.Fatal(err)
		}
		plan := &runtime.Plan{Program: program, Columns: program.Columns, MaxRecord: program.MaxRecord, Outputs: []runtime.Output{{Column: 0, Part: 0}}}
		b := &runtime.Binding{MinFields: 1, MaxFields: 1, Source: []int{0}, Rest: -1}
		var in strings.Builder
		for i, n := range []int{1, 7, 8, 9, longestSplit - 1, longestSplit, longestSplit + 1, 100_000} {
			in.WriteString(strings.Repeat("x", n*i/8) + "-" + strings.Repeat("y", n-1-n*i/8) + "\n")
		}
		x := newRows(t, d, plan, []byte(in.String()), true, b)
		if left := checkSplit(x, 0, nil); left != 2 {
			t.Errorf("%d values are left, want 2", left)
		}
		x.free()
	}
}
