package dfaparse_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse"
)

// TestAggregateFile: a file's groups, and what is wrong with it or with the query.
func TestAggregateFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "orders.csv")
	if err := os.WriteFile(path, []byte("a,1\nb,2\na,3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	spec := dfaparse.Spec("format orders { delimited { sep ',' } fields { k str!  n i32 } }")
	found, err := dfaparse.AggregateFile(context.Background(), path, dfaparse.Query{By: "k", Agg: "sum(n) as n"}, spec)
	if err != nil {
		t.Fatal(err)
	}
	defer found.Release()
	var b strings.Builder
	if _, err := dfaparse.Write(&b, dfaparse.CSV, found); err != nil {
		t.Fatal(err)
	}
	if want := "k,n\na,4\nb,2\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
	if _, err := dfaparse.AggregateFile(context.Background(), path, dfaparse.Query{By: "k,"}, spec); err == nil || !strings.Contains(err.Error(), "By:1:") {
		t.Errorf("error %v", err)
	}
	if _, err := dfaparse.AggregateFile(context.Background(), path+"x", dfaparse.Query{By: "k"}, spec); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}
