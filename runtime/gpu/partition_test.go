//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// drawRowsPlan draws columns of strings and how records are bound to them.
func drawRowsPlan(t *rapid.T, m enginetest.Machine, fixed bool) (*runtime.Plan, *runtime.Binding) {
	pick := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	odds := func(n int, what string) bool { return pick(n-1, what) == 0 }
	var columns []dfa.Column
	for i := range 1 + pick(3, "columns") {
		c := dfa.Column{Name: fmt.Sprintf("c%d", i), Trim: odds(3, "trim")}
		if odds(4, "null token") {
			c.Nulls = []string{"a", "1"}
		}
		if odds(3, "default") {
			c.Default, c.HasDefault = "some default", true
		}
		if odds(5, "class") {
			c.Class = uint8(pick(2, "class"))
		}
		columns = append(columns, c)
	}
	plan, binding := enginetest.DrawPlan(t, m, columns, "", fixed)
	plan.UTF8 = dfa.KeepUTF8
	bindings := []*runtime.Binding{binding(), binding(), nil}
	plan.Bind = func(kind dfa.RecordKind, raw []byte) (*runtime.Binding, error) { return bindings[len(raw)%3], nil }
	return plan, binding()
}

// ofMachines tries what is drawn of each machine, and of those that are drawn; fixed: fields have widths.
func ofMachines(t *testing.T, try func(t *rapid.T, m enginetest.Machine, fixed bool)) {
	for _, m := range enginetest.Machines(t) {
		t.Run(m.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { try(t, m, m.Name == "text") })
		})
	}
	t.Run("drawn", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) { try(t, enginetest.DrawApart(t), false) })
	})
}

// checkPartition runs the stage over every segment and holds it against the
// reference's shape.
func checkPartition(x *rows, slack int) {
	x.t.Helper()
	malformed := 0
	bad := map[int]bool{}
	for _, p := range x.shape.Problems {
		bad[p.Row] = true
	}
	for i := range x.segments {
		b := x.deliveryOf(i, len(x.shape.Record)+slack, 0, true)
		b.runPartition()
		start, end := b.spans()
		bits := get[uint32](&x.memory, b.Malformed, (b.capacity+31)/32)
		for row := range b.capacity {
			want := row < b.n && bad[b.from+row]
			if got := bits[row>>5]>>(row&31)&1 == 1; got != want {
				x.t.Fatalf("segment %d, row %d: malformed %v, want %v", i, row, got, want)
			}
			if want {
				malformed++
			}
		}
		for w := range x.shape.Wanted {
			for row := range b.n {
				want, raw := b.want(w, row)
				if got := start[w][row] != kernels.Absent; got != (want != nil) {
					x.t.Fatalf("segment %d, row %d, column %d: there %v, want %v", i, row, w, got, want != nil)
				}
				if want != nil {
					b.checkSpan(w, row, start[w][row], end[w][row], want, raw)
				}
			}
		}
		begins := get[uint32](&x.memory, b.RecordStart, b.n+1)
		for row := range b.n {
			if want := x.ix.Records.Start[x.shape.Record[b.from+row]]; int(begins[row]) != want {
				x.t.Fatalf("segment %d, row %d begins at %d, want %d", i, row, begins[row], want)
			}
		}
		if b.n > 0 {
			if want := x.ix.Next(x.plan.Program.Automaton, x.shape.Record[b.from+b.n-1]); int(begins[b.n]) != want {
				x.t.Fatalf("segment %d: after the last row begins %d, want %d", i, begins[b.n], want)
			}
		}
	}
	counts := get[kernels.Counts](&x.memory, x.counts, 1)[0]
	if int(counts.Malformed) != malformed {
		x.t.Fatalf("%d rows are malformed, want %d", counts.Malformed, malformed)
	}
	a, n := x.plan.Program.Automaton, x.ix.Records.Len()
	consumed := 0
	if n > 0 {
		consumed = x.ix.Next(a, n-1)
	}
	if int(counts.Consumed) != consumed || dfa.StateID(counts.Resume) != x.ix.Begin(a, n) {
		x.t.Fatalf("consumed %d and resumes in %d, want %d, %d", counts.Consumed, counts.Resume, consumed, x.ix.Begin(a, n))
	}
}

