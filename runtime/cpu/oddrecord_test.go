package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestOddAmongSound: records among sound ones that are odd in one of many ways are what they are by
// reference, rejects and all, wherever in its block something odd lies, with each kind of code.
func TestOddAmongSound(t *testing.T) { onEach(t, testOddAmongSound) }

func testOddAmongSound(t *testing.T) {
	defer func(n int) { windowBlocks = n }(windowBlocks)
	programs := map[string]*dfa.Program{}
	for _, name := range []string{"apache_combined", "fixed", "taxi", "syslog", "w3c"} {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		programs[name] = p
	}
	for name, spec := range map[string]string{
		"quoted":  `format quoted { delimited { sep ','  quote '"' doubled  comment "#" }  fields { a u32  b str  c str ? }  utf8 reject }`,
		"escaped": `escape short = '\' { n t '\' }  format escaped { delimited { sep '\t'  escape short }  fields { a u32  b str  c str }  null after escape "N"  utf8 reject }`,
		"both":    `escape short = '\' { n t '"' '\' }  format both { delimited { sep ','  quote '"'  escape short everywhere }  fields { a u32  b str  c str } }`,
		"surplus": `format surplus { delimited { sep ' '  quote '"' doubled }  fields { a u32  b str  c str }  ragged pad truncate  utf8 reject }`,
		"rest":    `format rest { delimited { sep ';' }  fields { a u32  b str }  rest more  blank keep  utf8 reject }`,
	} {
		s, err := compile.Compile(name+".dfp", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		programs[name] = s.Program
	}
	lines := map[string]string{
		"apache_combined": `1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "x"`,
		"quoted":          `17,"a, ""b""",c`, "escaped": `17	a\tb	\N`, "rest": `17;b;c;d`, "surplus": `17 b "c ""d"""`, "both": `17,a\tb,"c\"d"`,
		"fixed": "", "taxi": "", "syslog": "", "w3c": "",
	}
	rng := rand.New(rand.NewPCG(17, 18))
	for name, p := range programs {
		sound := [][]byte{[]byte(lines[name])}
		if lines[name] == "" {
			var b bytes.Buffer
			if err := gen.Write(&b, name, 4000, 1); err != nil {
				t.Fatal(err)
			}
			sound = bytes.Split(bytes.TrimSuffix(b.Bytes(), []byte("\n")), []byte("\n"))
		}
		for range 12 {
			data := drawOdd(rng, sound)
			mode := []dfa.ErrorMode{dfa.Reject, dfa.Null}[rng.IntN(2)]
			want := outcomeOf(t, p, data, runtime.WithEngine(reference.Engine), runtime.WithErrorMode(mode))
			for _, windowBlocks = range []int{1 + rng.IntN(20), 256} {
				chunk := 1 + rng.IntN(len(data)+1)
				got := outcomeOf(t, p, data, runtime.WithEngine(Engine), runtime.WithErrorMode(mode), runtime.WithThreads(1+rng.IntN(2)), runtime.WithChunkSize(chunk))
				if got != want {
					t.Fatalf("%s, windows of %d blocks, chunks of %d: %q gives\n%s\nwant\n%s", name, windowBlocks, chunk, data, got, want)
				}
			}
		}
	}
}

// TestOddBehindLong: where a long record of fixed width ends in the block in which the next one has something odd, they are
// two records.
func TestOddBehindLong(t *testing.T) { onEach(t, testOddBehindLong) }

func testOddBehindLong(t *testing.T) {
	for _, utf8 := range []string{"", "utf8 reject"} {
		s, err := compile.Compile("long.dfp", []byte("format long { fixed { a 700  b 333  c 3 }  "+utf8+"  fields { a str  b str  c u32 } }"))
		if err != nil {
			t.Fatal(err)
		}
		for long := 1000; long < 1064; long += 21 {
			for at := range 70 {
				var in []byte
				for _, n := range []int{1036, long, 1036} {
					in = append(append(in, bytes.Repeat([]byte("x"), n-3)...), "123\n"...)
				}
				for _, odd := range []string{"\r", "\r\r", "\xff"} {
					data := bytes.Clone(in)
					copy(data[1036+1+long+1+at:], odd)
					want := outcomeOf(t, s.Program, data, runtime.WithEngine(reference.Engine))
					if got := outcomeOf(t, s.Program, data, runtime.WithEngine(Engine)); got != want {
						t.Fatalf("%s, %q at %d, behind %d: %s\nwant\n%s", utf8, odd, at, long, got, want)
					}
				}
			}
		}
	}
}

// TestOddInLong: of a record that is odd in the block in which a long field of it ends, what is odd is in the field where it is.
func TestOddInLong(t *testing.T) { onEach(t, testOddInLong) }

func testOddInLong(t *testing.T) {
	s, err := compile.Compile("long.dfp", []byte(`format long { delimited { sep ';'  quote '"' doubled }  fields { a str  b str  c str } }`))
	if err != nil {
		t.Fatal(err)
	}
	for long := 1000; long < 1064; long += 7 {
		for _, line := range []string{"x;y;z\"z", "x;y\"y;z", "x;\"y\"y;z", "x\";y;z", "x;y;z\r", "x;y;z\rz", "x\"y"} {
			data := []byte("1;2;3\n" + strings.Repeat("x", long) + line + "\n1;2;3\n" + strings.Repeat("1;2;3\n", 200))
			want := outcomeOf(t, s.Program, data, runtime.WithEngine(reference.Engine), runtime.WithErrorMode(dfa.Reject))
			if got := outcomeOf(t, s.Program, data, runtime.WithEngine(Engine), runtime.WithErrorMode(dfa.Reject)); got != want {
				t.Fatalf("%q behind %d: %s", line, long, firstDifference(got, want))
			}
		}
	}
}

// drawOdd is lines of which some are odd.
func drawOdd(rng *rand.Rand, sound [][]byte) (data []byte) {
	data = append(data, sound[0]...)
	every := 1 + rng.IntN(12)
	for i := range 1 + rng.IntN(60) {
		data = append(data, []string{"\n", "\n", "\n", "\n", "\r\n", "\n\n"}[rng.IntN(6)]...)
		line := sound[i%len(sound)]
		if rng.IntN(every) > 0 || len(line) == 0 {
			data = append(data, line...)
			continue
		}
		at := rng.IntN(len(line))
		switch rng.IntN(8) {
		case 0: // an empty line
		case 1:
			data = append(data, line[:at]...)
		case 2:
			data = append(append(data, line[:at]...), line[at+1:]...)
		case 3:
			data = append(data, line...)
			for range 1 + rng.IntN(3) {
				data = append(data, line[at:]...)
			}
		case 4:
			for range at {
				data = append(data, byte(rng.Uint32()))
			}
		case 5:
			data = append(append(data, '#'), line...)
		default:
			odd := []string{`"`, "\x00", "\xff", "\r", "\r\r", `\`, `\x`, ",", "[", "]", `""`, "\n\n"}
			pick := func() string { return odd[rng.IntN(len(odd))] }
			before := rng.IntN(at + 1)
			data = append(append(append(data, line[:before]...), pick()...), line[before:at]...)
			data = append(append(data, pick()...), line[at:]...)
		}
	}
	return data
}

// asReference holds what comes of data, by chunks of these sizes and up to three threads, to what does by reference.
func asReference(t *testing.T, rng *rand.Rand, p *dfa.Program, what string, data []byte, opts []runtime.Option, chunks ...int) {
	t.Helper()
	want := outcomeOf(t, p, data, append(opts, runtime.WithEngine(reference.Engine))...)
	for _, chunk := range chunks {
		got := outcomeOf(t, p, data, append(opts, runtime.WithEngine(Engine), runtime.WithThreads(1+rng.IntN(3)), runtime.WithChunkSize(chunk))...)
		if got != want {
			t.Fatalf("%s, chunks of %d: %.3000q: %s", what, chunk, data, firstDifference(got, want))
		}
	}
}

// outcomeOf is all that comes of reading data.
func outcomeOf(t *testing.T, p *dfa.Program, data []byte, opts ...runtime.Option) string {
	t.Helper()
	var out bytes.Buffer
	opts = append(opts, runtime.WithRejectHandler(func(r *runtime.Reject) error {
		_, err := fmt.Fprintf(&out, "%v, record %d at %d, lines %d, %q\n", r, r.Record, r.Start, r.Lines, r.Raw)
		return err
	}))
	r, err := runtime.ReadBytes(data, p, opts...)
	if err != nil {
		return err.Error()
	}
	defer r.Release()
	var rows bytes.Buffer
	for r.Next() {
		for _, c := range r.Record().Columns() {
			fmt.Fprintln(&rows, c)
			if texts, ok := c.(*array.String); ok { // of what is null, there is none
				fmt.Fprintf(&rows, "%q\n", texts.ValueBytes())
			}
		}
	}
	s := r.Stats()
	return fmt.Sprintf("%s%s%v, %d rows, %d rejected of %d lines, %d nulled, %d surplus in %d, the first at %v, %+v", &out, &rows, r.Err(), s.Rows, s.Rejected, s.RejectedLines, s.Nulled, s.SurplusFields, s.SurplusRecords, s.FirstSurplus, s.Account)
}
