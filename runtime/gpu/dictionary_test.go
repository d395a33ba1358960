//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestDictionaries reads columns of dictionaries, by all paths: short and long tokens, nulls, defaults,
// blanks, escapes, what is not UTF-8, rejects, more tokens than the device has room for. Records are
// the CPU's, the order of tokens in their dictionaries too, wherever partitions and flights end.
func TestDictionaries(t *testing.T) {
	newBench(t)
	csv := func(fields string) string {
		return "format f { delimited { sep ',' quote '\"' } header none fields { " + fields + " } }"
	}
	specs := map[string]string{
		"csv":     csv("k dict  n i32"),
		"several": csv("k dict trim null \"-\" \"\"  n i32!  l dict default \"none\" null \"-\"  s str"),
		"needed":  csv("k dict! null \"-\"  n i32  l dict"),
		"lines":   "escape e = '\\\\' { '\"' '\\\\' n }\nformat f { record `{k:e} [{l}] \"{m:e}\" {n}`\n fields { k dict  l dict null \"-\"  m dict trim  n i32 } }",
		"split":   "format f { record `{k} {l} \"{c}\" {n}`\n fields { n i32  a dict }\n split c `{a}/{b}` else null }",
		"binary":  "format f { record `{k} {n}`\n fields { k dict null \"-\" default \"none\"  n i32 } }",
	}
	for name, text := range specs {
		spec, err := compile.Compile(name, []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(5, uint64(len(text))))
			rounds := []int{0, 3, 5, 8, 9, 11}
			if sanitized {
				rounds = []int{3, 8, 9}
			}
			for _, round := range rounds {
				in := dictionaryInput(rng, name, round)
				opts := []runtime.Option{
					runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Null}[round%2]), runtime.WithBatchSize([]int{100, 37, 1 << 16}[round%3]),
					runtime.WithUTF8([]dfa.UTF8Policy{dfa.ReplaceUTF8, dfa.RejectUTF8, dfa.KeepUTF8}[round/2%3]), runtime.WithPartitionSize([]int{1 << 20, 2000}[rng.IntN(2)]), runtime.WithThreads(1 + rng.IntN(3)),
				}
				want, wantStats, err := readRows(cpu.Engine, spec.Program, in, opts...)
				if err != nil {
					t.Fatal(err)
				}
				had, hadWords := mostTokens, mostTokenWords
				if round%4 == 3 {
					mostTokens, mostTokenWords = 16, 1<<rng.IntN(8)
				}
				for k, e := range []*Engine{New(), New(WithFlight(3000)), New(WithFlight(5000), WithGeneralPath()), New(WithoutMasks(), WithFlight(4000)), New(WithTagging(Tagging(1 + round%3)))} {
					got, stats, err := readRows(e, spec.Program, in, opts...)
					if err != nil || got != want {
						t.Fatalf("round %d, engine %d, of %q, %v: rows\n%s\nwant\n%s", round, k, in, err, got, want)
					}
					if stats.Rejected != wantStats.Rejected || stats.Nulled != wantStats.Nulled || stats.Replaced != wantStats.Replaced {
						t.Fatalf("round %d: counts %+v, want %+v", round, stats, wantStats)
					}
				}
				mostTokens, mostTokenWords = had, hadWords
			}
		})
	}
}

