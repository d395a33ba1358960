package runtime_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// inputs are of built-in formats and of some that have what those have not.
func drawInput(t *rapid.T) (p *dfa.Program, in string) {
	specs := []string{everyType, mergedLines, fixedFields, fieldsOfAny, twoFields}
	n := rapid.IntRange(0, len(specs)+len(gen.AllFormats())-1).Draw(t, "format")
	if rapid.IntRange(0, 2).Draw(t, "two fields") == 0 {
		n = len(specs) - 1
	}
	if n >= len(specs) {
		s, err := gen.Spec(gen.AllFormats()[n-len(specs)])
		if err != nil {
			t.Fatal(err)
		}
		in = s.Examples[rapid.IntRange(0, len(s.Examples)-1).Draw(t, "example")].Input
		if rapid.Bool().Draw(t, "more of it") {
			at := strings.IndexByte(in, '\n') + 1
			in += strings.Repeat(in[at:], rapid.IntRange(1, 30).Draw(t, "times"))
		}
		return s.Program, damage(t, in)
	}
	p = compiledOnce(t, specs[n])
	lines := map[int][]string{
		0: {"1,text,true,d,x,p;q,k=1,b,2.5,-\n", "2,,,,,,,,,\n", "3,\"\",f,e,z,,k=1&k=2,,1,z\n", "bad,,,,,,,,,\n", "x\n", "4,é\xff,,d2,y,;;,k=x,,x,\n"},
		1: {"2020-01-02 a first\n", " more\n", "2020-01-03 b\n", "\n", "nothing\n", "2020-13-03 c\n"},
		2: {"12345678\n", "1\n", "     7xx\r\n", "xx345\n"},
		3: {"a,b,c\n", "a\n", "\"q\nr\",\"s\"\n", ",\n", "\n", "\"a\"b,c\n", strings.Repeat("long text ", 20) + ",b,c\n"},
	}[n]
	if specs[n] == twoFields { // of widths that nobody expects
		for _, width := range rapid.SliceOfN(rapid.IntRange(0, 60), 10, 40).Draw(t, "widths") {
			in += strings.Repeat("x", width) + ",1\n"
		}
		return p, in + strings.Repeat("y,1\n", rapid.IntRange(0, 300).Draw(t, "short ones"))
	}
	for range rapid.IntRange(0, 8).Draw(t, "runs") {
		in += strings.Repeat(rapid.SampledFrom(lines).Draw(t, "line"), rapid.IntRange(1, 60).Draw(t, "times"))
	}
	return p, damage(t, in)
}

const (
	mergedLines = "record `{at} {what...}` fields { at date(\"%F\") } multiline { start `{at}`  into what } on_error reject"
	fixedFields = "fixed { a 3  b 2  c 3 } fields { a u8  b str  c i16? }"
	twoFields   = `delimited { sep ',' } fields { a str  b i64 }`
	fieldsOfAny = `delimited { sep ','  quote '"' doubled } fields { a str  b str?  c str? } ragged pad truncate`
)

// damage cuts an input off, or puts a byte in, now and then.
func damage(t *rapid.T, in string) string {
	if in == "" {
		return in
	}
	at := rapid.IntRange(0, len(in)-1).Draw(t, "place")
	switch rapid.IntRange(0, 5).Draw(t, "damage") {
	case 0:
		return in[:at]
	case 1:
		return in[:at] + rapid.SampledFrom([]string{"\"", "\n", ",", "\xff", "\r"}).Draw(t, "put in") + in[at:]
	}
	return in
}

