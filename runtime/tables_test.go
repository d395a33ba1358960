package runtime_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestDrawnTables: what a dfa of a spec says is read the same in every way, whatever it says.
func TestDrawnTables(t *testing.T) {
	tables, read := 1500, 0
	if testing.Short() {
		tables = 300
	}
	for seed := range uint64(tables) {
		r := rand.New(rand.NewPCG(seed, 0))
		one := func(of ...string) string { return of[r.IntN(len(of))] }
		n, named, late := 2+r.IntN(4), r.IntN(2) == 0, r.IntN(2) == 0
		var b strings.Builder
		b.WriteString("format test { dfa { group A='a' | Q='\"' | C=',' | W=' ' | E='e' | N='\\n' | X=*\n")
		does := [][]string{
			{"d", "d", "d", "."}, {".", ".", "d", "f"}, {"f", "f", "d", "."}, {".", "d", "f"}, {"e", "d='1'", ".", "d"}, {"r", "r", "f", ".", "r drop"}, {"d", "d", ".", "f"},
		}
		for s := range n {
			fmt.Fprintf(&b, "S%d : ", s)
			for g, do := range does {
				act := one(do...)
				if named && (act == "f" || act == "r") {
					act += one("", "", "@0", "@1", "@3")
				}
				if late && (act[0] == 'f' || act[0] == 'r') && !strings.Contains(act, "drop") {
					act += one("", "", " lag 1", " lag 1 open 1", " lag 2 open 1")
				}
				fmt.Fprintf(&b, "%sS%d %s", strings.Repeat(" | ", min(g, 1)), r.IntN(n), act)
			}
			b.WriteString("\n")
		}
		b.WriteString("eof : ")
		for s := range n {
			fmt.Fprintf(&b, "%sS%d %s", strings.Repeat(", ", min(s, 1)), s, one("r", "r", "!"))
		}
		fmt.Fprintf(&b, "\n} ragged pad truncate utf8 replace fields { a %s b u8 c %s d str } }", one("str", "i16", "str trim"), one("u8", "i32 trim"))
		compiled, err := compile.Compile("test.dfp", []byte(b.String()))
		if err != nil {
			continue // something would be lost, or records could not be read again
		}
		read++
		var in strings.Builder
		for range 20 + r.IntN(280) {
			in.WriteString(one("a", "a", `"`, ",", ",", " ", "e", "\n", "1", "2", "\xff"))
		}
		batch := []int{1, 7, 64, 1000}[r.IntN(4)]
		everyWay(t, compiled.Program, func() io.Reader { return inMemory(in.String()) }, runtime.WithErrorMode(modes[1+r.IntN(2)].mode), runtime.WithBatchSize(batch))
		if t.Failed() {
			t.Fatalf("seed %d:\n%s\n%q", seed, b.String(), in.String())
		}
	}
	if read < tables/4 {
		t.Errorf("%d of %d tables are read", read, tables)
	}
}

// TestNumberedBehindSurplus: what has a number of its own behind fields that are too many, and what follows it, is of
// columns again.
func TestNumberedBehindSurplus(t *testing.T) {
	p := spec(t, `dfa {
  group C=',' | L='!' | F='@' | N='\n' | X=*
  S : S f | S f@3 | S f@0 | S r | S d
  eof : S r
} ragged pad truncate  fields { a str  b u8  c u8  d str }`)
	o := everyWay(t, p, func() io.Reader { return inMemory("1,2,3,4\n,,,d!,,a@5,6\n!!,,,,a@x,6,d\n,,,,,,") }, runtime.WithErrorMode(modes[1].mode))
	if got, want := strings.Join(o.rows, "; "), `"1" 2 3 "4"; "a" 5 6 "d"; "a" null 6 "d"; "" null null ""`; got != want || o.stats.Nulled != 1 {
		t.Errorf("rows are %s, %d null, want %s, 1 null", got, o.stats.Nulled, want)
	}
}
