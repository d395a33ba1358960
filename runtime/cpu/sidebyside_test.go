package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestSideBySide: files of many lines of a few sorts, of drawn formats, are what they are by reference, so that records are
// read side by side, with comments, blank lines and damaged lines between them.
func TestSideBySide(t *testing.T) {
	rng, n := rand.New(rand.NewPCG(61, 62)), 15 // other formats on each
	if testing.Short() {
		n = 4
	}
	onEach(t, func(t *testing.T) { sideBySide(t, rng, n) })
}

// sideBySide compares n drawn formats.
func sideBySide(t *testing.T, rng *rand.Rand, n int) {
	for _, v := range []*int{&hopWindow, &warmRecords, &minAbreast, &hopTrial, &hopDetour} {
		defer func(before int) { *v = before }(*v)
	}
	d := lineDrawer{rng}
	for range n {
		spec, line := d.format()
		compiled, err := compile.Compile("f.dfp", []byte(spec))
		for ; err != nil; compiled, err = compile.Compile("f.dfp", []byte(spec)) { // it may be that nothing tells shapes apart
			spec, line = d.format()
		}
		data := d.lines(line)
		what := []runtime.Option{
			runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Null, dfa.Fail}[rng.IntN(4)]),
			runtime.WithBatchSize(d.number(1+rng.IntN(50), 1+rng.IntN(600), 1<<16)),
		}
		if rng.IntN(4) == 0 {
			what = append(what, runtime.WithMaxRecord(1+rng.IntN(d.number(60, 160, 1000))))
		}
		if rng.IntN(4) == 0 {
			what = append(what, runtime.WithLimit(rng.Int64N(500)))
		}
		if columns := compiled.Program.Columns; rng.IntN(6) == 0 {
			what = append(what, runtime.WithColumns(columns[rng.IntN(len(columns))].Name))
		}
		by := func(how ...runtime.Option) string {
			return outcomeOf(t, compiled.Program, data, append(how, what...)...)
		}
		want := by(runtime.WithEngine(reference.Engine))
		for range 3 {
			hopWindow, warmRecords, minAbreast = d.number(256, 1024, 4096, windowMin, windowMin), d.number(4, 12, 20, 40), d.number(1, 2, 8)
			hopTrial, hopDetour = d.number(64, 16<<10, 16<<10), d.number(1, detourMin+20, 1<<20)
			threads, chunk, partition := d.number(1, 2, 5), 1+rng.IntN(d.number(300, 1<<12, len(data)+10)), 1+rng.IntN(4*len(data)+100)
			if rng.IntN(2) == 0 {
				chunk = 1 << 20
			}
			if got := by(runtime.WithEngine(Engine), runtime.WithThreads(threads), runtime.WithChunkSize(chunk), runtime.WithPartitionSize(partition)); got != want {
				t.Fatalf("%s\nwindow of %d, warm %d, least %d, trial %d, detour %d, %d threads, chunks of %d, partitions of %d: %q\n%s", spec,
					hopWindow, warmRecords, minAbreast, hopTrial, hopDetour, threads, chunk, partition, data, firstDifference(got, want))
			}
		}
	}
}

// lineDrawer draws formats and lines of them.
type lineDrawer struct{ *rand.Rand }

func (d lineDrawer) number(of ...int) int     { return of[d.IntN(len(of))] }
func (d lineDrawer) text(of ...string) string { return of[d.IntN(len(of))] }

// one is true in one of n cases.
func (d lineDrawer) one(n int) bool { return d.IntN(n) == 0 }

// lines draws some.
func (d lineDrawer) lines(line func() string) []byte {
	var text strings.Builder
	damaged, comments, returns, end := d.number(3, 30, 200, 1<<30), d.number(2, 10, 100, 1<<30), d.number(1, 2, 50, 1<<30), "\n"
	for range 100 + d.IntN(d.number(1, 300, 300, 3000)) {
		if end = "\n"; d.one(returns) {
			end = "\r\n"
		}
		one := line()
		switch {
		case d.one(comments):
			one = d.text("", "", "#", "# a comment", " \t# of blanks", "# a, b = c | d: 1 (e) [f]", "  ", "#"+strings.Repeat(" long", d.IntN(80)))
		case d.one(damaged) && len(one) > 0:
			at := d.IntN(len(one))
			switch d.IntN(5) {
			case 0:
				one = one[:at]
			case 1:
				one = one[:at] + one[min(len(one), at+1+d.IntN(6)):]
			case 2:
				one += strings.Repeat(d.text("w ", "7", "\xff", "x#"), d.IntN(200))
			default:
				one = one[:at] + d.text("7", " ", "#", ",", "\xff", "\x00", "\"", "\\", "\r", "\n", " # x", strings.Repeat("4", 70), strings.Repeat("a", 70)) + one[at:]
			}
		}
		text.WriteString(one + end)
	}
	s := text.String()
	return []byte(s[:len(s)-d.number(0, 0, 1, min(len(s), d.IntN(40)))])
}

