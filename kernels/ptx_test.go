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

// architectures are those that "make kernels" compiles for.
var architectures = []int{75, 90}

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
		for _, arch := range architectures {
			name := fmt.Sprintf("%s.compute_%d.ptx", strings.TrimSuffix(file, ".cu"), arch)
			line := listed[name]
			delete(listed, name)
			text, err := ptx.ReadFile("ptx/" + name)
			switch {
			case line == nil || err != nil:
				t.Errorf("there is no %s: run make kernels", name)
			case line[0] != fmt.Sprintf("%x", sha256.Sum256(text)):
				t.Errorf("%s is not what was compiled: run make kernels", name)
			case line[1] != fmt.Sprintf("%x", hash.Sum(nil)) || !slices.Equal(line[3:], files):
				t.Errorf("%s was not made of what is in %s: run make kernels", name, strings.Join(files, ", "))
			}
		}
	}
	for name := range listed {
		t.Errorf("%s has no source: run make kernels", name)
	}
}

// TestPTX: every module is there for every architecture, with the same
// entries, and no name is in two.
func TestPTX(t *testing.T) {
	if n := len(PTX(architectures[0] - 1)); n != 0 {
		t.Errorf("%d modules for a device that is too old", n)
	}
	of := map[string]string{} // entry -> stem
	for _, arch := range architectures {
		for _, between := range []int{0, 1, 9} {
			modules := PTX(arch + between)
			for _, m := range modules {
				if m.Arch != arch || len(m.Entries) == 0 {
					t.Errorf("for %d: %s of %d with entries %v", arch+between, m.Stem, m.Arch, m.Entries)
				}
				if !strings.Contains(m.Text, "\n.version 8.0\n") {
					t.Errorf("%s for %d is not PTX 8.0, which every driver of CUDA 12 reads", m.Stem, arch)
				}
				if target := fmt.Sprintf(".target sm_%d", arch); !strings.Contains(m.Text, target) {
					t.Errorf("%s for %d has no %s", m.Stem, arch, target)
				}
				for _, e := range m.Entries {
					if !strings.HasPrefix(e, "dfa_") || of[e] != "" && of[e] != m.Stem {
						t.Errorf("%s has the entry %s, and %s", m.Stem, e, of[e])
					}
					of[e] = m.Stem
				}
			}
		}
	}
	a, b := PTX(75), PTX(90)
	if len(a) != len(b) {
		t.Fatalf("%d modules for 7.5, %d for 9.0", len(a), len(b))
	}
	for i := range a {
		if a[i].Stem != b[i].Stem || !slices.Equal(a[i].Entries, b[i].Entries) {
			t.Errorf("%s has %v for 7.5, %s has %v for 9.0", a[i].Stem, a[i].Entries, b[i].Stem, b[i].Entries)
		}
	}
}

// TestPTXSpeaksOfNoMachine: PTX has no paths, so that it is the same wherever it
// is compiled.
func TestPTXSpeaksOfNoMachine(t *testing.T) {
	for _, m := range PTX(90) {
		if found := regexp.MustCompile(`/(home|work|tmp|usr|root|Users)/|\.cuh?"`).FindString(m.Text); found != "" {
			t.Errorf("%s has %q in it", m.Stem, found)
		}
	}
}
