package gen

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/formats"
)

// TestFormats: the formats of generated files are known by name here, and nowhere
// else; what cannot be found is not said to be one of them.
func TestFormats(t *testing.T) {
	if names := strings.Join(ownFormats(), " "); names != "auditd fixed haproxy java java_multiline klog lineitem postgres stations stations_dict syslog taxi ticks wordlists yelp" {
		t.Errorf("own formats are %s", names)
	}
	for _, name := range ownFormats() {
		if slices.Contains(formats.Names(), name) {
			t.Errorf("%s is listed", name)
		}
		if _, err := formats.Find(name); err == nil {
			t.Errorf("package formats finds %s", name)
		}
		spec, err := Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Program.Name != name || spec.Program.Doc == "" || len(spec.Examples) == 0 {
			t.Errorf("%s: the spec is of %q, %q, with %d tests", name, spec.Program.Name, spec.Program.Doc, len(spec.Examples))
		}
	}
	for _, name := range AllFormats() {
		want, err := formats.Program(name)
		got, gotErr := Program(name)
		if gotErr != nil || err == nil && got.Dump() != want.Dump() {
			t.Errorf("%s is not the built-in format: %v", name, gotErr)
		}
	}
	if _, err := Find("taxis"); err == nil || strings.Contains(err.Error(), `"taxi"`) || strings.Contains(err.Error(), "lineitem") {
		t.Error(err)
	}
}

// TestFormatsOfTheUser come first.
func TestFormatsOfTheUser(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "taxi.dfp")
	if err := os.WriteFile(file, []byte("format taxi extends csv { }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv(formats.PathVariable, dir)
	if found, err := Find("taxi"); err != nil || found.File != file {
		t.Errorf("found %+v, %v", found, err)
	}
}

// TestVariedFormats: whatever an engine may tell apart in a built-in format is in one
// of those that its slow tests range over.
func TestVariedFormats(t *testing.T) {
	has := map[string]string{}
	for _, name := range VariedFormats() {
		for _, f := range features(t, name) {
			has[f] = name
		}
	}
	for _, name := range AllFormats() {
		for _, f := range features(t, name) {
			if has[f] == "" {
				t.Errorf("no varied format has what %s has: %s", name, f)
				has[f] = name
			}
		}
	}
}

// features are what engines tell apart.
func features(t *testing.T, name string) (all []string) {
	p, err := Program(name)
	if err != nil {
		t.Fatal(err)
	}
	r := p.Analysis()
	_, local := r.LocalSync()
	all = append(all,
		fmt.Sprintf("fields by %s, contexts that are local %v, by parity %v, a small monoid %v", r.IndexPath(), local, r.Parity != nil, r.Monoid().Complete && r.Monoid().Elements <= 256),
		fmt.Sprintf("more than 64 states %v, more than 128 %v, found out late %v", p.Automaton.NStates() > 64, p.Automaton.NStates() > 128, p.Automaton.MaxLag() > 0),
		fmt.Sprintf("directives %v, columns of the file %v, a rest %v, ragged %d", len(p.Directives) > 0, p.Dynamic(), p.HasRest, p.Ragged))
	for i := range p.Directives {
		all = append(all, fmt.Sprintf("a directive of kind %d", p.Directives[i].Action))
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		all = append(all, fmt.Sprintf("a column of kind %d", c.Type.Kind))
		if c.Split == nil {
			continue
		}
		for j := range c.Split.Columns {
			all = append(all, fmt.Sprintf("a split's column of kind %d", c.Split.Columns[j].Type.Kind))
		}
	}
	return all
}
