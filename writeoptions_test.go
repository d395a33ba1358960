package dfaparse_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/metadata"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/compile"
)

// TestWriteOptions: options say how a form is written; what a form cannot be is an error.
func TestWriteOptions(t *testing.T) {
	write := func(form dfaparse.Form, opts ...dfaparse.WriteOption) (string, error) {
		r, err := dfaparse.OpenBytes(context.Background(), []byte("a,b\n1,x;y\n2,\n"), dfaparse.Format("csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var out bytes.Buffer
		_, err = dfaparse.Write(&out, form, r, opts...)
		return out.String(), err
	}
	got, err := write(dfaparse.CSV, dfaparse.WithCSVStyle(dfaparse.CSVStyle{Separator: ';', NoHeader: true, CRLF: true, Null: "-"}))
	if want := "1;\"x;y\"\r\n2;\"\"\r\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	plain, err := write(dfaparse.Arrow)
	if err != nil {
		t.Fatal(err)
	}
	if packed, err := write(dfaparse.Arrow, dfaparse.WithCompression("zstd")); err != nil || packed == plain {
		t.Errorf("not compressed: %v", err)
	}
	for form, opt := range map[dfaparse.Form]dfaparse.WriteOption{
		dfaparse.CSV:     dfaparse.WithCompression("zstd"),
		dfaparse.Arrow:   dfaparse.WithCompression("snappy"),
		dfaparse.Parquet: dfaparse.WithoutDictionary("c"),
		dfaparse.JSONL:   dfaparse.WithCompression("snappy"),
		dfaparse.TSV:     dfaparse.WithCompression("lz5"),
	} {
		if _, err := write(form, opt); err == nil {
			t.Errorf("%s: no error", form)
		} else if strings.Contains(err.Error(), "%!") {
			t.Error(err)
		}
	}
}

// TestParquetOptions: row groups, dictionaries and the order of rows are as the options say.
func TestParquetOptions(t *testing.T) {
	write := func(opts ...dfaparse.WriteOption) (*metadata.FileMetaData, error) {
		spec := dfaparse.Spec("format numbers { delimited { sep ',' } fields { n i64! } }")
		var in []byte
		for n := range 100_000 {
			in = fmt.Appendln(in, 1_000_000+n)
		}
		r, err := dfaparse.OpenBytes(context.Background(), in, spec)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		var out bytes.Buffer
		if _, err := dfaparse.Write(&out, dfaparse.Parquet, r, opts...); err != nil {
			return nil, err
		}
		f, err := file.NewParquetReader(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		return f.MetaData(), nil
	}
	// givenUp reports whether values behind the first have no dictionary.
	givenUp := func(m *metadata.FileMetaData) bool {
		chunk, err := m.RowGroup(0).ColumnChunk(0)
		if err != nil {
			t.Fatal(err)
		}
		return slices.ContainsFunc(chunk.EncodingStats(), func(s metadata.PageEncodingStats) bool {
			return s.PageType.String() == "DATA_PAGE" && s.Encoding == parquet.Encodings.Plain
		})
	}
	plain, err := write()
	if err != nil || len(plain.RowGroups) != 1 || !givenUp(plain) || len(plain.RowGroups[0].SortingColumns) != 0 {
		t.Errorf("without options: %d row groups, %v", len(plain.RowGroups), err)
	}
	told, err := write(dfaparse.WithRowGroupRows(60_000), dfaparse.WithDictionary("n"), dfaparse.WithSorted("n"))
	if err != nil || len(told.RowGroups) != 2 || givenUp(told) || len(told.RowGroups[0].SortingColumns) != 1 {
		t.Errorf("with options: %d row groups, %v", len(told.RowGroups), err)
	}
	if _, err := write(dfaparse.WithSorted("n:desc")); err == nil || !strings.Contains(err.Error(), "not in the order") {
		t.Errorf("rows that are not in the order: %v", err)
	}
}

// TestBinaryLayout: binary output has the layout of the records that were read.
func TestBinaryLayout(t *testing.T) {
	const in = "\x01\x02ab\x03\x04cd"
	spec, err := compile.Compile("pairs.dfp", []byte("format pairs { binary { n u16be  s 2 } }"))
	if err != nil {
		t.Fatal(err)
	}
	r, err := dfaparse.OpenBytes(context.Background(), []byte(in), dfaparse.Program(spec.Program))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out bytes.Buffer
	if _, err := dfaparse.Write(&out, dfaparse.Binary, r, dfaparse.WithLayout(spec.Program)); err != nil || out.String() != in {
		t.Errorf("%q, %v, want %q", out.String(), err, in)
	}
}

// TestWriteFolder: rows go into folders by the values of columns, which are read back as columns.
func TestWriteFolder(t *testing.T) {
	ctx, out := context.Background(), filepath.Join(t.TempDir(), "out")
	write := func(form dfaparse.Form, by []string, opts ...dfaparse.WriteOption) (int64, error) {
		r, err := dfaparse.OpenBytes(ctx, []byte("a,b\n1,x/y\n2,\n3,x/y\n"), dfaparse.Format("csv"))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		return dfaparse.WriteFolder(out, form, r, by, opts...)
	}
	if n, err := write(dfaparse.CSV, []string{"b"}); n != 3 || err != nil {
		t.Fatalf("%d rows, %v", n, err)
	}
	got, err := os.ReadFile(filepath.Join(out, "b=x%2Fy", "part-0.csv"))
	if string(got) != "a\n1\n3\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := write(dfaparse.CSV, []string{"a"}); err == nil {
		t.Error("a folder is written over")
	}
	if _, err := write(dfaparse.Parquet, []string{"a"}, dfaparse.WithOverwrite()); err != nil {
		t.Error(err)
	}
	if files, _ := filepath.Glob(filepath.Join(out, "*", "*")); len(files) != 3 || !strings.HasSuffix(files[0], "part-0.parquet") {
		t.Errorf("%q", files)
	}
	for _, by := range [][]string{nil, {"nope"}, {"a", "b"}} {
		if _, err := write(dfaparse.CSV, by, dfaparse.WithOverwrite()); err == nil {
			t.Errorf("by %q: no error", by)
		}
	}
	if files, _ := filepath.Glob(filepath.Join(out, "*", "*")); len(files) != 3 {
		t.Errorf("an error left %q", files)
	}
}
