package dfaparse

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/output"
)

// WriteOption says how a form of output is written. One that the form does not know is
// of no effect, but for a compression, which is an error.
type WriteOption func(*output.Options)

// CSVStyle is how CSV is written: its separator, quotes, header, line ends, and the text
// of nulls. Of TSV NoHeader counts alone.
type CSVStyle = output.CSVStyle

// WithCSVStyle writes CSV, or TSV, in a style.
func WithCSVStyle(s CSVStyle) WriteOption { return func(o *output.Options) { o.CSV = s } }

// WithCompression compresses within the form: Parquet by zstd, zstd:1 to zstd:22, snappy, lz4, gzip
// or none, Arrow by zstd, lz4 or none.
func WithCompression(name string) WriteOption {
	return func(o *output.Options) { o.Compression = name }
}

// WithLayout is the format whose records binary output has: the one that the columns were read by.
func WithLayout(p *dfa.Program) WriteOption { return func(o *output.Options) { o.Layout = p } }

// WithRowGroupRows ends a row group of Parquet after so many rows.
func WithRowGroupRows(n int) WriteOption { return func(o *output.Options) { o.RowGroupRows = n } }

// WithDictionary gives columns of Parquet a dictionary even where values repeat seldom.
func WithDictionary(columns ...string) WriteOption {
	return func(o *output.Options) { o.Dictionary = columns }
}

// WithoutDictionary writes columns of Parquet without dictionaries.
func WithoutDictionary(columns ...string) WriteOption {
	return func(o *output.Options) { o.Plain = columns }
}

// WithSorted writes down that rows of Parquet are sorted by columns, as "day" or "n:desc",
// nulls last; a row that is not in the order is an error.
func WithSorted(columns ...string) WriteOption { return func(o *output.Options) { o.Sorted = columns } }

// writeOptions are what an output of a form is opened with.
func writeOptions(form Form, opts []WriteOption) (output.Options, error) {
	o := output.Options{KeptUTF8: true}
	for _, f := range opts {
		f(&o)
	}
	if o.Compression != "" {
		if err := output.CheckCompression(string(form), o.Compression); err != nil {
			return o, err
		}
	}
	return o, nil
}

// WithOverwrite lets WriteFolder replace a folder that is there already.
func WithOverwrite() WriteOption { return func(o *output.Options) { o.Overwrite = true } }
