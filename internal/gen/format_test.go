package gen

import (
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
	if names := strings.Join(OwnFormats(), " "); names != "auditd fixed haproxy java java_multiline klog lineitem postgres stations stations_dict syslog taxi yelp" {
		t.Errorf("own formats are %s", names)
	}
	for _, name := range OwnFormats() {
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
		if gotErr != nil || err == nil && got != want {
			t.Errorf("%s: %v, %v", name, got, gotErr)
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
