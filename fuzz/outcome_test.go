package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	_ "github.com/dfaparse/dfaparse/runtime/reference"
)

// setting is one way to run a Program; none may make a difference.
type setting struct {
	engine    string
	threads   int
	chunk     int
	partition int
}

func (s setting) String() string {
	return fmt.Sprintf("%s, %d threads, chunks of %d, partitions of %d", s.engine, s.threads, s.chunk, s.partition)
}

func (s setting) options() []runtime.Option {
	return []runtime.Option{
		runtime.WithEngine(engines[s.engine]), runtime.WithThreads(s.threads),
		runtime.WithChunkSize(s.chunk), runtime.WithPartitionSize(s.partition),
	}
}

// baseTime is when every input was written.
var baseTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// outcome is all that reading an input gives, as text: schema, rows, rejects,
// error and counts. The memory of the records is checked for leaks.
func outcome(t testing.TB, p *dfa.Program, in io.Reader, opts ...runtime.Option) string {
	t.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	var whole []byte // what in gives, if that is known
	if text, ok := in.(*strings.Reader); ok {
		whole, _ = io.ReadAll(text)
		text.Reset(string(whole))
	}
	var out bytes.Buffer
	var rejects []*runtime.Reject
	handler := func(r *runtime.Reject) error {
		rejects = append(rejects, r)
		fmt.Fprintf(&out, "reject at %d (field only: %v): %v: %q, state %q, expected %q\n", r.Start, r.FieldOnly, &r.ParseError, r.Raw, r.State, r.Expected)
		return nil
	}
	opts = append([]runtime.Option{
		runtime.WithEngine(cpu.Engine), runtime.WithAllocator(mem), runtime.WithRejectHandler(handler), runtime.WithBaseTime(baseTime),
	}, opts...)
	r, err := runtime.NewReader(in, p, opts...)
	if err != nil {
		return "not opened: " + err.Error()
	}
	defer r.Release()
	var rows bytes.Buffer
	fmt.Fprintln(&rows, r.Schema())
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			for c, col := range rec.Columns() {
				if c > 0 {
					rows.WriteByte(' ')
				}
				rows.Write(render.AppendJSON(nil, rec.Schema().Field(c), col, i))
			}
			rows.WriteByte('\n')
		}
	}
	var perr *runtime.ParseError
	if err := r.Err(); errors.As(err, &perr) {
		fmt.Fprintf(&out, "error: %v (state %q)\n", perr, perr.State)
	} else if err != nil {
		fmt.Fprintf(&out, "error: %v\n", err)
	}
	s := r.Stats()
	x := enginetest.Reading{Program: p, In: whole, Stats: s, Rejects: rejects, Err: r.Err(), Limit: -1}
	if diff := x.Unaccounted(); diff != "" {
		t.Fatalf("input %q: %s", whole, diff)
	}
	fmt.Fprintln(&out, s.FirstReplaced, s.FirstSurplus)
	s.FirstReplaced, s.FirstSurplus, s.Batches, s.Partitions = nil, nil, 0, 0
	fmt.Fprintf(&out, "%+v\n", s)
	return rows.String() + out.String()
}

var modes = map[string]dfa.ErrorMode{"fail": dfa.Fail, "null": dfa.Null, "reject": dfa.Reject}

// program is a built-in format.
func program(t testing.TB, name string) *dfa.Program {
	t.Helper()
	p, err := gen.Program(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// corpora is the folder of real files; the test is skipped without it.
func corpora(t testing.TB, parts ...string) string {
	t.Helper()
	dir := os.Getenv("DFAPARSE_CORPORA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "corpora")
	}
	path := filepath.Join(append([]string{dir}, parts...)...)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no real files: %v", err)
	}
	return path
}

// byCPU is opts with the engine that reads, unless they name another.
func byCPU(opts ...runtime.Option) []runtime.Option {
	return append([]runtime.Option{runtime.WithEngine(cpu.Engine)}, opts...)
}
