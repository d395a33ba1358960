package kernels

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// ptx has, per stem, what "make kernels" compiles for the oldest architecture,
// and for newer ones where the machine code differs; and SOURCES.sha256 with what
// that was made of.
//
//go:embed ptx
var ptx embed.FS

// Module is the code of one source file.
type Module struct {
	Stem    string   // of the source file
	Arch    int      // the compute capability that its PTX is for, 90 for 9.0
	Entries []string // the kernels in it, sorted
}

// Modules gives the modules, one a stem and sorted by it, each with the PTX of
// the highest compute capability that is not above that of a device. There are
// none for devices that are older than all of them.
func Modules(capability int) []Module {
	var modules []Module
	files, _ := ptx.ReadDir("ptx") // sorted
	for _, f := range files {
		m, ok := parseName(f.Name())
		if !ok || m.Arch > capability {
			continue
		}
		m.Entries = entries[m.Stem]
		switch last := len(modules) - 1; {
		case last < 0 || modules[last].Stem != m.Stem:
			modules = append(modules, m)
		case modules[last].Arch < m.Arch:
			modules[last] = m
		}
	}
	return modules
}

// Has reports whether the module has a kernel.
func (m *Module) Has(kernel string) bool {
	_, ok := slices.BinarySearch(m.Entries, kernel)
	return ok
}

// Known reports whether some module has a kernel.
func Known(kernel string) bool {
	for _, names := range entries {
		if slices.Contains(names, kernel) {
			return true
		}
	}
	return false
}

// PTXName is the file of the module's PTX.
func (m *Module) PTXName() string { return fmt.Sprintf("%s.compute_%d.ptx", m.Stem, m.Arch) }

// PTX is the module's text, which a driver compiles for any device that is not
// older.
func (m *Module) PTX() string {
	text, _ := ptx.ReadFile("ptx/" + m.PTXName())
	return string(text)
}

// PTXHash is the SHA-256 of the text, as SOURCES.sha256 has it.
func (m *Module) PTXHash() string {
	hashes.Do(func() {
		hashes.of = map[string]string{}
		list, _ := ptx.ReadFile("ptx/SOURCES.sha256")
		for line := range strings.Lines(string(list)) {
			if f := strings.Fields(line); len(f) > 2 {
				hashes.of[f[2]] = f[0]
			}
		}
	})
	return hashes.of[m.PTXName()]
}

// hashes are those of the PTX, by names of files.
var hashes struct {
	sync.Once
	of map[string]string
}

// parseName takes STEM.compute_ARCH.ptx apart.
func parseName(name string) (Module, bool) {
	base, ok := strings.CutSuffix(name, ".ptx")
	stem, arch, ok2 := strings.Cut(base, ".compute_")
	n, err := strconv.Atoi(arch)
	return Module{Stem: stem, Arch: n}, ok && ok2 && err == nil
}
