package kernels

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// names of the PTX that is checked in, by stem, and by architecture, the oldest
// first.
func names(t *testing.T) map[string][]Module {
	t.Helper()
	files, err := ptx.ReadDir("ptx")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string][]Module{}
	for _, f := range files {
		if m, ok := parseName(f.Name()); ok {
			of[m.Stem] = append(of[m.Stem], m)
		}
	}
	for _, all := range of {
		slices.SortFunc(all, func(a, b Module) int { return a.Arch - b.Arch })
	}
	return of
}

var includes = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]+"([^"]+)"`)

// sources are a file and all that it includes, but the host build, sorted.
func sources(t *testing.T, file string) []string {
	t.Helper()
	var found []string
	for todo := []string{file}; len(todo) > 0; todo = todo[1:] {
		name := todo[0]
		if slices.Contains(found, name) || strings.HasPrefix(name, "host/") {
			continue
		}
		found = append(found, name)
		text, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range includes.FindAllStringSubmatch(string(text), -1) {
			include := path.Join(path.Dir(name), m[1])
			if _, err := os.Stat(filepath.FromSlash(include)); err != nil {
				include = m[1]
			}
			todo = append(todo, include)
		}
	}
	slices.Sort(found)
	return found
}

// TestSources: the PTX that is checked in was made of the sources that are.
func TestSources(t *testing.T) {
	list, err := ptx.ReadFile("ptx/SOURCES.sha256")
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	for line := range strings.Lines(string(list)) {
		f := strings.Fields(line)
		if len(f) < 4 {
			t.Fatalf("SOURCES.sha256 has the line %q", line)
		}
		listed[f[2]] = f
	}
	of := names(t)
	stems, err := filepath.Glob("*.cu")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range stems {
		files := sources(t, file)
		hash := sha256.New()
		for _, name := range files {
			text, err := os.ReadFile(filepath.FromSlash(name))
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(hash, "%s %d\n%s", name, len(text), text)
		}
		stem := strings.TrimSuffix(file, ".cu")
		if len(of[stem]) == 0 {
			t.Errorf("there is no PTX of %s: run make kernels", file)
		}
		for _, m := range of[stem] {
			name := fmt.Sprintf("%s.compute_%d.ptx", stem, m.Arch)
			line := listed[name]
			delete(listed, name)
			text, err := ptx.ReadFile("ptx/" + name)
			switch {
			case line == nil || err != nil:
				t.Errorf("%s is not listed: run make kernels", name)
			case line[0] != fmt.Sprintf("%x", sha256.Sum256(text)):
				t.Errorf("%s is not what was compiled: run make kernels", name)
			case line[1] != fmt.Sprintf("%x", hash.Sum(nil)) || !slices.Equal(line[3:], files):
				t.Errorf("%s was not made of what is in %s: run make kernels", name, strings.Join(files, ", "))
			}
		}
	}
	for name := range listed {
		t.Errorf("%s is listed, and is not there or has no source: run make kernels", name)
	}
}

var entry = regexp.MustCompile(`(?m)\.entry (\w+)\(`)

// TestPTX: every stem has PTX for the oldest devices, with the entries that are
// listed of its source;
// a device gets the newest that it can run; no name of an entry is in two stems.
func TestPTX(t *testing.T) {
	of := names(t)
	oldest, newest := 1<<30, 0
	for _, all := range of {
		oldest, newest = min(oldest, all[0].Arch), max(newest, all[len(all)-1].Arch)
	}
	if n := len(Modules(oldest - 1)); n != 0 {
		t.Errorf("%d modules for a device that is too old", n)
	}
	stem := map[string]string{} // of an entry
	for arch := oldest; arch <= newest+9; arch++ {
		modules := Modules(arch)
		if len(modules) != len(of) {
			t.Errorf("for %d: %d modules of %d stems", arch, len(modules), len(of))
		}
		for _, m := range modules {
			want := 0
			for _, one := range of[m.Stem] {
				if one.Arch <= arch {
					want = one.Arch
				}
			}
			if m.Arch != want || len(m.Entries) == 0 {
				t.Errorf("for %d: %s of %d with entries %v, want that of %d", arch, m.Stem, m.Arch, m.Entries, want)
			}
			text := m.PTX()
			if !strings.Contains(text, "\n.version 8.0\n") {
				t.Errorf("%s for %d is not PTX 8.0, which every driver of CUDA 12 reads", m.Stem, arch)
			}
			if target := fmt.Sprintf(".target sm_%d\n", m.Arch); !strings.Contains(text, target) {
				t.Errorf("%s for %d has no %s", m.Stem, arch, target)
			}
			var has []string
			for _, found := range entry.FindAllStringSubmatch(text, -1) {
				has = append(has, found[1])
			}
			slices.Sort(has)
			if !slices.Equal(m.Entries, has) {
				t.Errorf("%s has %v for %d, and the list %v: run make generate", m.Stem, has, m.Arch, m.Entries)
			}
			for _, e := range m.Entries {
				if !strings.HasPrefix(e, "dfa_") || stem[e] != "" && stem[e] != m.Stem {
					t.Errorf("%s has the entry %s, and %s", m.Stem, e, stem[e])
				}
				stem[e] = m.Stem
			}
		}
	}
}

var (
	registers = regexp.MustCompile(`%[a-z]+\d+`)
	labels    = regexp.MustCompile(`\$L_[A-Za-z_0-9]+`)
)

// instructions of PTX, without what says nothing of the machine code: the
// numbers of registers and labels, comments, directives and variables. What
// .minnctapersm and its like say of an entry counts.
func instructions(text string) []string {
	var all []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		directive := strings.HasPrefix(line, ".") && !strings.HasPrefix(line, ".m") && !strings.HasPrefix(line, ".reqntid")
		if line == "" || directive || strings.HasPrefix(line, "//") {
			continue
		}
		all = append(all, labels.ReplaceAllString(registers.ReplaceAllString(line, "%"), "$"))
	}
	return all
}

// TestVariants: PTX for a newer architecture is there only where it is other
// code than that for the older one, and wherever the sources ask for the
// architecture.
func TestVariants(t *testing.T) {
	asks := regexp.MustCompile(`(?m)^[ \t]*#.*__CUDA_ARCH__`)
	for stem, all := range names(t) {
		var before []string
		for i := range all {
			text, err := ptx.ReadFile(fmt.Sprintf("ptx/%s.compute_%d.ptx", stem, all[i].Arch))
			if err != nil {
				t.Fatal(err)
			}
			now := instructions(string(text))
			if slices.Equal(before, now) {
				t.Errorf("%s.compute_%d.ptx has the instructions of compute_%d: run make kernels", stem, all[i].Arch, all[i-1].Arch)
			}
			before = now
		}
		for _, file := range sources(t, stem+".cu") {
			text, err := os.ReadFile(filepath.FromSlash(file))
			if err != nil {
				t.Fatal(err)
			}
			if asks.Match(text) && len(all) == 1 {
				t.Errorf("%s asks for the architecture, and there is one PTX of %s.cu: run make kernels", file, stem)
			}
		}
	}
}

// TestPTXSpeaksOfNoMachine: PTX has no paths, so that it is the same wherever it
// is compiled.
func TestPTXSpeaksOfNoMachine(t *testing.T) {
	for _, m := range Modules(90) {
		if found := regexp.MustCompile(`/(home|work|tmp|usr|root|Users)/|\.cuh?"`).FindString(m.PTX()); found != "" {
			t.Errorf("%s has %q in it", m.Stem, found)
		}
	}
}