// format draws one, and gives what draws a line of it.
func (d lineDrawer) format() (spec string, line func() string) {
	switch d.IntN(12) {
	case 0, 1, 2, 3:
		return d.delimited()
	case 4, 5:
		return d.keyed()
	case 6:
		return d.widths()
	}
	return d.template()
}

func (d lineDrawer) delimited() (spec string, line func() string) {
	sep, n := d.text(",", " = ", "|", "; ", "\t", ":"), 2+d.IntN(6)
	holes, fields := make([]hole, n), ""
	for i := range holes {
		holes[i] = d.hole()
		fields += fmt.Sprintf(" c%d %s ?", i, holes[i].typ)
	}
	if d.one(2) {
		holes[n-1] = texts
		fields = fields[:strings.LastIndex(fields, " c")] + fmt.Sprintf(" c%d str ?", n-1)
	}
	odd := d.number(1, 20, 1<<30)
	return fmt.Sprintf("format f { delimited { sep %q %s } fields {%s } %s %s }", sep, d.text("", `comment "#"`, `comment "#" after blanks`, `comment "#" after data`, `comment "#" after data`), fields, d.text("", "ragged pad", "ragged pad truncate"), d.text("", "blank skip", "utf8 keep")), func() string {
		of := n
		if d.one(odd) {
			of = 1 + d.IntN(n+1)
		}
		var values []string
		for i := range of {
			values = append(values, holes[min(i, n-1)].value(d))
		}
		return strings.Join(values, sep) + d.text("", "", "", " # behind", "#")
	}
}

func (d lineDrawer) widths() (spec string, line func() string) {
	odd := d.number(1, 20, 1<<30)
	return `format f { fixed a when "AB" { k 2  n 3  _ 1  s 4  t 2 }  fixed b when "AC" { k 3  s 4 }  fixed c when "X" { k 1  n 2  d 10 }  shape kind  lines { comment "#" }  fields { n u8  s str trim  d date } }`, func() string {
		if d.one(odd) {
			return d.text("X12", "AB", "ABx", "A", "AC", "", "AB  7 texttt")
		}
		return d.text("AB  7 text", "AB 12 text t", "ACCtext", "X 72024-05-06", "X 72024-05-06")
	}
}

