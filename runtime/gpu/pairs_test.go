//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// mapSpecs are formats with a map that the device takes apart, and what maps look like there.
var mapSpecs = []struct {
	spec                string
	pair, value, quoted string // formats of a key and a value, and of what separates pairs
	separator, around   string
}{
	{"format f {\n record `{n} {m...}`\n fields { n i32  m map(str, pairs ' ', kv '=', quote '\"', escape e) } }", "%s=%s", "", `%s="%s"`, " ", "%s"},
	{"format f {\n record `{n} {m...}`\n fields { n i32  m map(str, pairs \", \", kv ':', duplicates last) null \"-\" } }", "%s:%s", "", "", ", ", "%s"},
	{"format f {\n record `{m...}`\n fields { m map(str, pairs ' ', kv '=', quote '\"', doubled, duplicates list) } }", "%s=%s", "", `%s="%s"`, " ", "%s"},
	{"format f {\n record `{n} {m...}`\n fields { n i32  m map(map(str), open '[', close ']', pairs ' ', kv '=', quote '\"', escape e) null \"-\" } }", "%s=%s", "", `%s="%s"`, " ", "[id%d %s]"},
	{"format f {\n record `{n} {m...}`\n fields { n i32  m map(map(str), open '[', close ']', pairs ' ', kv '=', quote '\"', escape e, duplicates list) } }", "%s=%s", "", `%s="%s"`, " ", "[id%d %s]"},
	{"format f { delimited { sep ',' } header none fields { n i32  m map(str, pairs ' ', kv '=')!  l map(str, pairs ';', kv ':', duplicates first) } }", "%s=%s", "", "", " ", "%s"},
	{"format f { delimited { sep ',' quote '\"' doubled } header none fields { n i32  m map(str, pairs ';', kv '=') null \"\" } }", "%s=%s", "", "", ";", "%s"},
}

// TestDrawnMaps: maps of many notations, with what makes the host read a row among them, are the CPU's, where partitions
// and flights end anywhere.
func TestDrawnMaps(t *testing.T) {
	newBench(t)
	specs := make([]*compile.Spec, len(mapSpecs))
	for i, x := range mapSpecs {
		spec, err := compile.Compile("drawn.dfp", []byte("escape e = '\\' { '\"' '\\' n }\n"+x.spec))
		if err != nil {
			t.Fatalf("%s: %v", x.spec, err)
		}
		specs[i] = spec
	}
	rapid.Check(t, func(rt *rapid.T) {
		of := rapid.IntRange(0, len(mapSpecs)-1).Draw(rt, "spec")
		x, program := mapSpecs[of], specs[of].Program
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		odd := rapid.SampledFrom([]int{4, 60, 100_000}).Draw(rt, "odd") // a value of so many
		repeat := rapid.SampledFrom([]int{3, 40, 100_000}).Draw(rt, "repeat")
		most := rapid.SampledFrom([]int{1, 4, 12, 80}).Draw(rt, "pairs")
		pairs := func() string {
			var all []string
			for k := range rng.IntN(most + 1) {
				key, value := fmt.Sprintf("key%d", k), strings.Repeat("v", rng.IntN(1<<rng.IntN(6)))
				if rng.IntN(repeat) == 0 {
					key = "key0"
				}
				if rng.IntN(odd) == 0 {
					value = []string{"", "\xff", "é", "日本", `a\"b`, `\"`, `\\`, `x\ny`, `\x`, "a b", `"`, `""`, "=", "]", strings.Repeat("long", 1200), "\xc3", ","}[rng.IntN(17)]
				}
				if rng.IntN(odd) == 0 {
					key = []string{"", "ключ", `k\"`, "k k", "\xa9k", `"k"`}[rng.IntN(6)]
				}
				switch form := rng.IntN(8); {
				case form == 0:
					all = append(all, key)
				case form < 4 && x.quoted != "":
					all = append(all, fmt.Sprintf(x.quoted, key, value))
				default:
					all = append(all, fmt.Sprintf(x.pair, key, value))
				}
			}
			return strings.Join(all, x.separator)
		}
		value := func() string {
			if !strings.Contains(x.around, "%d") {
				return pairs()
			}
			var all string
			for k := range rng.IntN(4) {
				all += fmt.Sprintf(x.around, k%(1+rng.IntN(4)), pairs())
			}
			return all
		}
		var in strings.Builder
		csv := strings.Contains(x.spec, "delimited")
		for i := range rapid.SampledFrom([]int{0, 1, 2, 33, 400}).Draw(rt, "rows") {
			m := value()
			switch {
			case rng.IntN(odd) == 0:
				m = []string{"-", "", " ", "x", "[", "[]", "=", "k=", "=v", `k="v`, `k="v"x`, "\xff"}[rng.IntN(12)]
			case csv && strings.Contains(x.spec, "quote") && rng.IntN(3) == 0:
				m = `"` + strings.ReplaceAll(m, `"`, `""`) + `"`
			}
			switch {
			case strings.Contains(x.spec, "{ n i32") && csv && strings.Contains(x.spec, " l map"):
				fmt.Fprintf(&in, "%d,%s,%s\n", i, m, strings.ReplaceAll(strings.ReplaceAll(m, "=", ":"), " ", ";"))
			case csv:
				fmt.Fprintf(&in, "%d,%s\n", i, m)
			case strings.Contains(x.spec, "{n} "):
				fmt.Fprintf(&in, "%d %s\n", i, m)
			default:
				in.WriteString(m + "\n")
			}
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
		want, wantStats, wantErr := readRows(cpu.Engine, program, text, opts...)
		ways := []Option{WithFlight(rapid.SampledFrom([]int{300, 3000, 200_000}).Draw(rt, "flight"))}
		if rapid.Bool().Draw(rt, "general") {
			ways = append(ways, WithGeneralPath())
		}
		opts = append(opts, runtime.WithPartitionSize(rapid.SampledFrom([]int{700, 5000, 1 << 20}).Draw(rt, "partition")))
		got, stats, err := readRows(New(ways...), program, text, opts...)
		if got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			rt.Fatalf("%s: of %.2000q, %v: rows\n%.3000s\nwant, %v,\n%.3000s", x.spec, text, err, got, wantErr, want)
		}
		if stats.Rejected != wantStats.Rejected || stats.Nulled != wantStats.Nulled || stats.Replaced != wantStats.Replaced {
			rt.Fatalf("counts %+v, want %+v", stats, wantStats)
		}
	})
}

