//go:build cuda

package gpu

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
)

// TestIndexStatic: the shared memory that facts.go says the kernels of the index have
// is what they have in machine code.
func TestIndexStatic(t *testing.T) {
	x, n := kernels.Embedded(), 0
	for _, m := range kernels.Modules(120) {
		if m.Stem != "index" {
			continue
		}
		for _, arch := range x.Archs(&m) {
			code, err := x.Code(&m, arch)
			if err != nil {
				t.Fatal(err)
			}
			binary.LittleEndian.PutUint32(code[20:], 1) // a version of their own
			f, err := elf.NewFile(bytes.NewReader(code))
			if err != nil {
				t.Fatal(err)
			}
			for kernel, want := range map[string]int{"dfa_index": indexStatic, "dfa_index_large": indexLargeStatic} {
				s := f.Section(".nv.shared." + kernel)
				want = aligned(want)
				if arch >= 90 {
					want += 1 << 10 // that the system reserves
				}
				if s == nil || int(s.Size) != want {
					t.Errorf("for %d %s has the section %+v, want %d bytes", arch, kernel, s, want)
				}
			}
			n++
		}
	}
	if n == 0 {
		t.Skip("there is no machine code: make cubins")
	}
}

// TestStart: of a file of a row or two little is pinned, only the modules that it
// needs are loaded, and Start tells of both.
func TestStart(t *testing.T) {
	newBench(t)
	spec, err := gen.Spec("taxi")
	if err != nil {
		t.Fatal(err)
	}
	for _, registered := range []string{"0", "1"} {
		t.Setenv("DFAPARSE_HOST_REGISTERED", registered)
		e := New()
		if lines := e.Start(); lines != nil {
			t.Errorf("before anything was asked for: %q", lines)
		}
		e.Begin()
		e.Begin()
		if err := e.Ready(); err != nil {
			t.Fatal(err)
		}
		if _, stats, err := readRows(e, spec.Program, spec.Examples[0].Input); err != nil || stats.Rows == 0 {
			t.Fatalf("%+v, error %v", stats, err)
		}
		d, err := e.devices.get(0)
		if err != nil {
			t.Fatal(err)
		}
		s := d.Start()
		if most := 300 << 10; s.Pinned <= 0 || s.Pinned > most {
			t.Errorf("%d bytes are pinned, want %d at most", s.Pinned, most)
		}
		if all := len(kernels.Modules(75)); s.MachineCode+s.PTX >= all {
			t.Errorf("%d and %d modules are loaded, of %d", s.MachineCode, s.PTX, all)
		}
		text := strings.Join(e.Start(), "\n")
		for _, want := range []string{"driver ", "context ", "modules ", "pinned memory ", "MiB", "first rows "} {
			if !strings.Contains(text, want) {
				t.Errorf("%q says nothing of %q", text, want)
			}
		}
		t.Log(text)
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestBeginFails: a device that cannot be opened is an error for all who wait, and
// is tried again.
func TestBeginFails(t *testing.T) {
	newBench(t)
	e := New(WithDevice(99))
	e.Begin()
	for range 3 {
		if err := e.Ready(); err == nil || !strings.Contains(err.Error(), "cannot open device 99") {
			t.Errorf("error %v", err)
		}
	}
	if lines := e.Start(); lines != nil {
		t.Errorf("it has started: %q", lines)
	}
}