func (d lineDrawer) keyed() (spec string, line func() string) {
	names := []string{"time", "level", "msg", "component", "n", "user"}
	d.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	types := map[string]string{"time": "ts", "level": "dict", "msg": "str", "component": "dict", "n": "u32", "user": "str"}
	spec = "escape quoted = '\\' { '\"' '\\' n t }\nformat f { record `{more...}`  fields { more map(str, pairs ' ', kv '=', quote '\"', escape quoted) }  keyed more {"
	for _, name := range names {
		spec += " " + name + " " + types[name]
	}
	odd, escapes := d.number(1, 20, 1<<30), d.number(1, 5, 100)
	return spec + " } }", func() string {
		order := names
		if d.one(odd) {
			order = slices.Clone(names)[:d.IntN(len(names))]
			d.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		var pairs []string
		for _, name := range order {
			value := d.text("a", "bb", "ccc", `"in quotes"`, `""`)
			switch {
			case name == "time":
				value = d.text("2024-05-06T07:08:09Z", "2024-05-06T07:08:09.125Z")
			case name == "n":
				value = fmt.Sprint(d.Uint32N(uint32(d.number(10, 1000, 1<<30))))
			case name == "msg" && d.one(escapes):
				value = `"` + strings.Repeat("text ", d.IntN(20)) + d.text(`a \"b\" c`, `\\`, `\n`, `x\ty`, `\q`) + strings.Repeat(" text", d.IntN(20)) + `"`
			case name == "msg":
				value = `"` + strings.Repeat("text ", d.IntN(30)) + `"`
			}
			pairs = append(pairs, name+"="+value)
		}
		if d.one(odd) {
			pairs = append(pairs, d.text("other=1", "alone", "=", "x=", `y="`))
		}
		return strings.Join(pairs, " ")
	}
}

// hole is a field of a type, and draws values of it.
type hole struct {
	typ   string
	value func(d lineDrawer) string
}

func digits(d lineDrawer) string {
	return fmt.Sprint(d.Uint32N(uint32(d.number(10, 1000, 60000, 1<<30))))
}

// texts may be last in a line.
var texts = hole{"str", func(d lineDrawer) string {
	return d.text("", "x", "a text", "of (1) [b]: c = d, "+strings.Repeat("e ", d.IntN(30)))
}}

var at = hole{`ts("%F %T")`, func(d lineDrawer) string { return fmt.Sprintf("2024-05-%02d 07:08:%02d", 1+d.IntN(31), d.IntN(61)) }}

func (d lineDrawer) hole() hole {
	words := [][]string{{"info", "warn", "error"}, {"GET", "POST", "PUT"}, {"yes", "no"}, {"TCP", "UDP", "ICMP"}, {"inbound", "outbound"}}[d.IntN(5)]
	return []hole{
		{"u32", digits},
		{"u64", digits},
		{"u64", func(d lineDrawer) string { return strings.Repeat("7", 1+d.IntN(19)) }},
		{"u16", digits},
		{"f64", func(d lineDrawer) string { return digits(d) + "." + digits(d) }},
		{"u32(hex)", func(d lineDrawer) string { return fmt.Sprintf("%x", d.Uint32N(uint32(d.number(16, 1<<16, 1<<31)))) }},
		{"ip", func(d lineDrawer) string {
			return d.text("10.0.0.7", "193.111.222.103", "fe80::1", fmt.Sprintf("10.%d.%d.1", d.IntN(256), d.IntN(30)))
		}},
		at,
		{`time("%H:%M:%S")`, func(d lineDrawer) string { return fmt.Sprintf("%02d:08:09", d.IntN(25)) }},
		{"dur(clock)", func(d lineDrawer) string { return d.text("0:00:01", "12:34", "1:02:03.5") }},
		{"enum(" + strings.Join(words, " ") + ")", func(d lineDrawer) string { return words[d.IntN(len(words))] }},
		{"enum(" + strings.Join(words, " ") + ")", func(d lineDrawer) string { return words[d.IntN(len(words))] }},
		{"dict", func(d lineDrawer) string { return d.text("main", "pool-1", "w") }},
		{"str", func(d lineDrawer) string { return d.text("host", "a.B", "a-longer-word") + d.text("", "", digits(d)) }},
	}[d.IntN(14)]
}

// part is one of a template.
type part struct {
	spec, text string
	hole
	optional bool
}

// template draws one of some shapes, which begin alike, differ in words and holes, and may end alike.
func (d lineDrawer) template() (spec string, line func() string) {
	var fields strings.Builder
	nholes := 0
	parts := func(n int) (of []part) {
		for range n {
			p := part{hole: d.hole()}
			name := fmt.Sprintf("c%d", nholes)
			nholes++
			before, behind := "", ""
			as := ""
			switch d.IntN(7) {
			case 0:
				before, behind = "(", ")"
			case 1:
				before = d.text("key=", "a: ", "%", "for ", "id/")
			case 2:
				before, behind = "<", ">"
			case 6:
				before, behind, as = `"`, `"`, ":c"
				p.hole = hole{"str", func(d lineDrawer) string { return d.text("q", "q r", `q\"r`, `\\`, `a\nb`, "") }}
			case 3:
				p.optional = len(of) == 0 || !of[len(of)-1].optional
				before, behind = " (", ")"
			}
			fmt.Fprintf(&fields, " %s %s%s", name, p.typ, d.text("", " ?"))
			p.spec, p.text = before+"{"+name+as+"}"+behind, before+"\x00"+behind
			if p.optional {
				p.spec = "[" + p.spec + "]"
			} else {
				end := d.text(" ", " ", ", ", "; ", " - ", "/", ": ")
				p.spec, p.text = p.spec+end, p.text+end
			}
			of = append(of, p)
		}
		return of
	}
	first, last := parts(1+d.IntN(4)), parts(d.number(d.IntN(4), 4+d.IntN(4)))
	fmt.Fprintf(&fields, " rest str")
	nshapes := d.number(1, 1, 2, 3, 4)
	shapes, names := make([][]part, nshapes), [...]string{"Built ", "Teardown ", "Deny: ", "User "}
	for i := range shapes {
		word := names[i]
		if nshapes == 1 {
			word = ""
		}
		shapes[i] = slices.Concat(first, []part{{spec: word, text: word}}, parts(d.IntN(3)), last, []part{{spec: "{rest...}", text: "\x00", hole: texts}})
		spec += fmt.Sprintf("  record s%d `", i)
		if nshapes == 1 {
			spec = "  record `"
		}
		for _, p := range shapes[i] {
			spec += p.spec
		}
		spec += "`"
	}
	if spec = "escape c = '\\' { '\"' '\\' n t }\nformat f {" + spec + "  fields {" + fields.String() + " }"; nshapes > 1 {
		spec += " shape kind"
	}
	spec += d.text("", ` lines { comment "#" }`, ` lines { comment "#" after blanks }`)
	spec += d.text("", "", " blank skip")
	further := d.one(6) && first[0].typ == at.typ && !first[0].optional
	if further {
		spec += "  multiline { start `" + first[0].spec[:len(first[0].spec)-1] + "`  into rest }"
	}
	spec += " }"
	with, most, behind := d.number(1, 2, 30), d.number(1, nshapes), d.number(3, 40, 1<<30)
	return spec, func() string {
		var text strings.Builder
		shape := shapes[d.IntN(most)]
		if d.one(40) {
			shape = shapes[d.IntN(nshapes)]
		}
		for _, p := range shape {
			if p.optional && !d.one(with) {
				continue
			}
			value := ""
			if p.value != nil {
				value = p.value(d)
			}
			text.WriteString(strings.Replace(p.text, "\x00", value, 1))
		}
		if d.one(behind) {
			text.WriteString(d.text(" # behind", "#", " # a (1) [b]: c"))
		}
		if further && d.one(behind) {
			text.WriteString(d.text("\n\tat a.b", "\n", "\nCaused by: 7\n at c", "\n2024 of old"))
		}
		return text.String()
	}
}
