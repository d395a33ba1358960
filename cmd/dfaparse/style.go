package main

import (
	"strings"

	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/output"
)

// style are the flags that say how a form of output is written.
type style struct {
	sep, quote, null, header, eol string // of CSV
	quoteAll                      bool
	codec                         string
	rowGroup                      int // of Parquet
	dictionary, plain, sorted     []string
}

func (s *style) flags(f *pflag.FlagSet) {
	f.StringVar(&s.codec, "compression", "", "of Parquet: "+strings.Join(output.Compressions(), ", ")+" (default "+output.Compressions()[0]+"), zstd:1 to zstd:22; of Arrow: "+strings.Join(output.ArrowCompressions(), ", ")+" (default "+output.ArrowCompressions()[0]+")")
	numberVar(f, &s.rowGroup, "row-group", "", 0, "of Parquet: `ROWS` of a row group (default: about a million, or 64 MiB)")
	f.StringSliceVar(&s.dictionary, "dictionary", nil, "of Parquet: the columns `A,B,...` have a dictionary even where values repeat seldom (default: where it pays)")
	f.StringSliceVar(&s.plain, "no-dictionary", nil, "of Parquet: the columns `A,B,...` have none")
	f.StringSliceVar(&s.sorted, "sorted-by", nil, "of Parquet: write down that rows are sorted by the columns `A,B:desc,...`; where they are not, fail")
	f.StringVar(&s.header, "out-header", "", "of CSV and TSV: none leaves the names of columns out")
	f.StringVar(&s.sep, "out-sep", "", "of CSV: the `SYMBOL` between fields, tab or \\t (default ,)")
	f.StringVar(&s.quote, "out-quote", "", "of CSV: the `SYMBOL` that quotes fields (default \")")
	f.BoolVar(&s.quoteAll, "out-quote-all", false, "of CSV: quote all fields that are not null, and not only those that need it")
	f.StringVar(&s.null, "out-null", "", "of CSV: the `TEXT` of nulls (default: none; an empty text is then in quotes)")
	f.StringVar(&s.eol, "out-eol", "", "of CSV: what ends lines: lf, crlf (default lf)")
}

// options puts what the flags say into o, of a form of output.
func (s *style) options(o *output.Options, kind string) error {
	for _, f := range []struct {
		name  string
		given bool
		kinds string // that have it
	}{
		{"row-group", s.rowGroup != 0, "parquet"}, {"dictionary", len(s.dictionary) > 0, "parquet"}, {"no-dictionary", len(s.plain) > 0, "parquet"}, {"sorted-by", len(s.sorted) > 0, "parquet"},
		{"out-header", s.header != "", "csv tsv"}, {"out-sep", s.sep != "", "csv"}, {"out-quote", s.quote != "", "csv"},
		{"out-quote-all", s.quoteAll, "csv"}, {"out-null", s.null != "", "csv"}, {"out-eol", s.eol != "", "csv"},
	} {
		if f.given && !strings.Contains(f.kinds, kind) {
			return usagef("--%s is of %s, and the output is %s (-o and --to say which)", f.name, strings.ReplaceAll(f.kinds, " ", " and "), kind)
		}
	}
	if s.codec != "" {
		if err := output.CheckCompression(kind, s.codec); err != nil {
			return usagef("--compression %w", err)
		}
	}
	if s.rowGroup < 0 {
		return usagef("--row-group %d: want 1 row or more", s.rowGroup)
	}
	o.Compression, o.RowGroupRows, o.Dictionary, o.Plain, o.Sorted = s.codec, s.rowGroup, s.dictionary, s.plain, s.sorted
	return s.csv(&o.CSV)
}

func (s *style) csv(c *output.CSVStyle) error {
	for _, f := range []struct {
		flag, text string
		to         *byte
	}{{"out-sep", escaped(s.sep), &c.Separator}, {"out-quote", escaped(s.quote), &c.Quote}} {
		if len(f.text) > 1 {
			return usagef("--%s %s: want one symbol of ASCII", f.flag, f.text)
		}
		if f.text != "" {
			*f.to = f.text[0]
		}
	}
	if s.header != "" {
		if err := oneOf("out-header", s.header, "none", "names"); err != nil {
			return err
		}
	}
	if s.eol != "" {
		if err := oneOf("out-eol", s.eol, "lf", "crlf"); err != nil {
			return err
		}
	}
	c.Null, c.QuoteAll, c.NoHeader, c.CRLF = s.null, s.quoteAll, s.header == "none", s.eol == "crlf"
	if err := c.Check(); err != nil {
		return &usageError{err: err}
	}
	return nil
}
