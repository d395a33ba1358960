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
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// smallFormats are formats of so few states that the fused path could step them, but whose records it is
// not for, or that have no masks; with lines of theirs, and some that are none.
var smallFormats = []struct {
	name, spec string // a built-in format, if there is no spec
	header     string
	lines, odd []string
}{
	{"logfmt", "", "", []string{`time="2021-09-15T21:17:10Z" level=error msg="pod \"a\" is not found" reason= ok`, `a=1`, `k`, `level=info path=/a/b?c=d node=worker-12`},
		[]string{`a=1 a=2`, `msg="never closed`, `é="ü" x=\n`, ` a=1`, `a="\n"`}},
	{"lines", "", "", []string{"a", "some words in a line", "phở", ",\t\"", strings.Repeat("x", 100)}, []string{"\x80"}},
	{"jsonl", "", "", []string{`{"ts": "2013-09-06T20:00:48Z", "n": "-1.5e3", "b": "true"}`, `{"message":"a longer text"}`}, []string{`{}`, `{"o": {"a": [1, "]}"]}}`, `{"a": 1`, "[1]"}},
	{"ltsv", "", "", []string{"host:127.0.0.1\tident:-\ttime:[05/Feb/2013:17:34:10 +0000]", "a:b", "a:"}, []string{"no label", "a:b\ta:c"}},
	{"dmesg", "", "", []string{"[    0.000000] Linux version 5.4.0", "[   12.345678] usb 1-1: new device"}, []string{"[1.5] x", "no time"}},
	{"csv_lax", "", "a,b,c\n", []string{`1,two,"3"`, "1,2", "1,,"}, []string{"1,2,3,4", `"x"y,z,`, `x"y,1,2`, "1,\"2\n3\",4"}},
	{"padded", `format padded { delimited { sep ',' quote '"' doubled } header none ragged pad fields { a i32  b str  c f64  d str } }`, "",
		[]string{`1,two,3.5,"a ""b"" c"`, "12,x", "7", `-5,"","",""`}, []string{"x,y", "1,2,3,4,5", "1,\"2\n3\",4"}},
	{"tabs", `escape e = '\' { t '\' n } format tabs { delimited { sep '\t'  escape e } header none fields { a i32  b str null "\\N"  c str } }`, "",
		[]string{"1\ttwo\tthree", "3\t\t" + `\\`, "4\tx\ty"}, []string{"4\tx", "x\ty\tz", "5\tphở\t" + `\n`, "2\t" + `a\tb` + "\tc", "2\t" + `\N` + "\tc"}},
	{"runs", `format runs { delimited { sep ','+ trailing } header none fields { a i32 !  b str  c str } }`, "",
		[]string{"1,two,three", "2,,two,three,", "3,two,,,,three,,"}, []string{",two,three", ",,two,three", ",,,", "x,,y,z", "1,2,3,4"}},
	{"runs of texts", `format runs { delimited { sep ','+ trailing } header none fields { a str  b str null "z"  c u8 } }`, "",
		[]string{"one,two,3", ",two,3", ",,,two,,3,"}, []string{",two,x", ",,z,3", ",,,", ",", "1,2,3,4"}},
	{"one", `format one { record "{n} {text...}"  fields { n u32  text str } }`, "", []string{"1 a", "22 some text behind it"}, []string{"333 ", "x y", ""}},
}

