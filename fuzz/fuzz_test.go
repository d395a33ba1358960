package fuzz

import (
	"encoding/binary"
	"encoding/csv"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

// Bounds of what a fuzz target does with one input.
const (
	maxSpec  = 4 << 10
	maxInput = 8 << 10
)

// seeds gives the examples of the built-in formats.
func seeds(f *testing.F, add func(format int, source []byte, input string)) {
	for i, name := range gen.VariedFormats() {
		spec, err := gen.Spec(name)
		if err != nil {
			f.Fatal(err)
		}
		source, err := gen.Source(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, ex := range spec.Examples {
			add(i, source, ex.Input)
		}
	}
}

// FuzzEngines reads any input with a built-in format by both engines, cut in
// any way: they agree with each other and with the uncut reading.
func FuzzEngines(f *testing.F) {
	seeds(f, func(format int, _ []byte, input string) {
		f.Add(uint8(format), input, uint16(3), uint8(2), uint16(40), uint8(2))
	})
	f.Fuzz(func(t *testing.T, format uint8, input string, chunk uint16, threads uint8, partition uint16, mode uint8) {
		names := gen.VariedFormats()
		p := program(t, names[int(format)%len(names)])
		ways := []setting{
			{"reference", 1, whole, whole},
			{"both", 1 + int(threads%9), 1 + int(chunk), 1 + int(partition)},
			{"cpu", 1 + int(threads%9), 1 + int(chunk), 1 + int(partition)},
		}
		conform(t, "any input", p, input[:min(len(input), maxInput)], dfa.ErrorMode(mode%3), ways)
	})
}

// agree reads in in a few ways with a Program that may be anything.
func agree(t *testing.T, p *dfa.Program, in string) {
	t.Helper()
	ways := []setting{
		{"both", 1, whole, whole}, {"both", 3, 5, whole}, {"reference", 1, 7, 33}, {"cpu", 2, 11, 64},
	}
	for _, mode := range modes {
		conform(t, "any program", p, in, mode, ways, runtime.WithMaxRecord(256))
	}
}

// These bound the processor time of one input: far above what it takes, as the
// machine may be busy, and far below what would be felt.
const (
	mostCompiling = 10 * time.Second
	mostDecoding  = 2 * time.Second
	mostReading   = 10 * time.Second
)

// bounded calls f and fails if it took more processor time.
func bounded(t *testing.T, what string, most time.Duration, f func()) {
	t.Helper()
	before := cpuTime()
	f()
	if took := cpuTime() - before; took > most {
		t.Fatalf("%s takes %v", what, took)
	}
}

// specs gives the built-in specs and a few more, none of them compiled.
func specs(f *testing.F, add func(source []byte)) {
	for _, name := range gen.VariedFormats() {
		source, err := gen.Source(name)
		if err != nil {
			f.Fatal(err)
		}
		add(source)
	}
	for _, source := range []string{typesSpec, multilineSpec, tableSpec, "format f { fixed { a 2 b 3 } }"} {
		add([]byte(source))
	}
}

// FuzzSpec compiles any text, in bounded time: what is none is refused with a
// position, and what is a spec is a Program that can be saved.
func FuzzSpec(f *testing.F) {
	specs(f, func(source []byte) { f.Add(source) })
	f.Fuzz(func(t *testing.T, source []byte) {
		var spec *compile.Spec
		var err error
		bounded(t, "the spec", mostCompiling, func() {
			spec, err = compile.Compile("fuzz.dfp", source[:min(len(source), maxSpec)], compile.WithResolver(formats.Resolve))
		})
		if err != nil {
			if !strings.HasPrefix(err.Error(), "fuzz.dfp:") {
				t.Fatalf("an error without a position: %v", err)
			}
			return
		}
		p, err := dfa.DecodeProgram(spec.Program.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if got, want := p.Dump(), spec.Program.Dump(); got != want {
			t.Fatalf("decoded as\n%s\nwant\n%s", got, want)
		}
	})
}

// FuzzSpecRead reads any input by any spec: engines agree.
func FuzzSpecRead(f *testing.F) {
	seeds(f, func(_ int, source []byte, input string) { f.Add(source, input) })
	for _, spec := range []string{typesSpec, multilineSpec} {
		f.Add([]byte(spec), "a,1\n\"b\"\"\",2\n# c\n")
	}
	for _, name := range ownFormats {
		_, src, err := ownSource(name)
		if err != nil {
			f.Fatal(err)
		}
		spec, err := specOf(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, e := range spec.Examples {
			f.Add(src, e.Input)
		}
	}
	f.Fuzz(func(t *testing.T, source []byte, input string) {
		spec, err := compile.Compile("fuzz.dfp", source[:min(len(source), maxSpec)], compile.WithResolver(formats.Resolve))
		if err == nil {
			agree(t, spec.Program, input[:min(len(input), 1<<10)])
		}
	})
}

const typesSpec = `format f { delimited { sep ','  quote '"' doubled  comment "#" }
  fields { a list(str, sep ';')  b map(i64, pairs '&', kv '=') ?  c dec(9,2) null "-" default "1"  d ts("%F %T") trim  e enum(x y) } on_error null }`

const multilineSpec = "format f { record `{at} {what...}` fields { at date(\"%F\") } multiline { start `{at}`  into what } }"

const tableSpec = "dfa d { group A='a' | L='\\n' | X=* S : S d | S r | T . T : S d | !\"no\" | S d eof : S r, T ! } format f { dfa d fields { a str } }"

// FuzzProgram decodes any bytes, in bounded time: what is a Program is the same
// one when it is saved again.
func FuzzProgram(f *testing.F) {
	specs(f, func(source []byte) {
		spec, err := compile.Compile("seed.dfp", source, compile.WithResolver(formats.Resolve))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(spec.Program.Encode())
	})
	f.Fuzz(func(t *testing.T, encoded []byte) {
		var p *dfa.Program
		var err error
		bounded(t, "the Program", mostDecoding, func() { p, err = dfa.DecodeProgram(seal(encoded)) })
		if err != nil {
			return
		}
		again, err := dfa.DecodeProgram(p.Encode())
		if err != nil || again.Dump() != p.Dump() {
			t.Fatalf("decoded again: %v", err)
		}
	})
}

// FuzzProgramRead reads any input by any Program: it can be run, and if its
// records can be read from their beginnings, the engines agree about it.
func FuzzProgramRead(f *testing.F) {
	seeds(f, func(format int, _ []byte, input string) {
		f.Add(program(f, gen.VariedFormats()[format]).Encode(), input)
	})
	f.Fuzz(func(t *testing.T, encoded []byte, input string) {
		p, err := dfa.DecodeProgram(seal(encoded))
		if err != nil {
			return
		}
		in := input[:min(len(input), 1<<10)]
		if resumes(p.Automaton) {
			agree(t, p, in)
			return
		}
		for _, mode := range []dfa.ErrorMode{dfa.Fail, dfa.Reject} {
			for _, s := range []setting{{"reference", 2, 5, whole}, {"cpu", 1, whole, whole}, {"cpu", 3, 5, whole}, {"cpu", 2, 7, 30}, {"reference", 1, 9, 30}} {
				runAny(t, p, in, append(s.options(), runtime.WithErrorMode(mode), runtime.WithMaxRecord(200))...)
			}
		}
	})
}

// seal gives a mutated Program the checksum that it should have, without which
// hardly any would be decoded.
func seal(encoded []byte) []byte {
	if len(encoded) < 8 {
		return encoded
	}
	body := encoded[:len(encoded)-4]
	return binary.LittleEndian.AppendUint32(append([]byte{}, body...), crc32.ChecksumIEEE(body))
}

// resumes reports whether it is plain that a's records can be read from their
// beginnings: none leaves symbols to the next, and no digits are those of the
// record before.
func resumes(a *dfa.Automaton) bool {
	for i := range a.Emissions {
		e := &a.Emissions[i]
		if e.Kind == dfa.Record && e.Lag != e.Open || e.Sub == dfa.ByHex || e.Sub == dfa.ByOctal {
			return false
		}
	}
	return true
}

// runAny reads an input to its end; that it ends, without a panic, is all that
// is asked of a Program that no compiler made: its records may be such that
// they cannot be read from their beginnings (Automaton, last paragraph).
func runAny(t *testing.T, p *dfa.Program, in string, opts ...runtime.Option) {
	r, err := runtime.NewReader(strings.NewReader(in), p, byCPU(append(opts, runtime.WithBaseTime(baseTime))...)...)
	if err != nil {
		return
	}
	defer r.Release()
	begun := cpuTime()
	for r.Next() {
		if cpuTime()-begun > mostReading {
			t.Fatalf("%d bytes take more than %v", len(in), mostReading)
		}
	}
}

// FuzzCSV holds csv against encoding/csv on any input. Where both read it the
// records are the same, and where csv does so does encoding/csv. They differ in:
//
//   - \r\n inside quotes: encoding/csv makes it \n; the input is used as
//     encoding/csv reads it.
//   - a quoted field that is closed, a \r and the end of the input: a record
//     here, an error there; and a \r at the very end of a bare field is dropped
//     by both. A lone \r elsewhere is data there and an error here.
//   - a record of one empty field in quotes, `""`: a record in both; an empty
//     line: none in both.
//   - records of unequal length are errors of both.
//   - a byte order mark: passed over here, data there.
//   - what is not text by its first bytes (UTF-16, an archive) is refused here;
//     it has symbols that text has not, and is data there.
//   - invalid UTF-8 is data there, and here by the policy keep.
func FuzzCSV(f *testing.F) {
	seeds(f, func(_ int, _ []byte, input string) { f.Add(input) })
	for _, s := range []string{"a,b\n1,\"x\"\"y\"\n", "\"\"\n", "a\r\nb\r\n", "\"a\r\n\"", "\n\n,\n", "\"a", "a\"b", "\xef\xbb\xbfa", "\x00\x00\xfe\xff", "PK\x03\x04"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		in = strings.ReplaceAll(in[:min(len(in), maxInput)], "\r\n", "\n")
		if strings.Contains(in, "\r") || strings.HasPrefix(in, "\xef\xbb\xbf") {
			return
		}
		std := csv.NewReader(strings.NewReader(in))
		var want [][]string
		var wantErr error
		for {
			row, err := std.Read()
			if err != nil {
				if err != io.EOF {
					wantErr = err
				}
				break
			}
			want = append(want, row)
		}
		got, err := records(in, runtime.WithUTF8(dfa.KeepUTF8), runtime.WithErrorMode(dfa.Fail), runtime.WithChunkSize(7), runtime.WithPartitionSize(50))
		if errors.Is(err, runtime.ErrForeign) && strings.ContainsFunc(in, func(c rune) bool { return c < '\t' || c > '~' }) {
			return
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, encoding/csv says %v", in, err, wantErr)
		}
		if fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
			t.Fatalf("%q gives %q, encoding/csv %q (%v)", in, got, want, err)
		}
		var pe *runtime.ParseError
		var ce *csv.ParseError
		if errors.As(err, &pe) && errors.As(wantErr, &ce) && pe.Record != int64(len(want))+1 {
			t.Fatalf("%q: %v, encoding/csv says %v", in, err, wantErr)
		}
	})
}