// dictionaryInput is lines for a spec of TestDictionaries.
func dictionaryInput(rng *rand.Rand, name string, round int) string {
	tokens := []string{"a", "b", "-", "", "a", "Z\xc3\xbcrich", "eight by", "some sixteen byt", "some seventeen by", strings.Repeat("x", 300)}
	if round%3 == 2 {
		tokens = append(tokens, "\xff", "a\xffb", " a", "b ", strings.Repeat("long ", 400))
	}
	many := 0
	if round%5 == 4 {
		many = 1000
	}
	token := func() string {
		if many > 0 {
			return fmt.Sprintf("token%d", rng.IntN(many))
		}
		return tokens[rng.IntN(len(tokens))]
	}
	var in strings.Builder
	for range 50 + rng.IntN(400) {
		n := "7"
		if rng.IntN(50) == 0 {
			n = "x"
		}
		switch name {
		case "csv":
			k := token()
			if rng.IntN(9) == 0 {
				k = `"` + k + `""` + token() + `"`
			}
			fmt.Fprintf(&in, "%s,%s\n", k, n)
		case "several":
			fmt.Fprintf(&in, "%s,%s,%s,%s\n", token(), n, token(), token())
		case "needed":
			fmt.Fprintf(&in, "%s,%s,%s\n", token(), n, token())
		case "lines":
			k := token()
			switch rng.IntN(12) {
			case 0:
				k += `\"` + token()
			case 1:
				k = `\\` + k
			case 2:
				k = `\n` + k
			}
			k = strings.ReplaceAll(k, " ", "_")
			fmt.Fprintf(&in, "%s [%s] \"%s\" %s\n", k, token(), k, n)
		case "split":
			fmt.Fprintf(&in, "%s %s \"%s/%s\" %s\n", strings.ReplaceAll(token(), " ", "_"), "l", token(), token(), n)
		default:
			fmt.Fprintf(&in, "%s %s\n", strings.ReplaceAll(token(), " ", "_"), n)
		}
	}
	return in.String()
}

// TestDrawnTokens: texts as long as words, as the longest that blocks keep, or a byte more or less, at any address, that
// differ in their last byte, in NULs behind their end or in the word in front alone, and as many as blocks have no room
// for, have the CPU's tokens, whatever else is in their block.
func TestDrawnTokens(t *testing.T) {
	newBench(t)
	spec := compiled(t, `format f { delimited { sep ',' quote '"' doubled } header none fields { k dict  n i32  l dict null "-"  m dict default "none" null "-" } }`)
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		many := rapid.SampledFrom([]int{1, 20, 600, 5000}).Draw(rt, "tokens")
		rows := rapid.SampledFrom([]int{1, 31, 400, 5000}).Draw(rt, "rows")
		longest := rapid.SampledFrom([]int{1, 40, 40, 40, 1026}).Draw(rt, "longest")
		sizes := slices.DeleteFunc([]int{0, 1, 7, 8, 9, 15, 16, 17, 24, 25, 31, 32, 33, 34, 40, 1024, 1026}, func(n int) bool { return n > longest })
		symbols := rapid.SampledFrom([]string{"ab", "a\x00", "\x00", "abcdefghijklmnopqrstuvwxyz"}).Draw(rt, "symbols")
		texts := make([]string, many)
		for i := range texts {
			text := slices.Repeat([]byte{symbols[0]}, sizes[rng.IntN(len(sizes))])
			for range rng.IntN(4) {
				if len(text) > 0 {
					text[rng.IntN(len(text))] = symbols[rng.IntN(len(symbols))]
				}
			}
			if n := fmt.Sprint(i); symbols[0] == 'a' && len(text) > len(n) && rng.IntN(2) == 0 {
				copy(text[rng.IntN(len(text)-len(n)):], n)
			}
			texts[i] = string(text)
		}
		field := func() string {
			text := texts[rng.IntN(many)]
			switch rng.IntN(40) {
			case 0:
				return `"` + text + `"`
			case 1:
				return `"` + text + `""` + text + `"`
			case 2:
				return "-"
			}
			return text
		}
		var in strings.Builder
		if strings.Contains(symbols, "\x00") {
			in.WriteString(strings.Repeat("a,1,b,-\n", 150)) // so that it does not look like UTF-16
		}
		for i := range rows {
			fmt.Fprintf(&in, "%s,%d,%s,%s\n", field(), i%7, field(), field())
		}
		opts := []runtime.Option{runtime.WithErrorMode(dfa.Null), runtime.WithThreads(2)}
		want, _, err := readRows(cpu.Engine, spec.Program, in.String(), opts...)
		if err != nil {
			rt.Fatal(err)
		}
		ways := []Option{WithFlight(rapid.SampledFrom([]int{5000, 100_000, 1 << 20}).Draw(rt, "flight"))}
		if rapid.Bool().Draw(rt, "general") {
			ways = append(ways, WithGeneralPath())
		}
		if got, _, err := readRows(New(ways...), spec.Program, in.String(), opts...); err != nil || got != want {
			rt.Fatalf("%v: rows\n%.3000q\nwant\n%.3000q", err, got, want)
		}
	})
}

