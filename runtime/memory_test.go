package runtime_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestMemorySameRows: a budget of memory changes no row, whatever it makes of partitions,
// batches and workers.
func TestMemorySameRows(t *testing.T) {
	p := spec(t, `delimited { sep ','  quote '"' doubled } on_error reject fields { a i64 b str  c list(str, sep ';')  d dict  e ip }`)
	var in strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&in, "%d,\"text %d\",a;b;%d,d%d,10.0.0.%d\n", i, i, i, i%5, i%300) // the last is often none
	}
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(in.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	read := func(file bool, opts ...runtime.Option) (string, int64) {
		var r *runtime.Reader
		var err error
		if file {
			r, err = runtime.ReadFile(path, p, byCPU(opts...)...)
		} else {
			r, err = runtime.NewReader(strings.NewReader(in.String()), p, byCPU(opts...)...)
		}
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		var out bytes.Buffer
		for r.Next() {
			rec := r.Record()
			for i := range int(rec.NumRows()) {
				for _, c := range rec.Columns() {
					out.WriteString(c.ValueStr(i) + "|")
				}
				out.WriteByte('\n')
			}
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		return out.String(), r.Stats().Rejected
	}
	want, rejected := read(false)
	for _, opts := range [][]runtime.Option{
		{runtime.WithMemory(runtime.LeastMemory)},
		{runtime.WithMemory(runtime.LeastMemory), runtime.WithReuse()},
		{runtime.WithMemory(64 << 20), runtime.WithReuse(), runtime.WithThreads(8)},
		{runtime.WithMemory(64 << 20), runtime.WithThreads(3), runtime.WithPartitionSize(1 << 30), runtime.WithBatchSize(1000)},
		{runtime.WithMemory(1 << 40), runtime.WithThreads(2)},
	} {
		for _, file := range []bool{false, true} {
			if got, n := read(file, opts...); got != want || n != rejected {
				t.Errorf("other rows: %d bytes, %d rejected, want %d, %d", len(got), n, len(want), rejected)
			}
		}
	}
}

// TestMemoryFails: what does not fit is an error that says how much there would have to be,
// whoever needs it, and no goroutine stays.
func TestMemoryFails(t *testing.T) {
	p := spec(t, `delimited { sep ','  quote '"' doubled } fields { a i64 b str }`)
	in := "1,x\n2,\"" + strings.Repeat("text and text ", 1<<20) + "\"\n3,y\n"
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, []byte(in), 0o600); err != nil {
		t.Fatal(err)
	}
	before := goruntime.NumGoroutine()
	for _, threads := range []int{1, 4} {
		if threads == 1 && testing.Short() {
			continue
		}
		for name, open := range map[string]func(opts ...runtime.Option) (*runtime.Reader, error){
			"a file": func(opts ...runtime.Option) (*runtime.Reader, error) {
				return runtime.ReadFile(path, p, byCPU(opts...)...)
			},
			"a pipe": func(opts ...runtime.Option) (*runtime.Reader, error) {
				return runtime.NewReader(iotest.HalfReader(struct{ io.Reader }{strings.NewReader(in)}), p, byCPU(opts...)...)
			},
			"memory": func(opts ...runtime.Option) (*runtime.Reader, error) {
				return runtime.ReadBytes([]byte(in), p, byCPU(opts...)...)
			},
			"big": func(opts ...runtime.Option) (*runtime.Reader, error) {
				return runtime.ReadBytes([]byte(in), p, byCPU(append(opts, runtime.WithPartitionSize(1<<30))...)...)
			},
			"reusing": func(opts ...runtime.Option) (*runtime.Reader, error) {
				return runtime.ReadFile(path, p, byCPU(append(opts, runtime.WithReuse())...)...)
			},
		} {
			r, err := open(runtime.WithMemory(runtime.LeastMemory), runtime.WithThreads(threads))
			for err == nil && r.Next() {
			}
			if err == nil {
				err = r.Err()
				r.Release()
			}
			var m *runtime.MemoryError
			if !errors.As(err, &m) || m.Needed <= m.Left || !strings.Contains(fmt.Sprint(err), "needs") {
				t.Errorf("%s, %d threads: %v", name, threads, err)
			}
			// The same with more is read.
			r, err = open(runtime.WithMemory(256<<20), runtime.WithThreads(threads))
			rows := int64(0)
			for err == nil && r.Next() {
				rows += r.Record().NumRows()
			}
			if err == nil {
				err = r.Err()
				r.Release()
			}
			if err != nil || rows != 3 {
				t.Errorf("%s, %d threads, more memory: %d rows, %v", name, threads, rows, err)
			}
		}
	}
	settle(t, before)
	for _, tooSmall := range []int64{-1, 0, 1, runtime.LeastMemory - 1} {
		if _, err := runtime.ReadBytes(nil, p, runtime.WithEngine(cpu.Engine), runtime.WithMemory(tooSmall)); err == nil || !strings.Contains(err.Error(), "want 8388608 or more") {
			t.Errorf("%d bytes: %v", tooSmall, err)
		}
	}
}
