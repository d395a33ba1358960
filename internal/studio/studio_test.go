package studio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

func source(t testing.TB, name string) []byte {
	t.Helper()
	src, err := formats.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// specs of what is generated.
var specs = map[string]string{"yelp": "csv", "taxi": "taxi", "haproxy": "haproxy_http", "combined": "apache_combined", "w3c": "w3c", "java_multiline": "java_multiline", "postgres": "postgresql"}

func sourceOf(t testing.TB, kind string) []byte {
	t.Helper()
	src, err := gen.Source(specs[kind])
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func generated(t testing.TB, kind string, size int64) *bytes.Buffer {
	t.Helper()
	var data bytes.Buffer
	if err := gen.Write(&data, kind, size, 1); err != nil {
		t.Fatal(err)
	}
	return &data
}

func whole(name string, data []byte) *Window {
	return &Window{Where: Where{Name: name, Of: int64(len(data)), Size: len(data), Sure: true}, Data: data, Last: true}
}

func analyse(t testing.TB, src, text string) *Analysis {
	t.Helper()
	a := Analyse(context.Background(), "t.dfp", []byte(src), whole("in", []byte(text)))
	t.Cleanup(a.Close)
	return a
}

// What is said of each byte of every example of every built-in format: all of them are
// shown, and the data of a field is what the automaton takes for its value.
func TestEveryExample(t *testing.T) {
	for _, name := range formats.Names() {
		spec, err := formats.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, ex := range spec.Examples {
			a := analyse(t, string(source(t, name)), ex.Input)
			if len(a.Faults) > 0 && a.Faults[0].Severity == isError {
				t.Fatalf("%s: %v", name, a.Faults)
			}
			shown := 0
			rejects := map[int]bool{}
			for _, l := range a.Lines(0, len(a.display)) {
				n := 0
				for i := 0; i < len(l.Runs); i += 4 {
					n += l.Runs[i]
				}
				if n != len([]rune(l.Text)) {
					t.Fatalf("%s: %d of %d bytes of a line", name, n, len([]rune(l.Text)))
				}
				shown += n
				if l.Reject > 0 {
					rejects[l.Reject] = true
				}
			}
			if shown != len(ex.Input) {
				t.Errorf("%s: %d of %d bytes are shown", name, shown, len(ex.Input))
			}
			if int64(len(a.Rows(0, 1<<20))) != a.Summary.Rows {
				t.Errorf("%s: %d rows of %d", name, len(a.Rows(0, 1<<20)), a.Summary.Rows)
			}
			last := -1
			for i := range a.records {
				if r := a.records[i].row; r >= 0 {
					if r != last+1 {
						t.Errorf("%s: row %d after row %d", name, r, last)
					}
					last = r
				}
			}
			if int64(last+1) != a.Summary.Rows && a.Error == "" {
				t.Errorf("%s: %d rows have a record of %d, in %q", name, last+1, a.Summary.Rows, ex.Input)
			}
			if _, err := a.Counts(context.Background()); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			checkGraph(t, name, a)
		}
	}
}

func checkGraph(t *testing.T, name string, a *Analysis) {
	t.Helper()
	g := a.Graph()
	if len(g.Nodes) != a.States || len(g.Groups) == 0 {
		t.Errorf("%s: %d nodes of %d states", name, len(g.Nodes), a.States)
	}
	for _, n := range g.Nodes {
		if n.Group < 0 || n.Group >= len(g.Groups) {
			t.Errorf("%s: state %s is in group %d of %d", name, n.Name, n.Group, len(g.Groups))
		}
	}
}

func TestAnalyse(t *testing.T) {
	a := analyse(t, string(source(t, "csv")), "id,name\n1,\"a,b\"\n2,\"x\ny\"\n3,\"open\n")
	s := a.Summary
	if s.Rows != 2 || s.Rejected != 1 || len(s.Rejects) != 1 || s.Rejects[0].Start != 24 || !strings.Contains(s.Rejects[0].Reason, "never closed") {
		t.Errorf("%+v", s)
	}
	lines := a.Lines(0, 10)
	for i, want := range [][]int{slices.Repeat([]int{Preface}, 8), {0, Separator, Control, 1, 1, 1, Control, Separator}, {0, Separator, Control, 1, 1}} {
		var what []int
		for k := 0; k < len(lines[i].Runs); k += 4 {
			what = append(what, slices.Repeat(lines[i].Runs[k+1:k+2], lines[i].Runs[k])...)
		}
		if !slices.Equal(what, want) {
			t.Errorf("line %d: bytes are %v, want %v", i+1, what, want)
		}
	}
	if lines[2].Row != 1 || lines[4].Reject != 1 {
		t.Errorf("%+v", lines)
	}
	x, err := a.Explain(11)
	if err != nil || x.Place != "line 2, column 4, in record 1" {
		t.Errorf("%+v, %v", x, err)
	}
	counts, err := a.Counts(context.Background())
	if err != nil || counts[0].Distinct != "2" || counts[0].Smallest != "1" || counts[0].Largest != "2" {
		t.Errorf("%+v, %v", counts, err)
	}
}

func TestFaults(t *testing.T) {
	for src, want := range map[string]string{
		"":                                 "",
		"format":                           "1:",
		"format x {\n  recrod `{a}`\n}":    "2:",
		"format x {\n  record `{a}{b}`\n}": "2:",
		"format x {\n record `{a}`\n fields { b u8 }\n}":                       "3:",
		"format x {\n record `{a}`\n fields { a u8 }\n test `x` => { a 1 }\n}": "4:",
		strings.Repeat("{", 1<<16):                                             "1:",
		"\x00\xff":                                                             "1:",
	} {
		a := analyse(t, src, "some\ntext\n\xff\x00")
		if len(a.Faults) == 0 || !strings.HasPrefix(fmt.Sprintf("%d:", a.Faults[0].Line), want) {
			t.Errorf("%.40q: %+v, want a fault in line %s", src, a.Faults, want)
		}
		if n := len(a.Lines(0, 100)); n != 3 {
			t.Errorf("%.40q: %d lines are shown", src, n)
		}
	}
}

// Hostile windows: no panic, and all of it is shown.
func TestHostile(t *testing.T) {
	random := make([]byte, 200<<10)
	x := uint32(1)
	for i := range random {
		x = x*1664525 + 1013904223
		random[i] = byte(x >> 24)
	}
	for _, data := range [][]byte{nil, {0}, []byte("\xEF\xBB\xBF"), []byte("\n"), random, bytes.Repeat([]byte{'"'}, 100<<10), bytes.Repeat([]byte("a"), 100<<10), bytes.Repeat([]byte("\n"), 50<<10)} {
		for _, name := range []string{"csv", "haproxy_http", "apache_combined", "w3c", "postgresql", "jsonl", "syslog_rfc5424", "vcf"} {
			for _, last := range []bool{true, false} {
				w := whole("in", data)
				w.Last = last
				a := Analyse(context.Background(), "t.dfp", source(t, name), w)
				n := 0
				for from := 0; from < len(a.display); from += 1000 {
					for _, l := range a.Lines(from, from+1000) {
						n += len([]rune(l.Text))
					}
				}
				if n != len(data) {
					t.Errorf("%s: %d bytes of %d", name, n, len(data))
				}
				a.Close()
			}
		}
	}
}

// A window in the middle of an input has the rows that the whole input has there.
func TestWindows(t *testing.T) {
	for _, name := range []string{"yelp", "haproxy", "combined", "w3c", "java_multiline", "postgres"} {
		data := generated(t, name, 300<<10)
		in := &Input{Name: name, Size: int64(data.Len()), ReaderAt: bytes.NewReader(data.Bytes())}
		src := sourceOf(t, name)
		all := Analyse(context.Background(), name+".dfp", src, whole(name, data.Bytes()))
		byStart := map[int64][]string{}
		for i := range all.records {
			if r := &all.records[i]; r.row >= 0 {
				byStart[int64(r.start)] = text(all.Rows(r.row, r.row+1)[0])
			}
		}
		for _, offset := range []int64{1, 1000, 77777, in.Size / 2, in.Size - 5000} {
			w, err := in.Begin(context.Background(), name+".dfp", src, offset, 50<<10)
			if err != nil {
				t.Fatal(err)
			}
			a := Analyse(context.Background(), name+".dfp", src, w)
			if a.Summary.Rows < 5 || a.Error != "" || w.Offset < offset && len(w.Head) > 0 {
				t.Errorf("%s, at %d: %d rows, %+v, %q", name, offset, a.Summary.Rows, w.Where, a.Error)
			}
			for i := range a.records {
				r := &a.records[i]
				if r.row < 0 {
					continue
				}
				got, want := text(a.Rows(r.row, r.row+1)[0]), byStart[w.offset(r.start)]
				if !slices.Equal(got, want) {
					t.Fatalf("%s, at %d (%s): row %d at byte %d is %q, want %q", name, offset, w.How, r.row, w.offset(r.start), got, want)
				}
			}
			a.Close()
		}
		all.Close()
	}
}

// TestWindowByIndex: where quotes leave two states possible a window is a guess, and with an
// index it is not; behind a header its bytes are put together once, however many lines it has.
func TestWindowByIndex(t *testing.T) {
	data := generated(t, "torture", 400<<10)
	src := []byte("format x {\n  delimited { sep ','  quote '\"' doubled }\n  header names\n}\n")
	all := Analyse(context.Background(), "x.dfp", src, whole("x", data.Bytes()))
	defer all.Close()
	third := all.records[3]
	in := &Input{Name: "x", Size: int64(data.Len()), ReaderAt: bytes.NewReader(data.Bytes())}
	for _, sure := range []bool{false, true} {
		if sure {
			in.Index = func(*dfa.Program) *runtime.Survey {
				return &runtime.Survey{Checkpoints: []runtime.Checkpoint{{Offset: int64(all.records[2].start), State: all.records[2].begin}}}
			}
		}
		w, err := in.Begin(context.Background(), "x.dfp", src, int64(third.start)-100, 100<<10)
		if err != nil {
			t.Fatal(err)
		}
		if w.Sure != sure || w.Offset != int64(third.start) || strings.Contains(w.How, "index") != sure {
			t.Errorf("%+v, want one that begins at byte %d", w.Where, third.start)
		}
		a := Analyse(context.Background(), "x.dfp", src, w)
		if got, want := text(a.Rows(0, 1)[0]), text(all.Rows(third.row, third.row+1)[0]); a.Summary.Rows < 1 || !slices.Equal(got, want) {
			t.Errorf("the first of %d rows is %q, want %q", a.Summary.Rows, got, want)
		}
		if n := testing.AllocsPerRun(10, func() { w.data() }); len(w.Head) == 0 || n != 0 {
			t.Errorf("a header of %d bytes, and %v allocations each time the window is looked at", len(w.Head), n)
		}
		a.Close()
	}
}

// TestRejectsOfWindows: what is said of a bad line is said of its place in the input,
// whether the window begins with the input, behind its header, or in the middle.
func TestRejectsOfWindows(t *testing.T) {
	const bad = "this is no record\n"
	for name, head := range map[string]string{"combined": "", "w3c": "#Fields: date time c-ip\n"} {
		var data bytes.Buffer
		data.WriteString(head)
		for range 2000 {
			data.WriteString(map[string]string{"combined": "1.2.3.4 - - [17/May/2015:13:05:38 +0000] \"GET / HTTP/1.1\" 200 1 \"-\" \"-\"\n", "w3c": "2024-01-02 03:04:05 1.2.3.4\n"}[name])
		}
		at := int64(data.Len())
		data.WriteString(bad)
		in := &Input{Name: name, Size: int64(data.Len()), ReaderAt: bytes.NewReader(data.Bytes())}
		src := sourceOf(t, name)
		for _, offset := range []int64{0, at - 5000} {
			w, err := in.Begin(context.Background(), name+".dfp", src, offset, 1<<20)
			if err != nil {
				t.Fatal(err)
			}
			a := Analyse(context.Background(), name+".dfp", src, w)
			if len(a.Rejects) != 1 || a.Rejects[0].Start != at || a.Rejects[0].Offset < at || a.Rejects[0].Offset > in.Size {
				t.Fatalf("%s, from %d: %+v, want one at byte %d", name, offset, a.Rejects, at)
			}
			if l := a.Lines(a.LineOf(at), a.LineOf(at)+1); len(l) != 1 || l[0].Reject != 1 {
				t.Errorf("%s, from %d: the line is %+v", name, offset, l)
			}
			x, err := a.Explain(at + 3)
			if err != nil {
				t.Fatal(err)
			}
			if said := fmt.Sprint(x.Rows); !strings.Contains(said, fmt.Sprint("byte ", at)) && !strings.Contains(said, fmt.Sprint("bytes ", at)) {
				t.Errorf("%s, from %d: %s, want byte %d named", name, offset, said, at)
			}
			a.Close()
		}
	}
}

func text(row []*string) (out []string) {
	for _, c := range row {
		if c == nil {
			out = append(out, "\x00null")
		} else {
			out = append(out, *c)
		}
	}
	return out
}

func TestMark(t *testing.T) {
	ctx := context.Background()
	lines := []string{
		"2024-05-06 07:08:09.123 [main] INFO  a.B - started in 12 ms",
		"2024-05-06 07:08:10.123 [pool-1] WARN  a.C - slow: 1200",
		"2024-05-06 07:08:11.123 [main] ERROR a.B - failed",
	}
	in := strings.Join(lines, "\n") + "\n"
	spec := begun("app.log", "")
	for _, step := range []struct{ piece, as, name, template, typ string }{
		{"2024-05-06 07:08:09.123", "time", "at", "{at} [[{text...}", `ts("%Y-%m-%d %H:%M:%S.%f")`},
		{"main", "field", "thread", "{at} [[{thread}] {text...}", ""},
		{"INFO", "field", "level", "{at} [[{thread}] {level}{ }{text...}", ""},
		{"a.B", "field", "logger", "{at} [[{thread}] {level}{ }{logger} - {text...}", ""},
	} {
		a := analyse(t, spec, in)
		c, err := a.Mark(ctx, "app.log", []byte(spec), Marked{Offset: int64(strings.Index(in, step.piece)), Size: len(step.piece), As: step.as, Name: step.name})
		if err != nil {
			t.Fatalf("%s: %v\n%s", step.piece, err, spec)
		}
		if c.Template != step.template || c.Type != step.typ {
			t.Fatalf("%s: template %s, type %s\n%s", step.piece, c.Template, c.Type, c.Spec)
		}
		spec = c.Spec
	}
	a := analyse(t, spec, in)
	if a.Summary.Rows != 3 || a.Rejected != 0 {
		t.Errorf("%s\n%+v", spec, a.Summary)
	}
	c, err := a.Mark(ctx, "app.log", []byte(spec), Marked{Offset: int64(strings.Index(in, " in 12 ms")), Size: len(" in 12 ms"), As: "optional"})
	if err != nil || c.Template != "{at} [[{thread}] {level}{ }{logger} - {text}[ {extra}]" {
		t.Errorf("%+v, %v", c, err)
	}
	if b := analyse(t, c.Spec, in); b.Format == "" || b.Summary.Rows != 3 {
		t.Errorf("%s\n%+v", c.Spec, b.Summary)
	}
	c, err = a.Mark(ctx, "app.log", []byte(spec), Marked{Offset: int64(strings.Index(in, "a.B")), Size: 3, As: "skip"})
	if err != nil || !strings.Contains(c.Template, "{_} - {text...}") {
		t.Errorf("%+v, %v", c, err)
	}
	for _, m := range []Marked{{Size: 1, As: "x"}, {Size: 0, As: "field"}, {Size: 1000, As: "field"}, {Offset: -5, Size: 1, As: "field"}, {Size: 4, As: "field", Name: "a b"}} {
		if _, err := a.Mark(ctx, "app.log", []byte(spec), m); err == nil {
			t.Errorf("%+v is taken", m)
		}
	}
	csv := analyse(t, string(source(t, "csv")), "a,b\n1,2\n")
	if _, err := csv.Mark(ctx, "x.csv", source(t, "csv"), Marked{Size: 1, As: "field"}); err == nil {
		t.Error("a spec without a template is marked")
	}
}

func TestLayouts(t *testing.T) {
	for sample, want := range map[string]string{
		"Sun Mar 13 22:49:12 2016":   `ts("%a %b %d %H:%M:%S %Y")`,
		"13/Jul/2016:10:55:36 +0000": `ts("%d/%b/%Y:%H:%M:%S %z")`,
		"2024-05-06T07:08:09Z":       `ts("%Y-%m-%dT%H:%M:%S%z")`,
		"2024-05-06 07:08:09,123":    `ts("%Y-%m-%d %H:%M:%S,%f")`,
		"Jul 13 10:55:36":            `ts("%b %d %H:%M:%S")`,
		"06.05.2024":                 `date("%d.%m.%Y")`,
		"05/23/2024":                 `date("%m/%d/%Y")`,
		"1714979289":                 `ts(epoch(s))`,
		"10:11:12":                   `time("%H:%M:%S")`,
		"240506 07:08:09":            "",
		"hello":                      "",
	} {
		a := analyse(t, "", sample+"\n")
		if got := a.typeOf(context.Background(), "t.dfp", nil, "v", sample, true); got != want {
			t.Errorf("%s: %s, want %s", sample, got, want)
		}
	}
}

func TestPropose(t *testing.T) {
	for text, want := range map[string]string{
		"id;name;price\n1;a;2.5\n2;b;3.5\n3;c;4.5\n":                                           "a delimited table",
		"::1 - frank [13/Jul/2016:10:55:36 +0000] \"GET /a HTTP/1.0\" 200 12 \"-\" \"curl\"\n": "the built-in format apache_combined",
		"what an application says\nof its own\n":                                               "a template",
	} {
		in := &Input{Name: "x.log", Size: int64(len(text)), ReaderAt: strings.NewReader(text)}
		p, err := Propose(context.Background(), in)
		if err != nil || p[0].Title != want {
			t.Errorf("%.20q: %+v, %v", text, p, err)
			continue
		}
		for _, x := range p {
			if a := analyse(t, x.Spec, text); a.Format == "" {
				t.Errorf("%s: %v\n%s", x.Title, a.Faults, x.Spec)
			}
		}
	}
}

// TestEncoding: an input in another encoding is text, by what is proposed for it, and by the spec.
func TestEncoding(t *testing.T) {
	s := &Studio{}
	n := s.AddBytes("orte.csv", []byte("id;Ort\n1;K\xf6ln\n2;M\xfcnchen\n"))
	call := func(name string, q query, out any) {
		t.Helper()
		q.Input = n
		body, err := json.Marshal(&q)
		if err != nil {
			t.Fatal(err)
		}
		b, err := s.Call(context.Background(), name, body)
		if err == nil {
			err = json.Unmarshal(b, out)
		}
		if err != nil {
			t.Fatal(name, err)
		}
	}
	var proposed []Proposal
	call("propose", query{}, &proposed)
	for _, p := range proposed {
		if !strings.Contains(p.Spec, `encoding "windows-1252"`) {
			t.Errorf("%s: no encoding:\n%s", p.Title, p.Spec)
		}
	}
	var m Summary
	call("analyse", query{Spec: proposed[0].Spec}, &m)
	if m.Rows != 2 || m.Rejected != 0 || len(m.Faults) > 0 || m.Window.Of != 26 {
		t.Errorf("%+v", m)
	}
	var answer json.RawMessage
	call("rows", query{Spec: proposed[0].Spec, To: 2}, &answer)
	if !strings.Contains(string(answer), "München") {
		t.Errorf("%s", answer)
	}
	call("run", query{Spec: proposed[0].Spec}, &answer)
	var p Progress
	for !p.Done {
		call("progress", query{}, &p)
	}
	if p.Rows != 2 || p.Error != "" {
		t.Errorf("%+v", p)
	}
}

func TestCalls(t *testing.T) {
	s := &Studio{Spec: string(source(t, "csv"))}
	n := s.AddBytes("a.csv", []byte("a,b\n1,2\n3\n"))
	call := func(name string, q query) map[string]any {
		t.Helper()
		body, err := json.Marshal(&q)
		if err != nil {
			t.Fatal(err)
		}
		out, err := s.Call(context.Background(), name, body)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var m map[string]any
		_ = json.Unmarshal(out, &m)
		return m
	}
	if m := call("analyse", query{Spec: s.Spec, Input: n}); m["rows"] != 1.0 || m["rejected"] != 1.0 {
		t.Errorf("%v", m)
	}
	for _, name := range []string{"state", "graph", "format", "propose"} {
		if m := call(name, query{Spec: s.Spec, Input: n}); len(m) == 0 && name != "propose" {
			t.Errorf("%s: nothing", name)
		}
	}
	for _, name := range []string{"lines", "rows"} { // of places that are none
		for _, q := range []query{{From: math.MaxInt, To: math.MinInt}, {From: 1, To: math.MinInt}, {From: math.MaxInt, To: math.MaxInt}, {From: math.MinInt, To: math.MinInt}} {
			q.Spec, q.Input = s.Spec, n
			call(name, q)
		}
	}
	call("run", query{Spec: s.Spec, Input: n})
	for {
		if m := call("progress", query{}); m["done"] == true {
			if m["rows"] != 1.0 || m["rejected"] != 1.0 || m["bytes"] != 10.0 {
				t.Errorf("%v", m)
			}
			break
		}
	}
	for _, bad := range []string{"nothing", "analyse", "explain"} {
		if _, err := s.Call(context.Background(), bad, []byte(`{"input":7}`)); err == nil {
			t.Errorf("%s of no input is answered", bad)
		}
	}
	if _, err := s.Call(context.Background(), "save", []byte(`{"name":"x.dfp"}`)); err == nil {
		t.Error("saved without files")
	}
}

func BenchmarkKeystroke(b *testing.B) {
	for _, name := range []string{"yelp", "taxi", "haproxy", "combined", "java_multiline"} {
		data := generated(b, name, DefaultWindow)
		src := sourceOf(b, name)
		w := whole(name, data.Bytes())
		w.Last = false
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				a := Analyse(context.Background(), "t.dfp", src, w)
				a.Lines(0, 80)
				a.Rows(0, 60)
				a.Close()
			}
		})
		b.Run(name+"/counts", func(b *testing.B) {
			a := Analyse(context.Background(), "t.dfp", src, w)
			for b.Loop() {
				if _, err := a.Counts(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
