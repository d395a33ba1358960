package main

import (
	"encoding/csv"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	arrowcsv "github.com/apache/arrow/go/v17/arrow/csv"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// batchRows is how many rows a record of these peers has.
const batchRows = 64 << 10

// openCSV is the standard library's reader behind the header.
func openCSV(j *job) (*csv.Reader, io.Closer, error) {
	f, err := os.Open(j.Input.File)
	if err != nil {
		return nil, nil, err
	}
	r := csv.NewReader(f)
	r.Comma, r.ReuseRecord = rune(j.Input.Separator[0]), true
	if j.Input.Header {
		_, err = r.Read()
	}
	return r, f, err
}

// csvStrings is encoding/csv alone: it converts nothing and keeps nothing.
func csvStrings(j *job) (*result, error) {
	r, f, err := openCSV(j)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	res := &result{}
	for {
		switch _, err := r.Read(); err {
		case nil:
			res.rows++
		case io.EOF:
			return res, nil
		default:
			return nil, err
		}
	}
}

// csvStrconv is encoding/csv, and each field converted by the standard library.
func csvStrconv(j *job) (*result, error) {
	r, f, err := openCSV(j)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	b, err := newBuilder(j.Input.Columns)
	if err != nil {
		return nil, err
	}
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return b.result(), nil
		}
		if err != nil {
			return nil, err
		}
		for i, convert := range b.converters {
			if err := convert(fields[i]); err != nil {
				return nil, err
			}
		}
		b.endRow()
	}
}

// arrowCSV is the CSV reader of arrow/go.
func arrowCSV(j *job) (*result, error) {
	f, err := os.Open(j.Input.File)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	schema, err := schemaOf(j.Input.Columns)
	if err != nil {
		return nil, err
	}
	if j.Input.Trailing {
		schema = arrow.NewSchema(append(schema.Fields(), arrow.Field{Name: "_", Type: arrow.BinaryTypes.String, Nullable: true}), nil)
	}
	r := arrowcsv.NewReader(f, schema, arrowcsv.WithComma(rune(j.Input.Separator[0])), arrowcsv.WithHeader(j.Input.Header),
		arrowcsv.WithChunk(batchRows), arrowcsv.WithAllocator(memory.DefaultAllocator), arrowcsv.WithNullReader(false))
	defer r.Release()
	res := &result{}
	for r.Next() {
		rec := r.Record()
		res.rows += rec.NumRows()
		if j.Input.Trailing {
			res.records = append(res.records, array.NewRecord(arrow.NewSchema(schema.Fields()[:len(j.Input.Columns)], nil), rec.Columns()[:len(j.Input.Columns)], rec.NumRows()))
			continue
		}
		rec.Retain()
		res.records = append(res.records, rec)
	}
	return res, r.Err()
}
