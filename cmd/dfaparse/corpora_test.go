package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// corpora is a folder of real data: $DFAPARSE_CORPORA, or ../shared/corpora
// beside the repository.
func corpora(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("DFAPARSE_CORPORA")
	if dir == "" {
		root, err := filepath.Abs(".")
		if err != nil {
			t.Fatal(err)
		}
		for root != filepath.Dir(root) {
			if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
				break
			}
			root = filepath.Dir(root)
		}
		dir = filepath.Join(root, "..", "shared", "corpora")
	}
	path := filepath.Join(dir, filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		t.Skipf("no corpora (set DFAPARSE_CORPORA): %v", err)
	}
	return path
}

// The log has 10,000 lines, of which number 8,899 is cut off in the agent.
func TestApacheLogs(t *testing.T) {
	path := corpora(t, "elastic/apache_logs")
	rejects := filepath.Join(t.TempDir(), "rejects.jsonl")
	cmd := dfaparse(t, "parse", "-f", "apache_combined", "--columns", "host,status", "--to", "csv", "--rejects", rejects, path)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitRejected {
		t.Fatalf("%v, %s", err, stderr.String())
	}
	if n := strings.Count(out.String(), "\n"); n != 10000 { // with the header
		t.Errorf("%d lines", n)
	}
	if !strings.Contains(stderr.String(), "1 record rejected; the first: "+path+":8899:") {
		t.Errorf("stderr %q", stderr.String())
	}
	b, err := os.ReadFile(rejects)
	if err != nil || bytes.Count(b, []byte{'\n'}) != 1 || !bytes.Contains(b, []byte(`"line":8899`)) {
		t.Errorf("rejects %q, %v", b, err)
	}
}
