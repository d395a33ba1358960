package dfaparse_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/pqarrow"

	"github.com/dfaparse/dfaparse"
)

// readBack reads an output of the columns name and n with readers that are not
// ours; null is "(null)".
func readBack(t *testing.T, form dfaparse.Form, data []byte) (rows [][]string) {
	t.Helper()
	fatal := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatalf("%s: %v", form, err)
		}
	}
	switch form {
	case dfaparse.CSV, dfaparse.TSV:
		r := csv.NewReader(bytes.NewReader(data))
		if form == dfaparse.TSV {
			r.Comma = '\t'
		}
		all, err := r.ReadAll()
		fatal(err)
		for _, row := range all[1:] {
			if row[1] == "" || row[1] == `\N` {
				row[1] = "(null)"
			}
			rows = append(rows, row)
		}
	case dfaparse.JSONL:
		d := json.NewDecoder(bytes.NewReader(data))
		for {
			var row struct {
				Name *string `json:"name"`
				N    *int64  `json:"n"`
			}
			err := d.Decode(&row)
			if err == io.EOF {
				break
			}
			fatal(err)
			text := []string{"(null)", "(null)"}
			if row.Name != nil {
				text[0] = *row.Name
			}
			if row.N != nil {
				text[1] = fmt.Sprint(*row.N)
			}
			rows = append(rows, text)
		}
	case dfaparse.ArrowStream:
		r, err := ipc.NewReader(bytes.NewReader(data))
		fatal(err)
		defer r.Release()
		for r.Next() {
			rows = append(rows, cells(r.Record())...)
		}
		fatal(r.Err())
	case dfaparse.Arrow:
		r, err := ipc.NewFileReader(bytes.NewReader(data))
		fatal(err)
		defer r.Close()
		for i := range r.NumRecords() {
			rec, err := r.Record(i)
			fatal(err)
			rows = append(rows, cells(rec)...)
		}
	case dfaparse.Parquet:
		f, err := file.NewParquetReader(bytes.NewReader(data))
		fatal(err)
		r, err := pqarrow.NewFileReader(f, pqarrow.ArrowReadProperties{}, memory.DefaultAllocator)
		fatal(err)
		table, err := r.ReadTable(context.Background())
		fatal(err)
		defer table.Release()
		records := array.NewTableReader(table, -1)
		defer records.Release()
		for records.Next() {
			rows = append(rows, cells(records.Record())...)
		}
	}
	return rows
}
