package aggregate_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestChallenge: the test files of the one billion row challenge give what it says,
// with every number of workers, and from files.
func TestChallenge(t *testing.T) {
	dir := os.Getenv("DFAPARSE_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	inputs, err := filepath.Glob(filepath.Join(dir, "1brc", "samples", "*.txt"))
	if err != nil || len(inputs) == 0 {
		t.Skipf("no samples of the challenge in %s", dir)
	}
	spec, err := compile.Compile("brc.dfp", []byte("format brc { delimited { sep ';' } fields { station str! temp dec(4, 1)! } }"))
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := aggregate.Parse(aggregate.Query{By: "station", Agg: "min(temp) mean(temp) max(temp)"})
	if err != nil {
		t.Fatal(err)
	}
	for _, input := range inputs {
		want, err := os.ReadFile(strings.TrimSuffix(input, ".txt") + ".out")
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []aggregate.Options{{Threads: 1}, {Threads: 3}, {Threads: 2, Memory: 1 << 20, Dir: t.TempDir()}} {
			r, err := runtime.ReadFile(input, spec.Program, runtime.WithEngine(cpu.Engine), runtime.WithReuse())
			if err != nil {
				t.Fatal(err)
			}
			if got := challenge(t, r, parsed, o); got != string(want) {
				t.Errorf("%s, %+v: got\n%.500s\nwant\n%.500s", filepath.Base(input), o, got, want)
			}
			r.Release()
		}
	}
}

// challenge is the output as the challenge wants it.
func challenge(t *testing.T, r *runtime.Reader, parsed *aggregate.Parsed, o aggregate.Options) string {
	plan, err := parsed.Bind(r.Schema())
	if err != nil {
		t.Fatal(err)
	}
	a := aggregate.New(plan, o)
	defer a.Close()
	for r.Next() {
		if err := a.Add(r.Record()); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Err(); err != nil {
		t.Fatal(err)
	}
	var all []string
	err = a.Finish(context.Background(), func(rec arrow.Record) error {
		text := func(c, i int) []byte { return render.AppendText(nil, rec.Schema().Field(c), rec.Column(c), i) }
		for i := range int(rec.NumRows()) {
			all = append(all, fmt.Sprintf("%s=%s/%s/%s", rec.Column(0).(*array.String).Value(i), text(1, i), text(2, i), text(3, i)))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return "{" + strings.Join(all, ", ") + "}\n"
}
