package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// packed is a file of an archive.
type packed struct {
	name string
	data []byte
	mode int64
}

// archive writes the archive of a command and, beside it, the list of what is in it. It returns the
// archive's name.
func (r *release) archive(b built) (string, error) {
	base := fmt.Sprintf("%s_%s_%s_%s", b.command(), r.version, b.os, b.arch)
	if err := r.bill(b, base); err != nil {
		return "", err
	}
	files, err := r.packed(b)
	if err != nil {
		return "", err
	}
	var buf bytes.Buffer
	name := base + ".tar.gz"
	if b.os == "windows" {
		name = base + ".zip"
		err = r.zip(&buf, base, files)
	} else {
		err = r.tar(&buf, base, files)
	}
	if err != nil {
		return "", err
	}
	return name, os.WriteFile(filepath.Join(r.out, name), buf.Bytes(), 0o644)
}

// packed are the files of the archive of a command.
func (r *release) packed(b built) ([]packed, error) {
	var files []packed
	add := func(name, from string, mode int64) error {
		data, err := os.ReadFile(from)
		files = append(files, packed{name, data, mode})
		return err
	}
	for _, f := range []struct {
		name, from string
		mode       int64
	}{
		{b.executable(), b.file, 0o755},
		{"LICENSE", filepath.Join(r.root, "LICENSE"), 0o644},
		{"LICENSES-OF-OTHERS", b.licences, 0o644},
		{"README.md", filepath.Join(r.root, "README.md"), 0o644},
	} {
		if err := add(f.name, f.from, f.mode); err != nil {
			return nil, err
		}
	}
	if b.cuda { // is put beside the other
		return files, nil
	}
	for _, folder := range []string{"completions", "man"} {
		entries, err := os.ReadDir(filepath.Join(r.work, folder))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if err := add(path.Join(folder, e.Name()), filepath.Join(r.work, folder, e.Name()), 0o644); err != nil {
				return nil, err
			}
		}
	}
	return files, nil
}

func (r *release) tar(w io.Writer, folder string, files []packed) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		h := &tar.Header{Name: path.Join(folder, f.name), Mode: f.mode, Size: int64(len(f.data)), ModTime: r.date, Format: tar.FormatPAX}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

func (r *release) zip(w io.Writer, folder string, files []packed) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: path.Join(folder, f.name), Method: zip.Deflate, Modified: r.date}
		h.SetMode(os.FileMode(f.mode))
		entry, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}

// bill writes what a command is made of, as CycloneDX has it.
func (r *release) bill(b built, base string) error {
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{
		Timestamp: r.date.Format("2006-01-02T15:04:05Z"),
		Component: &cyclonedx.Component{
			BOMRef: b.command(), Type: cyclonedx.ComponentTypeApplication, Name: b.command(), Version: r.version,
			PackageURL: "pkg:golang/github.com/dfaparse/dfaparse@v" + r.version,
			Licenses:   &cyclonedx.Licenses{{License: &cyclonedx.License{ID: licence}}},
		},
	}
	var parts []cyclonedx.Component
	var refs []string
	for _, m := range b.modules {
		url := "pkg:golang/" + m.Path + "@" + m.Version
		parts = append(parts, cyclonedx.Component{
			BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url,
			Properties: &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}},
		})
		refs = append(refs, url)
	}
	bom.Components = &parts
	bom.Dependencies = &[]cyclonedx.Dependency{{Ref: b.command(), Dependencies: &refs}}
	f, err := os.Create(filepath.Join(r.out, base+".cdx.json"))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := cyclonedx.NewBOMEncoder(f, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	return f.Close()
}

func sortPacked(files []packed) {
	slices.SortFunc(files, func(a, b packed) int { return strings.Compare(a.name, b.name) })
}
