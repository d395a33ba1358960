package kernels

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestRuns: a device runs machine code of its own generation that is not newer.
func TestRuns(t *testing.T) {
	all := []int{75, 80, 86, 89, 90, 100, 120}
	for _, c := range []struct {
		capability int
		archs      []int
		want       int // 0: none
	}{
		{75, all, 75}, {80, all, 80}, {86, all, 86}, {87, all, 86}, {89, all, 89}, {90, all, 90},
		{100, all, 100}, {103, all, 100}, {120, all, 120}, {121, all, 120},
		{70, all, 0}, {72, all, 0}, {110, all, 0}, {130, all, 0}, {0, all, 0},
		{89, []int{89, 86, 80}, 89}, {89, []int{80, 90}, 80}, {80, []int{86, 89}, 0}, {90, []int{89, 100}, 0}, {90, nil, 0},
	} {
		arch, ok := Runs(c.capability, c.archs)
		if arch != c.want || ok != (c.want != 0) {
			t.Errorf("of %v a device of %d runs %d, %v, want %d", c.archs, c.capability, arch, ok, c.want)
		}
	}
}

// folder is a folder of machine code in memory.
type folder map[string][]byte

func (f folder) read(name string) ([]byte, error) {
	if b, ok := f[name]; ok {
		return b, nil
	}
	return nil, fmt.Errorf("%s: %w", name, fs.ErrNotExist)
}

// TestCubinsAreOfThePTX: machine code is taken if it was made of the PTX that there
// is, for the devices that get this PTX; and what is damaged is noticed.
func TestCubinsAreOfThePTX(t *testing.T) {
	code := []byte(strings.Repeat("machine code ", 100))
	newer := slices.IndexFunc(Modules(90), func(m Module) bool { return m.Arch == 90 })
	old, m := Modules(80)[newer], Modules(90)[newer]
	packed, err := Pack(code)
	if err != nil {
		t.Fatal(err)
	}
	f := folder{CubinName(m.Stem, 90): packed, CubinName(m.Stem, 80): packed}
	line := func(m *Module, hash string, arch int) string {
		return fmt.Sprintf("%s %s %s\n", hash, m.PTXName(), CubinName(m.Stem, arch))
	}
	for _, c := range []struct {
		what, list string
		of80, of90 []int
	}{
		{"no list", "", nil, nil},
		{"both", "# an assembler\n" + line(&old, old.PTXHash(), 80) + line(&m, m.PTXHash(), 90), []int{80}, []int{90}},
		{"of other PTX", line(&old, m.PTXHash(), 80) + line(&m, old.PTXHash(), 90), nil, nil},
		{"of the PTX of older devices", line(&old, old.PTXHash(), 90), []int{90}, nil},
		{"cut off", line(&old, old.PTXHash(), 80) + line(&m, m.PTXHash(), 90)[:100], []int{80}, nil},
	} {
		f[ListName] = []byte(c.list)
		x := NewCubins(f.read)
		if of80, of90 := x.Archs(&old), x.Archs(&m); !slices.Equal(of80, c.of80) || !slices.Equal(of90, c.of90) {
			t.Errorf("%s: %v and %v, want %v and %v", c.what, of80, of90, c.of80, c.of90)
		}
	}
	x := NewCubins(f.read)
	if got, err := x.Code(&m, 90); err != nil || string(got) != string(code) {
		t.Errorf("%d bytes of code, error %v", len(got), err)
	}
	for i := range packed {
		f[CubinName(m.Stem, 90)] = slices.Concat(packed[:i], []byte{packed[i] ^ 0x10}, packed[i+1:])
		if got, err := x.Code(&m, 90); err == nil && string(got) != string(code) {
			t.Errorf("byte %d is another, and nobody notices", i)
		}
		f[CubinName(m.Stem, 90)] = packed[:i]
		if _, err := x.Code(&m, 90); err == nil && i > 0 {
			t.Errorf("%d bytes of %d will do", i, len(packed))
		}
	}
	delete(f, CubinName(m.Stem, 90))
	if _, err := x.Code(&m, 90); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestCubins: the machine code that is embedded has every kernel, for all devices
// that there is any for.
func TestCubins(t *testing.T) {
	x := Embedded()
	archs := map[int]int{}
	nbytes := 0
	for _, found := range x.made {
		for _, one := range found {
			archs[one.arch]++
		}
	}
	if len(archs) == 0 {
		t.Skip("there is no machine code: make cubins")
	}
	for arch := range archs {
		for _, m := range Modules(arch) {
			if !slices.Contains(x.Archs(&m), arch) {
				t.Errorf("%s has no machine code for %d of its PTX: run make cubins", m.Stem, arch)
				continue
			}
			code, err := x.Code(&m, arch)
			if err != nil {
				t.Error(err)
				continue
			}
			nbytes += len(code)
			names, err := KernelsIn(code)
			slices.Sort(names)
			for _, name := range m.Entries {
				if _, ok := slices.BinarySearch(names, name); !ok || err != nil {
					t.Errorf("%s lacks %s: it has %v, error %v", CubinName(m.Stem, arch), name, names, err)
				}
			}
		}
	}
	t.Logf("for %v, %d bytes", slices.Sorted(maps.Keys(archs)), nbytes)
}