// TestDictionariesOnDevice: no row of a file of a few stations is the CPU's, and one byte a row comes of them.
func TestDictionariesOnDevice(t *testing.T) {
	newBench(t)
	spec := compiled(t, "format brc { delimited { sep ';' } header none fields { station dict  temperature dec(4, 1) } }")
	var in strings.Builder
	for i := range 20000 {
		fmt.Fprintf(&in, "station %d;%d.%d\n", i*7919%413, i%99, i%10)
	}
	e := &openEngine{Engine: New(WithFlight(60000))}
	if rows := readWhole(t, e, spec.Program, []byte(in.String()), nil); rows == "" {
		t.Fatal("no rows")
	}
	if c := e.counted; c.Rows == 0 || c.RowsLeft != 0 || c.FlightsOnCPU != 0 || c.BytesOut > 5*c.Rows {
		t.Errorf("%+v", c)
	}
}

// TestIndexOfParts: several goroutines give numbers of tokens the indices that one pass over the
// rows does, where columns begin with some tokens or with none and some rows are gone, flight after
// flight.
func TestIndexOfParts(t *testing.T) {
	const rows = 5*widenRows + 7
	form := &columns.Form{Buffers: columns.Tokens, Width: 4, Children: []*columns.Form{columns.Text}}
	rng := rand.New(rand.NewPCG(3, 4))
	for _, ntokens := range []int{1, 5, 3000} {
		for _, nknown := range []int{0, 1, 3} {
			for _, width := range []int{1, 2, 4} {
				x := &dictionary{tokens: columns.New(columns.Text), index: []int32{0}}
				had := columns.New(form)
				for range 3 {
					for n := range ntokens {
						if n >= 1<<(8*min(width, 3))-1 {
							break
						}
						x.tokens.AppendText(fmt.Appendf(nil, "token %d", x.tokens.Len+n))
					}
					for n := range min(nknown, x.tokens.Len) {
						had.Intern(tokenOf(x.tokens, n+1))
					}
					most := min(x.tokens.Len, 1<<(8*min(width, 3))-1)
					lexicon := had.Lexicon(nil)
					c, want := columns.New(form), columns.New(form)
					c.Len, c.Fixed = rows, make([]byte, 4*rows)
					x.look(c, lexicon)
					want.Begin(lexicon)
					f := &flightTokens{column: c, numbers: wide{n: make([]byte, rows*width)}}
					f.begin(x)
					expected := make([]int32, rows)
					gone := map[int]bool{}
					for row := range rows {
						n := 1 + rng.IntN(min(most, 1+row/8))
						switch {
						case row%(widenRows/2) == 3:
							gone[row], n = true, 0
						case width == 4:
							arrayOf[uint32](c.Fixed)[row] = uint32(n)
						case width == 2:
							arrayOf[uint16](f.numbers.n)[row] = uint16(n)
						default:
							f.numbers.n[row] = uint8(n)
						}
						if n > 0 {
							expected[row], _ = want.Intern(tokenOf(x.tokens, n))
						}
					}
					if width < 4 {
						f.numbers.column, f.numbers.width = c, width
					}
					values := arrayOf[int32](c.Fixed)
					overRows(rows, f.indexNumbers)
					for row := range gone {
						values[row] = 0
					}
					if err := f.indexUnknown(4); err != nil {
						t.Fatal(err)
					}
					if nknown == 0 { // it begins with what the dictionary has
						for row, i := range values {
							if n := expected[row]; !gone[row] && i != c.Token(tokenOf(want.Children[0], int(n)+1)) {
								t.Fatalf("%d tokens, %d bytes a row: row %d has another token", ntokens, width, row)
							}
						}
					} else if !slices.Equal(values, expected) {
						t.Fatalf("%d tokens, %d known, %d bytes a row: other indices", ntokens, nknown, width)
					}
				}
			}
		}
	}
}
