package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/golden"
	"github.com/dfaparse/dfaparse/runtime"
)

const (
	typed    = `delimited { sep ','  quote '"' doubled } header names fields { id i32! note str }`
	escaped  = `delimited { sep ','  quote '"'  escape '\' } fields { a str  b str }`
	pairOf   = `delimited { sep ','  quote '"' doubled } fields { a str  b str }`
	remarked = `delimited { sep ','  quote '"' doubled  comment "#" } fields { a str  b str }`
	oldMac   = `delimited { sep ','  quote '"' doubled  eol cr } fields { a str  b str }`
	anyEnd   = `delimited { sep ','  quote '"' doubled  eol any } fields { a str  b str }`
	logLine  = "record `{host} [[{at}] \"{what}\"[ took={ms}ms][ by {who}]` fields { at ts(\"%F %T\")  ms u32 }"
	restOf   = `delimited { sep ','  quote '"' doubled } fields { a i32  b str } rest more`
	oneField = `delimited { sep ','  quote '"' doubled } fields { a str }`
)

// badInputs are the inputs that go wrong, or nearly. What comes of them is in
// testdata/badinput.txt, for every error mode.
var badInputs = []struct{ what, spec, in string }{
	{"cut off in a bare field", typed, "id,note\n1,one\n2,tw"},
	{"cut off after a separator", typed, "id,note\n1,one\n2,"},
	{"cut off in the first field", typed, "id,note\n1,one\n2"},
	{"cut off inside quotes", typed, "id,note\n1,one\n2,\"tw"},
	{"cut off after a quote", typed, "id,note\n1,one\n2,\"two\""},
	{"cut off after the first of two quotes", typed, "id,note\n1,one\n2,\"two\"\""},
	{"cut off after a carriage return", typed, "id,note\r\n1,one\r\n2,two\r"},
	{"cut off inside the header", typed, "id,\"no"},
	{"cut off after an escape", escaped, "a,b\n\"c\\\"d\",\"e\\"},
	{"cut off inside a character", typed, "id,note\n1,one\n2,tw\xc3"},
	{"cut off inside a log line", logLine, "h [2024-01-02 03:04:05] \"x\" took=7ms\nh [2024-01-"},
	{"cut off inside an optional group", logLine, "h [2024-01-02 03:04:05] \"x\" took=7"},

	{"NUL bytes as data", typed, "id,note\n1,a\x00b\n2,\"\x00\"\n\x003,c\n4,d\n"},
	{"NUL bytes only", pairOf, "\x00\x00\x00\x00"},
	{"invalid UTF-8", typed, "id,note\n1,\xff\n2,a\xc3\n3,\xed\xa0\x80\n4,ok é\n"},
	{"invalid UTF-8 in the header", typed, "id,note,\xff\n1,a,b\n"},
	{"invalid UTF-8 in a number", typed, "id,note\n1\xff,a\n2,b\n"},

	{"an empty input, header wanted", "csv", ""},
	{"an empty input, no header", pairOf, ""},
	{"a header alone", "csv", "a,b\n"},
	{"a header alone, no line end", "csv", "a,b"},
	{"an empty header", "csv", "\n\n"},
	{"names that are there twice, or not at all", "csv", "a,a,,a\n1,2,3,4\n"},
	{"names that look as if they were made up", "csv", "a,a,a_2,column_5,\n1,2,3,4,5\n"},
	{"a column that the header lacks", typed, "id\n1\n"},
	{"a malformed header", "csv", "a,\"b\"c\n1,2\n"},
	{"no line end at the end", "csv", "a,b\n1,2"},
	{"line ends only", "csv", "a,b\n\n\r\n\n"},
	{"a byte order mark", typed, "\xef\xbb\xbfid,note\n1,x\nx,y\n"},
	{"a byte order mark alone", pairOf, "\xef\xbb\xbf"},
	{"a part of a byte order mark", pairOf, "\xef\xbb"},
	{"a byte order mark in quotes", typed, "\xef\xbb\xbf\"id\",note\n1,x\n"},
	{"UTF-16, little endian", "csv", "\xff\xfea\x00,\x00b\x00\n\x00"},
	{"UTF-16, big endian", "csv", "\xfe\xff\x00a\x00,\x00b\x00\n"},

	{"comments only", remarked, "# a\n# b\n"},
	{"comments only, the last one without a line end", remarked, "# a\n# b"},
	{"the last record is a comment", remarked, "1,2\n#"},
	{"a comment of one symbol", remarked, "#"},
	{"quotes in a comment", remarked, "# \"a\n1,2\n"},
	{"blank lines only", pairOf, "\n\n\r\n"},
	{"blank lines of one column are rows", oneField, "\na\n\n"},

	{"carriage returns only, where LF ends records", pairOf, "1,2\r3,4\r"},
	{"a carriage return in a field", pairOf, "1,a\rb\n2,c\n"},
	{"carriage returns, where they end records", oldMac, "1,2\r3,\"4\r5\"\r6\r7,8"},
	{"mixed line ends", pairOf, "1,2\n3,4\r\n5,\"6\r\n\n7\"\n8,9"},
	{"mixed line ends, all three", anyEnd, "1,2\n3,4\r\n5,6\r7,8\r\r\n\n9\r"},

	{"a quote in a bare field", pairOf, "a\"b,c\n1,2\n"},
	{"text after a quote", pairOf, "\"a\"b,c\n1,2\n"},
	{"a quote that is never closed", pairOf, "1,2\n3,\"4\n5,6\n7,8\n"},
	{"nothing but a quote", pairOf, "\""},
	{"several errors in one record", typed, "id,note\nx,\"a\"b\"c\"d\n2,y\n"},
	{"several bad values in one record", `delimited { sep ',' } fields { a i32  b i32!  c i32 }`, "x,y,z\n1,,3\nx,2,z\n1,2,3\n"},

	{"ragged records", pairOf, "1\n1,2\n1,2,3\n1,2,\n"},
	{"ragged records, padded", pairOf + " ragged pad", "1\n1,2\n1,2,3\n"},
	{"ragged records, truncated", pairOf + " ragged truncate", "1\n1,2\n1,2,3\n"},
	{"ragged records, both", pairOf + " ragged pad truncate", "1\n1,2\n1,2,3\n\"\"\n"},
	{"optional columns at the end", `delimited { sep ',' } fields { a str  b str ?  c i32 ? }`, "1\n1,2\n1,2,3\n1,2,3,4\n1,2,x\n"},
	{"a rest", restOf, "1\n1,b\n1,b,c\n1,b,\"c\",d, \n1,b,\nx,b,c\n1,\"b\"\",c\n"},
	{"a rest that holds an open quote", restOf, "1,b,\"c\n2,b\n"},
	{"optional groups", logLine, "h [2024-01-02 03:04:05] \"x\"\nh [2024-01-02 03:04:05] \"x\" by me\n" +
		"h [2024-01-02 03:04:05] \"x\" took=1ms by me\nh [2024-01-02 03:04:05] \"x\" by me took=1ms\nh [2024-13-02 03:04:05] \"x\"\nh\n\n" +
		"h [2024-01-02 03:04:05] \"x\" took=-1ms\nh [2024-01-02 03:04:05] \"x\" nobody\n"},
	{"fixed width", `fixed { id 3  _ 1  name 4 } fields { id u32  name str }`, "  1 Ann \n 2\n\n  3 Bob much too long\nx   Cid \n"},
	{"a strict split", `delimited { sep ',' } fields { a str  b str  c i32 } split a "{b}-{c}" else error`, "x-1\nx\nx-y\n-\n"},
	{"a split", `delimited { sep ',' } fields { a str  b str  c i32 } split a "{b}-{c}"`, "x-1\nx\nx-y\n-\n"},
	{"a split whose separators are equal", "delimited { sep ',' } fields { a str  b str  c str } split a `{b} {c}`", "GET /a\nGET /a b\nGET\n\"\"\n"},
	{"a split with a part out of range", "delimited { sep ',' } fields { a str  b str  c u16  d i8 ? } split a `{b}:{c}[/{d}]`", "h:80\nh:70000\nh:1/200\nh:70000/300\nh:1/2\n"},
	{"a strict split with a part out of range", "delimited { sep ',' } fields { a str  c u16 } split a `{_}:{c}` else error", "h:80\nh:70000\n"},
	{"a split with a required part", "delimited { sep ',' } fields { a str  b str  c u16! } split a `{b}:{c}`", "h:80\nh:70000\nh\nh:\n"},
	{"a split with a default", "delimited { sep ',' } fields { a str null \"-\"  b str  c u16 default \"9\" } split a `{b}:{c}`", "h:80\nh:70000\nh\n-\nh:\n"},
	{"a list in brackets", "delimited { sep ';'  quote '\"' } fields { a list(u8, sep ',', open '[', close ']', escape '\\') ! }", "[1,2]\n1,2\n[1,2\n[1,2]3\n[1,x]\n[1\\\n"},
	{"a map that needs keys", "delimited { sep ',' } fields { id u8  a map(u8, pairs ';', kv '=', quote '\"') }", "1,a=1;b=2\n2,=1\n3,a=1;;b=2\n4,a=\"1\"2\n5,a=x\n6,a;b=2\n"},
	{"a map of maps", "record `{a...}` fields { a map(map(str), open '[', close ']', pairs ' ', kv '=') }", "[x a=1][y]\n[x a=1] [y]\n[x a=1\nx\n[]\n"},
	{"directives", "w3c", "#Fields: date sc-status x\n2024-01-02 200 a\n2024-01-02 - b c\n#Fields: x\ny\n#Fields: q\nz\n"},
	{"a default for null", `delimited { sep ',' } fields { a i32! default "7"  b date null "-" "" }`, ",-\nx,\n1,2024-02-30\n"},
}

