//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

const textsSpec = `escape clf = '\' { '"' '\' n x:hex2 }
format texts {
  record ` + "`" + `{a} {b:-} "{c:clf}" "{d:clf}" {e} {f...}` + "`" + `
  fields { a str  b str default "in place of nothing"  c str  d str trim null "none"  e binary(hex)  f str }
}`

// TestLineTexts reads texts on the path of lines, whose bytes a block copies that has the symbols of
// 128 records: around that many rows, of no bytes, of few and of many, of such that one lane has 16
// of several, with escapes in few and in most of them, defaults, and records that a block has no room for.
func TestLineTexts(t *testing.T) {
	newBench(t)
	spec := compiled(t, textsSpec)
	var rng *rand.Rand
	letters := []byte("abcdefghijklmnopqrstuvwxyz0123456789/")
	word := func(n int) []byte {
		x := make([]byte, n)
		for i := range x {
			x[i] = letters[rng.IntN(len(letters))]
		}
		return x
	}
	for _, test := range []struct {
		name    string
		lengths func() int
		escapes int // of so many texts one has some
	}{
		{"none", func() int { return 0 }, 1 << 30},
		{"one", func() int { return 1 }, 1 << 30},
		{"few", func() int { return rng.IntN(9) }, 100},
		{"some", func() int { return rng.IntN(40) }, 20},
		{"many", func() int { return rng.IntN(300) }, 3},
		{"of all lengths", func() int { return rng.IntN(1 << rng.IntN(11)) }, 200},
		{"few, and one of thousands", func() int { return rng.IntN(6) + 3000*(rng.IntN(200)/199) }, 50},
		{"long, with escapes", func() int { return 500 + rng.IntN(2000) }, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			rng = rand.New(rand.NewPCG(5, 7))
			sizes := []int{1, 31, 32, 33, 127, 128, 129, 255, 257, 700}
			if sanitized {
				sizes = []int{1, 31, 33, 129, 310}
			}
			for _, n := range sizes {
				var in bytes.Buffer
				text := func() []byte {
					x := word(test.lengths())
					if rng.IntN(test.escapes) == 0 {
						for range 1 + rng.IntN(3) {
							at := rng.IntN(len(x) + 1)
							x = append(x[:at:at], append([]byte([]string{`\"`, `\\`, `\"`, `\n`}[rng.IntN(4)]), x[at:]...)...)
						}
					}
					return x
				}
				for i := range n {
					b := []byte("-")
					if rng.IntN(3) != 0 {
						b = append(word(1), word(test.lengths())...)
					}
					d := text()
					if rng.IntN(20) == 0 {
						d = []byte("none")
					}
					fmt.Fprintf(&in, "%s %s \"%s\" \"%s\" %x %s\n", word(1+test.lengths()), b, text(), d, word(1+test.lengths()/2), word(test.lengths()))
					if i == 300 {
						in.WriteString("a record that is none\n")
					}
				}
				opts := []runtime.Option{runtime.WithErrorMode(dfa.Reject)}
				want := readWhole(t, cpu.Engine, spec.Program, in.Bytes(), opts)
				for _, flight := range []int{DefaultFlight, 20_000} {
					if got := readWhole(t, New(WithFlight(flight)), spec.Program, in.Bytes(), opts); got != want {
						at := 0
						for at < min(len(got), len(want)) && got[at] == want[at] {
							at++
						}
						t.Fatalf("%d records, flights of %d: of %.2000q: rows from character %d on\n%.300q\nwant\n%.300q", n, flight, in.String(), at, got[max(at-50, 0):], want[max(at-50, 0):])
					}
				}
			}
		})
	}
}

// TestLineTextsPlaces reads records of 78 symbols whose first 11 are a text: row 149's begins, counted from
// row 128 on, one symbol before where it comes in the text, which is no mark of any kind.
func TestLineTextsPlaces(t *testing.T) {
	newBench(t)
	spec := compiled(t, textsSpec)
	var in bytes.Buffer
	for i := range 300 {
		fmt.Fprintf(&in, "%011d x \"\" \"\" 00 %054d\n", i, i)
	}
	opts := []runtime.Option{runtime.WithErrorMode(dfa.Reject)}
	want := readWhole(t, cpu.Engine, spec.Program, in.Bytes(), opts)
	if got := readWhole(t, New(), spec.Program, in.Bytes(), opts); got != want {
		t.Fatalf("rows\n%.3000s\nwant\n%.3000s", got, want)
	}
}

// TestLongTexts: how texts of a flight are copied follows from how long those of the flight before were.
func TestLongTexts(t *testing.T) {
	newBench(t)
	for name, want := range map[string]bool{"fixed": false, "auditd": true, "haproxy": true, "syslog": true} {
		plan, b := formatPlan(t, name)
		p, err := New(WithFlight(30_000)).openParser(plan, runtime.Config{})
		if err != nil {
			t.Fatal(err)
		}
		var in bytes.Buffer
		if err := gen.Write(&in, name, 100_000, 1); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Parse(t.Context(), &runtime.Partition{Data: in.Bytes(), Binding: b, State: plan.Program.Automaton.Start, Final: true}); err != nil {
			t.Fatal(err)
		}
		if got := p.fused.sideBySide(1); (got.ends != 0) != want || want && got.length < 50 {
			t.Errorf("%s: %+v, texts of %d bytes", name, got, p.fused.longest)
		}
		if p.counted.FlightsFused < 2 {
			t.Errorf("%s: %d flights by lines", name, p.counted.FlightsFused)
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