// TestSmallFormats reads them by lines: as they are, with carriage returns, with lines that are odd or
// damaged, blank ones, records that a block has no room for, or none has, no line end behind the last one, and
// line ends alone.
// What comes of it is the CPU's.
func TestSmallFormats(t *testing.T) {
	newBench(t)
	for _, x := range smallFormats {
		t.Run(x.name, func(t *testing.T) {
			program, err := smallProgram(x.name, x.spec)
			if err != nil {
				t.Fatal(err)
			}
			if n := program.Automaton.NStates(); n > fusedStates {
				t.Fatalf("%d states", n)
			}
			for round, of := range []struct {
				name         string
				ends         []string // one of so many lines ends otherwise than most
				rows         int
				damaged, odd int
				long         []int
			}{
				{name: "as they are", rows: 700},
				{name: "returns", ends: []string{"\r\n"}, rows: 100},
				{name: "some returns", ends: []string{"\n", "\r\n"}, rows: 100},
				{name: "damaged", rows: 400, damaged: 30},
				{name: "odd", rows: 400, odd: 10},
				{name: "blank lines", ends: []string{"\n", "\n", "\n", "\n\n", "\n\r\n"}, rows: 100},
				{name: "blank lines in the end", ends: []string{"\n"}, rows: 300},
				{name: "long", rows: 100, odd: 30, long: []int{900, 5000, 40_000}},
				{name: "no line end", rows: 5},
				{name: "line ends alone", rows: 1},
			} {
				rng := rand.New(rand.NewPCG(17, uint64(round)))
				in := bytes.NewBufferString(x.header)
				for range of.rows {
					line := []byte(x.lines[rng.IntN(len(x.lines))])
					if of.odd > 0 && rng.IntN(of.odd) == 0 {
						line = []byte(x.odd[rng.IntN(len(x.odd))])
					}
					if of.damaged > 0 && rng.IntN(of.damaged) == 0 {
						line[rng.IntN(len(line))] = "\r\xff \"x0\x00\n=\t"[rng.IntN(10)]
					}
					if of.long != nil && rng.IntN(20) == 0 {
						line = append(line, bytes.Repeat([]byte("z"), of.long[rng.IntN(len(of.long))])...)
					}
					end := "\n"
					if len(of.ends) > 0 {
						end = of.ends[rng.IntN(len(of.ends))]
					}
					in.Write(append(line, end...))
				}
				data := in.Bytes()
				switch of.name {
				case "no line end":
					data = data[:len(data)-1]
				case "blank lines in the end":
					data = append(data, "\n\n\n"...)
				case "line ends alone":
					data = append(data, strings.Repeat("\n", 7000)...)
				}
				modes := []dfa.ErrorMode{dfa.Reject, dfa.Null}
				if sanitized {
					modes = modes[round%2:][:1]
				}
				for _, mode := range modes {
					read := func(e runtime.Engine) string {
						rows, stats, err := readRows(e, program, string(data), runtime.WithErrorMode(mode))
						return rows + fmt.Sprintf("%+v %v", stats, err)
					}
					want := read(cpu.Engine)
					for _, flight := range []int{DefaultFlight, 3000} {
						e := &openEngine{Engine: New(WithFlight(flight))}
						if got := read(e); got != want {
							t.Fatalf("%s, flights of %d: of %.3000q:\n%s", of.name, flight, data, whereOther(got, want))
						}
						left := x.name == "jsonl" // by what takes its maps apart
						if c := e.counted; round < 3 && !left && (c.FlightsByLines != c.Flights || c.FlightsByLines == 0 || c.FlightsOnCPU > 0) {
							t.Errorf("%s, flights of %d: %+v", of.name, flight, c)
						}
					}
				}
			}
		})
	}
}

