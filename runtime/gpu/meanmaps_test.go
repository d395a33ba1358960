//go:build cuda

package gpu

import (
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
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// mapNotation is how maps of a drawn format look.
type mapNotation struct {
	typ                   string // as a spec has it
	pair, kv, quote       string
	open, close           string
	doubled, escape, keys bool // what is enclosed has its quote doubled, or escapes; keys may be enclosed
	nested, before        bool
	modifiers, name       string
}

// drawNotation draws one, of symbols that a record of fields between `outer` can have.
func drawNotation(rng *rand.Rand, outer string) (x mapNotation) {
	pick := func(all ...string) string { return all[rng.IntN(len(all))] }
	for x.pair = outer; x.pair == outer; {
		x.pair = pick(" ", " ", ";", ", ", "&", "||", "; ")
	}
	x.kv = pick("=", "=", ":", "=>", ": ", "==")
	if rng.IntN(5) == 0 {
		x.nested, x.open, x.close = true, "[", "]"
	} else if rng.IntN(5) == 0 {
		x.open, x.close = "{", "}"
	}
	value := pick("str", "str", "str", "str", "str", "str", "u16", "dict")
	x.typ = "map(" + value
	if x.nested {
		x.typ = "map(map(" + pick("str", "str", "i64") + ")"
	}
	run := ""
	if len(x.pair) == 1 && rng.IntN(3) == 0 {
		run = "+"
	}
	switch {
	case len(x.pair) == 1 && len(x.kv) == 1 && !x.nested && x.open == "" && rng.IntN(8) == 0:
		x.before = true
		run += " before key"
	case rng.IntN(2) == 0:
		x.quote = pick(`"`, `"`, "'")
		if rng.IntN(2) == 0 {
			x.escape = true
		} else {
			x.doubled = rng.IntN(2) == 0
		}
		x.keys = rng.IntN(3) == 0
	case rng.IntN(4) == 0:
		x.escape = true
	}
	x.typ += fmt.Sprintf(", pairs %q%s, kv %q", x.pair, run, x.kv)
	if x.quote != "" {
		x.typ += fmt.Sprintf(", quote %q", x.quote)
		if x.doubled {
			x.typ += ", doubled"
		}
		if x.keys {
			x.typ += ", keys quoted"
		}
	}
	if x.escape {
		x.typ += ", escape e"
	}
	if x.open != "" {
		x.typ += fmt.Sprintf(", open '%s', close '%s'", x.open, x.close)
	}
	if d := pick("", "", "first", "last", "list", "error"); d != "" {
		x.typ += ", duplicates " + d
	}
	x.typ += ")"
	x.modifiers = pick("", "", "", "!", ` null "-"`, ` null "-" "k=v"`, " trim", ` null ""`, ` empty "-"`, ` default "d=e"`)
	return x
}

// mapDrawer draws maps.
type mapDrawer struct {
	*rand.Rand
	odd, repeat, most, long int
}

func (d *mapDrawer) text(x *mapNotation, key bool) string {
	if d.IntN(d.odd) == 0 {
		odd := []string{"", "\xff", "é", "日本", "\xc3", "\xa9", "\x00", "\r", `a\"b`, `\"`, `\\`, `\n`, `\x`, `\`, x.pair, x.kv, x.kv + x.kv, x.quote, x.quote + x.quote, "a" + x.quote + "b",
			"[", "]", "{", "}", "a b", " ", "  ", "\t", ",", "|", "é" + x.pair + "é", "\xe2\x82", "0", "65535", "65536", "-"}
		return odd[d.IntN(len(odd))] + odd[d.IntN(len(odd))]
	}
	if d.IntN(d.long) == 0 {
		n := []int{31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 4090, 4095, 4096, 4097, 16384}[d.IntN(15)]
		return strings.Repeat("w", n)
	}
	if key {
		return fmt.Sprintf("key%d", d.IntN(d.repeat))
	}
	if d.IntN(3) == 0 {
		return fmt.Sprint(d.IntN(1000))
	}
	return strings.Repeat("v", d.IntN(1<<d.IntN(6)))
}

func (d *mapDrawer) enclosed(x *mapNotation, s string) string {
	if x.doubled && d.IntN(30) > 0 {
		s = strings.ReplaceAll(s, x.quote, x.quote+x.quote)
	}
	if x.escape && d.IntN(30) > 0 {
		s = strings.NewReplacer(`\`, `\\`, x.quote, `\`+x.quote).Replace(s)
	}
	return x.quote + s + x.quote
}

func (d *mapDrawer) pairs(x *mapNotation) string {
	var all []string
	for range d.IntN(d.most + 1) {
		key, value := d.text(x, true), d.text(x, false)
		if x.quote != "" && d.IntN(3) == 0 {
			value = d.enclosed(x, value)
		}
		if x.keys && d.IntN(2) == 0 {
			key = d.enclosed(x, key)
		}
		switch d.IntN(8) {
		case 0:
			all = append(all, key)
		default:
			all = append(all, key+x.kv+value)
		}
	}
	s := strings.Join(all, x.pair)
	if d.IntN(d.odd) == 0 {
		s = []string{x.pair + s, s + x.pair, x.pair + s + x.pair, "x" + s, s + "x"}[d.IntN(5)]
	}
	return s
}

func (d *mapDrawer) value(x *mapNotation) string {
	if d.IntN(d.odd) == 0 {
		return []string{"-", "", " ", "x", "[", "[]", "[a]", "{}", "=", "k=", "=v", `k="v`, `k="v"x`, "\xff", "k=v", x.open + x.close, x.open, x.kv, x.pair}[d.IntN(19)]
	}
	if x.nested {
		var s string
		for range d.IntN(5) {
			s += x.open + strings.TrimSuffix(fmt.Sprintf("id%d%s%s", d.IntN(d.repeat), x.pair, d.pairs(x)), map[bool]string{true: x.pair, false: "\n"}[d.IntN(4) > 0]) + x.close
		}
		return s
	}
	s := d.pairs(x)
	if x.open != "" && d.IntN(3) > 0 {
		s = x.open + s + x.close
	}
	return s
}

// readAll gives the rows and rejects of an input, and what was counted.
func readAll(e runtime.Engine, p *dfa.Program, in string, opts ...runtime.Option) string {
	var rejects strings.Builder
	opts = append(opts, runtime.WithRejectHandler(func(r *runtime.Reject) error {
		fmt.Fprintf(&rejects, "%v field only %v at %d of %d lines %q\n", r.Error(), r.FieldOnly, r.Start, r.Lines, r.Raw)
		return nil
	}), runtime.WithRejectDetails(1000))
	rows, stats, err := readRows(e, p, in, opts...)
	stats.Batches, stats.Partitions = 0, 0
	if err != nil { // it is not said how far others are by then
		stats = runtime.Stats{}
	}
	return fmt.Sprintf("%s%serror %v\n%d rows, rejected %d of %d lines, nulled %d, replaced %d\n", rows, &rejects, err, stats.Rows, stats.Rejected, stats.RejectedLines, stats.Nulled, stats.Replaced)
}

// whereOther shows where two texts begin to differ.
func whereOther(got, want string) string {
	at := 0
	for at < min(len(got), len(want)) && got[at] == want[at] {
		at++
	}
	from := max(0, at-300)
	return fmt.Sprintf("%q\nwant\n%q", got[from:min(len(got), at+300)], want[from:min(len(want), at+300)])
}

// TestMeanMaps: maps of notations that are drawn, with anything in them, are the CPU's and those of the reference.
func TestMeanMaps(t *testing.T) {
	newBench(t)
	specs := map[string]*compile.Spec{}
	compiled, placed := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		form := rng.IntN(6)
		outer := []string{" ", ",", ",", "|", "\t", " "}[form]
		var notations []mapNotation
		for range 1 + rng.IntN(3) {
			notations = append(notations, drawNotation(rng, outer))
		}
		if form == 0 || form == 5 {
			notations = notations[:1]
		}
		var fields []string
		var template string
		switch form {
		case 0:
			fields, template = append(fields, "n i32"), "{n} "
		case 1, 2, 3, 4:
			fields = append(fields, "n i32", "d dict", "s str")
		}
		for i := range notations {
			x := &notations[i]
			x.name = fmt.Sprintf("m%d", i)
			fields = append(fields, x.name+" "+x.typ+x.modifiers)
		}
		header := map[int]string{0: "record `" + template + "{m0...}`", 5: "record `{m0...}`", 1: "delimited { sep ',' }\n header none", 2: "delimited { sep ',' quote '\"' doubled }\n header none",
			3: "delimited { sep '|' eol lf }\n header none", 4: "delimited { sep '\\t' }\n header none"}[form]
		keyed := ""
		if (form == 0 || form == 5) && !notations[0].nested && !strings.Contains(notations[0].typ, "duplicates list") && rng.IntN(3) == 0 {
			keyed = "\n keyed m0 { key0 str key1 str }"
		}
		text := "escape e = '\\' { '\"' '\\' n }\nformat f {\n " + header + "\n fields { " + strings.Join(fields, "\n ") + " }" + keyed + "\n}\n"
		spec, is := specs[text]
		if !is {
			var err error
			if spec, err = compile.Compile("drawn.dfp", []byte(text)); err != nil {
				spec = nil // a pair of symbols that do not go together
			}
			specs[text] = spec
		}
		if spec == nil {
			return
		}
		compiled++
		for i := range spec.Program.Columns {
			if onDevice(spec.Program, &spec.Program.Columns[i]) {
				placed++
				break
			}
		}
		d := &mapDrawer{rng, []int{3, 30, 300, 100_000}[rng.IntN(4)], []int{3, 20, 1000, 1_000_000}[rng.IntN(4)], []int{1, 4, 12, 70}[rng.IntN(4)], []int{20, 200, 100_000}[rng.IntN(3)]}
		var in strings.Builder
		rows := []int{0, 1, 2, 33, 150}[rng.IntN(5)]
		if d.most == 70 {
			rows = min(rows, 33)
		}
		for i := 0; i < rows && in.Len() < 60_000; i++ {
			all := []string{}
			if form != 5 {
				all = append(all, fmt.Sprint(i))
			}
			if form > 0 && form < 5 {
				all = append(all, []string{"a", "b", "", "cc"}[rng.IntN(4)], d.text(&notations[0], false))
			}
			if rng.IntN(d.odd) == 0 && form != 5 {
				all[0] = "x"
			}
			for k := range notations {
				m := d.value(&notations[k])
				if form == 2 && rng.IntN(2) == 0 {
					m = `"` + strings.ReplaceAll(m, `"`, `""`) + `"`
				}
				all = append(all, m)
			}
			if rng.IntN(d.odd) == 0 {
				all = all[:rng.IntN(len(all))]
			}
			in.WriteString(strings.Join(all, outer) + []string{"\n", "\n", "\n", "\r\n"}[rng.IntN(4)*min(1, rng.IntN(d.odd))])
		}
		data := in.String()
		data = data[:len(data)-min(len(data), rng.IntN(4))]
		meanCompare(rt, spec.Program, text, data)
	})
	t.Logf("of %d formats kernels place maps of %d", compiled, placed)
	if compiled >= 20 && placed == 0 { // about two thirds have some
		t.Error("nothing has been seen")
	}
}

