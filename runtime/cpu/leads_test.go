package cpu

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestLeadsOf: every second lead of a run leads.
func TestLeadsOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var may, want uint64
		next := false // the symbol before leads
		for i := 0; i < 64; {
			n := rapid.IntRange(1, rapid.SampledFrom([]int{2, 9, 64}).Draw(t, "most")).Draw(t, "run")
			is := rapid.Bool().Draw(t, "of leads")
			for ; n > 0 && i < 64; n, i = n-1, i+1 {
				if next = is && !next; is {
					may |= 1 << i
				}
				if next {
					want |= 1 << i
				}
			}
		}
		if got := leadsOf(may); got != want {
			t.Fatalf("leads of %064b are %064b, want %064b", bits.Reverse64(may), bits.Reverse64(got), bits.Reverse64(want))
		}
	})
}

// escaped are formats in which something is escaped, each with the symbols that matter in it.
var escaped = []struct{ name, spec, symbols string }{
	{"nulls", `format f extends pgcopy { fields { a str  b i32  c str default "none" } }`, "\\\\\\\\\\N\tntx41.\r\n\n1"},
	{"nulls of numbers alone", `format f extends pgcopy { null "\\N" "1"  fields { a u8  b u8  c str } }`, "\\\\\\N\t\n1"},
	{"nulls that stay", `escape e = '\' { '\' n 'N' other drop }
		format f { delimited { sep ','  escape e }  null "\\N" "\\n"  fields { a i32!  b str default "none"  c enum(y N none) } }`, "\\\\\\NnN,\r\n1y"},
	{"nulls of some columns", `format f { delimited { sep ','  escape '\' }  fields { a str null "\\N" "\\a"  b str null "\\a"  c list(str, sep ';', after escape) null "\\N" "\\a" } }`, "\\\\Na,;\r\ny"},
	{"nulls of one column", `format f { delimited { sep ','  escape '\' }  fields { a str null "\\N"  b str  c str null "\\N" } }`, "\\\\N,\ny"},
	{"nulls that are no escapes", `escape e = '\' { '\' n }
		format f { delimited { sep ','  escape e }  null "\\N" "\\n"  fields { a str  b i32  c str } }`, "\\\\Nn,\ny"},
	{"in quotes and elsewhere", `format f { delimited { sep ','  quote '"'  escape '\' everywhere }  null "\\N"  fields { a str  b str  c str } }`, "\\\\\\\\N\",,\r\n\"a"},
	{"in quotes", `format f { delimited { sep ','  quote '"'  escape '\' }  null "\\N"  fields { a str  b str  c str } }`, "\\\\\\\\N\",,\r\n\"a"},
	{"in quotes that are doubled", `format f { delimited { sep ','  quote '"' doubled max_lines 3  escape '\' }  null "N" "\"" "\"\\N\""  fields { a str  b str  c str } }`, "\\\\\\N\"\"\",,\n\na"},
	{"some are none", `escape e = '\' { '\' '"' n x:hex2 }
		format f { delimited { sep ','  quote '"'  escape e everywhere }  null "N"  fields { a str  b str  c str } }`, "\\\\\\nx41\",,\r\n\"N"},
	{"kept", `escape e = '\' { '\' n other keep }
		format f { delimited { sep ','  quote '"'  escape e everywhere }  null "\\a" "a"  fields { a str  b str trim  c list(str, sep ';') } }`, "\\\\\\\\n\",, ;\na"},
	{"tokens", `format f { delimited { sep ','  escape '\' }  null "-"  fields { a str trim  b list(str, sep ';') empty "\\e"  c str null after escape "e" } }`, "\\\\\\-,, ;\r\ne"},
}

// TestEscapes: what is escaped is read as the reference reads it, wherever leads stand in blocks,
// chunks and partitions, with each kind of code.
func TestEscapes(t *testing.T) { onEach(t, testEscapes) }

func testEscapes(t *testing.T) {
	for _, f := range escaped {
		t.Run(f.name, func(t *testing.T) {
			spec, err := compile.Compile("f.dfp", []byte(f.spec), compile.WithResolver(formats.Resolve))
			if err != nil {
				t.Fatal(err)
			}
			p := spec.Program
			if m := p.Analysis().Masks; m == nil || m.Lead.Empty() {
				t.Fatalf("no leads are found by masks: %v", m)
			}
			rapid.Check(t, func(t *rapid.T) { checkEscapes(t, p, f.symbols) })
		})
	}
}

