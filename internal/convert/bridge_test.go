package convert

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// keyedColumn is a map of an automaton whose keys are columns.
func keyedColumn(of dfa.Type, json bool, keys ...string) *dfa.Column {
	col := &dfa.Column{Name: "m", Type: of, Split: &dfa.Split{Keyed: true, Strict: true, Decoded: of.Decoded, JSON: json}}
	for _, key := range keys {
		col.Split.Columns = append(col.Split.Columns, dfa.Column{Name: key})
	}
	return col
}

// fieldsOf are lines as rows, with slack symbols behind the last.
func fieldsOf(text []byte, slack int) *Fields {
	f := new(Fields)
	f.Reset(slices.Concat(text, make([]byte, slack))[:len(text)+slack])
	at := 0
	for line := range bytes.Lines(text) {
		f.Push(uint32(at), uint32(at+len(bytes.TrimSuffix(line, []byte{'\n'}))))
		at += len(line)
	}
	return f
}

// compareSplit compares the parts of f with those that the lexer alone finds, of a splitter that has seen
// them before, too, and says how many rows are bridged or taken at once.
func compareSplit(rt *rapid.T, col *dfa.Column, f *Fields) (quick int) {
	s, plain := NewSplitter(col), NewPlainSplitter(col)
	var others, wantOthers []string
	s.LookAtOthers(func(f *Fields) { b, _ := f.At(0); others = append(others, string(b)) })
	plain.LookAtOthers(func(f *Fields) { b, _ := f.At(0); wantOthers = append(wantOthers, string(b)) })
	parts, want := make([]Fields, len(col.Split.Columns)), make([]Fields, len(col.Split.Columns))
	wantMisfits := slices.Clone(plain.Split(f, want))
	for range 2 {
		others = nil
		misfits := s.Split(f, parts)
		if !slices.Equal(misfits, wantMisfits) {
			rt.Fatalf("misfits %v, want %v", misfits, wantMisfits)
		}
		if !slices.Equal(others, wantOthers) {
			rt.Fatalf("with other keys %q, want %q", others, wantOthers)
		}
		for k := range parts {
			for i := range f.Len() {
				got, ok := parts[k].At(i)
				value, wantOK := want[k].At(i)
				if ok != wantOK || string(got) != string(value) {
					row, _ := f.At(i)
					rt.Fatalf("%q: %s is %q, %t; want %q, %t", row, col.Split.Columns[k].Name, got, ok, value, wantOK)
				}
			}
		}
	}
	for i := range f.Len() {
		if value, _ := f.At(i); s.keys.bridges != nil && s.keys.bridges.find(value) {
			quick++
		}
	}
	if n, _ := s.Rows(f, 0, parts, nil); n > 0 {
		quick += n
	}
	return quick
}

