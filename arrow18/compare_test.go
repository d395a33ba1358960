package arrow18_test

import (
	"bytes"
	"fmt"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	arrow17 "github.com/apache/arrow/go/v17/arrow"
	array17 "github.com/apache/arrow/go/v17/arrow/array"
	ipc17 "github.com/apache/arrow/go/v17/arrow/ipc"
)

// same fails where a record of v18 is not the record of v17: in its types, its
// values as both versions print them, and where its buffers lie.
func same(t *testing.T, want arrow17.Record, got arrow.RecordBatch) {
	t.Helper()
	sameSchema(t, want.Schema(), got.Schema())
	if want.NumRows() != got.NumRows() || want.NumCols() != got.NumCols() {
		t.Fatalf("%d rows of %d columns, want %d of %d", got.NumRows(), got.NumCols(), want.NumRows(), want.NumCols())
	}
	for i, w := range want.Columns() {
		name, g := want.ColumnName(i), got.Column(i)
		if w.NullN() != g.NullN() {
			t.Errorf("%s: %d nulls, want %d", name, g.NullN(), w.NullN())
		}
		for row := range w.Len() {
			ws, gs := w.ValueStr(row), g.ValueStr(row)
			if times, ok := w.(*array17.Timestamp); ok { // which the versions print in two ways
				ws, gs = fmt.Sprint(times.Value(row)), fmt.Sprint(g.(*array.Timestamp).Value(row))
			}
			if w.IsNull(row) != g.IsNull(row) || ws != gs {
				t.Errorf("%s, row %d: %s, want %s", name, row, gs, ws)
			}
		}
		sameBuffers(t, name, w.Data(), g.Data())
	}
}

// travelled is a record of v17 as v18 reads it from a stream that v17 wrote: the
// same values by another way.
func travelled(t *testing.T, rec arrow17.Record) arrow.RecordBatch {
	t.Helper()
	r, err := ipc.NewReader(stream(t, rec))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	r.RecordBatch().Retain()
	return r.RecordBatch()
}

// stream is a record as a stream of Arrow, written by v17.
func stream(t *testing.T, rec arrow17.Record) *bytes.Buffer {
	t.Helper()
	var out bytes.Buffer
	w := ipc17.NewWriter(&out, ipc17.WithSchema(rec.Schema()))
	if err := w.Write(rec); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &out
}

// sameSchema compares names, types, nullability and metadata.
func sameSchema(t *testing.T, want *arrow17.Schema, got *arrow.Schema) {
	t.Helper()
	if w, g := fmt.Sprint(want.Metadata(), want.Endianness()), fmt.Sprint(got.Metadata(), got.Endianness()); w != g {
		t.Errorf("schema with %s, want %s", g, w)
	}
	sameFields(t, "", want.Fields(), got.Fields())
}

func sameFields(t *testing.T, of string, want []arrow17.Field, got []arrow.Field) {
	t.Helper()
	if len(want) != len(got) {
		t.Fatalf("%s: %d fields, want %d", of, len(got), len(want))
	}
	for i, w := range want {
		g, name := got[i], of+"/"+w.Name
		if ws, gs := fmt.Sprint(w.Name, w.Nullable, w.Metadata), fmt.Sprint(g.Name, g.Nullable, g.Metadata); ws != gs {
			t.Errorf("%s: field %s, want %s", name, gs, ws)
		}
		if ws, gs := w.Type.Fingerprint(), g.Type.Fingerprint(); ws != gs && w.Type.ID() != arrow17.RUN_END_ENCODED {
			t.Errorf("%s: type %s, want %s", name, gs, ws) // v18 says more of run ends
		}
		if nested, ok := w.Type.(arrow17.NestedType); ok {
			sameFields(t, name, nested.Fields(), g.Type.(arrow.NestedType).Fields())
		}
	}
}

// sameBuffers fails where data of v18 does not lie where that of v17 does.
func sameBuffers(t *testing.T, name string, want arrow17.ArrayData, got arrow.ArrayData) {
	t.Helper()
	if want.Len() != got.Len() || want.Offset() != got.Offset() || len(want.Buffers()) != len(got.Buffers()) || len(want.Children()) != len(got.Children()) {
		t.Fatalf("%s: %d values from %d in %d buffers, %d children; want %d from %d in %d, %d", name,
			got.Len(), got.Offset(), len(got.Buffers()), len(got.Children()), want.Len(), want.Offset(), len(want.Buffers()), len(want.Children()))
	}
	for i, w := range want.Buffers() {
		g := got.Buffers()[i]
		switch {
		case (w == nil) != (g == nil):
			t.Errorf("%s: buffer %d is %v, want %v", name, i, g, w)
		case w == nil:
		case w.Len() != g.Len() || unsafe.SliceData(w.Bytes()) != unsafe.SliceData(g.Bytes()):
			t.Errorf("%s: buffer %d is a copy", name, i)
		}
	}
	for i, w := range want.Children() {
		sameBuffers(t, name, w, got.Children()[i])
	}
	if w, ok := want.Dictionary().(*array17.Data); ok && w != nil {
		sameBuffers(t, name, w, got.Dictionary())
	}
}