// meanCompare reads data by all engines, in partitions and flights that end anywhere.
func meanCompare(rt *rapid.T, p *dfa.Program, text, data string) {
	opts := []runtime.Option{
		runtime.WithErrorMode(rapid.SampledFrom([]dfa.ErrorMode{dfa.Null, dfa.Null, dfa.Reject, dfa.Reject, dfa.Fail}).Draw(rt, "errors")),
		runtime.WithBatchSize(rapid.SampledFrom([]int{1, 37, 500, 1 << 16}).Draw(rt, "batch")), runtime.WithThreads(rapid.IntRange(1, 3).Draw(rt, "threads")),
		runtime.WithUTF8(rapid.SampledFrom([]dfa.UTF8Policy{dfa.ReplaceUTF8, dfa.RejectUTF8, dfa.KeepUTF8}).Draw(rt, "UTF-8")),
	}
	if rapid.Bool().Draw(rt, "reuse") {
		opts = append(opts, runtime.WithReuse())
	}
	want := readAll(cpu.Engine, p, data, opts...)
	if len(data) < 20_000 {
		if ref := readAll(reference.Engine, p, data, opts...); ref != want {
			rt.Fatalf("%s: of %.3000q the CPU has\n%s", text, data, whereOther(want, ref))
		}
	}
	ways := []Option{WithFlight(max(rapid.SampledFrom([]int{300, 3000, 200_000}).Draw(rt, "flight"), len(data)/50))}
	switch rapid.IntRange(0, 3).Draw(rt, "way") {
	case 0:
		ways = append(ways, WithGeneralPath())
	case 1:
		ways = append(ways, WithoutMasks())
	}
	opts = append(opts, runtime.WithPartitionSize(max(rapid.SampledFrom([]int{700, 5000, 1 << 20}).Draw(rt, "partition"), len(data)/50)))
	if got := readAll(New(ways...), p, data, opts...); got != want {
		rt.Fatalf("%s: of %.3000q\n%s", text, data, whereOther(got, want))
	}
}