// TestQuickSplits compares bridges and batches with the lexer: maps of built-in formats.
func TestQuickSplits(t *testing.T) {
	pairs := map[string][]string{
		"logfmt": {`a=1 `, `key="x y" `, `k= `, `flag `, `a `, `m="say \"hi\" \x41" `, `a=2 `, `"q"=1 `, `e="" `, `long_key_of_many_symbols=1 `, `long_key_of_more_symbols=a=b `, `x=y"z `, `= `, ` `},
		"ltsv":   {"a:1\t", "key:x y\t", "k:\t", "b\t", "a:2\t", "long_key_of_many_symbols:http://x\t", "\t"},
		"jsonl": {`"a": 1, `, `"a":1,`, `"key": "x, \"y\\" , `, `"key": "é",`, `"k":[1,{"b":"}"}],`, `"n":-1.5e3 ,`, `"t" : null, `, `"t": "", `, `"o": {"a long key":{"b": [1, 2]}}, `, `"o": {}, `, `"o": {"b": "x\\"y", "b": 1}, `, `"o": {"b": "in"}, `, `"o": {"b": 5, "a long key": 6},`, `"o": {"b" 5}, `, `"k": {"b": {"c": [[]]}} ,`,
			`"long key of many symbols": true, `, `"long key of more symbols": "true", `, `"\u0061": 2, `, `"a": "b\\", `, `"a": "\q", `, `"": 1, `, `"x": "` + string(bytes.Repeat([]byte("long "), 40)) + `", `},
	}
	taken := map[string]int{}
	for name, words := range pairs {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		check := func(rt *rapid.T) {
			of := p.Columns[0].Type
			of.Duplicates = rapid.SampledFrom([]dfa.Duplicates{of.Duplicates, dfa.NoDuplicates, dfa.FirstDuplicate, dfa.LastDuplicate}).Draw(rt, "duplicates")
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "key", "k", "flag", "m", "t", "o", "n", "x", "long_key_of_many_symbols", "long key of many symbols", "none"}), 1, 6, rapid.ID).Draw(rt, "keys")
			col := keyedColumn(of, name == "jsonl" && rapid.Bool().Draw(rt, "json"), keys...)
			if rapid.IntRange(0, 4).Draw(rt, "truth") == 0 {
				col.Split.Columns[0].Type.Kind = dfa.Bool
			}
			if name == "jsonl" && rapid.IntRange(0, 2).Draw(rt, "paths") == 0 {
				col.Split.Path = "."
				for _, path := range rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"o.a long key", "o.a long key.b", "k.b", "key.b", "o.b"}), 1, 4, rapid.ID).Draw(rt, "path") {
					col.Split.Columns = append(col.Split.Columns, dfa.Column{Name: path})
				}
			}
			if rapid.IntRange(0, 4).Draw(rt, "null") == 0 {
				col.Nulls = []string{"-"}
			}
			var usual [][]string
			for range 2 {
				usual = append(usual, rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(rt, "usual"))
			}
			var text []byte
			for range rapid.IntRange(1, 40).Draw(rt, "rows") {
				var line []byte
				if name == "jsonl" {
					line = append(line, '{')
				}
				of := rapid.SampledFrom(usual).Draw(rt, "of")
				if rapid.IntRange(0, 3).Draw(rt, "odd") == 0 {
					of = rapid.SliceOfN(rapid.SampledFrom(words), 0, 6).Draw(rt, "pairs")
				}
				for _, pair := range of {
					line = append(line, pair...)
				}
				if rapid.IntRange(0, 5).Draw(rt, "cut") > 0 {
					line = bytes.TrimRight(line, " ,\t")
				}
				if name == "jsonl" && rapid.IntRange(0, 9).Draw(rt, "open") > 0 {
					line = append(line, '}')
				}
				if rapid.IntRange(0, 20).Draw(rt, "hyphen") == 0 {
					line = []byte("-")
				}
				text = append(append(text, line...), '\n')
			}
			taken[name] += compareSplit(rt, col, fieldsOf(text, rapid.SampledFrom([]int{0, 7, 200, 1000}).Draw(rt, "slack")))
		}
		t.Run(name, func(t *testing.T) {
			for range 5 {
				rapid.Check(t, check)
			}
		})
		if taken[name] == 0 {
			t.Errorf("%s: no row is quick", name)
		}
	}
}

// TestBridgesOfDrawnAutomata compares them for automata that are drawn.
func TestBridgesOfDrawnAutomata(t *testing.T) {
	const alphabet = "az=;\" "
	taken := 0
	check := func(rt *rapid.T) {
		a := drawValueAutomaton(rt, alphabet)
		if a.Validate() != nil || a.ValidateValue() != nil {
			return
		}
		col := keyedColumn(dfa.Type{Kind: dfa.Map, Lex: a, Duplicates: dfa.LastDuplicate}, rapid.Bool().Draw(rt, "json"), "a", "z", "aa", "az", "zz", "")
		var text []byte
		some := rapid.SliceOfN(rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), 0, 30, -1), 1, 3).Draw(rt, "lines")
		for range rapid.IntRange(1, 8).Draw(rt, "rows") {
			text = fmt.Appendf(text, "%s%s\n", rapid.SampledFrom(some).Draw(rt, "line"), rapid.StringOfN(rapid.RuneFrom([]rune(alphabet)), 0, 4, -1).Draw(rt, "rest"))
		}
		taken += compareSplit(rt, col, fieldsOf(text, 100))
	}
	for range 20 {
		rapid.Check(t, check)
	}
	t.Logf("%d rows are quick", taken)
}

