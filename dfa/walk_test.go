package dfa

import (
	"encoding/csv"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// text is what Walk finds in in, one line a record: where it lies, its fields
// with their columns and offsets, its error.
func text(a *Automaton, in string) string {
	var b strings.Builder
	for _, r := range walkAll(a, []byte(in), a.Start) {
		fmt.Fprintf(&b, "%d-%d>%d", r.Start, r.End, r.Next)
		if r.Kind != DataRecord {
			fmt.Fprintf(&b, " kind %d", r.Kind)
		}
		for _, f := range r.Fields {
			fmt.Fprintf(&b, " %d:%q@%d-%d", f.Column, f.Value, f.Start, f.End)
			if f.Class != 0 {
				fmt.Fprintf(&b, "/%d", f.Class)
			}
		}
		if r.Code != 0 {
			fmt.Fprintf(&b, " %s at %d, in %s at %d", a.Message(r.Code), r.Offset, a.States[r.State].Name, r.At)
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func TestWalk(t *testing.T) {
	m := machines(t)
	for _, c := range []struct{ machine, in, want string }{
		{"csv", "", ""},
		{"csv", "a", `0-1>1 0:"a"@0-1`},
		{"csv", "a\n", `0-1>2 0:"a"@0-1`},
		{"csv", "\n", `0-0>1 0:""@0-0`},
		{"csv", ",\n,", `0-1>2 0:""@0-0 1:""@1-1` + "\n" + `2-3>3 0:""@2-2 1:""@3-3`},
		{"csv", `a,"b"""` + "\n", `0-7>8 0:"a"@0-1 1:"b\""@2-7`},
		{"csv", "\"a\nb\",c\nd", `0-7>8 0:"a\nb"@0-5 1:"c"@6-7` + "\n" + `8-9>9 0:"d"@8-9`},
		{"csv", "a\"b\nc", `0-5>5 0:"a"@0-5 a quote inside an unquoted field at 1, in FLD at 1`},
		{"csv-recover", "a\"b\nc", `0-3>4 0:"a"@0-3 a quote inside an unquoted field at 1, in FLD at 1` + "\n" + `4-5>5 0:"c"@4-5`},
		{"csv-recover", "x,\"a\"b,\"\nc", `0-8>9 0:"x"@0-1 1:"a"@2-8 text after the closing quote at 5, in ESC at 5` + "\n" + `9-10>10 0:"c"@9-10`},
		{"csv", "x\ny,\"a,b\n", `0-1>2 0:"x"@0-1` + "\n" + `2-9>9 0:"y"@2-3 1:"a,b\n"@4-9 unterminated quoted field at 4, in ENC at 9`},
		{"crlf-recover", "a\r\nb\rc\nd\r", `0-2>3 0:"a"@0-2` + "\n" +
			`3-6>7 0:"b"@3-6 a carriage return without a newline at 5, in CR at 5` + "\n" + `7-9>9 0:"d"@7-9`},

		{"bars", "a||b\n", `0-4>5 0:"a"@0-1 1:"b"@3-4`},
		{"bars", "a|b||||c|", `0-9>9 0:"a|b"@0-3 1:""@5-5 2:"c|"@7-9`},
		{"bars", "|||", `0-3>3 0:""@0-0 1:"|"@2-3`},

		{"escapes", `a\n\t\\ \x41\x7E \o101` + "\n", `0-22>23 0:"a\n\t\\"@0-7 1:"A~"@8-16 2:"A"@17-22`},
		{"escapes", `a\q b` + "\n" + `\x4`, `0-5>6 0:"a"@0-5 unknown escape at 2, in ESC at 2` + "\n" + `6-9>9 0:""@6-9 unknown escape at 9, in X2 at 9`},
		{"escapes", "a\\\nb", `0-2>3 0:"a"@0-2 unknown escape at 2, in ESC at 2` + "\n" + `3-4>4 0:"b"@3-4`},

		{"entries", "", ""},
		{"entries", ">a\nb\n>c\n\n", `0-4>5 0:">a\nb"@0-4` + "\n" + `5-8>9 0:">c\n"@5-8`},
		{"entries", "x\n>", `0-1>2 0:"x"@0-1` + "\n" + `2-3>3 0:">"@2-3`},
	} {
		if got := text(m[c.machine], c.in); got != c.want {
			t.Errorf("%s: %q:\n%s\nwant:\n%s", c.machine, c.in, got, c.want)
		}
	}
}

// TestWalkOfShapes has records of several kinds, named columns and classes.
func TestWalkOfShapes(t *testing.T) {
	b := NewBuilder()
	begin := b.AddState("BEGIN", "at the start of a line")
	key := b.AddState("KEY", "inside a key")
	value := b.AddState("VALUE", "inside a value")
	comment := b.AddState("COMMENT", "inside a comment")
	nl := Bytes('\n')
	ends := func(column int16, kind RecordKind, class uint8) Emission {
		return Emission{Kind: Record, Column: column, Record: kind, Class: class}
	}
	b.On(begin, Bytes('#'), comment, skip)
	b.On(begin, nl, begin, ends(NextColumn, DroppedRecord, 0))
	b.On(comment, nl, begin, ends(NextColumn, FirstDirective, 0))
	b.Otherwise(comment, comment, data)
	for _, s := range []StateID{begin, key} {
		b.On(s, Bytes('='), value, Emission{Kind: Field, Column: 3, Class: 1})
		b.On(s, b.Free(s).And(nl), begin, ends(3, DataRecord, 1))
		b.Otherwise(s, key, data)
	}
	b.On(value, Bytes(' '), key, Emission{Kind: Field, Column: NextColumn, Class: 2})
	b.On(value, nl, begin, ends(0, DataRecord, 2))
	b.Otherwise(value, value, data)
	b.EOF(begin, skip)
	b.EOF(key, ends(3, DataRecord, 1))
	b.EOF(value, ends(0, DataRecord, 2))
	b.EOF(comment, ends(NextColumn, FirstDirective, 0))
	a := mustBuild(t, b)
	in := "a=1 b=2\n\n# Fields\nc"
	want := `0-7>8 3:"a"@0-1/1 4:"1"@2-3/2 3:"b"@4-5/1 0:"2"@6-7/2` + "\n" +
		`8-8>9 kind 1 0:""@8-8` + "\n" + `9-17>18 kind 2 0:" Fields"@9-17` + "\n" + `18-19>19 3:"c"@18-19/1`
	if got := text(a, in); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// TestWalkResumes reads on from every record boundary, as a reader does, and
// finds the records that reading it all finds.
func TestWalkResumes(t *testing.T) {
	for name, a := range machines(t) {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			in := rapid.SliceOfN(rapid.SampledFrom([]byte("ab\",|>\\x1\r\n\n")), 0, 30).Draw(t, "input")
			all := walkAll(a, in, a.Start)
			state, at := a.Start, 0
			for i, want := range all {
				var got RawRecord
				a.Walk(in[at:], state, func(r *RawRecord) bool { got = *r; return false })
				got.Start += at
				got.End += at
				got.Next += at
				if got.Start != want.Start || got.End != want.End || got.Next != want.Next || got.Code != want.Code || len(got.Fields) != len(want.Fields) {
					t.Fatalf("record %d of %q from offset %d: %+v, want %+v", i, in, at, got, want)
				}
				for k := range got.Fields {
					if string(got.Fields[k].Value) != string(want.Fields[k].Value) {
						t.Fatalf("record %d of %q: %+v, want %+v", i, in, got, want)
					}
				}
				state, at = stateAfter(a, in, state, at, want.Next), want.Next
			}
		}))
	}
}

// stateAfter is the context at offset next, where a record ends that begins at
// offset at in state s.
func stateAfter(a *Automaton, in []byte, s StateID, at, next int) StateID {
	for p := at; p < len(in); p++ {
		t, e := a.Step(s, in[p])
		if e.Kind == Record && e.After(p) == next {
			return a.Resume(e, t)
		}
		s = t
	}
	return s
}

func TestWalkStops(t *testing.T) {
	n := 0
	csvMachine(t, false, false).Walk([]byte("a\nb\nc\n"), 0, func(*RawRecord) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("%d records", n)
	}
}

// TestWalkAgainstEncodingCSV reads what encoding/csv wrote; with UseCRLF it
// writes newlines inside quotes as \r\n, too.
func TestWalkAgainstEncodingCSV(t *testing.T) {
	a := csvMachine(t, true, true)
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.StringOf(rapid.SampledFrom([]rune("ab\",\n ;é")))
		var rows [][]string
		for range rapid.IntRange(1, 5).Draw(t, "rows") {
			rows = append(rows, append(rapid.SliceOfN(cell, 1, 3).Draw(t, "row"), "end"))
		}
		var b strings.Builder
		w := csv.NewWriter(&b)
		w.UseCRLF = rapid.Bool().Draw(t, "crlf")
		if err := w.WriteAll(rows); err != nil {
			t.Fatal(err)
		}
		var want [][]string
		for _, row := range rows {
			for i := range row {
				if w.UseCRLF {
					row[i] = strings.ReplaceAll(row[i], "\n", "\r\n")
				}
			}
			want = append(want, row)
		}
		var got [][]string
		a.Walk([]byte(b.String()), a.Start, func(r *RawRecord) bool {
			var row []string
			for _, f := range r.Fields {
				row = append(row, string(f.Value))
			}
			got = append(got, row)
			if r.Code != 0 {
				t.Fatalf("%q: %s at %d", b.String(), a.Message(r.Code), r.Offset)
			}
			return true
		})
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %q, want %q", b.String(), got, want)
		}
	})
}

