package main

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestLivePipe: rows come out while the writer is silent, and who wants one row has it
// then; nobody has said the format.
func TestLivePipe(t *testing.T) {
	start := func(args ...string) (in io.WriteCloser, out *bufio.Reader, cmd *exec.Cmd) {
		cmd = dfaparse(t, args...)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }) // nothing comes
		return in, bufio.NewReader(stdout), cmd
	}
	for _, args := range [][]string{{"--to", "jsonl"}, {"parse", "-f", "csv", "--to", "jsonl", "-"}} {
		in, out, cmd := start(args...)
		for _, step := range []struct{ in, out string }{{"a,b\n1,x\n", `{"a":1,"b":"x"}`}, {"2,", ""}, {"y\n3,z\n", `{"a":2,"b":"y"}`}, {"", `{"a":3,"b":"z"}`}} {
			if _, err := io.WriteString(in, step.in); err != nil {
				t.Fatal(err)
			}
			if step.out == "" {
				continue
			}
			line, err := out.ReadString('\n')
			line = strings.NewReplacer(`"1"`, "1", `"2"`, "2", `"3"`, "3").Replace(strings.TrimSpace(line))
			if line != step.out || err != nil {
				t.Fatalf("%q: %q, %v; want %s", args, line, err, step.out)
			}
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	in, out, cmd := start("head", "-n", "1", "--to", "csv")
	if _, err := io.WriteString(in, "a,b\n1,x\n"); err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(out)
	if err != nil || string(all) != "a,b\n1,x\n" {
		t.Errorf("%q, %v", all, err)
	}
	if err := cmd.Wait(); err != nil { // the writer has not gone
		t.Error(err)
	}
	in.Close()
}
