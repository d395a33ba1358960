package dfaparse_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse"
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
