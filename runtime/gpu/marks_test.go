//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
)

// markSpecs are formats with maps that signs take apart, or an automaton, of texts that are drawn of these pieces.
var markSpecs = []struct {
	maps   string // types of columns behind the first; there is one for each
	pieces string // of a map, a rune each
	nested bool
	csv    bool
}{
	{`map(str, pairs ' ', kv '=', quote '"', escape e D)`, `  ==""\nkvé`, false, false},
	{`map(str, pairs ' ', kv '=', quote '"', doubled D)`, `  ==""kv`, false, false},
	{`map(str, pairs ' ', kv '=', quote '"' D)`, `  ==""kvé`, false, false},
	{`map(str, pairs ' ', kv '=' D)`, `  ==kv`, false, false},
	{`map(str, pairs ' '+, kv '=', quote '"', escape e D)`, `  ==""\nkv`, false, false},
	{`map(str, pairs ' ', kv '=', quote '"', escape e, keys quoted D)`, `  ==""\kv`, false, false},
	{`map(map(str), open '[', close ']', pairs ' ', kv '=', quote '"', escape e D)`, `  ==""\nkv[]`, true, false},
	{`map(map(str), open '[', close ']', pairs ' ', kv '=', quote '"' D)`, `  ==""kv[]é`, true, false},
	{`map(str, pairs ' ', kv '=', quote "'", escape e D)|map(str, pairs ' ', kv '=', quote "'", doubled D)`, `  =='''\kv"`, false, true},
	{`map(str, pairs ' ', kv '=' D) null "" "k=v"|map(map(str), open '[', close ']', pairs ' ', kv '=', quote "'" D) null "-"`, `  ==''kv[]`, false, true},
}

// markedMap draws a map that begins at place at: a text of pairs, whose signs stand where blocks of 64 symbols end or begin
// more often than not, or any pieces.
// One of so many has what is odd, so that the host may read it.
func markedMap(rng *rand.Rand, at int, pieces []rune, nested bool, most, odd int, quote, lead string) string {
	var s strings.Builder
	fill := func() string { // up to where a block ends, or near that
		n := -(at + s.Len()) & 63
		switch rng.IntN(5) {
		case 0:
			n = rng.IntN(4)
		case 1:
			n = max(0, n+rng.IntN(5)-2)
		case 2:
			n = max(0, n-1)
		case 3:
			n += 64 * rng.IntN(3)
		}
		return strings.Repeat("x", n)
	}
	if rng.IntN(odd) == 0 {
		for range rng.IntN(2 * most) {
			if rng.IntN(6) == 0 {
				s.WriteString(fill())
			}
			s.WriteRune(pieces[rng.IntN(len(pieces))])
		}
		return s.String()
	}
	pairs := 0
	pair := func() {
		if pairs++; rng.IntN(4*odd) > 0 {
			s.WriteString(fmt.Sprint(pairs, "k"))
		}
		s.WriteString(fill())
		if rng.IntN(6) == 0 && (!nested || rng.IntN(4*odd) == 0) {
			return
		}
		s.WriteString("=")
		enclosed := quote != "" && (nested || rng.IntN(2) == 0)
		if enclosed {
			s.WriteString(quote)
		}
		for range rng.IntN(3) {
			s.WriteString(fill())
			if enclosed && rng.IntN(2) == 0 {
				all := []string{" ", "=", "v", " ="}
				if lead != "" {
					all = append(all, lead+lead, lead+quote, lead+lead+lead+quote)
				} else if rng.IntN(odd) == 0 {
					all = []string{quote + quote, quote}
				}
				s.WriteString(all[rng.IntN(len(all))])
			}
		}
		if enclosed {
			s.WriteString(quote)
		}
	}
	group := func() {
		for i := range rng.IntN(most + 1) {
			if i > 0 || nested {
				s.WriteString(" ")
			}
			pair()
		}
	}
	if nested {
		for i := range rng.IntN(3) {
			s.WriteString("[id" + fmt.Sprint(i) + fill())
			group()
			s.WriteString("]")
		}
	} else {
		group()
		if rng.IntN(8) == 0 {
			s.WriteString(" ")
		}
	}
	m := []rune(s.String())
	var signs []int
	for i, c := range m {
		if c != 'x' && slices.Contains(pieces, c) {
			signs = append(signs, i)
		}
	}
	if rng.IntN(odd) == 0 && len(signs) > 0 { // in place of a sign, or before or behind one
		at, piece := signs[rng.IntN(len(signs))], pieces[rng.IntN(len(pieces))]
		if rng.IntN(3) == 0 {
			m[at] = piece
		} else {
			m = slices.Insert(m, at+rng.IntN(2), piece)
		}
	}
	return string(m)
}

