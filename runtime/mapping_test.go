//go:build unix

package runtime_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestFileBecomesShorter: a file that is cut while it is read is an error, not the
// end of the process, wherever it is being read.
func TestFileBecomesShorter(t *testing.T) {
	p := spec(t, `delimited { sep ','  quote '"' doubled } fields { a i64  b str  c f64? }`)
	var in strings.Builder
	for i := range 300000 {
		fmt.Fprintf(&in, "%d,\"text \"\"%d\"\"\",%d.5\n", i, i%1000, i%3)
	}
	for _, threads := range []int{1, 3} {
		for _, partition := range []int{50000, 3 << 20} {
			path := filepath.Join(t.TempDir(), "shrinks.csv")
			if err := os.WriteFile(path, []byte(in.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			r, err := runtime.ReadFile(path, p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(threads), runtime.WithPartitionSize(partition), runtime.WithBatchSize(1000))
			if err != nil {
				t.Fatal(err)
			}
			if !r.Next() {
				t.Fatal(r.Err())
			}
			if err := os.Truncate(path, 100); err != nil {
				t.Fatal(err)
			}
			for r.Next() {
			}
			if err := r.Err(); err == nil || !strings.Contains(err.Error(), path+": after ") || !strings.Contains(err.Error(), "has become shorter") {
				t.Errorf("%d threads, partitions of %d: %d rows, %v", threads, partition, r.Stats().Rows, err)
			}
			r.Release()
		}
	}
}

// TestFiles: a file that is mapped reads as one that is not.
func TestFiles(t *testing.T) {
	in := drift(3000, true)
	for name, text := range map[string]string{
		"drift": in, "empty": "", "page": strings.Repeat("1,2.5,abc,x\n", 4096/12+1)[:4096], "no line end": in[:len(in)-1],
	} {
		p := spec(t, driftSpec)
		path := filepath.Join(t.TempDir(), "input.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want := read(t, p, strings.NewReader(text), runtime.WithErrorMode(dfa.Reject), runtime.WithName(path))
		var stats runtime.Stats
		var rejects []string
		r, err := runtime.ReadFile(path, p, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Reject), runtime.WithPartitionSize(20000), runtime.WithRejectHandler(func(r *runtime.Reject) error {
			rejects = append(rejects, fmt.Sprintf("%v %q", r, r.Raw))
			return nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		stats = r.Stats()
		if r.Err() != nil || stats.Rows != want.stats.Rows || stats.Rejected != want.stats.Rejected {
			t.Errorf("%s: %+v, %v, want %+v", name, stats, r.Err(), want.stats)
		}
		r.Release()
		for i, reject := range want.rejects {
			if s := fmt.Sprintf("%v %q", reject, reject.Raw); rejects[i] != s {
				t.Errorf("%s: reject %d is %s, want %s", name, i, rejects[i], s)
			}
		}
	}
	// One whose columns come from directives, which are looked for first.
	p := spec(t, "w3c")
	path := filepath.Join(t.TempDir(), "u_ex.log")
	text := "#Version: 1.0\n#Fields: a b\n1 2\n#Fields: a c\n3 4\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := runtime.ReadFile(path, p, runtime.WithEngine(cpu.Engine))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if r.Err() != nil || r.Stats().Rows != 2 || r.Schema().NumFields() != 3 {
		t.Errorf("%+v, %v, %v", r.Stats(), r.Schema(), r.Err())
	}
}
