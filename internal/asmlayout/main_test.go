package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLayouts: what each generator of assembly knows is what its package says.
func TestLayouts(t *testing.T) {
	for i := range generators {
		g := &generators[i]
		want, err := g.layout("../..")
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := os.ReadFile(g.file("../.."))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s/asm/layout.go is not what the package says: run make generate\n%s", g.pkg, want)
		}
	}
}

// TestEveryGenerator: no generator of assembly is left out.
func TestEveryGenerator(t *testing.T) {
	known := map[string]bool{}
	for _, g := range generators {
		known[g.pkg] = true
	}
	err := filepath.WalkDir("../..", func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); strings.HasPrefix(name, ".") && name != ".." {
			return filepath.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err != nil || d.Name() != "asm" {
			return nil
		}
		pkg, err := filepath.Rel("../..", filepath.Dir(path))
		if err == nil && !known[filepath.ToSlash(pkg)] {
			t.Errorf("%s/asm is not among the generators here", pkg)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestUnknownFields: what stands behind a field of another package's type has no
// offset here.
func TestUnknownFields(t *testing.T) {
	dir := t.TempDir()
	source := "package p\n\nimport \"x/y\"\n\ntype s struct {\n\ta uint32\n\tb *s\n\tc [2]y.T\n\td uint64\n}\n\nconst n = 3\n"
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	g := generator{pkg: ".", structs: []structure{{"s", "k"}}, constants: []string{"n"}}
	text, err := g.layout(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"kA = 0", "kB = 8", "n = 3"} {
		if !strings.Contains(string(text), line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	for _, name := range []string{"kC", "kD", "kSize"} {
		if strings.Contains(string(text), name) {
			t.Errorf("%s in\n%s", name, text)
		}
	}
	for _, g := range []generator{
		{pkg: ".", structs: []structure{{"t", "k"}}}, {pkg: ".", structs: []structure{{"n", "k"}}}, {pkg: ".", enums: []string{"s"}},
		{pkg: ".", constants: []string{"m"}},
	} {
		if _, err := g.layout(dir); err == nil {
			t.Errorf("%+v is found", g)
		}
	}
}
