package output

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// TestBinaryRefusals: values that the cells do not hold, and columns that are not those of the
// records, are refused.
func TestBinaryRefusals(t *testing.T) {
	for _, c := range []struct {
		spec, json string
		want       string // in the error, or the bytes
		fails      bool
	}{
		{`binary header 2 magic "M" { a u16be _ 1 b 3 pad ' ' }`, `{"a": 258, "b": "x"}`, "M\x00\x01\x02\x00x  ", false},
		{`binary { a u8 } fields { a u16 }`, `{"a": 256}`, `row 1, column "a": 256 is no integer that 1 bytes hold`, true},
		{`binary { a u8 } fields { a i16 }`, `{"a": -1}`, "-1 is no integer", true},
		{`binary { a i8 } fields { a i16 null "-7" }`, `{"a": null}`, "\xf9", false},
		{`binary { a i8 }`, `{"a": null}`, "it is null", true},
		{`binary { a u16le since "2000-01-01" } fields { a date }`, `{"a": "1999-12-31"}`, "-1 is no integer", true},
		{`binary { a 2 }`, `{"a": "abc"}`, "has 3 bytes, and the cell has 2", true},
		{`binary { a 2 }`, `{"a": "a"}`, "which nothing fills up", true},
		{`binary { a 2 pad "x" }`, `{"a": "x"}`, "which fills texts up", true},
		{`binary { a i32le } fields { a dec(4, 1) }`, `{"a": "1.5"}`, "it has a fraction", true},
		{`binary { a f32le } fields { a f64 }`, `{"a": 0.1}`, "no float of 4 bytes", true},
		{`binary { a f32le } fields { a i64 }`, `{"a": 16777217}`, "no float of 4 bytes", true},
		{`binary { a i64le } fields { a f64 }`, `{"a": 1.5}`, "no integer", true},
		{`binary { a 4 } fields { a u32 }`, `{"a": 1}`, "it was a text", true},
		{`binary { a u8 b u8 }`, `{"a": 1}`, `a column "b"`, true},
	} {
		spec, err := compile.Compile("x.dfp", []byte("format x { "+c.spec+" }"))
		if err != nil {
			t.Fatal(err)
		}
		var fields []arrow.Field
		for i := range spec.Program.Columns {
			if col := &spec.Program.Columns[i]; !col.Hidden && strings.Contains(c.json, `"`+col.Name+`"`) {
				fields = append(fields, convert.ArrowField(col))
			}
		}
		schema := arrow.NewSchema(fields, nil)
		rec, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader("["+c.json+"]"))
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = writeBinary(&out, spec.Program, rec)
		switch {
		case c.fails && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s of %s: %q, %v, want %q", c.spec, c.json, out.Bytes(), err, c.want)
		case !c.fails && (err != nil || out.String() != c.want):
			t.Errorf("%s of %s: %q, %v, want %q", c.spec, c.json, out.Bytes(), err, c.want)
		}
	}
	extra := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.PrimitiveTypes.Uint8}, {Name: "z", Type: arrow.PrimitiveTypes.Uint8}}, nil)
	spec, err := compile.Compile("x.dfp", []byte("format x { binary { a u8 } }"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open("binary", &bytes.Buffer{}, extra, Options{Layout: spec.Program}); err == nil || !strings.Contains(err.Error(), `no column "z"`) {
		t.Error(err)
	}
	if _, err := Open("binary", &bytes.Buffer{}, extra, Options{}); err == nil || !strings.Contains(err.Error(), "not binary") {
		t.Error(err)
	}
}

func writeBinary(out *bytes.Buffer, p *dfa.Program, rec arrow.Record) error {
	w, err := Open("binary", out, rec.Schema(), Options{Layout: p})
	if err == nil {
		err = w.Write(rec)
	}
	if err == nil {
		err = w.Close()
	}
	return err
}
