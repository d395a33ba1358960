package cpu

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestHeads: one record of each head, length and line end is left to steps, those that are odd, and what the data
// ends with. Others are read by heads, and of formats that have none nobody looks for them.
func TestHeads(t *testing.T) {
	const shapes = `format f { fixed a when "AB" { k 2  n 3  s 4 }  fixed b when "X" { k 1  n 2  s 6 }  shape kind  on_error reject  fields { n u16 } }`
	a, b := strings.Repeat("AB 17text\nAB 18text\n", 50), strings.Repeat("X 5more\nX 6some\n", 50)
	for _, c := range []struct {
		name, spec, text string
		left             int // -1: there are no heads
	}{
		{"one of each", shapes, a + b, 3},
		{"in turns", shapes, strings.Repeat("AB 17text\nX 5more\n", 100), 3},
		{"by lengths", shapes, a + strings.ReplaceAll(a, "text", "te"), 3},
		{"by line ends", shapes, a + strings.ReplaceAll(a, "\n", "\r\n") + a, 3},
		{"odd", shapes, a + "no\nAB 17text, and more\n\n" + a, 5},
		{"too long", shapes, a + strings.Repeat("AB 17text, and more\n", 30), 32},
		{"a template", "format f { record `{a:2}{b:3}{c...}`  fields { b u16 } }", strings.Repeat("ab 17rest\n", 100) + strings.Repeat("ab 17r\n", 50), 3},
		{"between texts", "format f { record `{a} {b}: {c...}` }", "a b: c\n", -1},
		{"up to the end", "format f { record `> {a...}` }", "> a\n", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, binding := alone(t, programOf(t, c.spec))
			binding.MinFields = 0 // each shape has columns of its own
			readText(t, p, binding, c.text)
			left := -1
			if x := p.workers[0].headed; x != nil {
				left = x.left
			}
			if left != c.left {
				t.Errorf("%d records are left to steps, want %d", left, c.left)
			}
		})
	}
}

// TestHeadsOfOtherData: where lines end is looked for again in data that comes behind other data, in the same memory or not.
func TestHeadsOfOtherData(t *testing.T) {
	spec, err := compile.Compile("f.dfp", []byte(`format f { fixed a when "AB" { k 2  n 3  s 4 }  fixed b when "X" { k 1  n 2  s 6 }  shape kind  fields { n u16 } }`))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for n := range 2000 {
		text.WriteString([]string{"AB 17text\n", "X 5more\n", "AB 18te\r\n", "X 7\n"}[n*n%7%4])
	}
	data := []byte(text.String())
	want := outcomeOf(t, spec.Program, data, runtime.WithEngine(reference.Engine))
	for _, size := range []int{100, 1000, 4000} {
		if got := outcomeOf(t, spec.Program, data, runtime.WithEngine(Engine), runtime.WithThreads(1), runtime.WithChunkSize(size), runtime.WithPartitionSize(size)); got != want {
			t.Errorf("by partitions of %d symbols: %s\nwant\n%s", size, got, want)
		}
	}
}