// TestAnyOptions: what is read depends on the input, the Program and the options
// that say what to read, and on no other.
func TestAnyOptions(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		size := func(what string, most int) int {
			return rapid.OneOf(rapid.IntRange(1, 12), rapid.IntRange(1, most)).Draw(rt, what)
		}
		p, in := drawInput(rt)
		what := []runtime.Option{
			runtime.WithErrorMode(rapid.SampledFrom([]dfa.ErrorMode{dfa.Reject, dfa.Null, dfa.Fail}).Draw(rt, "mode")),
			runtime.WithUTF8(rapid.SampledFrom([]dfa.UTF8Policy{dfa.ReplaceUTF8, dfa.KeepUTF8, dfa.RejectUTF8}).Draw(rt, "UTF-8")),
			runtime.WithBatchSize(size("batch", 200)),
		}
		if rapid.Bool().Draw(rt, "part of it") {
			what = append(what, runtime.WithSkip(rapid.Int64Range(0, 40).Draw(rt, "skip")), runtime.WithLimit(rapid.Int64Range(-1, 40).Draw(rt, "limit")))
		}
		if rapid.IntRange(0, 5).Draw(rt, "rejects") == 0 {
			what = append(what, runtime.WithMaxRejects(rapid.Int64Range(0, 5).Draw(rt, "most rejects")))
		}
		if rapid.IntRange(0, 5).Draw(rt, "records") == 0 {
			what = append(what, runtime.WithMaxRecord(size("longest record", 300)))
		}
		if n := len(p.Columns); n > 0 && rapid.Bool().Draw(rt, "columns") {
			var names []string
			for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, min(n, 5), rapid.ID).Draw(rt, "which") {
				names = append(names, p.Columns[i].Name)
			}
			what = append(what, runtime.WithColumns(names...))
		}
		how := way{"reference", 1, whole, whole, false}
		want := read(t, p, unseekable{strings.NewReader(in)}, append(how.options(), what...)...)
		for range 3 {
			how := way{
				engine:    rapid.SampledFrom([]string{"cpu", "cpu", "cpu", "reference"}).Draw(rt, "engine"),
				threads:   rapid.IntRange(1, 9).Draw(rt, "threads"),
				chunk:     size("chunk", 300),
				partition: size("partition", 2000),
				bare:      rapid.Bool().Draw(rt, "in memory"),
			}
			var from io.Reader = unseekable{strings.NewReader(in)}
			if how.bare && !p.Dynamic() {
				from = inMemory(in)
			}
			got := read(t, p, from, append(how.options(), what...)...)
			// How much was replaced beyond a limit depends on where the input was cut.
			got.stats.Replaced = want.stats.Replaced
			if got.String() != want.String() || fmt.Sprint(got.batches) != fmt.Sprint(want.batches) {
				rt.Fatalf("%+v gives\n%s%v\nwant\n%s%v", how, got, got.batches, want, want.batches)
			}
		}
	})
}

var programs = map[string]*dfa.Program{} // by spec

func compiledOnce(t *rapid.T, src string) *dfa.Program {
	if programs[src] == nil {
		s, err := compile.Compile("test.dfp", []byte("format test { "+src+" }"))
		if err != nil {
			t.Fatal(err)
		}
		programs[src] = s.Program
	}
	return programs[src]
}

// TestFewRowsInABatch: rows of a partition that is read beside others, of which
// there are more than a record has, wait for their record.
func TestFewRowsInABatch(t *testing.T) {
	p := spec(t, twoFields)
	for seed := range 60 {
		r := rand.New(rand.NewPCG(1, uint64(seed)))
		var in strings.Builder
		widest := r.IntN(60)
		for i := range 300 {
			if i < 20 {
				in.WriteString(strings.Repeat("x", r.IntN(widest+1)))
			}
			in.WriteString("y,1\n")
		}
		opts := []runtime.Option{
			runtime.WithBatchSize(1 + r.IntN(10)), runtime.WithPartitionSize(1 + r.IntN(1000)),
			runtime.WithThreads(2 + r.IntN(2)), runtime.WithChunkSize(10),
		}
		if o := read(t, p, inMemory(in.String()), opts...); o.err != nil || len(o.rows) != 300 {
			t.Fatalf("%d rows, %v", len(o.rows), o.err)
		}
	}
}
