package main

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"
)

// The reader of our output goes away: nobody wants to hear about it.
func TestClosedPipeIsQuiet(t *testing.T) {
	for _, args := range [][]string{
		{"gen", "taxi", "--size", "64MiB"},
		{"parse", "-f", "csv", "-"},
	} {
		cmd := dfaparse(t, args...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		cmd.Stdin = io.LimitReader(endless("a,b\n1,2\n"), 64<<20)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 10)); err != nil {
			t.Fatal(err)
		}
		out.Close()
		err = cmd.Wait()
		if cmd.ProcessState.ExitCode() != 0 || stderr.Len() > 0 {
			t.Errorf("%q: %v, stderr %q", args, err, stderr.String())
		}
	}
}

// endless is text over and over.
type endless string

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n+len(e) <= len(p) {
		n += copy(p[n:], e)
	}
	return n, nil
}

// An interrupt, and what else asks a process to end, ends a run that waits for
// its input, and leaves nothing.
func TestInterruptLeavesNothing(t *testing.T) {
	if onWindows {
		t.Skip("there is no way to send an interrupt")
	}
	for _, sent := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if sent == syscall.SIGHUP && signal.Ignored(sent) { // nohup: what is started here goes on too
			continue
		}
		dir := t.TempDir()
		cmd := dfaparse(t, "parse", "-f", "csv", "-o", filepath.Join(dir, "out.parquet"), "--rejects", filepath.Join(dir, "bad.jsonl"), "-")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Write([]byte("a,b\n1,2\n")); err != nil {
			t.Fatal(err)
		}
		for range 6000 { // until the rejects are begun
			if found, _ := filepath.Glob(filepath.Join(dir, ".*")); len(found) > 0 {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err := cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		select {
		case <-done:
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			t.Fatalf("%v: still running after a minute", sent)
		}
		if code := cmd.ProcessState.ExitCode(); code != exitSignal+int(sent) || !strings.Contains(stderr.String(), "interrupted") {
			t.Errorf("%v: exit code %d, stderr %q", sent, code, stderr.String())
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) > 0 {
			t.Errorf("%v: left %v, %v", sent, entries, err)
		}
	}
}

// bzip2 of "a,b\n1,2\n": the standard library only reads it.
const bzip2Sample = "QlpoOTFBWSZTWb+HQH8AAANZAAAQAAQwADAAIAAwwAhpsogjJ4u5IpwoSF/DoD+A"

// compressed is text in every compression, by extension; of bzip2 a text of its own.
func compressed(t *testing.T, text string) map[string][]byte {
	t.Helper()
	samples := map[string][]byte{}
	for name, open := range map[string]func(io.Writer) (io.WriteCloser, error){
		"gz":  func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
		"zst": func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w) },
		"xz":  func(w io.Writer) (io.WriteCloser, error) { return xz.NewWriter(w) },
		"lz4": func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil },
	} {
		var b bytes.Buffer
		w, err := open(&b)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		samples[name] = b.Bytes()
	}
	bz, err := base64.StdEncoding.DecodeString(bzip2Sample)
	if err != nil {
		t.Fatal(err)
	}
	samples["bz2"] = bz
	return samples
}

func TestDecompression(t *testing.T) {
	const text = "a,b\n1,2\n"
	samples := compressed(t, text)
	samples["plain"] = []byte(text)
	dir := t.TempDir()
	for name, data := range samples {
		for _, file := range []string{"x.csv." + name, "x.csv"} { // known by its first bytes
			if name == "plain" {
				file = "x.csv"
			}
			path := filepath.Join(dir, file)
			if err := os.WriteFile(path, data, 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := dfaparse(t, "parse", "-f", "csv", "--to", "csv", path).CombinedOutput()
			if err != nil || string(out) != text {
				t.Errorf("%s as %s: %q, %v", name, file, out, err)
			}
			cmd := dfaparse(t, "parse", "-f", "csv", "--to", "csv", "-")
			cmd.Stdin = io.MultiReader(bytes.NewReader(data[:3]), bytes.NewReader(data[3:])) // a pipe
			if out, err = cmd.CombinedOutput(); err != nil || string(out) != text {
				t.Errorf("%s through a pipe: %q, %v", name, out, err)
			}
		}
		if name == "plain" {
			continue
		}
		path := filepath.Join(dir, "cut.csv."+name)
		if err := os.WriteFile(path, data[:len(data)-6], 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := dfaparse(t, "parse", "-o", filepath.Join(dir, "cut.jsonl"), path).CombinedOutput(); err == nil {
			t.Errorf("%s, cut: %q", name, out)
		}
		if _, err := os.Stat(filepath.Join(dir, "cut.jsonl")); err == nil {
			t.Errorf("%s, cut: there is an output", name)
		}
	}
	behind := string(samples["lz4"])
	for name, c := range map[string]struct{ text, want string }{
		"no.csv.gz":      {text, "the extension says gzip, but it is not"},
		"no.csv.lz4":     {text, "the extension says lz4, but it is not"},
		"delta.csv.xz":   {"\xfd\x37\x7a\x58\x5a\x00\x00\x04\xe6\xd6\xb4\x46\x02\x01\x03\x01\x00\x21\x01\x0c\x03\xd9\xa6\x13\x01\x00\x01\x61\xa9\x00\x00\x00\x13\x47\x3f\xb8\x93\x9d\x45\xd4\x00\x01\x1a\x02\xdc\x2e\xa5\x7e\x1f\xb6\xf3\x7d\x01\x00\x00\x00\x00\x04\x59\x5a", `it is xz with a filter before its compression (xz --x86, --delta), which is not read; decompress it first ("xz -dc")`},
		"legacy.csv.lz4": {"\x02\x21\x4c\x18\x09\x00\x00\x00\x80a,b\n1,2\n", "it is lz4 in its legacy frame (lz4 -l), which is not read; decompress it first"},
		"behind.csv.lz4": {behind + "\x02\x21\x4c\x18\x09\x00\x00\x00\x80a,b\n1,2\n", fmt.Sprintf("from byte %d on it is lz4 in its legacy frame (lz4 -l), which is not read; decompress it first", len(behind))},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, _ := dfaparse(t, "parse", path).CombinedOutput(); !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %q", name, out)
		}
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]size{
		"0": 0, "4096": 4096, "64KiB": 64 << 10, "10MB": 1e7, "1GiB": 1 << 30, "1g": 1 << 30, "1.5K": 1536, "2 TiB": 2 << 40, "7b": 7,
	} {
		var s size
		if err := s.Set(text); err != nil || s != want {
			t.Errorf("%q: %d, %v, want %d", text, int64(s), err, int64(want))
		}
		var again size
		if err := again.Set(s.String()); err != nil || again != s {
			t.Errorf("%q: %s reads as %d, %v", text, s.String(), int64(again), err)
		}
	}
	for _, text := range []string{"", "x", "-1", "1e3", "1/2", "10XB", "9999999TiB", "0x10", "1 000"} {
		var s size
		if err := s.Set(text); err == nil {
			t.Errorf("%q: %d", text, int64(s))
		}
	}
}

// A compressed file can be read twice, so that columns that a later directive
// names are there from the first row on.
func TestCompressedDirectives(t *testing.T) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, "#Fields: a b\n1 2\n#Fields: a z\n5 6\n"); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "web.log.gz")
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := dfaparse(t, "parse", "-f", "w3c", "--to", "csv", path).CombinedOutput()
	if want := "a,b,z\n1,2,\n5,,6\n"; err != nil || string(out) != want {
		t.Errorf("%q, %v, want %q", out, err, want)
	}
}