// TestMeanFormats: files of formats with maps in which anything was changed are the CPU's.
func TestMeanFormats(t *testing.T) {
	newBench(t)
	for _, kind := range []string{"auditd", "syslog_rfc5424", "logfmt"} {
		t.Run(kind, func(t *testing.T) { testMeanFormat(t, kind) })
	}
}

func testMeanFormat(t *testing.T, kind string) {
	spec, err := gen.Spec(kind)
	if err != nil {
		t.Fatal(err)
	}
	var file strings.Builder
	if err := gen.Write(&file, kind, 30_000, 3); err != nil {
		t.Fatal(err)
	}
	whole := file.String()
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 1))
		from := rng.IntN(len(whole) / 2)
		data := []byte(whole[from:min(len(whole), from+rng.IntN(6000))])
		odd := "\" \\=[]{};:,|\r\n\t\x00\xff\xc3\xa9'"
		for range rng.IntN(100) {
			if len(data) == 0 {
				break
			}
			at := rng.IntN(len(data))
			switch rng.IntN(4) {
			case 0:
				data[at] = odd[rng.IntN(len(odd))]
			case 1:
				data[at] = data[rng.IntN(len(data))]
			case 2:
				data = append(data[:at], data[at+1:]...)
			default:
				n := min(rng.IntN(40), len(data)-at)
				copy(data[rng.IntN(len(data)-n+1):], data[at:at+n])
			}
		}
		meanCompare(rt, spec.Program, kind, string(data))
	})
}
