//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// recordsOf compiles a format of binary records.
func recordsOf(t testing.TB, cells, fields string) *dfa.Program {
	t.Helper()
	spec := compiled(t, "format records { binary {"+cells+"} fields {"+fields+"} }")
	return spec.Program
}

// someRecords are n records of random bytes, in some of which most are zero.
func someRecords(p *dfa.Program, n int, seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 1))
	in := make([]byte, p.Preface+n*p.Stride())
	copy(in, p.Magic)
	for i := p.Preface; i < len(in); i++ {
		if in[i] = byte(rng.Uint32()); seed%2 == 0 && rng.IntN(8) > 0 {
			in[i] = 0
		}
	}
	return in
}

// transposed are records of all widths, of which the kernels make values of all forms.
var transposed = map[string][2]string{
	"one byte":         {"a u8", ""},
	"odd":              {"a u8 b u16be c u32le d u64be e 3 f i8", ""},
	"narrow":           {"a u8 b u16be c i8 d u16le e u8", ""},
	"a word":           {"a u32le", ""},
	"two words":        {"a f64be", ""},
	"gaps":             {"_ 3 a i16le _ 5 b f32be _ 1", ""},
	"scaled":           {`a u16le since "2000-01-01" b u32be c i16be d i64le e u8 f u32le g u16be`, `a date b ts(epoch(s), unit s) c dec(5, 2, implied) null "-1" "0" d ts(epoch(ms), unit ns) e i32 null "0" f u16 g i8`},
	"numbers as texts": {"a u8 b f32le c i32le d u16le", `a bool b f64 c str d enum(0 1 2)`},
	"texts":            {`a 5 pad '\x00' b u16le c 12 d 1 e 9 pad ' '`, `a str null "" c binary d str e u32`},
	"100 bytes":        {"a u64le b f64le c u32le d 20 e u64be f f64be g i32be h u16le i u16be j u8 k i8 l u64le m f64le n u64le o u32be p i32le", ""},
	"long":             {"a u32le _ 2000 b u64be _ 1000 c 7", ""},
	"longest":          {"a u8 _ 4090 b u16le _ 3", ""},
}

// TestTranspose: records of any layout give what the reference and the CPU give, in flights of sizes around
// those of a warp's rows, a tile's and several tiles', cut anywhere.
func TestTranspose(t *testing.T) {
	newBench(t)
	defer func(n int) { transposeTile = n }(transposeTile)
	transposeTile = 2000
	for name, of := range transposed {
		t.Run(name, func(t *testing.T) {
			p := recordsOf(t, of[0], of[1])
			tile := max(32, transposeTile/transposePitch(p.Stride())&^31)
			for i, n := range []int{0, 1, 31, 32, 33, tile - 1, tile, tile + 1, 2*tile + 5} {
				in := string(someRecords(p, n, uint64(i)))
				for _, mode := range []dfa.ErrorMode{dfa.Fail, dfa.Null, dfa.Reject}[i%2 : 2+i%2] {
					read := func(e runtime.Engine, in string) string {
						rows, stats, err := readRows(e, p, in, runtime.WithErrorMode(mode), runtime.WithThreads(1))
						return fmt.Sprint(rows, stats, err)
					}
					for _, cut := range []int{0, 1}[:min(2, 1+len(in))] { // the last record is cut off
						in := in[:len(in)-min(cut, len(in))]
						want := read(cpu.Engine, in)
						if n*p.Stride() < 2000 {
							if other := read(reference.Engine, in); other != want {
								t.Fatalf("%d records, %v: the reference gives\n%.2000s\nthe CPU\n%.2000s", n, mode, other, want)
							}
						}
						for _, flight := range []int{DefaultFlight, 1 + len(in)/3} {
							e := &openEngine{Engine: New(WithFlight(flight))}
							if got := read(e, in); got != want {
								t.Fatalf("%d records, %v, flights of %d: rows\n%.3000s\nwant\n%.3000s", n, mode, flight, got, want)
							}
							if c := e.parser.counted; cut == 0 && n > 1 && len(e.parser.mine) > 0 && c.FlightsFused == 0 {
								t.Fatalf("%d records: no flight of %d was read on the device", n, c.Flights)
							}
						}
					}
				}
			}
		})
	}
}

// TestTransposeDrawn: so do records of drawn cells, of all types that a number may have.
func TestTransposeDrawn(t *testing.T) {
	newBench(t)
	defer func(n int) { transposeTile = n }(transposeTile)
	forms := []string{"u8", "i8", "u16le", "u16be", "i16le", "i16be", "u32le", "u32be", "i32le", "i32be", "u64le", "u64be", "i64le", "i64be", "f32le", "f32be", "f64le", "f64be", "1", "3 pad ' '", "17"}
	types := []string{"", "", "", "date", "ts(epoch(s))", "ts(epoch(ms), unit s)", "ts(epoch(us), unit ns)", "dur(ms)", "dec(5, 2, implied)", "dec(38, 3, implied)", "dec(9, 1)", "bool", "enum(0 1 255)", "str",
		"i8", "u16!", "i32", "u64", "i64", "f32", "f64", `i64 null "-1" "0"`, `u8 null "255" default "3"`, "i16 in -5..77", `f64 null "0"`, `dec(9, 1, implied) null "1"`}
	rapid.Check(t, func(t *rapid.T) {
		cells, fields := "", ""
		for i := range rapid.IntRange(1, 7).Draw(t, "columns") {
			form, typ := rapid.SampledFrom(forms).Draw(t, "form"), rapid.SampledFrom(types).Draw(t, "type")
			cells += fmt.Sprintf(" c%d %s", i, form)
			if form[0] == 'f' && typ == "date" {
				typ = ""
			}
			if rapid.IntRange(0, 4).Draw(t, "gap") == 0 {
				cells += " _ 1"
			}
			if typ != "" && form[0] > '9' {
				fields += fmt.Sprintf(" c%d %s", i, typ)
			}
		}
		spec, err := compile.Compile("drawn.dfp", []byte("format drawn { binary {"+cells+"} fields {"+fields+"} utf8 replace }"))
		if err != nil {
			t.Fatal(err)
		}
		p := spec.Program
		transposeTile = rapid.IntRange(100, 5000).Draw(t, "tile")
		in := someRecords(p, rapid.IntRange(0, 150).Draw(t, "records"), rapid.Uint64Range(0, 99).Draw(t, "seed"))
		in = in[:len(in)-rapid.IntRange(0, min(len(in), 2)).Draw(t, "cut off")]
		mode := rapid.SampledFrom([]dfa.ErrorMode{dfa.Fail, dfa.Null, dfa.Reject}).Draw(t, "mode")
		read := func(e runtime.Engine) string {
			rows, stats, err := readRows(e, p, string(in), runtime.WithErrorMode(mode), runtime.WithThreads(1))
			return fmt.Sprint(rows, stats, err)
		}
		want := read(reference.Engine)
		if got := read(New(WithFlight(rapid.IntRange(1, len(in)+100).Draw(t, "flight")))); got != want {
			t.Fatalf("%s {%s}: rows\n%.3000s\nwant\n%.3000s", cells, fields, got, want)
		}
		if got := read(cpu.Engine); got != want {
			t.Fatalf("%s {%s}: the CPU gives\n%.3000s\nwant\n%.3000s", cells, fields, got, want)
		}
	})
}
