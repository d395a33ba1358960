package kernels

import (
	"cmp"
	"embed"
	"slices"
	"strconv"
	"strings"
)

// ptx has, per stem, what "make kernels" compiles for the oldest architecture,
// and for newer ones where the machine code differs; and SOURCES.sha256 with what
// that was made of.
//
//go:embed ptx
var ptx embed.FS

// Module is the PTX of one source file.
type Module struct {
	Stem    string   // of the source file
	Arch    int      // the compute capability that it is for, 90 for 9.0
	Text    string   // PTX
	Entries []string // the kernels in it
}

// PTX gives the modules, one a stem and sorted by it, each for the highest
// compute capability that is not above arch. There are none for devices that
// are older than all of them.
func PTX(arch int) []Module {
	best := map[string]Module{}
	files, _ := ptx.ReadDir("ptx")
	for _, f := range files {
		m, ok := parseName(f.Name())
		if !ok || m.Arch > arch || m.Arch <= best[m.Stem].Arch {
			continue
		}
		text, err := ptx.ReadFile("ptx/" + f.Name())
		if err != nil {
			continue
		}
		m.Text = string(text)
		best[m.Stem] = m
	}
	modules := make([]Module, 0, len(best))
	for _, m := range best {
		m.Entries = entries(m.Text)
		modules = append(modules, m)
	}
	slices.SortFunc(modules, func(a, b Module) int { return cmp.Compare(a.Stem, b.Stem) })
	return modules
}

// parseName takes STEM.compute_ARCH.ptx apart.
func parseName(name string) (Module, bool) {
	base, ok := strings.CutSuffix(name, ".ptx")
	stem, arch, ok2 := strings.Cut(base, ".compute_")
	n, err := strconv.Atoi(arch)
	return Module{Stem: stem, Arch: n}, ok && ok2 && err == nil
}

// entries are the names after .entry, which a parenthesis follows.
func entries(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if _, rest, ok := strings.Cut(line, ".entry "); ok {
			name, _, _ := strings.Cut(strings.TrimSpace(rest), "(")
			names = append(names, name)
		}
	}
	return names
}
