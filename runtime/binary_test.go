package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// numberOf are types that numbers of binary records may have beside their own.
var numberOf = []string{
	"date", "date!", "ts(epoch(s))", "ts(epoch(ms), unit s)", "ts(epoch(ns), unit ns)", "ts(epoch(us), unit ns)", "dur(ms)", "dur(s, unit ns)", "dec(5, 2, implied)", "dec(38, 3, implied)", "dec(9, 1)",
	"bool", `bool(true "7", false "0")`, "enum(0 1 255)", "str", "dict", "i8", "u16!", "i32", "u64", "f32", "f64", `i64 null "-1" "0"`, `u8 null "255" default "3"`, "i16 in -5..77", `f64 null "0"`, `str null "1"`,
}

var cellForms = []string{"u8", "i8", "u16le", "u16be", "i16le", "i16be", "u32le", "u32be", "i32le", "i32be", "u64le", "u64be", "i64le", "i64be", "f32le", "f32be", "f64le", "f64be"}

// drawBinary draws a spec of binary records.
func drawBinary(t *rapid.T) string {
	pick := func(n int, what string) int { return rapid.IntRange(0, n-1).Draw(t, what) }
	var cells, fields strings.Builder
	for i := range 1 + pick(6, "columns") {
		if pick(5, "gap") == 0 {
			fmt.Fprintf(&cells, "  _ %d", 1+pick(5, "gap's width"))
		}
		if pick(4, "text") == 0 {
			fmt.Fprintf(&cells, "  c%d %d", i, 1+pick(12, "width"))
			if pick(2, "padded") == 0 {
				cells.WriteString([]string{` pad "\x00"`, ` pad ' '`}[pick(2, "pad")])
			}
			fmt.Fprintf(&fields, "  c%d %s", i, rapid.SampledFrom([]string{"str", "str trim", "dict", "binary", "u32", "dec(4, 1)", `str null "a"`, "str!", "enum(a b)"}).Draw(t, "text's type"))
			continue
		}
		form := rapid.SampledFrom(cellForms).Draw(t, "form")
		fmt.Fprintf(&cells, "  c%d %s", i, form)
		if pick(2, "type") == 0 {
			typ := rapid.SampledFrom(numberOf).Draw(t, "type of the number")
			if form[0] == 'f' && strings.HasPrefix(typ, "date") {
				typ = "f64"
			}
			if strings.HasPrefix(typ, "date") && pick(2, "since") == 0 {
				cells.WriteString(` since "1900-01-01"`)
			} else if strings.HasPrefix(typ, "ts") && form[0] != 'f' && pick(2, "since") == 0 {
				cells.WriteString(` since "2001-01-01"`)
			}
			fmt.Fprintf(&fields, "  c%d %s", i, typ)
		}
	}
	head := ""
	if pick(3, "header") == 0 {
		head = ` header 5 magic "MG"`
	}
	return fmt.Sprintf("binary%s {%s } fields {%s } on_error %s utf8 %s", head, cells.String(), fields.String(),
		rapid.SampledFrom([]string{"fail", "null", "reject"}).Draw(t, "mode"), rapid.SampledFrom([]string{"keep", "replace", "reject"}).Draw(t, "utf8"))
}

// drawRecords draws an input of such records, of which the last may be cut off.
func drawRecords(t *rapid.T, p *dfa.Program) []byte {
	in := make([]byte, p.Preface)
	copy(in, p.Magic)
	n := rapid.IntRange(0, 40).Draw(t, "records")
	body := make([]byte, n*p.Stride())
	seed := rapid.Uint64().Draw(t, "seed")
	kind := rapid.IntRange(0, 3).Draw(t, "kind of bytes")
	for i := range body {
		seed = seed*6364136223846793005 + 1442695040888963407
		switch b := byte(seed >> 56); kind {
		case 0:
			body[i] = b
		case 1:
			body[i] = b & 1
		case 2:
			body[i] = "\x00\x00\x00\x00\x00\x00\xff\x80\x7f\x01 ab7"[b%14]
		default:
			body[i] = "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01a"[b%14]
		}
	}
	return append(in, body[:len(body)-rapid.IntRange(0, min(len(body), 3)).Draw(t, "cut off")]...)
}