// TestMarks: maps whose signs stand at the ends of blocks of marks are the CPU's.
func TestMarks(t *testing.T) {
	newBench(t)
	specs := map[string]*compile.Spec{}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 5))
		x := markSpecs[rng.IntN(len(markSpecs))]
		duplicates := []string{"", "", ", duplicates list", ", duplicates first", ", duplicates last"}[rng.IntN(5)]
		header := "record `{p} {m0...}`"
		if x.csv {
			header = "delimited { sep ',' quote '\"' doubled } header none"
		}
		text := "escape e = '\\' { '\"' '\\' \"'\" n }\nformat f { " + header + " fields { p str"
		types := strings.Split(strings.ReplaceAll(x.maps, " D)", duplicates+")"), "|")
		for i, of := range types {
			text += fmt.Sprintf("  m%d %s", i, of)
		}
		text += " } }\n"
		spec, is := specs[text]
		if !is {
			var err error
			if spec, err = compile.Compile("marks.dfp", []byte(text)); err != nil {
				rt.Fatalf("%s: %v", text, err)
			}
			specs[text] = spec
		}
		most, odd := []int{2, 6, 40}[rng.IntN(3)], []int{3, 12, 100}[rng.IntN(3)]
		var in bytes.Buffer
		for range []int{1, 3, 40, 130}[rng.IntN(4)] {
			in.WriteString(strings.Repeat("p", 1+rng.IntN(66)))
			for _, of := range types {
				quote, lead := "", ""
				if _, after, ok := strings.Cut(of, "quote "); ok {
					quote = after[1:2]
				}
				if strings.Contains(of, "escape") {
					lead = `\`
				}
				sep := " "
				if x.csv {
					sep = ","
				}
				in.WriteString(sep)
				m := markedMap(rng, in.Len(), []rune(x.pieces), x.nested || strings.Contains(of, "map(map"), most, odd, quote, lead)
				if x.csv && rng.IntN(4) == 0 {
					m = `"` + strings.ReplaceAll(m, `"`, `""`) + `"`
				}
				in.WriteString(m)
			}
			in.WriteString("\n")
			if in.Len() > 50_000 {
				break
			}
		}
		meanCompare(rt, spec.Program, text, in.String())
	})
}

// TestPackedTexts: a warp has room for the texts of 32 blocks of a map of maps, wherever these begin in their heaps.
func TestPackedTexts(t *testing.T) {
	newBench(t)
	spec := compiled(t, "format f { record `{p} {m...}` fields { p str  m map(map(str), open '[', close ']', pairs ' ', kv '=', quote '\"') } }\n")
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 6))
		text := func(n int) string { return strings.Repeat("abcdefghijklm", n/13+1)[:n] }
		var in bytes.Buffer
		for range 32 { // their last symbols are anywhere among 16
			fmt.Fprintf(&in, "p [%s %s=\"%s\"]\n", text(1+rng.IntN(16)), text(1+rng.IntN(16)), text(1+rng.IntN(16)))
		}
		in.WriteString(strings.Repeat("p", 1+(-in.Len()-2)&63) + " ")
		outer, key := 1+rng.IntN(1000), 1+rng.IntN(1000)
		fmt.Fprintf(&in, "[%s %s=\"%s\"]\n", text(outer), text(key), text(2044+rng.IntN(3)-outer-key))
		meanCompare(rt, spec.Program, "packed", in.String())
	})
}

// TestDrawnKeys: maps of few keys or many, of any lengths, some of which are there twice, are the CPU's.
func TestDrawnKeys(t *testing.T) {
	newBench(t)
	var specs []*compile.Spec
	for _, of := range []string{"map(str, pairs ' ', kv '=')", "map(str, pairs ' ', kv '=', duplicates list)", "map(str, pairs ' ', kv '=', duplicates first)", "map(str, pairs ' ', kv '=', duplicates last)",
		"map(map(str), open '[', close ']', pairs ' ', kv '=', quote '\"')", "map(map(str), open '[', close ']', pairs ' ', kv '=', quote '\"', duplicates list)"} {
		spec := compiled(t, "format f { record `{p} {m...}` fields { p str  m "+of+" } }\n")
		specs = append(specs, spec)
	}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 7))
		of := rng.IntN(len(specs))
		nested := of >= 4
		most, length := []int{3, 20, 60, 300, 1000}[rng.IntN(5)], []int{3, 9, 17, 150, 700}[rng.IntN(5)]
		repeat := []int{30, 1000, 100_000}[rng.IntN(3)] // a key of so many is there twice
		var in bytes.Buffer
		keys := func(room int) {
			var all []string
			for i := range rng.IntN(most + 1) {
				key := fmt.Sprintf("%d%s", i, strings.Repeat("k", rng.IntN(length)))
				if rng.IntN(2) == 0 {
					key = fmt.Sprintf("%s%d", strings.Repeat("k", rng.IntN(length)), i)
				}
				if rng.IntN(repeat) == 0 && i > 0 {
					key = all[[]int{0, i - 1, rng.IntN(i)}[rng.IntN(3)]]
				}
				if room -= len(key) + 8; room < 0 {
					break
				}
				all = append(all, key)
			}
			for i, key := range all {
				if nested || i > 0 {
					in.WriteString(" ")
				}
				in.WriteString(key)
				switch {
				case nested:
					fmt.Fprintf(&in, "=\"%d\"", i)
				case rng.IntN(9) > 0:
					fmt.Fprintf(&in, "=%d", i)
				}
			}
		}
		for range []int{1, 31, 33, 100}[rng.IntN(4)] {
			in.WriteString("p ")
			switch {
			case !nested:
				keys([]int{500, 4000, 4400}[rng.IntN(3)])
			default:
				for i := range rng.IntN(5) {
					if rng.IntN(repeat) == 0 {
						i = 0
					}
					fmt.Fprintf(&in, "[%s%d", strings.Repeat("o", rng.IntN(length)/4), i)
					keys([]int{100, 900, 2000}[rng.IntN(3)])
					in.WriteString("]")
				}
			}
			in.WriteString("\n")
			if in.Len() > 60_000 {
				break
			}
		}
		meanCompare(rt, specs[of].Program, fmt.Sprint("spec ", of), in.String())
	})
}
