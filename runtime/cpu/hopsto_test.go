package cpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// irregular is lines of three fields of which hardly two are alike.
func irregular() string {
	rng := rand.New(rand.NewPCG(7, 8))
	fields := []string{"a", ` "b`, `"c, d" e`, `f""g`, `  "h""i"`, `"j" "k"`, ` l "m`, `""`, `" "" "n`, "\to", "", `" p` + "\n" + `"`}
	var text strings.Builder
	for range 20000 {
		for i, end := range []string{",", ",", "\n"} {
			if i > 0 {
				text.WriteString(strings.Repeat(" ", rng.IntN(3)))
			}
			text.WriteString(fields[rng.IntN(len(fields))] + end)
		}
	}
	return text.String()
}

// TestOddByHops: where most records have something that is odd to masks they are read by hops, where a few have it they
// are not, nor where it is a line end,
// or where hops read them one by one.
func TestOddByHops(t *testing.T) {
	const bare, blanks = "17,some text,x\n", "17, some text, x\n"
	for _, c := range []struct {
		name, spec, text string
		want             bool
	}{
		{"blanks", `format f { delimited { sep ','  blanks }  fields { a u8  b str  c str } }`, strings.Repeat(blanks, 4000), true},
		{"a few blanks", `format f { delimited { sep ','  blanks }  fields { a u8  b str  c str } }`, strings.Repeat(strings.Repeat(bare, 500)+blanks, 10), false},
		{"no two alike", `format f { delimited { sep ','  quote '"' doubled  blanks  lax }  fields { a str  b str  c str } }`, irregular(), false},
		{"line ends", `format f { delimited { sep ','  quote '"' max_lines 2 }  fields { a u8  b str  c str } }`, strings.Repeat("17,\"some\ntext\",x\n", 4000), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, binding := alone(t, programOf(t, c.spec))
			readText(t, p, binding, c.text)
			w := p.workers[0]
			if w.masked == nil || w.hopsTo > 0 != (c.want && hasLeaps()) {
				t.Errorf("records are read by hops up to %d of %d, want %v", w.hopsTo, len(c.text), c.want)
			}
		})
	}
}

// TestClearedRows: records that lack fields and are read by hops lack them, though masks read others in between and write ahead
// of what is a row.
func TestClearedRows(t *testing.T) { onEach(t, testClearedRows) }

func testClearedRows(t *testing.T) {
	defer func(detour, trial, least, warm int) {
		hopDetour, hopTrial, steppedMin, warmRecords = detour, trial, least, warm
	}(hopDetour, hopTrial, steppedMin, warmRecords)
	hopDetour, hopTrial, steppedMin, warmRecords = detourMin+20, 1, 300, 4 // hops give way to steps soon, and these to masks
	const spec = `format f { delimited { sep ','  blanks }  directive "#Fields:" schema  directive "#" skip  fields { a u32 ?  b str ?  c str ?  d str ? }  ragged pad }`
	f, err := compile.Compile("f.dfp", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("#Fields: a,b,c,d\n")
	for n := range 200 {
		text.WriteString("1, b,c,d\n1, b\n1,b\n" + strings.Repeat("1,b,c,d\n", n%23))
	}
	data := []byte(text.String())
	want := outcomeOf(t, f.Program, data, runtime.WithEngine(reference.Engine))
	if got := outcomeOf(t, f.Program, data, runtime.WithEngine(Engine), runtime.WithThreads(1)); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

// TestHopsToEnds: hops read in place of steps where masks found something odd, and not at the same place of other data.
func TestHopsToEnds(t *testing.T) {
	p, binding := alone(t, programOf(t, `format f { delimited { sep ','  blanks }  fields { a u8  b str  c str } }`))
	w := p.workers[0]
	for _, c := range []struct {
		line string
		want bool
	}{{"17, some text, x\n", true}, {"17,some text,x\n", false}} {
		readText(t, p, binding, strings.Repeat(c.line, 4000))
		if w.masked == nil || w.hopsTo > 0 != (c.want && hasLeaps()) {
			t.Errorf("%q: records are read by hops up to %d, want %v", c.line, w.hopsTo, c.want)
		}
	}
}
