package dfaparse

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/internal/hive"
	"github.com/dfaparse/dfaparse/internal/output"
)

// Form is a form of output.
type Form string

// The forms of output.
const (
	Parquet     Form = "parquet"
	Arrow       Form = "arrow"  // Arrow IPC file
	ArrowStream Form = "arrows" // Arrow IPC stream
	JSONL       Form = "jsonl"  // JSON Lines
	CSV         Form = "csv"    // with a header; the built-in format csv reads it back
	TSV         Form = "tsv"    // with a header, escapes and nulls as PostgreSQL's COPY has them: a child of pgcopy reads it back
	Binary      Form = "binary" // the records of a format that is binary: see WithLayout
)

// Writer writes records of one schema. It keeps no reference to them.
type Writer interface {
	Write(arrow.Record) error
	// Close completes the output; it does not close what lies below.
	Close() error
}

// NewWriter begins an output on w. What it needs is that the records' dictionaries
// grow, as those of a Reader do: each begins with all of the one before.
func NewWriter(w io.Writer, form Form, schema *arrow.Schema, opts ...WriteOption) (Writer, error) {
	o, err := writeOptions(form, opts)
	if err != nil {
		return nil, err
	}
	return output.Open(string(form), w, schema, o)
}

// Write writes the records that are left of r, and says how many rows there were.
func Write(w io.Writer, form Form, r array.RecordReader, opts ...WriteOption) (rows int64, err error) {
	o, err := writeOptions(form, opts)
	if err != nil {
		return 0, err
	}
	return write(w, form, r, o)
}

// WriteFile is Write to a file, in the form that its extension says: .parquet,
// .arrow, .arrows, .jsonl, .csv, .tsv. The file has its name only once it is
// complete; after an error there is none, or the one that was there before.
func WriteFile(path string, r array.RecordReader, opts ...WriteOption) (rows int64, err error) {
	form, err := output.KindOf(path)
	if err != nil {
		return 0, err
	}
	o, err := writeOptions(Form(form), opts)
	if err != nil {
		return 0, err
	}
	f, err := output.Create(output.OS{}, path)
	if err != nil {
		return 0, err
	}
	o.SpoolDir = f.Dir()
	rows, err = write(f, Form(form), r, o)
	if err != nil {
		f.Abort()
		return rows, err
	}
	return rows, f.Commit()
}

// WriteFolder writes the records that are left of r into folders by the values of columns,
// as year=2024/month=1/part-0.parquet below path, without these columns. The folder has its
// name only once it is complete. One that is there already and not empty is an error, unless
// WithOverwrite says to replace it; anything in it that is no data of such folders is never
// replaced. Memory and open files are bounded, however many folders there are.
func WriteFolder(path string, form Form, r array.RecordReader, by []string, opts ...WriteOption) (rows int64, err error) {
	o, err := writeOptions(form, opts)
	if err != nil {
		return 0, err
	}
	ext := output.ExtOf(string(form), "")
	if ext == "" || len(by) == 0 {
		return 0, fmt.Errorf("%s by %q: want a form of files, and columns", form, by)
	}
	folder, err := output.CreateFolder(output.OS{}, path, o.Overwrite)
	if err != nil {
		return 0, err
	}
	o.SpoolDir = folder.Dir()
	w, err := hive.NewSplitter(folder, r.Schema(), hive.Splitting{By: by, Form: string(form), Ext: ext, Output: o})
	if err == nil {
		rows, err = copyTo(output.Pipelined(w), r)
	}
	if err != nil {
		folder.Abort()
		return rows, err
	}
	return rows, folder.Commit()
}

func write(to io.Writer, form Form, r array.RecordReader, o output.Options) (rows int64, err error) {
	w, err := output.Open(string(form), to, r.Schema(), o)
	if err != nil {
		return 0, err
	}
	return copyTo(output.Pipelined(w), r)
}

// copyTo writes what is left of r, and closes w.
func copyTo(w output.Writer, r array.RecordReader) (rows int64, err error) {
	for r.Next() {
		rec := r.Record()
		if err := w.Write(rec); err != nil {
			output.Abort(w)
			return rows, err
		}
		rows += rec.NumRows()
	}
	if err := r.Err(); err != nil {
		output.Abort(w)
		return rows, err
	}
	return rows, w.Close()
}