// TestLongComments: lines that are no records are none however long they are, wherever they stand.
func TestLongComments(t *testing.T) {
	newBench(t)
	for _, x := range []struct{ name, spec, header, row string }{
		{"template", `format f { record "{n} {text...}"  lines { comment "#" lax }  fields { n u32  text str } }`, "", "1 a"},
		{"runs", `format f { delimited { sep ' '+ trailing  comment "#" }  header none fields { n u32  text str } }`, "", "1 a"},
		{"multi-line", "format f { record `{t} {text...}`  fields { t ts(\"%F\")  text str }  multiline { start `{t}` into text } }", "", "2024-05-06 a"},
		{"w3c", "", "#Fields: date time c-ip\n", "2024-05-06 07:08:09 10.0.0.1"},
	} {
		t.Run(x.name, func(t *testing.T) {
			program, err := smallProgram(x.name, x.spec)
			if err != nil {
				t.Fatal(err)
			}
			const n = 33_000 // longer than a record can be for its fields to be found
			for _, long := range []string{"#" + strings.Repeat("z", n), "# " + strings.Repeat("\"y \"", n/4), strings.Repeat(" ", n), x.row + strings.Repeat(" z", n/2)} {
				for _, in := range []string{long, long + "\n" + x.row + "\n", x.row + "\n" + long + "\r\n" + long} {
					read := func(e runtime.Engine) string {
						rows, stats, err := readRows(e, program, x.header+in)
						return rows + fmt.Sprintf("%+v %v", stats, err)
					}
					if got, want := read(New()), read(cpu.Engine); got != want {
						t.Fatalf("%d symbols, %.30q: %s", len(in), in, whereOther(got, want))
					}
				}
			}
		})
	}
}

// smallProgram is that of a spec, or of a built-in format if there is none.
func smallProgram(name, spec string) (*dfa.Program, error) {
	if spec == "" {
		return formats.Program(name)
	}
	made, err := compile.Compile(name+".dfp", []byte(spec))
	if err != nil {
		return nil, err
	}
	return made.Program, nil
}

// TestLogfmtByLines: generated files take the path of lines, none of their flights is the CPU's, and a record is one
// hop, to its end, whatever it has.
func TestLogfmtByLines(t *testing.T) {
	newBench(t)
	program, err := gen.Program("logfmt")
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := gen.Write(&file, "logfmt", 200_000, 3); err != nil {
		t.Fatal(err)
	}
	damaged := bytes.Clone(file.Bytes())
	rng := rand.New(rand.NewPCG(3, 9))
	for range 40 {
		if i := rng.IntN(len(damaged)); damaged[i] != '\n' {
			damaged[i] = "\r\xff \"=\\"[rng.IntN(6)]
		}
	}
	for i, in := range [][]byte{file.Bytes(), damaged} {
		for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null} {
			opts := []runtime.Option{runtime.WithErrorMode(mode)}
			want := readWhole(t, cpu.Engine, program, in, opts)
			for _, flight := range []int{DefaultFlight, 5000, 60_000} {
				e := &openEngine{Engine: New(WithFlight(flight))}
				if got := readWhole(t, e, program, in, opts); got != want {
					t.Fatalf("damaged %v, flights of %d: %s", i == 1, flight, whereOther(got, want))
				}
				if c := e.counted; c.FlightsByLines != c.Flights || c.FlightsOnCPU > 0 || 50*c.RowsLeft > c.Rows {
					t.Errorf("damaged %v, flights of %d: %+v", i == 1, flight, c)
				}
			}
		}
	}
	_, hops := hopsOf(t, "logfmt", file.Bytes())
	if len(hops) != 1 || hops[0].What&(hopRun|hopMin|hopLast) != hopRunRest|hopMin|hopLast {
		t.Errorf("hops %+v", hops)
	}
}

// TestRecordsAtOnce: a warp takes as many records as there is room for, where it was made for shorter or
// longer ones, for one or for several times 32 of them.
func TestRecordsAtOnce(t *testing.T) {
	newBench(t)
	for _, name := range []string{"lines", "logfmt"} {
		program, err := formats.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(23, 1))
		var in bytes.Buffer
		for _, length := range []int{6, 40, 300, 6, 1000, 3000, 40, 9000, 3} {
			for n := in.Len(); in.Len() < n+45_000; {
				n := 1 + rng.IntN(2*length)
				if rng.IntN(300) == 0 {
					n *= 20
				}
				fmt.Fprintf(&in, "k=%0*d\n", n, n)
			}
		}
		opts := []runtime.Option{runtime.WithErrorMode(dfa.Reject)}
		want := readWhole(t, cpu.Engine, program, in.Bytes(), opts)
		for _, flight := range []int{DefaultFlight, 20_000, 70_000} {
			e := &openEngine{Engine: New(WithFlight(flight))}
			if got := readWhole(t, e, program, in.Bytes(), opts); got != want {
				t.Fatalf("%s, flights of %d: %s", name, flight, whereOther(got, want))
			}
			if c := e.counted; c.FlightsByLines != c.Flights || c.FlightsOnCPU > 0 {
				t.Errorf("%s, flights of %d: %+v", name, flight, c)
			}
		}
	}
}

