//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestOthers: columns that the CPU converts beside those of the device are those of the engine
// "cpu", flight after flight, and stay what they are while their records are held, though the
// memory of those that have been released is used again.
func TestOthers(t *testing.T) {
	newBench(t)
	s := compiled(t, `format others { delimited { sep ',' } fields { a i64!  m map(str)  b str  l list(i32, sep ';') null "-"  t list(str, sep '|') } }`)
	rng := rand.New(rand.NewPCG(1, 2))
	var in strings.Builder
	n := 6000
	if sanitized {
		n = 2000
	}
	for i := range n {
		var m, l []string
		for k := range rng.IntN(6) {
			m, l = append(m, fmt.Sprintf("k%d=%s", k, strings.Repeat("v", rng.IntN(20)))), append(l, fmt.Sprint(rng.IntN(1000)))
		}
		numbers := strings.Join(l, ";")
		switch rng.IntN(30) {
		case 0:
			numbers = "-"
		case 1:
			numbers = "1;x"
		}
		fmt.Fprintf(&in, "%d,%s,text %d,%s,%s\n", i, strings.Join(m, " "), i, numbers, strings.Join(m, "|"))
	}
	read := func(held int, opts ...runtime.Option) (rows []string) {
		r, err := runtime.ReadBytes([]byte(in.String()), s.Program, append(opts, runtime.WithReuse(), runtime.WithErrorMode(dfa.Null), runtime.WithBatchSize(400), runtime.WithThreads(3))...)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		var records []arrow.Record
		let := func(n int) {
			for ; len(records) > n; records = records[1:] {
				text, err := records[0].MarshalJSON()
				if err != nil {
					t.Fatal(err)
				}
				rows = append(rows, string(text))
				records[0].Release()
			}
		}
		for r.Next() {
			r.Record().Retain()
			records = append(records, r.Record())
			let(held)
		}
		let(0)
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		return rows
	}
	want := read(0, runtime.WithEngine(cpu.Engine))
	for _, flight := range []int{3000, 20000} {
		for _, partition := range []int{5000, 40000, 1 << 20} {
			for _, held := range []int{0, 5} {
				got := read(held, runtime.WithEngine(New(WithFlight(flight))), runtime.WithPartitionSize(partition))
				if !slices.Equal(got, want) {
					t.Errorf("flights of %d, partitions of %d, %d records held: other rows", flight, partition, held)
				}
			}
		}
	}
}

// TestDrawnOthers: dictionaries, maps, lists and nulls of one input, of as many rows as there may
// be in a flight from none to many, are the CPU's, the order of tokens too, where partitions and
// flights end anywhere and some records are longer than a flight.
func TestDrawnOthers(t *testing.T) {
	newBench(t)
	specs := []string{
		`{ k dict null "-"  m map(str)  n i32  l dict default "none" null "-"  s str null "-" }`,
		`{ k dict  n i32!  m map(str)  l list(i32, sep ';') null "-"  s dict null "-" "" }`,
		`{ k str  n i64 null "-"  l dict  m list(str, sep ';')  s dict! null "-" }`,
	}
	had, hadWords := mostTokens, mostTokenWords
	defer func() { mostTokens, mostTokenWords = had, hadWords }()
	rapid.Check(t, func(rt *rapid.T) {
		fields := rapid.SampledFrom(specs).Draw(rt, "fields")
		spec, err := compile.Compile("drawn.dfp", []byte(`format f { delimited { sep ','`+rapid.SampledFrom([]string{"", ` quote '"' doubled`}).Draw(rt, "quotes")+` } header none fields `+fields+` }`))
		if err != nil {
			rt.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		many := rapid.SampledFrom([]int{1, 3, 40, 700}).Draw(rt, "tokens")
		odd := rapid.SampledFrom([]int{5, 60, 100_000}).Draw(rt, "odd") // a field of so many
		field := func(name string) string {
			if rng.IntN(odd) == 0 {
				return []string{"-", "", "x", "1;x", "\xff", " a", strings.Repeat("long ", 900), "k=v k=w", "=", `"q`}[rng.IntN(10)]
			}
			switch name {
			case "n":
				return fmt.Sprint(rng.IntN(1 << (1 + rng.IntN(30))))
			case "m", "l":
				if !strings.Contains(fields, name+" dict") {
					var parts []string
					for k := range rng.IntN(4) {
						if strings.Contains(fields, name+" map") {
							parts = append(parts, fmt.Sprintf("k%d=%d", k, rng.IntN(99)))
						} else {
							parts = append(parts, fmt.Sprint(rng.IntN(99)))
						}
					}
					return strings.Join(parts, map[bool]string{true: " ", false: ";"}[strings.Contains(fields, name+" map")])
				}
			}
			return fmt.Sprint("token", rng.IntN(many))
		}
		var names []string
		for _, part := range strings.Split(strings.Trim(fields, "{ }"), "  ") {
			names = append(names, part[:1])
		}
		var in strings.Builder
		for range rapid.SampledFrom([]int{0, 1, 2, 50, 900}).Draw(rt, "rows") {
			var parts []string
			for _, name := range names {
				parts = append(parts, field(name))
			}
			in.WriteString(strings.Join(parts, ",") + "\n")
		}
		text := in.String()
		text = text[:len(text)-min(len(text), rapid.IntRange(0, 3).Draw(rt, "cut off"))]
		opts := []runtime.Option{
			runtime.WithErrorMode(rapid.SampledFrom([]dfa.ErrorMode{dfa.Null, dfa.Reject, dfa.Fail}).Draw(rt, "errors")),
			runtime.WithBatchSize(rapid.SampledFrom([]int{1, 37, 500, 1 << 16}).Draw(rt, "batch")), runtime.WithThreads(rapid.IntRange(1, 3).Draw(rt, "threads")),
			runtime.WithUTF8(rapid.SampledFrom([]dfa.UTF8Policy{dfa.ReplaceUTF8, dfa.RejectUTF8, dfa.KeepUTF8}).Draw(rt, "UTF-8")),
		}
		if rapid.Bool().Draw(rt, "reuse") {
			opts = append(opts, runtime.WithReuse())
		}
		want, wantStats, wantErr := readRows(cpu.Engine, spec.Program, text, opts...)
		mostTokens, mostTokenWords = had, hadWords
		if rapid.Bool().Draw(rt, "few tokens fit") {
			mostTokens, mostTokenWords = 16, 64
		}
		ways := []Option{WithFlight(rapid.SampledFrom([]int{300, 3000, 20_000}).Draw(rt, "flight"))}
		if rapid.Bool().Draw(rt, "general") {
			ways = append(ways, WithGeneralPath())
		}
		opts = append(opts, runtime.WithPartitionSize(rapid.SampledFrom([]int{700, 5000, 1 << 20}).Draw(rt, "partition")))
		got, stats, err := readRows(New(ways...), spec.Program, text, opts...)
		if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			rt.Fatalf("of %.2000q, %v: rows\n%.3000s\nwant, %v,\n%.3000s", text, err, got, wantErr, want)
		}
		if stats.Rejected != wantStats.Rejected || stats.Nulled != wantStats.Nulled || stats.Replaced != wantStats.Replaced {
			rt.Fatalf("counts %+v, want %+v", stats, wantStats)
		}
	})
}
