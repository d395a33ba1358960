package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/formats"
)

func Example() {
	dir, err := os.MkdirTemp("", "saved")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	found, err := formats.Find("../orders.dfp")
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, err := found.Compile(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	file := filepath.Join(dir, "orders.dfac")
	if err := os.WriteFile(file, spec.Program.Encode(), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	if err := run(file, "../orders.csv"); err != nil {
		fmt.Println(err)
	}
	// Output:
	// id uint64
	// ordered_at timestamp[us, tz=UTC]
	// customer utf8
	// status dictionary<values=utf8, indices=int32, ordered=false>
	// items uint16
	// price decimal(10, 2)
	// weight_kg float64
	// gift bool
	// note utf8
	// 5 rows
}

// TestNoCompiler holds the program to what it is an example of.
func TestNoCompiler(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, unwanted := range []string{"github.com/dfaparse/dfaparse/compile", "github.com/alecthomas/participle/v2"} {
		if strings.Contains(string(out), unwanted+"\n") {
			t.Errorf("the program imports %s", unwanted)
		}
	}
}
