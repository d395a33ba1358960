package kernels

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The host build tests itself: host/selftest has kernels, and a program that
// runs them through the driver that stands in. SANITIZE=1 in the environment
// runs it under the sanitizers.

func sanitized() bool { return os.Getenv("SANITIZE") != "" }

// selfTest builds the program and gives its path.
func selfTest(t *testing.T) string {
	t.Helper()
	if testing.Short() {
		t.Skip("the host build takes a while")
	}
	cxx := compiler(t)
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("no make")
	}
	// Read here, so that a result is not taken for that of other sources.
	for _, pattern := range []string{"*.cuh", "host/*.*", "host/driver/*", "host/selftest/*"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
	args := []string{"-s", "-C", "host", "selftest", "CXX=" + cxx, "SANITIZE=" + os.Getenv("SANITIZE")}
	if out, err := exec.Command("make", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	dir := "host/build"
	if sanitized() {
		dir += "/sanitize"
	}
	return filepath.Join(dir, "selftest", "main")
}

func run(program string, env []string, args ...string) (string, error) {
	cmd := exec.Command(program, args...)
	cmd.Env = append(append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0"), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestHostBuild runs every test in every order of threads.
func TestHostBuild(t *testing.T) {
	program := selfTest(t)
	names, err := run(program, nil, "--list")
	if err != nil || len(strings.Fields(names)) < 10 {
		t.Fatalf("%v\n%s", err, names)
	}
	for _, order := range []string{"forward", "reverse", "shuffled", "shuffled:2", "shuffled:3"} {
		for _, streams := range []string{"eager", "lazy"} {
			if out, err := run(program, []string{"DFAPARSE_HOST_ORDER=" + order, "DFAPARSE_HOST_STREAMS=" + streams}, strings.Fields(names)...); err != nil {
				t.Errorf("%s, %s: %v\n%s", order, streams, err, out)
			}
		}
	}
}

// TestHostBuildReports: faults of kernels end the process, with a report that
// says what and where.
func TestHostBuildReports(t *testing.T) {
	program := selfTest(t)
	for _, c := range []struct {
		test, want string
		sanitizer  bool // that reports it
	}{
		{test: "missed barrier", want: "threads 0 to 31 are at __syncthreads\n  threads 32 to 63 are at __syncthreads_count\n"},
		{test: "missed shuffle", want: "threads 3 to 3 are at __syncthreads"},
		{test: "stranger", want: "which it is not in"},
		{test: "spin", want: "a thread spins"},
		{test: "polite spin", want: "threads spin"},
		{test: "trap", want: "__trap\ndfaparse: in kernel dfa_test_trap, block (0,0,0) of (2,1,1), thread (9,0,0) of (64,1,1)"},
		{test: "beyond dynamic", want: "use-after-poison", sanitizer: true},
		{test: "beyond global", want: "heap-buffer-overflow", sanitizer: true},
		{test: "beyond fixed", want: "index 8 out of bounds", sanitizer: true},
		{test: "misaligned", want: "load of misaligned address", sanitizer: true},
		{test: "overflow", want: "signed integer overflow", sanitizer: true},
	} {
		if c.sanitizer && !sanitized() {
			continue
		}
		out, err := run(program, []string{"DFAPARSE_HOST_PATIENCE=1", "DFAPARSE_HOST_ORDER=forward"}, c.test)
		if err == nil || !strings.Contains(out, c.want) || !strings.Contains(out, "dfaparse: in kernel dfa_test_") {
			t.Errorf("%s: %v, without %q in\n%s", c.test, err, c.want, out)
		}
	}
}

// TestHostBuildShowsEarlyFrees: memory that a queue still needs is missed.
func TestHostBuildShowsEarlyFrees(t *testing.T) {
	out, err := run(selfTest(t), []string{"DFAPARSE_HOST_STREAMS=lazy"}, "freed early")
	if err == nil || !strings.Contains(out, "pinned memory is freed while") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestHostBuildShowsRaces: what depends on the order of threads differs.
func TestHostBuildShowsRaces(t *testing.T) {
	program := selfTest(t)
	seen := map[string]bool{}
	for _, order := range []string{"forward", "reverse", "shuffled"} {
		out, err := run(program, []string{"DFAPARSE_HOST_ORDER=" + order}, "race")
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		seen[out] = true
	}
	if len(seen) != 3 {
		t.Errorf("a race came out alike: %v", seen)
	}
}

// TestHostBuildFails: failures asked for by the environment come.
func TestHostBuildFails(t *testing.T) {
	program := selfTest(t)
	for kind, code := range map[string]int{"alloc": 2, "launch": 719, "copy": 700, "sync": 719} {
		out, err := run(program, []string{fmt.Sprintf("DFAPARSE_HOST_FAIL=%s:2+=%d", kind, code)}, "barriers")
		if err == nil || !strings.Contains(out, "not so") {
			t.Errorf("%s: %v\n%s", kind, err, out)
		}
	}
}
