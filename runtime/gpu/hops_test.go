//go:build cuda

package gpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// takeHops is the twin of hop_line in kernels/fused/hops.cuh: the fields of a record by their
// numbers, each where it starts and ends.
func takeHops(hops []hopImage, groups *[256]dfa.GroupID, record []byte) (fields map[uint32][2]int, ok bool) {
	stop := len(record) - 1
	record = append(bytes.Clone(record), make([]byte, 8)...) // as a warp's memory has
	fields = map[uint32][2]int{}
	h, p, from, start, end, met := hops[0], 0, 0, 0, 0, 0
	same := false // the run is one that has been gone over
	for {
		q, n := from, int(h.What&hopLength)
		ends := func(c byte) bool {
			switch h.What & hopRun {
			case hopRunTwo:
				return c == byte(h.A) || c == byte(h.B)
			case hopRunFolded:
				return c|byte(h.A>>16) == byte(h.A) || c|byte(h.A>>24) == byte(h.A>>8)
			case hopRunFour:
				return slices.Contains(binary.LittleEndian.AppendUint32(nil, h.A), c)
			case hopRunGroups, hopRunLow:
				return (uint64(h.B)<<32|uint64(h.A))>>groups[c]&1 == 0
			}
			return false
		}
		for h.What&hopRun != hopRunNone && q < stop && !ends(record[q]) {
			q++
		}
		if same && q != met {
			panic("a run that is the same ends elsewhere")
		}
		if from == p {
			met = q
		}
		misses := uint32(0)
		for i := range n {
			c := record[q+i] | byte(h.Fold>>(8*i))
			if c < byte(h.Low>>(8*i)) || c > byte(h.High>>(8*i))&0x7f {
				misses |= 0x80 << (8 * i)
			}
		}
		misses &= h.Mask
		inside := q+n <= stop
		if h.What&hopLast != 0 {
			inside = q+n == stop+1
		}
		next := h.Next >> 16
		same = false
		switch fit := bits.TrailingZeros32(misses) / 8; {
		case misses == 0 && inside && (h.What&hopMin == 0 || q > p):
			if h.What&hopEnd != 0 {
				end = q + int(h.What>>hopEndShift&63) - hopBias
			}
			if h.What&hopStore != 0 {
				if start > end {
					return nil, false
				}
				fields[h.What>>hopColumnShift] = [2]int{start, end}
			}
			if h.What&hopLast != 0 {
				return fields, true
			}
			if p, from = q+n, q+n; h.What&hopStart != 0 {
				start = q + int(h.What>>hopStartShift&7)
			}
		case h.What&hopRetry != 0 && misses != 0 && fit > 0 && (h.What&hopMin == 0 || q > p):
			if from = q + fit; from > stop {
				return nil, false
			}
			continue
		default:
			if next = h.Next & 0xffff; next == 0 {
				return nil, false
			}
			from = p
			same = hops[next].What&hopSame != 0
		}
		h = hops[next]
	}
}

// hopsOf finds hops of a format of generated files, from one of them.
func hopsOf(t *testing.T, format string, in []byte) (x *lineHops, hops []hopImage) {
	t.Helper()
	p, err := gen.Program(format)
	if err != nil {
		t.Fatal(err)
	}
	lines, err := newLineSteps(p.Automaton, p.Analysis())
	if err != nil {
		t.Fatal(err)
	}
	n := len(p.Columns)
	if len(p.Directives) > 0 { // the input names them
		n = 32
	}
	b := &runtime.Binding{MaxFields: n, Rest: -1}
	x = newLineHops(p.Automaton, lines, &runtime.Plan{Program: p, Columns: p.Columns}, b)
	for c := range p.Columns {
		if p.HasRest && c == n-1 {
			b.Rest = c
		}
	}
	x.sample(in, p.Automaton.Start)
	return x, x.images()
}

