//go:build linux && !race

package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// memoryRuns are command lines over inputs that want much memory, and the budget of each.
var memoryRuns = []struct {
	line string
	fits bool
	code int // of those that fit
}{
	{"parse --memory 64MiB --threads 2 -o out.parquet rows.csv", true, 0},
	{"parse --memory 64MiB --threads 32 --to jsonl rows.csv", true, 0},
	{"parse --memory 64MiB --threads 32 --partition 64MiB --chunk 16MiB -o out.parquet rows.csv", true, 0},
	{"parse --memory 64MiB -o out.arrow rows.csv", true, 0},
	{"parse --memory 64MiB --to csv wide.csv", true, 0},
	{"parse --memory 64MiB --sort d,a --threads 2 -o out.parquet rows.csv", true, 0},
	{"parse --memory 64MiB --sort b,c --threads 2 --to csv rows.csv", true, 0},
	{"parse --memory 192MiB --sort c7 --threads 2 -o out.jsonl wide.csv", true, 0},
	{"parse --memory 192MiB -o out.parquet wide.csv", true, 0},
	{"parse --memory 64MiB -f rejects.dfp --rejects rejects.jsonl -o out.jsonl rows.csv", true, 3},
	{"count --memory 96MiB long.csv", true, 0},
	{"count --memory 96MiB - <long.csv", true, 0},
	{"parse --memory 256MiB -o out.jsonl long.csv", true, 0},
	{"MOST=120MiB parse -o out.parquet long.csv", true, 0}, // of one field of 20 MiB: four times as much, and the program
	{"parse --memory 64MiB -o out.parquet long.csv", false, 1},
	{"parse --memory 64MiB -o out.jsonl long.csv", false, 1},
	{"head --memory 64MiB long.csv", false, 1},
	{"parse --memory 64MiB -o out.parquet rows.txt", true, 0},
	{"parse --memory 64MiB --to jsonl --threads 2 rows.txt", true, 0},
	{"parse --memory 224MiB -o out.parquet wide.txt", true, 0},
	{"parse --memory 320MiB -o out.jsonl long.txt", true, 0},
	{"parse --memory 64MiB -o out.jsonl long.txt", false, 1},
	{"parse --memory 88MiB -o out.jsonl 0.csv.tgz 1.csv.tgz 2.csv.tgz 3.csv.tgz", true, 0},
	{"GOMEMLIMIT=64MiB parse -o out.parquet long.csv", false, 1},
}

// TestMemory: --memory bounds what a run takes, as the system counts it, or the run
// fails with a sentence that says what to change, and leaves no file.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("inputs of some MB")
	}
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	var rows, wide, long bytes.Buffer
	for i := range 400_000 {
		fmt.Fprintf(&rows, "%d,%d.5,name%d,text %d of the row\n", i, i%1000, i%50, i*7)
	}
	for range 600 {
		for i := range 1000 {
			fmt.Fprintf(&wide, "%d,", random.IntN(1e6)+i)
		}
		wide.WriteString("1\n")
	}
	long.WriteString("1,\"")
	for long.Len() < 20<<20 {
		fmt.Fprintf(&long, "word%d ", random.IntN(1e6))
	}
	long.WriteString("\"\n")
	for name, data := range map[string][]byte{
		"rows.csv": append([]byte("a,b,c,d\n"), rows.Bytes()...), "long.csv": append([]byte("a,b\n"), long.Bytes()...),
		"wide.csv":    []byte(names(1001) + wide.String()),
		"rejects.dfp": []byte("format r { delimited { sep ',' } header skip 1 fields { a i8 b str c str d str } on_error reject test \"t\" \"h\\n1,x,y,z\\n\" => { a 1 } }"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"rows", "wide", "long"} { // which are read without -f
		if err := os.Link(filepath.Join(dir, name+".csv"), filepath.Join(dir, name+".txt")); err != nil {
			t.Fatal(err)
		}
	}
	tarred := tgz(t, rows.Bytes()[:15<<20])
	for i := range 4 {
		name := filepath.Join(dir, fmt.Sprintf("%d.csv.tgz", i))
		if err := os.WriteFile(name, tarred, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(name, time.Time{}, time.Now().Add(-time.Hour)); err != nil { // so that it is remembered
			t.Fatal(err)
		}
	}
	for _, run := range memoryRuns {
		t.Run(run.line, func(t *testing.T) {
			out := t.TempDir()
			words := strings.Fields(run.line)
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), "DFAPARSE_PEAK="+filepath.Join(out, "peak"))
			if strings.Contains(words[0], "=") {
				cmd.Env, words = append(cmd.Env, words[0]), words[1:]
			}
			for _, w := range words {
				switch {
				case strings.HasPrefix(w, "<"):
					f, err := os.Open(filepath.Join(dir, w[1:]))
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					cmd.Stdin = f
				case strings.HasPrefix(w, "out.") || w == "rejects.jsonl":
					cmd.Args = append(cmd.Args, filepath.Join(out, w))
				case strings.Contains(w, ".csv") || strings.HasSuffix(w, ".txt") || strings.Contains(w, ".dfp"):
					cmd.Args = append(cmd.Args, filepath.Join(dir, w))
				default:
					cmd.Args = append(cmd.Args, w)
				}
			}
			if strings.Contains(run.line, ".csv") && !strings.Contains(run.line, "-f ") {
				cmd.Args = append(cmd.Args, "-f", "csv")
			}
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			_ = cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != run.code {
				t.Fatalf("exit code %d, want %d: %s", code, run.code, stderr.String())
			}
			var budget size
			if err := budget.Set(regexp.MustCompile(`(?:--memory |LIMIT=|MOST=)(\S+)`).FindStringSubmatch(run.line)[1]); err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(filepath.Join(out, "peak"))
			if err != nil {
				t.Fatal(err)
			}
			var peak int64
			if _, err := fmt.Sscanf(string(text), "%d", &peak); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d of %d MiB", peak>>20, budget>>20)
			if peak > int64(budget) {
				t.Errorf("it has taken %d bytes", peak)
			}
			if run.fits {
				return
			}
			if s := stderr.String(); !regexp.MustCompile(`(--memory|GOMEMLIMIT) 64MiB is not enough: .*; give more, bound records with a smaller --max-record`).MatchString(s) {
				t.Errorf("it says %q", s)
			}
			if left, _ := filepath.Glob(filepath.Join(out, "*out*")); len(left) > 0 {
				t.Errorf("it has left %q", left)
			}
		})
	}
}

// tgz is a compressed tar of one member.
func tgz(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zipped, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	w := tar.NewWriter(zipped)
	err := w.WriteHeader(&tar.Header{Name: "rows.csv", Mode: 0o600, Size: int64(len(data))})
	if err == nil {
		_, err = w.Write(data)
	}
	if err := errors.Join(err, w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// names is a header of n columns.
func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ",c%d", i)
	}
	return b.String()[1:] + "\n"
}

// peaked runs the command in a test's child, and notes the most memory that it has
// had. (What the system says of a child counts from before it was another
// program.)
func peaked(to string) int {
	code := run()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		panic(err)
	}
	var kib int64
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	if _, err := fmt.Sscan(line, &kib); err != nil {
		panic(err)
	}
	if err := os.WriteFile(to, fmt.Appendf(nil, "%d", kib<<10), 0o600); err != nil {
		panic(err)
	}
	return code
}

func init() {
	if to := os.Getenv("DFAPARSE_PEAK"); to != "" {
		os.Exit(peaked(to))
	}
}