// TestFlightsMissed: where a path ends with each flight, by blank lines or by escapes that stand for another symbol, it is
// tried less and less often, and again as before where it is for the flights that follow.
func TestFlightsMissed(t *testing.T) {
	newBench(t)
	for _, x := range []struct{ format, odd, good string }{
		{"logfmt", strings.Repeat("a=1 b=some\n\nc\n", 5000), strings.Repeat("a=1 b=\"of many\"\n", 12_000)},
		{"mysql_tab", strings.Repeat("12345\t\\N\tsome\n", 5000), strings.Repeat("12345\tN.\tof many\n", 12_000)},
	} {
		program, err := formats.Program(x.format)
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range []string{x.odd, x.odd + x.good} {
			opts := []runtime.Option{runtime.WithErrorMode(dfa.Reject)}
			want := readWhole(t, cpu.Engine, program, []byte(in), opts)
			e := &openEngine{Engine: New(WithFlight(1000))}
			if got := readWhole(t, e, program, []byte(in), opts); got != want {
				t.Fatal(x.format, whereOther(got, want))
			}
			c := e.counted
			if c.FlightsMissed == 0 || in == x.odd && (c.FlightsFused > 0 || 8*c.FlightsMissed > c.Flights) || in != x.odd && 10*c.FlightsFused < 6*c.Flights {
				t.Errorf("%s: %+v", x.format, c)
			}
		}
	}
}

// TestDrawnSmallFormats: lines of theirs in any order, with anything changed in some, are the CPU's and those of the reference.
func TestDrawnSmallFormats(t *testing.T) {
	newBench(t)
	programs := map[string]*dfa.Program{}
	for _, x := range smallFormats {
		program, err := smallProgram(x.name, x.spec)
		if err != nil {
			t.Fatal(err)
		}
		programs[x.name] = program
	}
	rapid.Check(t, func(rt *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 8))
		x := smallFormats[rng.IntN(len(smallFormats))]
		odd, blank, returns := []int{2, 20, 1000}[rng.IntN(3)], []int{3, 50, 1000}[rng.IntN(3)], []int{2, 50, 1000}[rng.IntN(3)]
		in := bytes.NewBufferString(x.header)
		for range []int{0, 1, 2, 31, 200, 700}[rng.IntN(6)] {
			line := []byte(x.lines[rng.IntN(len(x.lines))])
			if rng.IntN(odd) == 0 {
				line = []byte(x.odd[rng.IntN(len(x.odd))])
			}
			for rng.IntN(odd) == 0 {
				i, c := rng.IntN(len(line)+1), "\r\xff \"x0\x00\n=\t,\\#:{}"[rng.IntN(16)]
				switch {
				case rng.IntN(2) == 0:
					line = slices.Insert(line, i, c)
				case i < len(line):
					line[i] = c
				}
			}
			if rng.IntN(50) == 0 {
				line = append(line, bytes.Repeat([]byte("z"), 1<<rng.IntN(12))...)
			}
			if rng.IntN(blank) == 0 {
				line = nil
			}
			in.Write(line)
			if rng.IntN(returns) == 0 {
				in.WriteByte('\r')
			}
			in.WriteByte('\n')
		}
		data := in.String()
		meanCompare(rt, programs[x.name], x.name, data[:len(data)-min(len(data), rng.IntN(3))])
	})
}