func TestValidateLags(t *testing.T) {
	b := NewBuilder()
	s := b.AddState("S", "at the start")
	far := field
	far.Lag = 1
	b.On(s, Bytes('|'), s, far)
	b.Otherwise(s, s, data)
	b.EOF(s, record)
	_, err := b.Build()
	if want := "state S: a field 1 symbols back, but its field may have only 0 there"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestBuilderFaults(t *testing.T) {
	build := func(f func(b *Builder, s StateID)) error {
		b := NewBuilder()
		f(b, b.AddState("S", "at the start"))
		_, err := b.Build()
		return err
	}
	for _, c := range []struct {
		want string
		f    func(b *Builder, s StateID)
	}{
		{"no transition for 255 symbols", func(b *Builder, s StateID) { b.On(s, Bytes('x'), s, data) }},
		{"no action at the end", func(b *Builder, s StateID) { b.Otherwise(s, s, data) }},
		{"two transitions for 'x': data and skip", func(b *Builder, s StateID) {
			b.On(s, Bytes('x'), s, data)
			b.On(s, Bytes('x', 'y'), s, skip)
		}},
		{"leads to state 7 of 1", func(b *Builder, s StateID) {
			b.Otherwise(s, 7, data)
			b.EOF(s, record)
		}},
	} {
		if err := build(c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if _, err := NewBuilder().Build(); err == nil {
		t.Error("an automaton without states")
	}
}

// A record of WalkColumns has the fields of Walk's that are of those columns, and the last.
func TestWalkColumns(t *testing.T) {
	all := machines(t)
	rapid.Check(t, func(t *rapid.T) {
		a := all[rapid.SampledFrom(slices.Sorted(maps.Keys(all))).Draw(t, "machine")]
		in := []byte(rapid.StringOfN(rapid.RuneFrom([]rune("ab,\"\\\n\r|=[]# n")), 0, 60, -1).Draw(t, "in"))
		columns := rapid.SliceOfN(rapid.IntRange(-1, 4), 0, 3).Draw(t, "columns")
		want := walkAll(a, in, a.Start)
		for i := range want {
			r := &want[i]
			last := len(r.Fields) - 1
			if !slices.Contains(columns, r.Fields[last].Column) {
				r.Fields[last].Value, r.Fields[last].Written = nil, Written{}
			}
			kept := slices.DeleteFunc(r.Fields[:last:last], func(f RawField) bool { return !slices.Contains(columns, f.Column) })
			r.Fields = append(slices.Clone(kept), want[i].Fields[last])
		}
		var got []RawRecord
		a.WalkColumns(in, a.Start, append([]int{}, columns...), func(r *RawRecord) bool {
			got = append(got, *r)
			return true
		})
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}
