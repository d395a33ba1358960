package dfaparse_test

import (
	"bytes"
	"context"
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
