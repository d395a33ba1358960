package fuzz

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestTypesReadBack ranges over the type table: in each engine, what a value is
// written as, as text and as JSON, is read as that value again, and a Parquet file
// of values has their Arrow type.
func TestTypesReadBack(t *testing.T) {
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		for _, example := range convert.FactsOf(k).Examples {
			for _, engine := range []runtime.Engine{cpu.Engine, reference.Engine} {
				t.Run(fmt.Sprintf("%s/%s", example.Type, engine.Name()), func(t *testing.T) {
					p := programOf(t, example.Type)
					typ := &p.Columns[0].Type
					if typ.Kind != k {
						t.Fatalf("the compiler reads %s as %s", example.Type, typ.Kind)
					}
					fields := variants(t, &p.Columns[0], example.Field)
					rec, err := recordOf(engine, p, fields)
					if err != nil || rec.Column(0).NullN() > 0 {
						t.Fatalf("of %q: %v, %v", some(fields), rec, err)
					}
					defer rec.Release()
					column, field := rec.Column(0), rec.Schema().Field(0)
					for form, json := range map[string]bool{"text": false, "JSON": true} {
						var written []string
						for row := range column.Len() {
							if json {
								written = append(written, unquoted(t, render.AppendJSON(nil, field, column, row)))
							} else {
								written = append(written, string(render.AppendText(nil, field, column, row)))
							}
						}
						again, err := recordOf(engine, programOf(t, readsBack(typ, json)), written)
						if err != nil {
							t.Errorf("type %s: no %s form that is read again: %q is written %q, and %s cannot read that: %v",
								k, form, some(fields), some(written), readsBack(typ, json), err)
							continue
						}
						if !array.Equal(again.Column(0), column) || !again.Schema().Field(0).Equal(field) {
							t.Errorf("type %s: no %s form that is read again: %q is written %q, which %s reads as %v, want %v",
								k, form, some(fields), some(written), readsBack(typ, json), again, rec)
						}
						again.Release()
					}
					parquet := throughParquet(t, rec)
					defer parquet.Release()
					got, want := parquet.Schema().Field(0), field.Type
					if convert.FactsOf(k).Parquet == convert.ParquetInteger {
						want = arrow.PrimitiveTypes.Int64
					}
					if !arrow.TypeEqual(got.Type, want) || field.HasMetadata() && got.Metadata.FindKey(convert.TypeKey) < 0 || !sameValues(parquet.Column(0), column) {
						t.Errorf("type %s: no Parquet form that is read again: %v, want %v", k, parquet, rec)
					}
				})
			}
		}
	}
}

// TestSymbolsBehindValues: what is remembered of the values of a column, and words that are compared, take no value for
// one that has symbols behind it or in front, NULs above all. Of each type there are many values of one form, and a few of
// them with such symbols.
func TestSymbolsBehindValues(t *testing.T) {
	examples := []dfa.TypeExample{}
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		examples = append(examples, convert.FactsOf(k).Examples...)
	}
	for _, front := range []string{"2015-05-17T10:05:03", "2015-05-17 10:05:03.5", "2015-05-17T10:05:03.250", "2015-05-17T10:05:03.1234567", "2015-05-17 10:05:03.123456789"} {
		for _, offset := range []string{"Z", "+01", "+0100", "-01:00"} {
			examples = append(examples, dfa.TypeExample{Type: "ts(unit ns)", Field: front + offset})
		}
	}
	for _, x := range examples {
		p := programOf(t, x.Type)
		values := variants(t, &p.Columns[0], x.Field)
		for _, more := range []string{"\x00", "\x00\x00", "\x00\x00\x00\x00\x00", "0", ":", "/", " ", "\xff"} {
			var in strings.Builder
			for i := range 100 {
				value := values[i%len(values)]
				switch i % 16 {
				case 9:
					value += more
				case 14:
					value = more + value
				}
				in.WriteString(value + "\n" + x.Field + "\n")
			}
			conform(t, fmt.Sprintf("%s of %q with %q", x.Type, x.Field, more), p, in.String(), dfa.Null, []setting{{"reference", 1, whole, whole}, {"cpu", 1, whole, whole}})
		}
	}
}

// TestTypesOfTheBuilder: the builder takes every type, and makes of it what a spec
// does.
func TestTypesOfTheBuilder(t *testing.T) {
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		for _, example := range convert.FactsOf(k).Examples {
			spec, err := compile.New("t").Delimited(compile.Separator("|")).Field("v", example.Type).Build()
			if err != nil {
				t.Errorf("type %s: %v", k, err)
				continue
			}
			if got, want := spec.Program.Columns[0].Type, programOf(t, example.Type).Columns[0].Type; got.String() != want.String() {
				t.Errorf("type %s: built as %s, want %s", k, &got, &want)
			}
		}
	}
}

