package cpu

import (
	"bytes"
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestJoinedLines: records with stack traces are read side by side, all but a few.
func TestJoinedLines(t *testing.T) {
	program, err := gen.Program("java_multiline")
	if err != nil {
		t.Fatal(err)
	}
	const line = "2024-05-06 07:08:09,123 ERROR [main] com.example.Server - no\n"
	trace := "java.io.IOException: closed\n\n" + strings.Repeat("\tat com.example.Server.run(Server.java:12)\n", 12) + "12 common frames\n"
	for _, test := range []struct {
		name, in string
		joined   bool
	}{
		{"lines", strings.Repeat(line, 4000), true},
		{"traces", strings.Repeat(line+line+trace, 2000), true},
		{"long traces", strings.Repeat(line+strings.Repeat(trace, 5), 400), true},
		{"all in CR LF", strings.ReplaceAll(strings.Repeat(line+line+trace, 2000), "\n", "\r\n"), true},
		{"a carriage return here and there", strings.Repeat(strings.Repeat(line+line+trace, 40)+line+"\tat\rb\n", 50), true},
		{"a line feed alone here and there", strings.Repeat(strings.ReplaceAll(strings.Repeat(line+line+trace, 40), "\n", "\r\n")+line+"\tat b\r\n", 50), true},
		{"traces that end in CR LF", strings.Repeat(line+line+strings.ReplaceAll(trace, "\n", "\r\n"), 2000), false},
	} {
		p, binding := alone(t, program)
		nrows := readText(t, p, binding, test.in)
		if n := strings.Count(test.in, line[:len(line)-1]); nrows != n {
			t.Errorf("%s: %d rows, want %d", test.name, nrows, n)
		}
		abreast := 0
		for _, p := range p.workers[0].hopper.paths {
			abreast += p.ended
		}
		if most := abreast > nrows*3/4; most != test.joined {
			t.Errorf("%s: %d of %d records are read side by side", test.name, abreast, nrows)
		}
	}
}

// TestPairs: whether the line ends of a window are pairs, also at its ends.
func TestPairs(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	paired := 0
	for range 5000 {
		from, n := r.IntN(100), blockSize*(1+r.IntN(40))
		data := bytes.Repeat([]byte("x"), from+n+r.IntN(3))
		for range r.IntN(30) {
			copy(data[r.IntN(len(data)):], "\r\n")
		}
		if at := from + n - 1; r.IntN(2) == 0 {
			copy(data[at:], "\r\n")
		}
		if r.IntN(3) == 0 {
			data[r.IntN(len(data))] = "\r\nx"[r.IntN(3)]
		}
		want := true
		for i := from; i < from+n; i++ {
			before, next := i > from && data[i-1] == '\r', i+1 < len(data) && data[i+1] == '\n'
			want = want && (data[i] != '\n' || before) && (data[i] != '\r' || next)
		}
		want = want && (from+n == len(data) || data[from+n] != '\n' || data[from+n-1] == '\r')
		k := &hopper{from: from, to: from + n}
		if got := k.findPairs(data); got != want {
			t.Fatalf("%q from %d to %d: %v, want %v", data, from, from+n, got, want)
		}
		if want {
			paired++
		}
	}
	if paired < 500 || paired > 4500 {
		t.Errorf("%d of 5000 windows have pairs alone", paired)
	}
}

// planOf delivers all columns of a program whose records have them all.
func planOf(p *dfa.Program) (*runtime.Plan, *runtime.Binding) {
	plan := &runtime.Plan{Program: p, MaxRecord: 1 << 20, Columns: p.Columns, BaseTime: time.Date(2025, 6, 1, 0, 0, 0, 0, time.UTC)} // of layouts without a year
	binding := &runtime.Binding{MinFields: len(p.Columns), MaxFields: len(p.Columns), Rest: -1}
	for i := range p.Columns {
		plan.Outputs = append(plan.Outputs, runtime.Output{Column: i, Part: -1})
		binding.Source = append(binding.Source, i)
	}
	return plan, binding
}

// programOf is the Program of a spec.
func programOf(t *testing.T, source string) *dfa.Program {
	t.Helper()
	spec, err := compile.Compile("f.dfp", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return spec.Program
}

// alone is a parser of one worker.
func alone(t *testing.T, program *dfa.Program) (*parser, *runtime.Binding) {
	t.Helper()
	plan, binding := planOf(program)
	w, err := newWorker(plan, newMachine(program))
	if err != nil {
		t.Fatal(err)
	}
	return &parser{plan: plan, chunkSize: 1 << 24, machine: w.machine, results: make([]results, 1), workers: []*worker{w}}, binding
}

// readText has a parser read a whole input, and gives how many rows it has.
func readText(t *testing.T, p *parser, binding *runtime.Binding, text string) (nrows int) {
	t.Helper()
	part := &runtime.Partition{Data: []byte(text), State: p.plan.Program.Automaton.Start, Final: true, Binding: binding}
	result, err := p.Parse(context.Background(), part)
	if err != nil {
		t.Fatal(err)
	}
	return result.NRows()
}

// TestOddRecords: after records that are stepped, the places of a window are gone through
// from where these ended, not from the last record that was read by hops.
func TestOddRecords(t *testing.T) {
	p, binding := alone(t, programOf(t, "format f { record `{a}{ }{b}{ }{c}{ }{d}` }"))
	readText(t, p, binding, strings.Repeat("one  two three\n", 3000))
	if k := p.workers[0].hopper; k.at < k.nplaces*3/4 {
		t.Errorf("at place %d of %d", k.at, k.nplaces)
	}
}