// checkSpan holds one span against the value that it is to be. It is scattered
// only if its data symbols are, and has nothing else at its ends.
func (b *deliveryRows) checkSpan(w, row int, start, end uint32, want []byte, raw bool) {
	b.t.Helper()
	from := start &^ kernels.Scattered
	if from > end || int(end) > len(b.data) {
		b.t.Fatalf("row %d, column %d: span %d-%d of %d", row, w, from, end, len(b.data))
	}
	got := b.read(start, end, raw)
	if !bytes.Equal(got, want) {
		b.t.Fatalf("row %d, column %d: %.100q, want %.100q", row, w, got, want)
	}
	scattered := start&kernels.Scattered != 0
	if !raw && scattered != (len(want) != int(end-from)) || raw && scattered {
		b.t.Fatalf("row %d, column %d: span %d-%d of %d data symbols, scattered %v", row, w, from, end, len(want), scattered)
	}
	if scattered && !(b.isData[from] && b.isData[end-1]) {
		b.t.Fatalf("row %d, column %d: span %d-%d begins or ends with control", row, w, from, end)
	}
}

// rowsInputs are inputs of real formats: generated, damaged, and hostile.
func rowsInputs(t *testing.T, name string, size int64) [][]byte {
	t.Helper()
	kind := map[string]string{"apache_combined": "combined", "apache_common": "combined", "nginx": "combined", "csv": "yelp", "csv_lax": "torture"}[name]
	if kind == "" {
		kind = name
	}
	var made bytes.Buffer
	if err := gen.Write(&made, kind, size, 7); err != nil {
		made.Reset()
		made.WriteString(strings.Repeat("2026-11-21 a=1 b=\"c d\" 4,5\t6|7 # x\n", int(size)/38))
	}
	whole := made.Bytes()
	damaged := bytes.Clone(whole)
	for i := 17; i < len(damaged); i += 997 {
		damaged[i] = "\"\n,\\ \t\r#\x00\xff"[i/997%10]
	}
	crlf := bytes.ReplaceAll(whole[:min(len(whole), 20000)], []byte("\n"), []byte("\r\n"))
	return [][]byte{whole, damaged, crlf, {}, []byte("\n"), []byte("\"\"\n\"a\"\"b\"\n"), bytes.Repeat([]byte{','}, 300), bytes.Repeat([]byte("\n"), 300)}
}

// formatPlan is a plan over a format whose columns are strings, by position.
func formatPlan(t *testing.T, name string) (*runtime.Plan, *runtime.Binding) {
	t.Helper()
	program, err := gen.Program(name)
	if err != nil {
		t.Fatal(err)
	}
	if len(program.Cells) > 0 {
		t.Skip("binary records are not found by their automaton")
	}
	columns := append([]dfa.Column(nil), program.Columns...)
	for len(columns) < 3 {
		columns = append(columns, dfa.Column{Name: fmt.Sprintf("c%d", len(columns))})
	}
	b := &runtime.Binding{MinFields: len(columns), MaxFields: len(columns), Rest: -1}
	plan := &runtime.Plan{Program: program, Columns: columns, MaxRecord: program.MaxRecord, UTF8: dfa.KeepUTF8}
	for i := range columns {
		columns[i].Type, columns[i].HasDefault = dfa.Type{}, false
		b.Source = append(b.Source, i)
		plan.Outputs = append(plan.Outputs, runtime.Output{Column: i, Part: -1})
	}
	if program.HasRest {
		b.Rest = len(columns) - 1
		b.MinFields = b.Rest
	}
	if len(program.Columns) < 3 { // the file names them
		b.MinFields = 1
	}
	return plan, b
}

func TestPartitionOfFormats(t *testing.T) {
	d := openRows(t)
	for _, name := range gen.VariedFormats() {
		t.Run(name, func(t *testing.T) {
			plan, b := formatPlan(t, name)
			for _, in := range rowsInputs(t, name, 150_000) {
				for _, final := range []bool{false, true} {
					x := newRows(t, d, plan, in, final, b)
					checkPartition(x, 33)
					x.free()
				}
			}
		})
	}
}

func TestPartitionOfDrawnMachines(t *testing.T) {
	d := openRows(t)
	try := func(t *rapid.T, m enginetest.Machine, fixed bool) {
		plan, b := drawRowsPlan(t, m, fixed)
		in := enginetest.DrawInput(t, m.Alphabet, 300)
		x := newRows(t, d, plan, in, rapid.Bool().Draw(t, "final"), b)
		checkPartition(x, rapid.IntRange(0, 70).Draw(t, "slack"))
		x.free()
	}
	ofMachines(t, try)
}

// Text of the symbols that formats know something about, in any order.
func TestPartitionOfHostileText(t *testing.T) {
	d := openRows(t)
	for _, name := range gen.VariedFormats() {
		t.Run(name, func(t *testing.T) {
			plan, b := formatPlan(t, name)
			b.MinFields, b.Truncate = 1, true
			rapid.Check(t, func(t *rapid.T) {
				alphabet := rapid.SampledFrom([]string{"a,\"\\\r\n", "an\t\\\n", "a \"\\[]\n", "a|\n", "a=\" \\\n", "1,2\n"}).Draw(t, "alphabet")
				x := newRows(t, d, plan, enginetest.DrawInput(t, alphabet, 400), true, b)
				checkPartition(x, 0)
				x.free()
			})
		})
	}
}

