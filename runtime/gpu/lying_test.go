//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// smallPieces has files registered in pieces of 64 KiB, however small they are.
func smallPieces(t *testing.T) {
	newBench(t)
	piece, least := filePiece, leastFile
	t.Cleanup(func() { filePiece, leastFile = piece, least })
	filePiece, leastFile = 64<<10, 1
}

// taxiFile is a file of taxi of about so many bytes, with a row now and then that the device
// leaves.
func taxiFile(t *testing.T, nbytes int) (path string, p *dfa.Program) {
	t.Helper()
	spec, err := gen.Spec("taxi")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(spec.Examples[0].Input, "\n")
	lines = lines[:len(lines)-1]
	header := ""
	if spec.Program.Header.Mode != dfa.NoHeader {
		header, lines = lines[0], lines[1:]
	}
	var in strings.Builder
	in.WriteString(header)
	for i := 0; in.Len() < nbytes; i++ {
		in.WriteString(lines[i%len(lines)])
	}
	path = filepath.Join(t.TempDir(), "taxi.csv")
	if err := os.WriteFile(path, []byte(in.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path, spec.Program
}

// readFileRows reads a file: its records as they print.
func readFileRows(t *testing.T, e runtime.Engine, p *dfa.Program, path string, opts ...runtime.Option) string {
	t.Helper()
	r, err := runtime.ReadFile(path, p, append([]runtime.Option{runtime.WithEngine(e), runtime.WithThreads(4), runtime.WithBatchSize(1000)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var rows strings.Builder
	for r.Next() {
		fmt.Fprintln(&rows, r.Record())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return rows.String()
}

// refusing skips a test on a real GPU, which nobody can tell what it has to refuse.
func refusing(t *testing.T) {
	t.Helper()
	if infos, err := device.Devices(); err != nil || len(infos) == 0 || infos[0].Name != "dfaparse host build" {
		t.Skip("this is not the host build, which refuses what it is told to")
	}
}

// TestFileLies: the device reads a file where it lies, to its last byte, and lets go of
// it; where the driver does not take it, it is copied. The rows are the same.
func TestFileLies(t *testing.T) {
	refusing(t)
	smallPieces(t)
	path, p := taxiFile(t, 700_000)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	want := readFileRows(t, cpu.Engine, p, path)
	for _, c := range []struct{ variable, value, why string }{
		{"DFAPARSE_HOST_READONLY", "1", ""},
		{"DFAPARSE_HOST_READONLY", "0", "may only be read"},
		{"DFAPARSE_HOST_REFUSE", "readonly", "cannot register"},
	} {
		t.Run(c.variable+"="+c.value, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			e := New(WithFlight(50_000), WithHeldFiles())
			for range 2 { // what the first one had registered would be in the way of the second
				if got := readFileRows(t, e, p, path, runtime.WithPartitionSize(150_000)); got != want {
					t.Fatal("other rows than those of the CPU")
				}
				if n := len(e.devices.files); n != 0 {
					t.Errorf("%d files are in use", n)
				}
			}
			lay, copied := e.devices.lay.Load(), e.devices.copied.Load()
			if c.why == "" {
				if lay < 2*info.Size()-1000 || copied != 0 || e.devices.refused != nil {
					t.Errorf("%d bytes were read where they lay, %d copied, because %v", lay, copied, e.devices.refused)
				}
			} else if lay != 0 || copied < 2*info.Size()-1000 || !strings.Contains(fmt.Sprint(e.devices.refused), c.why) {
				t.Errorf("%d bytes were read where they lay, %d copied, because %v", lay, copied, e.devices.refused)
			}
			d, err := e.devices.get(0)
			if err != nil {
				t.Fatal(err)
			}
			most := (fileIdle + (ahead(4)+1)*(fileAhead+4)) * filePiece
			if u := d.Usage(); (u.Registered > 0) != (c.why == "") || u.Registered > most {
				t.Errorf("%d bytes were registered at once, want %d at most", u.Registered, most)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestRefusedLater: where the driver takes no more of a file, the rest is copied.
func TestRefusedLater(t *testing.T) {
	refusing(t)
	smallPieces(t)
	path, p := taxiFile(t, 900_000)
	want := readFileRows(t, cpu.Engine, p, path)
	t.Setenv("DFAPARSE_HOST_REFUSE", "nothing")
	e := New(WithFlight(50_000), WithHeldFiles())
	r, err := runtime.ReadFile(path, p, runtime.WithEngine(e), runtime.WithThreads(4), runtime.WithBatchSize(1000), runtime.WithPartitionSize(60_000))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var rows strings.Builder
	for r.Next() {
		fmt.Fprintln(&rows, r.Record())
		os.Setenv("DFAPARSE_HOST_REFUSE", "readonly")
	}
	if r.Err() != nil || rows.String() != want {
		t.Errorf("other rows than those of the CPU, or error %v", r.Err())
	}
	if lay, copied := e.devices.lay.Load(), e.devices.copied.Load(); lay == 0 || copied == 0 || e.devices.refused == nil {
		t.Errorf("%d bytes were read where they lay, %d copied", lay, copied)
	}
}

// TestFileShrinks: a file that is cut while the device reads it is an error, not the end
// of the process, where it is read from where it lies and where it is copied.
func TestFileShrinks(t *testing.T) {
	smallPieces(t)
	for _, refuse := range []string{"nothing", "readonly"} {
		for _, partition := range []int{60_000, 500_000} {
			t.Setenv("DFAPARSE_HOST_REFUSE", refuse)
			path, p := taxiFile(t, 900_000)
			r, err := runtime.ReadFile(path, p, runtime.WithEngine(New(WithFlight(50_000), WithHeldFiles())), runtime.WithThreads(4), runtime.WithBatchSize(100), runtime.WithPartitionSize(partition))
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
				t.Errorf("registering refuses %s, partitions of %d: %d rows, %v", refuse, partition, r.Stats().Rows, err)
			}
			r.Release()
		}
	}
}

// countedFile is a file, and how much of it was read.
type countedFile struct {
	*os.File
	n atomic.Int64
}

func (f *countedFile) ReadAt(p []byte, at int64) (int, error) {
	n, err := f.File.ReadAt(p, at)
	f.n.Add(int64(n))
	return n, err
}

// TestCopyIn: a file is read by offsets, and its pages in memory are not, where somebody has
// the file; bytes that nobody can give any more are an error for all who copy.
func TestCopyIn(t *testing.T) {
	const size = 8 << 20
	f, err := os.Create(filepath.Join(t.TempDir(), "shrinks"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	want := make([]byte, size)
	for i := range want {
		want[i] = byte(i >> 8)
	}
	if _, err := f.Write(want); err != nil {
		t.Fatal(err)
	}
	in, err := syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(in)
	file := &countedFile{File: f}
	mapped := &parser{cfg: runtime.Config{Threads: 4, Mapped: in}}
	read := &parser{cfg: runtime.Config{Threads: 4, Mapped: in, File: file}}
	to := make([]byte, size)
	for _, p := range []*parser{mapped, read} {
		for _, part := range [][2]int{{0, size}, {777, size - 5}, {5000, 5001}, {9, 9}} {
			clear(to)
			n := file.n.Load()
			if err := p.copyIn(to[:part[1]-part[0]], in[part[0]:part[1]], 0); err != nil || !bytes.Equal(to[:part[1]-part[0]], want[part[0]:part[1]]) {
				t.Error(part, err)
			}
			if n = file.n.Load() - n; p == read && n != int64(part[1]-part[0]) {
				t.Errorf("%d bytes were read of the file", n)
			}
		}
		if err := p.copyIn(to, want, 0); err != nil || !bytes.Equal(to, want) { // memory that is not the file's
			t.Error(err)
		}
	}
	if err := f.Truncate(size / 2); err != nil {
		t.Fatal(err)
	}
	for _, p := range []*parser{mapped, read} {
		if err := p.copyIn(to, in, 0); err == nil || !strings.Contains(err.Error(), "cannot be read") {
			t.Errorf("error %v", err)
		}
	}
}

// TestPinnedInput: of an input that is pinned nothing is copied on the host, and the rows are
// the same; of a file it says nothing.
func TestPinnedInput(t *testing.T) {
	path, p := taxiFile(t, 300_000)
	want := readFileRows(t, cpu.Engine, p, path)
	newBench(t)
	e := New(WithFlight(50_000), WithPinnedInput())
	d, err := e.devices.get(0)
	if err != nil {
		t.Fatal(err)
	}
	in, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := d.AllocHost(len(in))
	if err != nil {
		t.Fatal(err)
	}
	defer d.FreeHost(pinned)
	copy(pinned, in)
	r, err := runtime.ReadBytes(pinned, p, runtime.WithEngine(e), runtime.WithThreads(4), runtime.WithBatchSize(1000), runtime.WithPartitionSize(70_000))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	var rows strings.Builder
	for r.Next() {
		fmt.Fprintln(&rows, r.Record())
	}
	if n := e.devices.copied.Load(); r.Err() != nil || rows.String() != want || n != 0 {
		t.Errorf("other rows than those of the CPU, or %d bytes were copied, or error %v", n, r.Err())
	}
	if got := readFileRows(t, e, p, path); got != want || e.devices.copied.Load() == 0 {
		t.Errorf("of a file: other rows, or %d bytes were copied", e.devices.copied.Load())
	}
}

// TestFileIsRead: what reads a file that is mapped gives it to who copies it.
func TestFileIsRead(t *testing.T) {
	path, p := taxiFile(t, 300_000)
	want := readFileRows(t, cpu.Engine, p, path)
	newBench(t)
	e := &configured{Engine: New(WithFlight(50_000))}
	if got := readFileRows(t, e, p, path); got != want || e.cfg.File == nil || len(e.cfg.Mapped) == 0 {
		t.Errorf("other rows than those of the CPU, or no file: %v", e.cfg.File)
	}
}

// configured keeps the Config that it was opened with.
type configured struct {
	*Engine
	cfg runtime.Config
}

func (e *configured) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	e.cfg = cfg
	return e.Engine.Open(plan, cfg)
}

// readPartitions reads all of a file, in partitions of a size, and gives the device that has read it.
func readPartitions(t *testing.T, e *Engine, path string, p *dfa.Program, size int) *device.Device {
	t.Helper()
	r, err := runtime.ReadFile(path, p, runtime.WithEngine(e), runtime.WithThreads(4), runtime.WithReuse(), runtime.WithPartitionSize(size))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	d, err := e.devices.get(0)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestMemoryBounded: how much memory is in use at once does not depend on how long an input
// is, and Memory tells of all of it.
func TestMemoryBounded(t *testing.T) {
	smallPieces(t)
	var most []string
	var usage []device.Usage
	for _, n := range []int{600_000, 9_600_000} {
		path, p := taxiFile(t, n)
		e := New(WithFlight(40_000), WithHeldFiles())
		d := readPartitions(t, e, path, p, 80_000)
		text := e.Memory()
		if len(text) != 2 || !strings.Contains(text[0], " GiB; of the host's ") || !strings.Contains(text[1], "in the page cache, 0 were copied") {
			t.Errorf("%q", text)
		}
		most, usage = append(most, text...), append(usage, d.Usage())
		if now := e.devices.columns.Now(); now != 0 {
			t.Errorf("%d bytes are in use after all", now)
		}
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
	// How far partitions run ahead is a matter of luck, up to 20 of them or so.
	if a, b := usage[0], usage[1]; b.Device > 2*a.Device || b.Pinned > 3<<20 || b.Registered > 3<<20 {
		t.Errorf("of an input of 16 times the length: %q", most)
	}
	t.Logf("%q", most)
}