func TestBadInput(t *testing.T) {
	var b bytes.Buffer
	for _, c := range badInputs {
		fmt.Fprintf(&b, "%s: %q\n", c.what, c.in)
		everyMode(t, &b, spec(t, c.spec), c.in)
	}
	golden.File(t, filepath.Join("testdata", "badinput.txt"), b.String())
}

// TestInvalidUTF8: what is not UTF-8 in the sense of the standard (overlong
// forms and surrogates included) is never passed on unnoticed.
func TestInvalidUTF8(t *testing.T) {
	p := spec(t, `delimited { sep ','  quote '"' doubled } fields { a str  b dict  c list(str, sep ';')  d map(str)  e binary }`)
	in := "\xff,\xff,\xff;x,k=\xff,\xff\n" +
		"a\xc0\xaf,\xed\xb0\x80,\xf4\x90\x80\x80,\xff=v,\xc3\n" +
		"\"\xe2\x82\"\"\",\"\xe2\x82\",\"\xe2\x82\",\"k=\xe2\x82\",\"\xe2\x82\"\n" +
		"é,€,𝄞;é,é=€,é\n"
	var b bytes.Buffer
	for _, policy := range []struct {
		name string
		u    dfa.UTF8Policy
	}{{"keep", dfa.KeepUTF8}, {"replace", dfa.ReplaceUTF8}, {"reject", dfa.RejectUTF8}} {
		fmt.Fprintf(&b, "utf8 %s:\n", policy.name)
		everyMode(t, &b, p, in, runtime.WithUTF8(policy.u))
		header := text(t, spec(t, "csv"), "a,\xc3\xff\n1,2\n", runtime.WithUTF8(policy.u))
		fmt.Fprintf(&b, " in a header:\n%s", header)
		if header.opened {
			fmt.Fprintf(&b, "  the columns are %q\n", header.schema.Field(0).Name+" "+header.schema.Field(1).Name)
		}
	}
	golden.File(t, filepath.Join("testdata", "utf8.txt"), b.String())
}

