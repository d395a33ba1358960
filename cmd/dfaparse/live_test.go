package main

import (
	"bufio"
	"io"
	"os/exec"
	"slices"
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
	for _, args := range [][]string{
		{"--to", "jsonl"}, {"parse", "-f", "csv", "--to", "jsonl", "-"}, {"--to", "csv"}, {"parse", "-f", "csv", "--to", "tsv", "-"},
	} {
		in, out, cmd := start(args...)
		type step struct{ in, out string }
		steps := []step{{"a,b\n1,x\n", `{"a":1,"b":"x"}`}, {"2,", ""}, {"y\n3,z\n", `{"a":2,"b":"y"}`}, {"", `{"a":3,"b":"z"}`}}
		if !slices.Contains(args, "jsonl") {
			steps = []step{{"a,b\n1,x\n", "a,b"}, {"", "1,x"}, {"2,", ""}, {"y\n3,z\n", "2,y"}, {"", "3,z"}}
		}
		for _, step := range steps {
			if _, err := io.WriteString(in, step.in); err != nil {
				t.Fatal(err)
			}
			if step.out == "" {
				continue
			}
			line, err := out.ReadString('\n')
			line = strings.NewReplacer("\t", ",", `"1"`, "1", `"2"`, "2", `"3"`, "3").Replace(strings.TrimSpace(line))
			if line != step.out || err != nil {
				t.Fatalf("%q: %q, %v; want %s", args, line, err, step.out)
			}
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	for _, format := range [][]string{nil, {"-f", "csv"}} {
		for to, want := range map[string]string{"csv": "a,b\n1,x\n", "tsv": "a\tb\n1\tx\n", "jsonl": `{"a":1,"b":"x"}` + "\n", "table": "(1 row)\n"} {
			in, out, cmd := start(append([]string{"head", "-n", "1", "--to", to}, format...)...)
			if _, err := io.WriteString(in, "a,b\n1,x\n"); err != nil {
				t.Fatal(err)
			}
			all, err := io.ReadAll(out)
			if got := strings.ReplaceAll(string(all), `"1"`, "1"); err != nil || !strings.HasSuffix(got, want) || to != "table" && got != want {
				t.Errorf("%s, %q: %q, %v", to, format, all, err)
			}
			if err := cmd.Wait(); err != nil { // the writer has not gone
				t.Error(err)
			}
			in.Close()
		}
	}
}