func checkEscapes(t *rapid.T, p *dfa.Program, symbols string) {
	sep := ","
	for c := range 128 {
		if m := p.Analysis().Masks; m.Fields.Has(byte(c)) {
			sep = string(rune(c))
		}
	}
	var names, nulls []string
	for i := range p.Columns {
		names, nulls = append(names, p.Columns[i].Name), append(nulls, p.Columns[i].NullTokens()...)
	}
	var text strings.Builder
	text.WriteString("y" + sep + "y" + sep + "y\n")
	word := rapid.StringOfN(rapid.SampledFrom([]rune(symbols)), 0, 6, -1)
	for range rapid.IntRange(1, 40).Draw(t, "records") {
		if rapid.IntRange(0, 5).Draw(t, "any") == 0 {
			text.WriteString(word.Draw(t, "text"))
			continue
		}
		for i := range 3 {
			field := strings.Repeat("y", rapid.IntRange(0, 40).Draw(t, "plain"))
			switch rapid.IntRange(0, 7).Draw(t, "field") {
			case 0:
				field += strings.Repeat(`\\`, rapid.IntRange(0, 70).Draw(t, "leads"))
			case 1:
				field = `\` + word.Draw(t, "escaped")
			case 2:
				field = `"` + field + `\"` + strings.Repeat(`\\`, rapid.IntRange(0, 9).Draw(t, "leads")) + `"`
			case 3:
				field = word.Draw(t, "field")
			case 4: // escapes that are long, or none
				field = `"` + field + rapid.StringOfN(rapid.SampledFrom([]rune(`\\x4nq`)), 1, 6, -1).Draw(t, "in quotes") + rapid.SampledFrom([]string{"", `\x41`, `""`}).Draw(t, "behind") + `"`
			case 5, 6:
				field = `\` + string(rapid.SampledFrom([]rune(symbols)).Draw(t, "symbol"))
			case 7:
				if len(nulls) > 0 {
					field = `"` + strings.ReplaceAll(rapid.SampledFrom(nulls).Draw(t, "null"), `"`, `""`) + `"`
				}
			}
			text.WriteString(field)
			if i < 2 {
				text.WriteString(sep)
			}
		}
		text.WriteByte('\n')
	}
	input := text.String()
	mode := rapid.SampledFrom([]dfa.ErrorMode{dfa.Reject, dfa.Null}).Draw(t, "mode")
	partition := rapid.SampledFrom([]int{64, 65, 200, 1000, 1 << 20}).Draw(t, "partition")
	chunk := rapid.SampledFrom([]int{64, 70, 300, 1 << 20}).Draw(t, "chunk")
	defer func(n int) { windowBlocks = n }(windowBlocks)
	windowBlocks = rapid.SampledFrom([]int{1, 2, 8, 64, 256}).Draw(t, "window")
	want := readAll(t, p, input, runtime.WithEngine(reference.Engine), runtime.WithErrorMode(mode))
	got := readAll(t, p, input, runtime.WithEngine(Engine), runtime.WithErrorMode(mode), runtime.WithThreads(2),
		runtime.WithPartitionSize(partition), runtime.WithChunkSize(chunk))
	if got != want {
		t.Fatalf("%q gives\n%s\nwant\n%s", input, got, want)
	}
	some := rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, len(names)-1, rapid.ID).Draw(t, "some columns")
	for _, columns := range [][]string{nil, some} {
		of := func(engine runtime.Engine) string {
			return readAll(t, p, input, runtime.WithEngine(engine), runtime.WithErrorMode(mode), runtime.WithColumns(columns...))
		}
		if got, want := of(Engine), of(reference.Engine); got != want {
			t.Fatalf("%q, of columns %q alone, gives\n%s\nwant\n%s", input, columns, got, want)
		}
	}
}

// readAll gives rows, as JSON, and rejects.
func readAll(t *rapid.T, p *dfa.Program, text string, opts ...runtime.Option) string {
	var out, rejects strings.Builder
	opts = append(opts, runtime.WithRejectHandler(func(r *runtime.Reject) error {
		fmt.Fprintf(&rejects, "%d %v %q %q\n", r.Start, &r.ParseError, r.Raw, r.State)
		return nil
	}))
	r, err := runtime.NewReader(strings.NewReader(text), p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	rows := int64(0)
	for r.Next() {
		rec := r.Record()
		rows += rec.NumRows()
		for i := range int(rec.NumRows()) {
			for c, column := range rec.Columns() {
				out.Write(append(render.AppendJSON(nil, rec.Schema().Field(c), column, i), ' '))
			}
			out.WriteByte('\n')
		}
	}
	return fmt.Sprintf("%s%s%d rows, %v", out.String(), rejects.String(), rows, r.Err())
}

// TestLiteralsAbreast: fields that look like null tokens once they are decoded are values, in whatever order the records
// that hops read abreast have decoded them.
func TestLiteralsAbreast(t *testing.T) {
	spec, err := compile.Compile("f.dfp", []byte(`escape e = '\' { '\' 'N' other drop }
		format f { delimited { sep '\t'  escape e  eol crlf }  null "\\N"  header none  fields { a str  b str } }`))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		fields := []string{"abc", `\\N`, `\N`, `q\x`, "xxxxxxxxxxxxx"}
		var text strings.Builder
		bad := rapid.SampledFrom([]float64{0, 0.01, 0.1}).Draw(t, "bad")
		for range 3000 {
			text.WriteString(fields[r.IntN(len(fields))] + "\t" + fields[r.IntN(len(fields))])
			if r.Float64() < bad {
				text.WriteString("\tmore")
			}
			text.WriteString("\r\n")
		}
		want := readAll(t, spec.Program, text.String(), runtime.WithEngine(reference.Engine), runtime.WithErrorMode(dfa.Reject))
		chunk := rapid.SampledFrom([]int{1 << 10, 1 << 20}).Draw(t, "chunk")
		got := readAll(t, spec.Program, text.String(), runtime.WithEngine(Engine), runtime.WithErrorMode(dfa.Reject), runtime.WithThreads(3), runtime.WithChunkSize(chunk))
		if got != want {
			t.Fatal("other rows than the reference has")
		}
	})
}