// TestBinary: records of any layout are read alike by all engines, however they are cut into
// partitions and chunks.
func TestBinary(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		src := drawBinary(r)
		p := spec(t, src)
		in := drawRecords(r, p)
		want := read(t, p, bytes.NewReader(in), runtime.WithEngine(reference.Engine), runtime.WithThreads(1))
		for _, opts := range [][]runtime.Option{
			{runtime.WithThreads(1)},
			{runtime.WithThreads(1), runtime.WithPartitionSize(rapid.IntRange(1, 99).Draw(r, "partition"))},
			{runtime.WithThreads(3), runtime.WithChunkSize(rapid.IntRange(1, 99).Draw(r, "chunk"))},
			{runtime.WithThreads(2), runtime.WithPartitionSize(rapid.IntRange(1, 300).Draw(r, "shared partition"))},
			{runtime.WithEngine(reference.Engine), runtime.WithThreads(2), runtime.WithChunkSize(7), runtime.WithPartitionSize(64)},
		} {
			got := read(t, p, bytes.NewReader(in), append([]runtime.Option{runtime.WithEngine(cpu.Engine)}, opts...)...)
			if got.String() != want.String() || fmt.Sprint(got.schema) != fmt.Sprint(want.schema) {
				r.Fatalf("%s\n%q\ngives\n%s\nwant\n%s", src, in, got, want)
			}
		}
	})
}

// TestBinaryRoundTrip: what was read of binary records is written as the same bytes, or refused.
func TestBinaryRoundTrip(t *testing.T) {
	same := 0
	drawn.Check(t, "nothing was written", func() bool { return same > 0 }, func(r *rapid.T) {
		p := spec(t, strings.Replace(drawBinary(r), "on_error reject", "on_error fail", 1))
		in := drawRecords(r, p)
		rd, err := runtime.NewReader(bytes.NewReader(in), p, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Fail), runtime.WithUTF8(dfa.KeepUTF8))
		if err != nil {
			r.Fatal(err)
		}
		defer rd.Release()
		var out bytes.Buffer
		w, err := output.Open("binary", &out, rd.Schema(), output.Options{Layout: p})
		for err == nil && rd.Next() {
			err = w.Write(rd.Record())
		}
		if err != nil || rd.Err() != nil {
			return // refused, or not to be read
		}
		if err := w.Close(); err != nil {
			r.Fatal(err)
		}
		for i, back := range out.Bytes() {
			if back != in[i] && !p.Columns[columnAt(p, i)].Hidden && !lossy(p, columnAt(p, i)) {
				r.Fatalf("byte %d of %q comes back as %#x", i, in, back)
			}
		}
		if out.Len() != len(in) {
			r.Fatalf("%d bytes of %d", out.Len(), len(in))
		}
		same++
	})
}

// columnAt is the column that byte i of an input is of.
func columnAt(p *dfa.Program, i int) (column int) {
	if i < p.Preface {
		return 0
	}
	at := (i - p.Preface) % p.Stride()
	for at >= p.Widths[column] {
		at -= p.Widths[column]
		column++
	}
	return column
}

// lossy reports whether several cells have the same value: of blanks that are trimmed, of tokens that are
// all null or true, of floats with a sign of zero, of integers that no float is, and of defaults.
func lossy(p *dfa.Program, column int) bool {
	c := &p.Columns[column]
	if isFloat := c.Type.Kind == dfa.Float32 || c.Type.Kind == dfa.Float64; isFloat && p.Cells[column].Kind != dfa.FloatCell {
		return true
	}
	return c.Trim || len(c.NullTokens()) > 0 || c.HasDefault || p.Cells[column].Kind == dfa.FloatCell && c.Type.Kind != dfa.Float32 && c.Type.Kind != dfa.Float64 || c.Type.Kind == dfa.Float32
}