// TestHops reads records by hops, whole ones and ones with symbols exchanged, left out and
// put in: what hops read has the fields that the automaton finds.
func TestHops(t *testing.T) {
	for _, test := range []struct{ kind, format string }{
		{"haproxy", "haproxy"}, {"syslog", "syslog"}, {"java", "java"}, {"java_multiline", "java_multiline"}, {"postgres", "postgres"}, {"klog", "klog"},
		{"auditd", "auditd"}, {"syslog_rfc5424", "syslog_rfc5424"}, {"combined", "apache_combined"}, {"w3c", "w3c"},
	} {
		t.Run(test.format, func(t *testing.T) {
			var in bytes.Buffer
			if err := gen.Write(&in, test.kind, 100_000, 1); err != nil {
				t.Fatal(err)
			}
			data := in.Bytes()
			x, hops := hopsOf(t, test.format, data)
			if len(hops) == 0 {
				t.Fatal("no hops")
			}
			for i, h := range hops {
				for k := h.Next & 0xffff; k != 0; k = hops[k].Next & 0xffff {
					if hops[k].beginsWith(h) {
						t.Errorf("hop %d is tried before %d, which begins with it", i, k)
					}
				}
			}
			rng := rand.New(rand.NewPCG(3, 5))
			var whole, all, odd, read int
			for p := 0; p < len(data); {
				stop := x.stop(data, p)
				if stop >= len(data)-1 {
					break
				}
				record := data[p : stop+1]
				follows := data[stop+1:] // tells that the record ends
				follows = follows[:x.stop(follows, 0)+1]
				p = stop + 1
				if _, ok := takeHops(hops, &x.a.Group, record); ok {
					whole++
				}
				all++
				for range 8 {
					changed := bytes.Clone(record)
					for range rng.IntN(3) {
						switch i := rng.IntN(len(changed)); rng.IntN(3) {
						case 0:
							changed[i] = record[rng.IntN(len(record))]
						case 1:
							changed = append(changed[:i], changed[min(i+1+rng.IntN(4), len(changed)-1):]...)
						default:
							changed = append(append(bytes.Clone(changed[:i]), record[rng.IntN(len(record)):][0], `" []-:/\`[rng.IntN(8)]), changed[i:]...)
						}
					}
					input := append(bytes.Clone(changed), follows...)
					end := x.stop(input, 0)
					if end >= len(input) || bytes.IndexByte(input[:end], byte(x.odd)) >= 0 {
						continue
					}
					fields, ok := takeHops(hops, &x.a.Group, input[:end+1])
					if odd++; !ok {
						continue
					}
					read++
					if err := sameFields(x.a, input, end, fields); err != nil {
						t.Fatalf("%q: %v", input[:end+1], err)
					}
				}
			}
			t.Logf("%d hops; of %d records %d are read by them, of %d changed ones %d", len(hops), all, whole, odd, read)
			if whole < all*9/10 || read == 0 || read == odd {
				t.Errorf("of %d records %d are read by hops, of %d changed ones %d", all, whole, odd, read)
			}
		})
	}
}

// TestFoldedRuns: two symbols and bits that do not matter tell symbols that end a run from all others that are
// met.
func TestFoldedRuns(t *testing.T) {
	folds := func(ends []byte, seen [256]bool) (found, right bool) {
		x := &lineHops{seen: seen}
		folded, ok := x.folded(ends)
		if !ok {
			return false, true
		}
		if exact, ok := (&lineHops{seen: allSymbols}).folded(ends); ok && exact != folded {
			return true, false
		}
		for c := range 256 {
			is := byte(c)|byte(folded>>16) == byte(folded) || byte(c)|byte(folded>>24) == byte(folded>>8)
			if end := slices.Contains(ends, byte(c)); end != is && (end || seen[c]) {
				return true, false
			}
		}
		return true, true
	}
	var none [256]bool
	for _, test := range []struct {
		ends string
		seen [256]bool
		is   bool
	}{
		{"\t\r ", allSymbols, true}, {" \"[", allSymbols, true}, {"\"\\]", allSymbols, true}, {" \":]", allSymbols, false}, {" \"=]", none, true}, {" \"=]", allSymbols, false},
		{"@`bc", none, true}, {"@`bc", allSymbols, true}, // the last three are alike but for two bits, which one more symbol is
	} {
		if found, right := folds([]byte(test.ends), test.seen); found != test.is || !right {
			t.Errorf("%q: found %v, right %v", test.ends, found, right)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		ends := rapid.SliceOfNDistinct(rapid.Byte(), 3, 6, rapid.ID).Draw(t, "ends")
		var seen [256]bool
		for _, c := range rapid.SliceOfN(rapid.Byte(), 0, 64).Draw(t, "seen") {
			seen[c] = true
		}
		if _, right := folds(ends, seen); !right {
			t.Fatal("others end the run, or not all of these do")
		}
	})
}

// hopsFrom finds hops of an automaton from lines, for records of up to so many fields.
func hopsFrom(t rapid.TB, a *dfa.Automaton, fields int, in string) (x *lineHops, hops []hopImage) {
	t.Helper()
	lines, err := newLineSteps(a, dfa.Analyse(a))
	if err != nil {
		t.Fatal(err)
	}
	x = newLineHops(a, lines, &runtime.Plan{Program: &dfa.Program{}}, &runtime.Binding{MaxFields: fields, Rest: -1})
	x.sample([]byte(in), a.Start)
	return x, x.images()
}

// goingOn are automata with hops that could go on behind the symbols that fit, where another does
// not, if that were like the run.
var goingOn = []struct {
	name   string
	fields int // that there are columns for
	build  func(b *dfa.Builder, begin, in dfa.StateID)
	sample string // lines that are read by hops
	unlike string // and some that begin as these do
}{
	// A hop over a symbol that ends the run, which may not be empty, another one, and the record's end.
	{"a comment", 1, func(b *dfa.Builder, begin, in dfa.StateID) {
		comment := b.AddState("COM", "in a comment")
		end := endsRecord
		end.Record = dfa.DroppedRecord
		b.On(begin, dfa.Bytes('#'), comment, dfa.Emission{Kind: dfa.Skip})
		b.On(begin, dfa.Bytes('!'), comment, dfa.Emission{Kind: dfa.Skip})
		b.On(comment, dfa.Bytes('\n'), begin, end)
		b.Otherwise(comment, comment, dfa.Emission{Kind: dfa.Data})
		b.EOF(comment, end)
	}, "a#\nb#\n", "##\n#!\n!a#\n#a#\naa#\na##\na#a#\n"},
	// A hop over a digit, which is no part of the field, and the record's end.
	{"what is skipped", 1, func(b *dfa.Builder, begin, in dfa.StateID) {
		b.On(in, dfa.Range('0', '9'), in, dfa.Emission{Kind: dfa.Skip})
	}, "a0\nbb0\n", "a0b\na0b0\na00\nab\na0b1c2\n"},
	// A hop over what ends a field, and a quote.
	{"a quote", 2, func(b *dfa.Builder, begin, in dfa.StateID) {
		first := b.AddState("BOF", "at the start of a field")
		quoted, after := b.AddState("ENC", "in a quoted field"), b.AddState("ESC", "behind the quote")
		for _, s := range []dfa.StateID{in, first} {
			b.On(s, dfa.Bytes(','), first, dfa.Emission{Kind: dfa.Field, Column: dfa.NextColumn})
		}
		b.On(first, dfa.Bytes('"'), quoted, dfa.Emission{Kind: dfa.Skip})
		b.On(quoted, dfa.Bytes('"'), after, dfa.Emission{Kind: dfa.Skip})
		for _, s := range []dfa.StateID{first, quoted, after} {
			b.On(s, dfa.Bytes('\n'), begin, endsRecord)
			b.EOF(s, endsRecord)
		}
		b.Otherwise(first, in, dfa.Emission{Kind: dfa.Data})
		b.Otherwise(quoted, quoted, dfa.Emission{Kind: dfa.Data})
		b.Otherwise(after, after, dfa.Emission{Kind: dfa.Skip})
	}, "a,\"b\"\nab,\"c\"\n", "a,b\na,b,\"c\"\na,b,c\na\na,\"\"\n"},
}

var endsRecord = dfa.Emission{Kind: dfa.Record, Column: dfa.NextColumn}

// buildLines builds the automaton of b, in which all else in a line is data, and lines are records.
func buildLines(t *testing.T, b *dfa.Builder, begin, in dfa.StateID) *dfa.Automaton {
	t.Helper()
	for _, s := range []dfa.StateID{begin, in} {
		b.On(s, dfa.Bytes('\n'), begin, endsRecord)
		b.Otherwise(s, in, dfa.Emission{Kind: dfa.Data})
	}
	b.EOF(begin, dfa.Emission{Kind: dfa.Skip})
	b.EOF(in, endsRecord)
	a, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestHopsGoOn reads lines of these automata by hops, and with the engine.
func TestHopsGoOn(t *testing.T) {
	newBench(t)
	for _, test := range goingOn {
		t.Run(test.name, func(t *testing.T) {
			b := dfa.NewBuilder()
			begin, in := b.AddState("BOL", "at the start of a line"), b.AddState("IN", "in a field")
			test.build(b, begin, in)
			from := begin // a line may begin with several ~, but not end so: states, too many for the fused path
			end := endsRecord
			end.Code = b.Message("too few ~")
			for i := range fusedStates {
				to := b.AddState(fmt.Sprintf("TILDE%d", i), "behind a ~")
				b.On(from, dfa.Bytes('~'), to, dfa.Emission{Kind: dfa.Data})
				b.On(to, dfa.Bytes('\n'), begin, end)
				b.EOF(to, end)
				if i > 0 {
					b.Otherwise(from, in, dfa.Emission{Kind: dfa.Data})
				}
				from = to
			}
			b.Otherwise(from, in, dfa.Emission{Kind: dfa.Data})
			a := buildLines(t, b, begin, in)
			lines := strings.Repeat(test.sample, 3) + test.unlike
			p, err := dfa.NewProgram(dfa.Definition{Name: "test", Automaton: a, Columns: []dfa.Column{{Name: "a"}, {Name: "b"}}[:test.fields]})
			if err != nil {
				t.Fatal(err)
			}
			read := func(e runtime.Engine) string {
				rows, stats, err := readRows(e, p, lines, runtime.WithErrorMode(dfa.Reject))
				return fmt.Sprintf("%s%+v %v", rows, stats, err)
			}
			if got, want := read(New()), read(cpu.Engine); got != want {
				t.Errorf("%q: got\n%s\nwant\n%s", lines, got, want)
			}

			x, hops := hopsFrom(t, a, test.fields, lines)
			if n := checkHops(t, x, hops, test.sample); n != strings.Count(test.sample, "\n") {
				t.Errorf("%d lines of %q are read by hops", n, test.sample)
			}
			checkHops(t, x, hops, lines)
		})
	}
}

// TestHopsDrawn is TestHops for automata drawn at random, and records of any symbols.
func TestHopsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := enginetest.DrawEnded(t)
		in := string(enginetest.DrawInput(t, m.Alphabet, 400))
		x, _ := hopsFrom(t, m.Automaton, 4, "")
		for line := range strings.Lines(in) { // as first flights of which none has hops
			x.sample([]byte(line), m.Automaton.Start)
			if again := x.images(); len(again) > 0 {
				checkHops(t, x, again, in)
				break
			}
		}
		x.sample([]byte(in), m.Automaton.Start)
		hops := x.images()
		checkHops(t, x, hops, in)
		checkHops(t, x, hops, string(enginetest.DrawInput(t, m.Alphabet, 400)))
	})
}

// TestHopsLater finds hops from a second flight, in which what no record of the first has is in some.
func TestHopsLater(t *testing.T) {
	b := dfa.NewBuilder()
	begin, in := b.AddState("BOL", "at the start of a line"), b.AddState("IN", "in a line")
	goingOn[0].build(b, begin, in)
	a := buildLines(t, b, begin, in)
	x, hops := hopsFrom(t, a, 1, "!!\n")
	if len(hops) != 0 {
		t.Fatal("a line that is no row has hops")
	}
	x.sample([]byte("a\n##\n"), a.Start)
	if n := checkHops(t, x, x.images(), "a\n##\n"); n != 1 {
		t.Errorf("%d lines are read by hops", n)
	}
}

// TestValueHopsDrawn is TestValueHops for such automata.
func TestValueHopsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := enginetest.DrawEnded(t)
		a := enginetest.Splitter(m.Automaton)
		const parts = 4
		x := newValueHops(a, parts)
		values := bytes.Split(enginetest.DrawInput(t, m.Alphabet, 400), []byte(" "))
		for _, value := range values[:len(values)/2] {
			x.learn(append(bytes.Clone(value), 0))
		}
		hops, lex := x.images(), a.Table()
		for _, value := range values {
			if len(hops) == 0 {
				return
			}
			fields, ok := takeHops(hops, &a.Group, append(bytes.Clone(value), '"'))
			if !ok {
				continue
			}
			pieces, _, code := lex.Fields(value, nil, nil)
			if code != 0 {
				t.Fatalf("%q: by hops %v, the automaton has code %d", value, fields, code)
			}
			last := map[uint32]string{} // of several of a number
			for _, piece := range pieces {
				last[uint32(piece.Column)] = string(piece.Of(value, nil))
				if piece.Decoded {
					t.Fatalf("%q: by hops %v, part %d is decoded", value, fields, piece.Column)
				}
			}
			if len(last) != len(fields) {
				t.Fatalf("%q: by hops %v, the automaton has %v", value, fields, last)
			}
			for number, part := range last {
				if at, ok := fields[number]; !ok || string(value[at[0]:at[1]]) != part {
					t.Fatalf("%q: by hops %v, the automaton has %v", value, fields, last)
				}
			}
		}
	})
}

// checkHops compares what hops read of lines with what the automaton finds, and gives how many they read.
func checkHops(t rapid.TB, x *lineHops, hops []hopImage, lines string) (read int) {
	t.Helper()
	for line := range strings.Lines(lines) {
		if len(hops) == 0 || !strings.HasSuffix(line, "\n") || strings.IndexByte(line, byte(x.odd)) >= 0 {
			continue
		}
		fields, ok := takeHops(hops, &x.a.Group, []byte(line))
		if !ok {
			continue
		}
		read++
		if err := sameFields(x.a, []byte(line), len(line)-1, fields); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	return read
}

// TestValueHops reads values that are taken apart by hops, as they are and with symbols exchanged:
// the parts are those that the automaton of their column finds.
func TestValueHops(t *testing.T) {
	for _, test := range []struct{ kind, format string }{{"combined", "apache_combined"}} {
		t.Run(test.format, func(t *testing.T) {
			var in bytes.Buffer
			if err := gen.Write(&in, test.kind, 100_000, 1); err != nil {
				t.Fatal(err)
			}
			of, _ := hopsOf(t, test.format, in.Bytes())
			p, err := gen.Program(test.format)
			if err != nil {
				t.Fatal(err)
			}
			column := slices.IndexFunc(p.Columns, func(c dfa.Column) bool { return c.Split != nil })
			a := p.Columns[column].Split.Automaton
			x := newValueHops(a, len(p.Columns[column].Split.Columns))
			x.sampleValues(of, column, of.sample(in.Bytes(), of.lines.resume))
			hops := x.images()
			var values [][]byte
			p.Automaton.Walk(in.Bytes(), p.Automaton.Start, func(r *dfa.RawRecord) bool {
				for _, f := range r.Fields {
					if f.Column == column {
						values = append(values, bytes.Clone(f.Value))
					}
				}
				return true
			})
			rng := rand.New(rand.NewPCG(7, 8))
			lex := a.Table()
			var whole, odd, read int
			for _, value := range values {
				for round := range 6 {
					if round > 0 && len(value) > 0 {
						switch i := rng.IntN(len(value)); rng.IntN(3) {
						case 0:
							value[i] = " /x\x00\xff\"H"[rng.IntN(7)]
						case 1:
							value = value[:i]
						default:
							value = append(append(bytes.Clone(value[:i]), " \n-"[rng.IntN(3)]), value[i:]...)
						}
						odd++
					}
					fields, ok := takeHops(hops, &a.Group, append(bytes.Clone(value), '"'))
					if !ok {
						continue
					}
					if read++; round == 0 {
						whole++
					}
					pieces, _, code := lex.Fields(value, nil, nil)
					if code != 0 || len(pieces) != len(fields) {
						t.Fatalf("%q: by hops %v, the automaton has code %d, %v", value, fields, code, pieces)
					}
					for _, piece := range pieces {
						if at := fields[uint32(piece.Column)]; piece.Decoded || string(value[at[0]:at[1]]) != string(piece.Of(value, nil)) {
							t.Fatalf("%q: part %d is at %v, the automaton has %v", value, piece.Column, at, piece)
						}
					}
				}
			}
			t.Logf("%d hops; of %d values %d are read by them, with %d changed ones %d", len(hops), len(values), whole, odd, read)
			if whole < len(values)*9/10 || read == whole || read == whole+odd {
				t.Errorf("of %d values %d are read by hops, with %d changed ones %d", len(values), whole, odd, read)
			}
		})
	}
}

// sameFields compares the fields of the input's first record, whose last symbol is at end.
func sameFields(a *dfa.Automaton, in []byte, end int, fields map[uint32][2]int) (err error) {
	a.Walk(in, a.Start, func(r *dfa.RawRecord) bool {
		if r.Kind != dfa.DataRecord || r.Code != 0 || r.Next != end+1 {
			err = fmt.Errorf("the automaton finds a record of kind %d, error %d, that ends before %d", r.Kind, r.Code, r.Next)
			return false
		}
		last := map[int][]byte{} // of several of a number
		for _, f := range r.Fields {
			last[f.Column] = f.Value
		}
		for column, value := range last {
			at, ok := fields[uint32(column)]
			if !ok || string(in[at[0]:at[1]]) != string(value) {
				err = fmt.Errorf("field %d is %q, not what is at %v", column, value, at)
			}
		}
		if len(last) != len(fields) {
			err = fmt.Errorf("%d fields, not %d", len(last), len(fields))
		}
		return false
	})
	return err
}