// TestKeptUTF8: the policy keep leaves the bytes as they are.
func TestKeptUTF8(t *testing.T) {
	want := "\xc0\xaf\x00\xffé"
	for _, w := range ways {
		r, err := runtime.NewReader(strings.NewReader("\""+want+"\"\"\","+want+"\n"), spec(t, pairOf),
			append(w.options(), runtime.WithUTF8(dfa.KeepUTF8))...)
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
			a, b := r.Record().Column(0).(*array.String).Value(0), r.Record().Column(1).(*array.String).Value(0)
			if a != want+"\"" || b != want {
				t.Errorf("%+v: %q, %q", w, a, b)
			}
		}
		if r.Err() != nil || r.Stats().Rows != 1 || r.Stats().Replaced != 0 {
			t.Errorf("%+v: %+v, %v", w, r.Stats(), r.Err())
		}
		r.Release()
	}
}

func TestTooManyColumns(t *testing.T) {
	in := strings.Repeat(",", dfa.MaxColumns) + "\n"
	if o := read(t, spec(t, "csv"), strings.NewReader(in)); !errors.Is(o.err, runtime.ErrHeader) || !strings.Contains(o.err.Error(), "16385 columns") {
		t.Errorf("%v", o.err)
	}
	in = strings.Repeat("x,", dfa.MaxColumns-1) + "x\n" + strings.Repeat("1,", dfa.MaxColumns-1) + "2\n"
	if o := read(t, spec(t, "csv"), strings.NewReader(in)); o.err != nil || o.schema.NumFields() != dfa.MaxColumns || o.stats.Rows != 1 {
		t.Errorf("%v", o.err)
	}
}