// TestGeneratedMaps: of generated files with maps the CPU reads no flight as a whole, and few rows: those
// with what has to be decoded.
func TestGeneratedMaps(t *testing.T) {
	newBench(t)
	for _, kind := range []string{"auditd", "syslog_rfc5424", "logfmt"} {
		spec, err := gen.Spec(kind)
		if err != nil {
			t.Fatal(err)
		}
		var file bytes.Buffer
		if err := gen.Write(&file, kind, 200_000, 3); err != nil {
			t.Fatal(err)
		}
		want := readWhole(t, cpu.Engine, spec.Program, file.Bytes(), nil)
		for _, ways := range [][]Option{{}, {WithFlight(30_000)}, {WithGeneralPath()}} {
			e := &openEngine{Engine: New(ways...)}
			if got := readWhole(t, e, spec.Program, file.Bytes(), nil); got != want {
				t.Errorf("%s: other rows", kind)
			}
			t.Logf("%s: %+v", kind, e.counted)
			if e.counted.FlightsOnCPU > 0 || 50*e.counted.RowsLeft > e.counted.Rows {
				t.Errorf("%s: %+v", kind, e.counted)
			}
		}
	}
}

// TestLongKeys: a key that there is no room for is compared with none if it is alone, so its row is not left.
func TestLongKeys(t *testing.T) {
	newBench(t)
	spec := compiled(t, mapSpecs[1].spec)
	var alone, beside strings.Builder
	for i := range 70 {
		fmt.Fprintf(&alone, "%d a:1, b:2, c:%d\n%d %s:v\n", i, i, i, strings.Repeat("k", 4000+i+20))
		fmt.Fprintf(&beside, "%d a:1, b:2, c:%d\n%d d:1, %s:v\n", i, i, i, strings.Repeat("k", 4000+i+20))
	}
	for _, x := range []struct {
		in   string
		left bool
	}{{alone.String(), false}, {beside.String(), true}} {
		want := readWhole(t, cpu.Engine, spec.Program, []byte(x.in), nil)
		e := &openEngine{Engine: New()} // with one thread one parser counts all
		if got := readWhole(t, e, spec.Program, []byte(x.in), []runtime.Option{runtime.WithThreads(1)}); got != want {
			t.Error("other rows")
		}
		if c := e.counted; c.FlightsOnCPU > 0 || (c.RowsLeft > 0) != x.left {
			t.Errorf("%+v", c)
		}
	}
}