// TestBinaryHeads: what comes before the records has to be as the format says.
func TestBinaryHeads(t *testing.T) {
	p := spec(t, `binary header 6 magic "AB\x00" { n u16be }`)
	for in, want := range map[string]string{
		"":                      `input: the input begins with ""`,
		"AB":                    `input: the input begins with "AB"`,
		"AC\x00...\x00\x01":     `(byte 1)`,
		"AB\x00.":               "2 bytes are missing",
		"AB\x00...\x00\x01":     "",
		"AB\x00...":             "",
		"AB\x00...\x00\x01\x00": "input: record 2, the last record is cut off, found the end of the input, after 1 of the 2 bytes of a record (byte 9)",
	} {
		o := read(t, p, strings.NewReader(in), runtime.WithEngine(cpu.Engine))
		if got := fmt.Sprint(o.err); o.err == nil != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %q", in, got, want)
		}
	}
	// Nothing that text may begin with means anything.
	p = spec(t, `binary { a u32be }`)
	for _, in := range []string{"\xef\xbb\xbf\n", "\xff\xfe\x00\x00", "PK\x03\x04", "\x1f\x8b\x08\x00", "a\rb\r"} {
		if o := read(t, p, strings.NewReader(in), runtime.WithEngine(cpu.Engine)); o.err != nil || len(o.rows) != 1 {
			t.Errorf("%q: %v", in, o)
		}
	}
	var option *runtime.OptionError
	if o := read(t, p, strings.NewReader(""), runtime.WithMaxRecord(3)); !errors.As(o.err, &option) {
		t.Error(o.err)
	}
}

// TestBinaryBlocks: numbers that all have a value are made by blocks of records, in rounds of many; so are those of records that are
// long, or have texts and numbers without a value besides.
func TestBinaryBlocks(t *testing.T) {
	const cells = "a u32le b u32be c i16le d u8 e u64le f f64be g i32le h u16be i u32be j u8 k u32le l i32be m i8 n u16le o f32le p u64be"
	const types = "c i32 g dec(12, 2, implied) h date i ts(epoch(s), unit ms) j i16 k f64 l i64 m f32 n dec(5, 1, implied)"
	for name, src := range map[string]string{
		"short":     "binary { " + cells + " } fields { " + types + " }",
		"long":      "binary { x u8 _ 1000 " + cells + " _ 99 y u8 } fields { " + types + " }",
		"one byte":  "binary { a u8 }",
		"others":    "binary { " + cells + ` q u32le r 3 s i64le } fields { ` + types + ` q i32 r str s i16 } on_error null`,
		"some null": "binary { " + cells + " } fields { " + types + ` d u8! null "7" "8" }`,
	} {
		t.Run(name, func(t *testing.T) {
			p := spec(t, src)
			for _, n := range []int{63, 127, 128, 129, 385, 511, 513, 1025, 4095, 4096, 4097, 9001} {
				if testing.Short() && n > 600 && n%4096 != 1 {
					continue
				}
				in := make([]byte, n*p.Stride())
				seed := uint64(n)
				for i := range in {
					seed = seed*6364136223846793005 + 1442695040888963407
					in[i] = byte(seed >> 56)
				}
				in = in[:len(in)-n%2*min(3, p.Stride()-1)] // the last one may be cut off
				want := read(t, p, bytes.NewReader(in), runtime.WithEngine(reference.Engine), runtime.WithThreads(1))
				for _, opts := range [][]runtime.Option{{}, {runtime.WithThreads(1)}, {runtime.WithThreads(2), runtime.WithChunkSize(5000 + n)}, {runtime.WithThreads(1), runtime.WithPartitionSize(300*p.Stride() + 1)}} {
					got := read(t, p, bytes.NewReader(in), append([]runtime.Option{runtime.WithEngine(cpu.Engine)}, opts...)...)
					if got.String() != want.String() {
						t.Fatalf("%d records differ", n)
					}
				}
			}
		})
	}
}
