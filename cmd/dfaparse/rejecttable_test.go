package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"

	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestRejectTable reads a table of rejects again: it has what the JSON form has,
// row by row, and is written in parts.
func TestRejectTable(t *testing.T) {
	var file bytes.Buffer
	table, err := newRejectTable("arrows", &file, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for i := range 2*rejectRows + 10 {
		r := &runtime.Reject{Lines: int64(i), Raw: []byte(fmt.Sprint("raw ", i)), FieldOnly: i%3 == 0, Start: 7}
		r.File, r.Offset, r.Line, r.Column, r.Record, r.Field = "f", int64(i), int64(i+1), 2, int64(i+2), "c"
		r.Detail, r.State, r.Expected = "wrong", "in a field", "else"
		if i%5 == 0 {
			r.Raw = []byte{0xFF, byte(i)}
		}
		if err := table.add(r); err != nil {
			t.Fatal(err)
		}
		want = append(want, string(bytes.TrimSpace(appendReject(nil, r))))
	}
	if err := table.close(); err != nil {
		t.Fatal(err)
	}
	reader, err := ipc.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Release()
	row, parts := 0, 0
	for reader.Next() {
		parts++
		rec := reader.Record()
		for i := range int(rec.NumRows()) {
			var line []byte
			for c, f := range rec.Schema().Fields() {
				column := rec.Column(c)
				if b, ok := column.(*array.Boolean); column.IsNull(i) || ok && !b.Value(i) {
					continue
				}
				if line = append(line, ','); c == 0 {
					line[0] = '{'
				}
				line = append(render.AppendQuoted(line, f.Name), ':')
				line = render.AppendJSON(line, f, column, i)
			}
			if got := string(line) + "}"; got != want[row] {
				t.Fatalf("reject %d is %s, want %s", row, got, want[row])
			}
			row++
		}
	}
	if row != len(want) || parts != 3 {
		t.Errorf("%d rejects in %d parts, want %d in 3", row, parts, len(want))
	}
}
