//go:build cuda && linux

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeviceStream: a program in C reads an input to columns in the memory of a GPU.
func TestDeviceStream(t *testing.T) {
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	library, program := filepath.Join(dir, "libdfaparse.so"), filepath.Join(dir, "device")
	// As a wheel's is built (python/build.py), so that what one of them compiles serves the other.
	run("go", "build", "-tags", "cuda,netgo,osusergo", "-trimpath", "-ldflags=-s -w", "-buildmode=c-shared", "-o", library, ".")
	run("cc", "-O1", "-Wall", "-I", ".", "-o", program, "testdata/device.c", library, "-Wl,-rpath,"+dir, "-ldl")

	var in strings.Builder
	rows, sum, nbytes := 0, 0, 0
	in.WriteString("n,text\n")
	for i := range 3000 {
		text := strings.Repeat("é,\n", i%4)
		fmt.Fprintf(&in, "%d,\"%s\"\n", i*i, text)
		rows, sum, nbytes = rows+1, sum+i*i, nbytes+len(text)
	}
	path := filepath.Join(dir, "in.csv")
	if err := os.WriteFile(path, []byte(in.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(dir, "bad.csv")
	if err := os.WriteFile(bad, []byte(in.String()+"x,y\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	format, _ := json.Marshal(map[string]string{"spec": "format f extends csv { fields { n i64!  text str } }"})
	read := func(options map[string]any) string {
		text, _ := json.Marshal(options)
		return run(program, string(format), string(text))
	}
	want := fmt.Sprintf("+s n:l text:u\n%d rows, sum %d, %d bytes of text\n", rows, sum, nbytes)
	if got := read(map[string]any{"paths": []string{path}}); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got := read(map[string]any{"paths": []string{bad}, "on_error": "reject"}); got != want {
		t.Errorf("with a reject: %s, want %s", got, want)
	}
	if got := read(map[string]any{"paths": []string{bad}}); !strings.Contains(got, "error "+bad+":") {
		t.Errorf("with an error: %s", got)
	}
}