// object is a JSON object of strings without escapes.
const object = `dfa object {
  group                      Q='"'    | C=','  | K=':'  | E='}' | O='{'  | X=*
  BEG "before an object"   : !        | !      | !      | !     | NEXT . | !
  NEXT "before a key"      : KEY .    | !      | !      | !     | !      | !
  KEY "in a key"           : COL f@0  | KEY d  | KEY d  | KEY d | KEY d  | KEY d
  COL "after a key"        : !        | !      | VAL .  | !     | !      | !
  VAL "before a value"     : IN .     | !      | !      | !     | !      | !
  IN "in a value"          : AFT f@1  | IN d   | IN d   | IN d  | IN d   | IN d
  AFT "after a value"      : !        | NEXT . | !      | END . | !      | !
  END "after the object"   : !        | !      | !      | !     | !      | !
  eof : END ok, BEG|NEXT|KEY|COL|VAL|IN|AFT !
}
`

// programOf is a Program of one column.
func programOf(t *testing.T, typ string) *dfa.Program {
	t.Helper()
	spec, err := compile.Compile("t.dfp", []byte(object+"format t { delimited { sep '\\x01' } fields { v "+typ+" } }"))
	if err != nil {
		t.Fatalf("%s: %v", typ, err)
	}
	return spec.Program
}

// variants are an example's field and others like it, that a column can read.
func variants(t *testing.T, col *dfa.Column, example string) []string {
	t.Helper()
	c, err := convert.NewConverter(col, convert.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	fields := []string{}
	for i := range 1000 {
		b := []byte(example)
		for k, x := range b {
			switch {
			case i == 0 || r.IntN(3) > 0:
			case x-'0' < 10:
				b[k] = '0' + byte(r.IntN(10))
			case x|0x20 >= 'a' && x|0x20 <= 'f':
				b[k] = x&0x20 | 'A' + byte(r.IntN(6))
			}
		}
		var f convert.Fields
		f.PushDecoded(b)
		if errs := c.Append(convert.NewColumn(&col.Type), &f, nil); len(errs) == 0 {
			fields = append(fields, string(b))
		} else if i == 0 {
			t.Fatalf("%q is %s, expected %s", b, errs[0].Code, errs[0].Code.Expected(&col.Type))
		}
	}
	return fields
}

// some are the first of many.
func some(fields []string) []string { return fields[:min(3, len(fields))] }

// recordOf is what an engine makes of fields, a line each.
func recordOf(engine runtime.Engine, p *dfa.Program, fields []string) (arrow.Record, error) {
	in := strings.Join(fields, "\n") + "\n"
	r, err := runtime.NewReader(strings.NewReader(in), p, runtime.WithEngine(engine), runtime.WithAllocator(memory.DefaultAllocator))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if !r.Next() {
		return nil, r.Err()
	}
	rec := r.Record()
	rec.Retain()
	if r.Next() || r.Err() != nil || int(rec.NumRows()) != len(fields) {
		err = fmt.Errorf("of %d fields %d rows: %w", len(fields), rec.NumRows(), r.Err())
		rec.Release()
		return nil, err
	}
	return rec, nil
}

// readsBack is the type of a spec that reads what values of typ are rendered as:
// the type without the arguments that say how its own fields are written.
func readsBack(typ *dfa.Type, json bool) string {
	back := dfa.Type{Kind: typ.Kind, Precision: typ.Precision, Scale: typ.Scale, Unit: typ.Unit, Tokens: typ.Tokens, Bytes: typ.Bytes}
	switch typ.Kind {
	case dfa.Timestamp:
		zone := convert.ArrowType(typ).(*arrow.TimestampType).TimeZone
		back.Zone, back.NoZone = zone, zone == ""
	case dfa.Duration:
		back.Layout = "go"
	case dfa.Binary:
		if back.Encoding = dfa.Hex; json {
			back.Encoding = dfa.Base64
		}
	case dfa.List: // JSON is their text too
		return fmt.Sprintf(`list(%s, sep ',', quote '"', escape '\\', open '[', close ']')`, readsBack(typ.Elem, true))
	case dfa.Map:
		return fmt.Sprintf("map(%s, lex object)", readsBack(typ.Elem, true))
	}
	return convert.Name(&back)
}

// unquoted is what a JSON value is, if it is a string, or its JSON.
func unquoted(t *testing.T, value []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		t.Fatalf("%s: %v", value, err)
	}
	if s, ok := v.(string); ok {
		return s
	}
	return string(value)
}

// throughParquet is a record as Arrow reads it from a Parquet file.
func throughParquet(t *testing.T, rec arrow.Record) arrow.Record {
	t.Helper()
	var out bytes.Buffer
	w, err := output.Open("parquet", &out, rec.Schema(), output.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
	if err != nil {
		t.Fatal(err)
	}
	table, err := r.ReadTable(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer table.Release()
	all := array.NewTableReader(table, table.NumRows())
	defer all.Release()
	if !all.Next() {
		t.Fatal("an empty file")
	}
	all.Record().Retain()
	return all.Record()
}

// sameValues compares rows, whatever the dictionaries are, or the units of integers.
func sameValues(a, b arrow.Array) bool {
	if a.DataType().ID() != arrow.DICTIONARY {
		return a.String() == b.String()
	}
	for i := range a.Len() {
		if a.ValueStr(i) != b.ValueStr(i) {
			return false
		}
	}
	return a.Len() == b.Len()
}
