package fuzz

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestNullsWhateverTheMemory reads every type, with nulls and without, into
// records whose memory is the Reader's own, used again, or the caller's. The
// other tests of this package all name an allocator; then columns are copied,
// and not handed over.
func TestNullsWhateverTheMemory(t *testing.T) {
	columns := []dfa.TypeExample{{Type: "list(ip, sep ';')", Field: "::1;192.0.2.1"}}
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		columns = append(columns, dfa.WordsOf(k).Examples...)
	}
	for _, c := range columns {
		spec, err := compile.Compile("t.dfp", []byte("format t { delimited { sep '|' } fields { n u8  v "+c.Type+` null "-" } }`))
		if err != nil {
			t.Fatalf("%s: %v", c.Type, err)
		}
		for _, in := range []string{"1|" + c.Field + "\n", "1|-\n", "1|-\n2|" + c.Field + "\n", "1|" + c.Field + "\n2|-\n3|-\n"} {
			want := ""
			for i, opts := range [][]runtime.Option{
				{runtime.WithAllocator(memory.DefaultAllocator)}, nil, {runtime.WithReuse()}, {runtime.WithEngine(reference.Engine)}, {runtime.WithBatchSize(1)},
			} {
				r, err := runtime.NewReader(strings.NewReader(in), spec.Program, byCPU(opts...)...)
				if err != nil {
					t.Fatal(err)
				}
				var out []byte
				for r.Next() {
					rec := r.Record()
					for row := range int(rec.NumRows()) {
						out = append(render.AppendJSON(out, rec.Schema().Field(1), rec.Column(1), row), '\n')
					}
				}
				if err := r.Err(); err != nil {
					t.Fatalf("%s of %q: %v", c.Type, in, err)
				}
				r.Release()
				if i == 0 {
					want = string(out)
				} else if string(out) != want {
					t.Errorf("%s of %q, memory %d: %q, want %q", c.Type, in, i, out, want)
				}
			}
			if n := strings.Count(want, "\n"); n != strings.Count(in, "\n") || strings.Count(want, "null") != strings.Count(in, "-\n") {
				t.Errorf("%s of %q: %q", c.Type, in, want)
			}
		}
	}
}