// TestManyKeys: keys may be data, of which few are kept.
func TestManyKeys(t *testing.T) {
	for name, pair := range map[string]string{"logfmt": "k%d=%d a=%[1]d", "ltsv": "k%d:%d\ta:%[1]d", "jsonl": `{"k%d": %d, "a": %[1]d}`} {
		p, err := gen.Program(name)
		if err != nil {
			t.Fatal(err)
		}
		var text []byte
		for i := range 3 * mostBridges {
			text = fmt.Appendf(text, pair+"\n", i, i)
		}
		f, parts := fieldsOf(text, 100), make([]Fields, 2)
		s := NewSplitter(keyedColumn(p.Columns[0].Type, false, "a", "k9000"))
		if misfits := s.Split(f, parts); len(misfits) > 0 {
			t.Fatalf("%s: misfits %v", name, misfits)
		}
		for i := range f.Len() {
			a, _ := parts[0].At(i)
			k, is := parts[1].At(i)
			if string(a) != fmt.Sprint(i) || is != (i == 9000) || is && string(k) != "9000" {
				t.Fatalf("%s: row %d: %q, %q", name, i, a, k)
			}
		}
	}
}

// TestLongKeys: keys may be as long as a map, of which none is kept that is.
func TestLongKeys(t *testing.T) {
	p, err := gen.Program("logfmt")
	if err != nil {
		t.Fatal(err)
	}
	long := string(bytes.Repeat([]byte("x"), 100*longestKept))
	var text []byte
	for i := range 100 {
		text = fmt.Appendf(text, "a=%d k%[1]d%s=1 %[2]s=%[1]d b=%[1]d\n", i, long)
	}
	f, parts := fieldsOf(text, 100), make([]Fields, 3)
	s := NewSplitter(keyedColumn(p.Columns[0].Type, false, "a", long, "b"))
	if misfits := s.Split(f, parts); len(misfits) > 0 {
		t.Fatalf("misfits %v", misfits)
	}
	for i := range f.Len() {
		for k := range parts {
			if got, _ := parts[k].At(i); string(got) != fmt.Sprint(i) {
				t.Fatalf("row %d, column %d: %q", i, k, got)
			}
		}
	}
	if x := s.keys.batches; x != nil && len(x.known.all) > 2 {
		t.Errorf("%d keys are kept", len(x.known.all))
	}
}

// TestCutObjects: objects may be cut off anywhere, and be as long as a block.
func TestCutObjects(t *testing.T) {
	p, err := gen.Program("jsonl")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		var text []byte
		for range rapid.IntRange(1, 5).Draw(rt, "rows") {
			n := rapid.IntRange(0, 130).Draw(rt, "long")
			row := fmt.Appendf(nil, `{"a": "%s", "key": "x", "k": [1, "y"], "n": 5}`, bytes.Repeat([]byte("b"), n))
			cut := rapid.SampledFrom([]int{63, 64, 65, 127, 128, 129, n + 17, n + 18, len(row)}).Draw(rt, "cut")
			text = append(append(text, row[:min(cut, len(row))]...), '\n')
		}
		compareSplit(rt, keyedColumn(p.Columns[0].Type, true, "a", "key", "k"), fieldsOf(text, rapid.SampledFrom([]int{0, 300}).Draw(rt, "slack")))
	})
}

// BenchmarkKeyed takes objects and logfmt apart whose keys are columns.
func BenchmarkKeyed(b *testing.B) {
	keys := []string{"time", "level", "user", "status", "bytes", "latency", "ok", "ip", "msg"}
	for _, of := range []struct{ format, line string }{
		{"jsonl", `{"time": "2026-03-01T00:00:%02d.637Z", "level": "error", "user": "user%d", "status": 302, "bytes": %[2]d, "latency": 0.294, "ok": true, "ip": "127.26.80.57", "msg": "response %[2]d from fox upstream dog the"}`},
		{"logfmt", `time=2026-03-01T00:00:%02d.637Z level=error user=user%d status=302 bytes=%[2]d latency=0.294 ok=true ip=127.26.80.57 msg="response %[2]d from \"fox\" upstream dog the"`},
		{"ltsv", "time:2026-03-01T00:00:%02d.637Z\tlevel:error\tuser:user%d\tstatus:302\tbytes:%[2]d\tlatency:0.294\tok:true\tip:127.26.80.57\tmsg:response %[2]d from fox upstream dog the"},
	} {
		b.Run(of.format, func(b *testing.B) {
			p, err := gen.Program(of.format)
			if err != nil {
				b.Fatal(err)
			}
			var text []byte
			for i := range 4000 {
				text = fmt.Appendf(text, of.line+"\n", i%60, i*i%100003)
			}
			f, s := fieldsOf(text, 200), NewSplitter(keyedColumn(p.Columns[0].Type, false, keys...))
			parts := make([]Fields, len(keys))
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				s.Split(f, parts)
			}
		})
	}
}
