package enginetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// read hands in to the engine, cut into partitions of the sizes given, over and
// over, the carry-over put before each, and with batches for the rows, if any.
func read(t *rapid.T, engine runtime.Engine, plan *runtime.Plan, in []byte, b *runtime.Binding, cfg runtime.Config, sizes []int, batches *batches) outcome {
	t.Helper()
	parser, err := engine.Open(plan, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer parser.Close()
	a := plan.Program.Automaton
	out := outcome{Refused: -1}
	p := runtime.Partition{State: a.Start, Binding: b, LineEnds: true}
	from, to := 0, 0
	var fork runtime.Parser // reads what ends where a record does, and sees so much more as shows that
	if f, ok := parser.(runtime.Forker); ok && rapid.Bool().Draw(t, "ahead") {
		if fork, err = f.Fork(1); err != nil {
			t.Fatal(err)
		}
		defer fork.Close()
	}
	for i := 0; !p.Final; i++ {
		to = min(to+sizes[i%len(sizes)], len(in))
		p.Data, p.Final, p.Ahead, p.Batches = bytes.Clone(in[from:to]), to == len(in), 0, batches.begin()
		reader := parser
		if own, seen := wholeRecords(a, p.Data, p.State); fork != nil && own > 0 {
			reader, p.Data, p.Ahead, p.Final = fork, p.Data[:seen], seen-own, false
		}
		result, err := reader.Parse(context.Background(), &p)
		if err != nil {
			t.Fatal(err)
		}
		if reader == fork && result.Consumed != p.Own() && result.Err == nil {
			t.Fatalf("consumed %d of %d bytes, with %d ahead", result.Consumed, p.Own(), p.Ahead)
		}
		if plan.Drops != nil && rapid.Bool().Draw(t, "brief") {
			checkBrief(t, engine, plan, cfg, p, result)
		}
		for _, rows := range result.Rows {
			checkGone(t, plan, &rows)
			for _, problem := range rows.Problems {
				checkBegin(t, a, p.Data, problem)
			}
		}
		checkLineEnds(t, p.Data, result.LineEnds)
		out.append(result, from)
		if n := result.Extents.Bytes(); n != int64(result.Consumed) {
			t.Fatalf("%+v are the extents of %d bytes consumed", result.Extents, result.Consumed)
		}
		if result.Err != nil {
			out.Refused = from + result.Err.Offset
			if result.Consumed != result.Err.Offset {
				t.Fatalf("consumed %d, refused the directive at %d", result.Consumed, result.Err.Offset)
			}
			return out
		}
		p.State, p.Binding = result.State, result.Binding
		from += result.Consumed
	}
	if from != len(in) {
		t.Fatalf("%d bytes of %d consumed", from, len(in))
	}
	return out
}

// wholeRecords is how much of data is whole records, and how much of it has to be seen for that.
func wholeRecords(a *dfa.Automaton, data []byte, state dfa.StateID) (own, seen int) {
	for q, symbol := range data {
		next, e := a.Step(state, symbol)
		if state = next; e.Kind == dfa.Record {
			own, seen = e.After(q), q+1
		}
	}
	return own, seen
}

// checkGone holds the rows that are not in the columns against what the plan drops.
func checkGone(t *rapid.T, plan *runtime.Plan, rows *runtime.Rows) {
	t.Helper()
	var drops []int
	for i := range rows.Problems {
		if p := &rows.Problems[i]; plan.Drops != nil && plan.Drops(p) {
			drops = append(drops, p.Row)
		}
	}
	if drops = slices.Compact(drops); rows.Gone.Len() > 0 && !slices.Equal(slices.Collect(rows.Gone.All()), drops) {
		t.Fatalf("rows %d are gone, the plan drops %d", slices.Collect(rows.Gone.All()), drops)
	}
	for i, c := range rows.Columns {
		if c.Len < rows.From+rows.N-rows.Gone.Len() {
			t.Fatalf("column %d has %d rows, from number %d on %d, of which %d are gone", i, c.Len, rows.From, rows.N, rows.Gone.Len())
		}
	}
}

// checkBrief holds what an engine gives of a partition with Size against what it gives without.
func checkBrief(t *rapid.T, engine runtime.Engine, plan *runtime.Plan, cfg runtime.Config, p runtime.Partition, want *runtime.Result) {
	t.Helper()
	if cfg.Threads = rapid.IntRange(1, 2).Draw(t, "brief threads"); cfg.Threads > 1 && p.Ahead > 0 {
		return // such are for forks
	}
	parser, err := engine.Open(plan, cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer parser.Close()
	sizeOf := func(start, end int) runtime.Left {
		return runtime.Left{Records: 1, Bytes: int64(end), Lines: int64(start)} // so that it is known which they are
	}
	p.Told = rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "told")
	p.Size = func(of *runtime.Partition, start, end, next int, begin dfa.StateID) (nbytes, nlines int64) {
		if len(of.Data) != len(p.Data) {
			t.Fatalf("the size of a record of %d bytes is asked for", len(of.Data))
		}
		checkBegin(t, plan.Program.Automaton, of.Data, runtime.Problem{Start: start, End: end, Begin: begin})
		plan.Program.Automaton.Walk(of.Data[start:], begin, func(rec *dfa.RawRecord) bool {
			if next > 0 && start+rec.Next != next {
				t.Fatalf("behind the record from %d on the next begins at %d, not %d", start, start+rec.Next, next)
			}
			return false
		})
		l := sizeOf(start, end)
		return l.Bytes, l.Lines
	}
	p.Batches = drawBatches(t, plan).begin()
	result, err := parser.Parse(context.Background(), &p)
	if err != nil {
		t.Fatal(err)
	}
	if result.Consumed != want.Consumed || result.State != want.State || result.Extents != want.Extents {
		t.Fatalf("consumed %d and %+v, in state %d; without Size %d and %+v, %d", result.Consumed, result.Extents, result.State, want.Consumed, want.Extents, want.State)
	}
	brief, all := outcome{Refused: -1}, outcome{Refused: -1}
	brief.append(result, 0)
	all.append(want, 0)
	var left, drops runtime.Left
	gone := map[int]bool{}
	row := 0
	for _, rows := range result.Rows {
		left.Add(&rows.Left)
		for at := range rows.Gone.All() {
			gone[row+at] = true
		}
		if n := rows.Gone.Len(); int64(n) < rows.Left.Records {
			t.Fatalf("%d records are left of %d that are gone", rows.Left.Records, n)
		}
		row += rows.N
	}
	told := map[int]bool{}
	for i := range brief.Problems {
		told[brief.Problems[i].Row] = true
	}
	var problems []runtime.Problem
	last := -1
	for i := range all.Problems {
		pr := &all.Problems[i]
		if told[pr.Row] || !gone[pr.Row] {
			problems = append(problems, *pr)
		} else if last != pr.Row {
			last = pr.Row
			l := sizeOf(pr.Start, pr.End)
			drops.Add(&l)
		}
	}
	if left != drops {
		t.Fatalf("%+v are left, want %+v", left, drops)
	}
	if len(told) < min(p.Told, len(gone)) {
		t.Fatalf("%d records with problems, %d are asked about and %d gone", len(told), p.Told, len(gone))
	}
	if all.Problems = problems; len(problems) == 0 {
		all.Problems = nil
	}
	if diff := brief.differsFrom(all); diff != "" {
		t.Fatalf("with Size, told %d of %d: %s", p.Told, len(gone), diff)
	}
}

// checkBegin holds a problem's context against what it is for: reading its
// record again.
func checkBegin(t *rapid.T, a *dfa.Automaton, data []byte, p runtime.Problem) {
	t.Helper()
	if int(p.Begin) >= a.NStates() {
		t.Fatalf("context %d of %d states", p.Begin, a.NStates())
	}
	a.Walk(data[p.Start:], p.Begin, func(rec *dfa.RawRecord) bool {
		if rec.End != p.End-p.Start {
			t.Fatalf("%q, read again from state %d, ends at %d, want %d", data[p.Start:], p.Begin, rec.End, p.End-p.Start)
		}
		return false
	})
}

var errRefused = errors.New("refused")

// drawPlan draws a plan over a machine, and the first binding.
func drawPlan(t *rapid.T, m Machine, fixed bool) (*runtime.Plan, *runtime.Binding) {
	pick := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	odds := func(n int, what string) bool { return pick(n-1, what) == 0 }
	var columns []dfa.Column
	for i := range 1 + pick(3, "columns") {
		c := dfa.Column{Name: fmt.Sprintf("c%d", i), Required: odds(5, "required")}
		if odds(3, "integer") {
			c.Type.Kind = dfa.Int64
		}
		if odds(4, "null token") {
			c.Nulls = [][]string{{"a"}, {"\\n", "Z"}, {"\\x4D", "ab"}, {"", "b", `b"b`}}[pick(3, "which")]
		}
		if c.Type.Kind != dfa.Int64 && odds(6, "empty token") {
			c.Empties = []string{"bb"}
		}
		if odds(6, "decoded null token") {
			c.DecodedNulls = []string{"\n", "Z"}
		}
		c.Trim = odds(6, "trim")
		if odds(6, "default") {
			c.Default, c.HasDefault = "7", true
		}
		if odds(6, "class") {
			c.Class = uint8(pick(2, "class"))
		}
		columns = append(columns, c)
	}
	var openers string
	if odds(3, "tokens only in fields that nothing encloses") {
		openers = []string{`"`, `"[`}[pick(1, "by which symbols")]
	}
	plan, binding := DrawPlan(t, m, columns, openers, fixed)
	switch pick(3, "drops") {
	case 0:
		plan.Drops = func(p *runtime.Problem) bool { return p.Output < 0 }
	case 1:
		plan.Drops = func(p *runtime.Problem) bool { return p.Output != 1 }
	}
	bindings := []*runtime.Binding{binding(), binding(), nil}
	refuse := odds(4, "refuse")
	plan.Bind = func(kind dfa.RecordKind, raw []byte) (*runtime.Binding, error) {
		if kind != dfa.FirstDirective {
			t.Fatalf("a directive of kind %d", kind)
		}
		if refuse && len(raw)%3 == 1 {
			return nil, errRefused
		}
		return bindings[len(raw)%len(bindings)], nil
	}
	return plan, binding()
}

// DrawPlan draws a plan of columns over a machine, without its Bind, and gives what draws bindings
// of them. openers are those of dfa.Definition; fixed: fields have widths.
func DrawPlan(t *rapid.T, m Machine, columns []dfa.Column, openers string, fixed bool) (plan *runtime.Plan, binding func() *runtime.Binding) {
	pick := func(most int, what string) int { return rapid.IntRange(0, most).Draw(t, what) }
	odds := func(n int, what string) bool { return pick(n-1, what) == 0 }
	d := dfa.Definition{Name: "test", Automaton: m.Automaton, Columns: columns, Classes: []string{"any", "one", "two"}, Directives: []dfa.Directive{{Action: dfa.SchemaDirective}}, Openers: openers}
	if fixed {
		for range columns {
			d.Widths = append(d.Widths, 1+pick(4, "width"))
		}
	}
	program, err := dfa.NewProgram(d)
	if err != nil {
		t.Fatal(err)
	}
	binding = func() *runtime.Binding {
		b := &runtime.Binding{MaxFields: len(columns) + pick(1, "more fields"), Rest: -1, Truncate: odds(2, "truncate")}
		b.MinFields = pick(b.MaxFields, "least fields")
		if !fixed && odds(3, "rest") {
			b.Rest = b.MaxFields - 1
			b.MinFields = min(b.MinFields, b.Rest)
		}
		if fixed {
			b.MaxFields, b.MinFields = len(columns), min(b.MinFields, len(columns))
		}
		fields := make([]int, b.MaxFields)
		for i := range fields {
			fields[i] = i
		}
		b.Source = rapid.Permutation(fields).Draw(t, "sources")[:len(columns)]
		for i := range b.Source {
			if odds(5, "no source") {
				b.Source[i] = -1
			}
		}
		return b
	}
	plan = &runtime.Plan{Program: program, Columns: columns, MaxRecord: dfa.DefaultMaxRecord}
	if odds(3, "short records") {
		plan.MaxRecord = 1 + pick(12, "longest record")
	}
	for range pick(4, "outputs") {
		plan.Outputs = append(plan.Outputs, runtime.Output{Column: pick(len(columns)-1, "output"), Part: -1})
	}
	return plan, binding
}

// check holds an engine against the oracle, on a plan and an input drawn for m.
func check(t *rapid.T, engine runtime.Engine, m Machine, fixed, cut bool) {
	t.Helper()
	plan, b := drawPlan(t, m, fixed)
	in := DrawInput(t, m.Alphabet, 120)
	// What engines read in another way while nothing is out of the ordinary.
	switch rapid.IntRange(0, 3).Draw(t, "lines before") {
	case 0:
		line := append(DrawInput(t, m.Alphabet, 12), m.Alphabet[len(m.Alphabet)-1])
		in = append(bytes.Repeat(line, rapid.IntRange(1, 400/len(line)).Draw(t, "times")), in...)
	case 1, 2:
		in = append(drawLines(t, m, b.MaxFields+rapid.SampledFrom([]int{0, 0, 0, 1}).Draw(t, "more words")), in...)
	}
	want := expect(plan, in, b)
	for _, chunk := range append(Chunks, max(len(in), 1)) {
		cfg := runtime.Config{Chunk: chunk, Threads: 1 + chunk%3}
		sizes := []int{max(len(in), 1)}
		if cut {
			sizes = rapid.SliceOfN(rapid.IntRange(1, 40), 1, 8).Draw(t, "partitions")
		}
		batches := drawBatches(t, plan)
		if diff := read(t, engine, plan, in, b, cfg, sizes, batches).differsFrom(want); diff != "" {
			t.Fatalf("%s, input %q, chunk %d, partitions of %d, batches %+v: %s", m.Name, in, chunk, sizes, batches, diff)
		}
	}
}

// drawLines draws lines of n words each, of few different ones.
func drawLines(t *rapid.T, m Machine, n int) (lines []byte) {
	if len(m.Words) == 0 {
		return nil
	}
	words := rapid.SliceOfN(rapid.SampledFrom(m.Words), 1, 5).Draw(t, "words")
	run := func(least int) {
		if m.Runs != "" {
			lines = append(lines, rapid.SliceOfN(rapid.SampledFrom([]byte(m.Runs)), least, 3).Draw(t, "run")...)
		}
	}
	starts, stops := rapid.IntRange(0, 3).Draw(t, "lines start with runs") == 0, rapid.IntRange(0, 3).Draw(t, "and stop") == 0
	ends := rapid.SampledFrom([]string{"\n", "\n", "\r\n"})
	end := ends.Draw(t, "line ends")
	for range rapid.IntRange(1, 40).Draw(t, "lines") {
		if starts {
			run(0)
		}
		for i := range n {
			switch {
			case i > 0 && m.Runs != "":
				run(1)
			case i > 0:
				lines = append(lines, ',')
			}
			lines = append(lines, rapid.SampledFrom(words).Draw(t, "word")...)
		}
		if stops {
			run(0)
		}
		if rapid.IntRange(0, 15).Draw(t, "another line end") == 0 {
			end = ends.Draw(t, "line ends")
		}
		lines = append(lines, end...)
	}
	return lines
}

// checkDamaged is check where records that are left out come soon behind others, in whole partitions: of a plan that drops
// all that are malformed.
func checkDamaged(t *rapid.T, engine runtime.Engine, m Machine) {
	t.Helper()
	plan, b := drawPlan(t, m, false)
	plan.Drops = func(p *runtime.Problem) bool { return p.Output < 0 }
	if b.Rest < 0 && rapid.Bool().Draw(t, "all fields") {
		b.MinFields = b.MaxFields
	}
	if rapid.IntRange(0, 3).Draw(t, "long records") > 0 {
		plan.MaxRecord = dfa.DefaultMaxRecord
	}
	in := append(drawDamaged(t, m, b.MaxFields), DrawInput(t, m.Alphabet, 20)...)
	want := expect(plan, in, b)
	for _, chunk := range []int{700, len(in) + 1} {
		cfg, sizes := runtime.Config{Chunk: chunk, Threads: 1 + chunk%2}, []int{len(in) + 1}
		if diff := read(t, engine, plan, in, b, cfg, sizes, drawBatches(t, plan)).differsFrom(want); diff != "" {
			t.Fatalf("%s, input %q, chunk %d: %s", m.Name, in, chunk, diff)
		}
	}
}

// drawDamaged draws lines of n words each, of which some are damaged: more than engines look up at once.
func drawDamaged(t *rapid.T, m Machine, n int) []byte {
	lines := drawLines(t, m, n)
	lines = bytes.Repeat(lines, 1+rapid.SampledFrom([]int{700, 1400, 5000}).Draw(t, "symbols")/len(lines))
	for range rapid.IntRange(2, 20).Draw(t, "damaged") {
		at := rapid.IntRange(0, len(lines)-1).Draw(t, "at")
		lines[at] = rapid.SampledFrom([]byte(m.Alphabet)).Draw(t, "by")
	}
	return lines
}

// Chunks are the chunk sizes that everything is tried with, in bytes.
var Chunks = []int{1, 2, 3, 31, 32, 33, 64, 65}

// Run holds an engine against what runtime says that engines do: for automata
// made by hand and drawn at random, for records by position, by name, of fixed
// width and with a rest, for any chunk size, for any split of the input
// into partitions, and for batches of any number of rows from one up.
func Run(t *testing.T, engine runtime.Engine) {
	t.Run("parts", func(t *testing.T) { parts(t, engine) })
	t.Run("replaced", func(t *testing.T) { replaced(t, engine) })
	t.Run("empty", func(t *testing.T) { empty(t, engine) })
	for _, m := range Machines(t) {
		for _, cut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/cut=%v", m.Name, cut), func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) { check(t, engine, m, m.Name == "text", cut) })
			})
		}
	}
	t.Run("delimited", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			check(t, engine, DrawDelimited(t), false, rapid.Bool().Draw(t, "cut"))
		})
	})
	t.Run("damaged", func(t *testing.T) {
		csv := Machines(t)[0]
		rapid.Check(t, func(t *rapid.T) {
			m := csv
			if rapid.Bool().Draw(t, "another machine") {
				m = DrawDelimited(t)
			}
			checkDamaged(t, engine, m)
		})
	})
	t.Run("runs", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			check(t, engine, drawRuns(t), false, rapid.Bool().Draw(t, "cut"))
		})
	})
	t.Run("placed", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			check(t, engine, drawPlaced(t), false, rapid.Bool().Draw(t, "cut"))
		})
	})
	t.Run("ended", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			check(t, engine, DrawEnded(t), false, rapid.Bool().Draw(t, "cut"))
		})
	})
	t.Run("counted", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			check(t, engine, drawCounted(t), false, rapid.Bool().Draw(t, "cut"))
		})
	})
	t.Run("random", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			check(t, engine, DrawAutomaton(t, true), false, rapid.Bool().Draw(t, "cut"))
		})
	})
}

// checkLineEnds: where an engine says how many lines end, so many do.
func checkLineEnds(t *rapid.T, data []byte, all []runtime.LineEnds) {
	before := 0
	for _, k := range all {
		if k.From < before || k.To > len(data) || len(k.N) != (k.To-k.From+k.Piece-1)/k.Piece {
			t.Fatalf("line ends of [%d:%d] of %d bytes behind %d, in %d pieces of %d", k.From, k.To, len(data), before, len(k.N), k.Piece)
		}
		before = k.To
		for i, n := range k.N {
			from := k.From + i*k.Piece
			if want := bytes.Count(data[from:min(from+k.Piece, k.To)], []byte("\n")); int(n) != want {
				t.Fatalf("%d line ends from offset %d on, want %d", n, from, want)
			}
		}
	}
}