// escapedPlan has records of up to three fields, in which a backslash is control
// and what follows it is data.
func escapedPlan(t *testing.T) (*runtime.Plan, *runtime.Binding) {
	t.Helper()
	m := dfa.NewBuilder()
	text, escaped := m.AddState("TEXT", "in a field"), m.AddState("ESC", "after a backslash")
	field, record := dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn}, dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}
	m.On(text, dfa.Bytes('\\'), escaped, dfa.Emission{Kind: dfa.Skip})
	m.On(text, dfa.Bytes(','), text, field)
	m.On(text, dfa.Bytes('\n'), text, record)
	m.Otherwise(text, text, dfa.Emission{Kind: dfa.Data})
	m.Otherwise(escaped, text, dfa.Emission{Kind: dfa.Data})
	m.EOF(text, record)
	m.EOF(escaped, record)
	a, err := m.Build()
	if err != nil {
		t.Fatal(err)
	}
	columns := []dfa.Column{{Name: "a"}, {Name: "b"}, {Name: "c"}}
	program, err := dfa.NewProgram(dfa.Definition{Name: "escaped", Automaton: a, Columns: columns})
	if err != nil {
		t.Fatal(err)
	}
	return &runtime.Plan{
		Program: program, Columns: columns, MaxRecord: program.MaxRecord, UTF8: dfa.KeepUTF8,
		Outputs: []runtime.Output{{Column: 0, Part: -1}, {Column: 1, Part: -1}, {Column: 2, Part: -1}},
	}, &runtime.Binding{MaxFields: 3, Truncate: true, Rest: -1, Source: []int{0, 1, 2}}
}

// Of control there may be one symbol in a record, anywhere.
func TestPartitionOfEscapes(t *testing.T) {
	d := openRows(t)
	plan, b := escapedPlan(t)
	rapid.Check(t, func(t *rapid.T) {
		x := newRows(t, d, plan, enginetest.DrawInput(t, "aaa,,\\\n\n", 300), rapid.Bool().Draw(t, "final"), b)
		checkPartition(x, 0)
		x.free()
	})
}

// Fields longer than a window of is_data, with control at their ends, in the
// middle, and nothing else.
func TestPartitionOfLongFields(t *testing.T) {
	d := openRows(t)
	plan, b := formatPlan(t, "csv")
	b.Truncate = true
	for _, n := range []int{62, 63, 64, 65, 66, 127, 128, 129, 1000, 3 << 20} {
		long := strings.Repeat("x", n)
		var in strings.Builder
		for _, field := range []string{
			long, `"` + long + `"`, `"` + long + `""y"`, `"""` + long + `"`, `"` + long + `"""`, `"` + strings.Repeat(`""`, n) + `"`,
			`"` + strings.Repeat("\n", n) + `"`, `"` + long[:n/2] + `""` + long + `"`,
		} {
			for shift := range 3 {
				fmt.Fprintf(&in, "%s,%s,%s\n", "abc"[:shift], field, "z")
				if n > 1000 {
					break
				}
			}
		}
		x := newRows(t, d, plan, []byte(in.String()), true, b)
		checkPartition(x, 0)
		x.free()
	}
}

// Rows around a warp, a block, and more than the grid has threads.
func TestPartitionOfManyRows(t *testing.T) {
	d := openRows(t)
	plan, b := formatPlan(t, "csv")
	for _, n := range []int{1, 31, 32, 33, 255, 256, 257, 5000, 40_000} {
		var in strings.Builder
		for i := range n {
			if i%7 == 3 {
				fmt.Fprintf(&in, "\"%d\",\r\n", i)
			} else {
				fmt.Fprintf(&in, "%d,b,\"c\"\"%d\"\n", i, i)
			}
		}
		x := newRows(t, d, plan, []byte(in.String()), true, b)
		checkPartition(x, n%3)
		x.free()
	}
}

// A delivery takes no more rows than its memory holds.
func TestPartitionKeepsToItsCapacity(t *testing.T) {
	d := openRows(t)
	plan, b := formatPlan(t, "csv")
	x := newRows(t, d, plan, []byte(strings.Repeat("a,b,c\n", 100)), true, b)
	defer x.free()
	delivery := x.deliveryOf(0, 37, 0, true)
	delivery.runPartition()
	start, end := delivery.spans()
	for row := range delivery.n {
		if start[1][row] != uint32(6*row+2) || end[1][row] != uint32(6*row+3) {
			t.Fatalf("row %d: %d-%d", row, start[1][row], end[1][row])
		}
	}
}
