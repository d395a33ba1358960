//go:build cuda

package device

import (
	"bytes"
	"errors"
	"math/rand"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// mapped is a file of n bytes in memory that may only be read.
func mapped(t *testing.T, n int) (path string, b []byte) {
	t.Helper()
	content := make([]byte, n)
	rand.New(rand.NewSource(1)).Read(content)
	path = filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, content, 0o600))
	f := must1[*os.File](t)(os.Open(path))
	defer f.Close()
	b = must1[[]byte](t)(syscall.Mmap(int(f.Fd()), 0, n, syscall.PROT_READ, syscall.MAP_SHARED))
	t.Cleanup(func() { must(t, syscall.Munmap(b)) })
	return path, b
}

// TestRegister: the device reads a file where it lies, and what it was when it was
// registered if it becomes shorter; what is shorter already cannot be registered.
func TestRegister(t *testing.T) {
	d := open(t)
	if err := d.CanRegister(); err != nil {
		t.Skip(err)
	}
	const n, half = 200_001, 128 << 10
	path, b := mapped(t, n)
	want := bytes.Clone(b)
	must(t, d.Register(b[:half]))
	if err := d.Register(b[:half]); err == nil {
		t.Error("it is registered twice")
	}
	if u := d.Usage(); u.Registered != half {
		t.Errorf("%d bytes are registered, want %d", u.Registered, half)
	}
	s, m := must1[*Stream](t)(d.NewStream()), must1[Memory](t)(d.Alloc(half))
	must(t, os.Truncate(path, 10))
	must(t, s.Upload(m.Address, b[:half]))
	got := make([]byte, half)
	must(t, s.Download(got, m.Address))
	must(t, s.Synchronize())
	if !bytes.Equal(got[4096:], want[4096:half]) { // of the last page the system clears what is behind the end
		t.Error("the device reads something else")
	}
	var failure *Error
	if err := d.Register(b[half:]); !errors.As(err, &failure) {
		t.Errorf("error %v", err)
	}
	must(t, d.Unregister(b[:half]))
	if err := d.Unregister(b[:half]); err == nil {
		t.Error("it is let go of twice")
	}
	must(t, d.FreeMemory(m))
	must(t, s.Close())
}

// TestUsage: what was in use at once counts, also what is not any more.
func TestUsage(t *testing.T) {
	d := open(t)
	before := d.Usage()
	for range 3 {
		a, b := must1[Memory](t)(d.Alloc(1<<20)), must1[Memory](t)(d.Alloc(2<<20))
		p := must1[[]byte](t)(d.AllocHost(3 << 20))
		must(t, d.FreeMemory(a))
		must(t, d.FreeMemory(b))
		must(t, d.FreeHost(p))
	}
	if u := d.Usage(); u.Device-before.Device != 3<<20 || u.Pinned < 3<<20 || u.Pinned > 4<<20 {
		t.Errorf("%+v, want 3 MiB", u)
	}
}
