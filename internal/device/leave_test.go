//go:build cuda

package device

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// leaving is set in the process that TestExit starts, to the code that it ends with.
const leaving = "DFAPARSE_TEST_LEAVING"

// TestExit: a process that has a device open ends with its code, and what it has written is
// there; its output is closed soon after, for who waits for that too.
func TestExit(t *testing.T) {
	var code int
	if n, _ := fmt.Sscan(os.Getenv(leaving), &code); n == 1 {
		if _, err := Open(0); err != nil {
			t.Fatal(err)
		}
		fmt.Println("the last word")
		Exit(code)
	}
	if d, err := Open(0); err != nil {
		t.Skipf("no device: %v", err)
	} else {
		defer d.Close()
	}
	for _, want := range []int{0, 3} {
		child := exec.Command(os.Args[0], "-test.run=^TestExit$")
		child.Env = append(os.Environ(), fmt.Sprintf("%s=%d", leaving, want))
		out, _ := child.CombinedOutput() // waits until nobody can write any more
		if got := child.ProcessState.ExitCode(); got != want || string(out) != "the last word\n" {
			t.Errorf("exit code %d, want %d, after %q", got, want, out)
		}
	}
}
