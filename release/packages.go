package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/apk"
	_ "github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// zshFolder says where a kind of package puts completions for zsh.
var zshFolder = map[string]string{
	"deb": "/usr/share/zsh/vendor-completions",
	"rpm": "/usr/share/zsh/site-functions",
	"apk": "/usr/share/zsh/site-functions",
}

// packages writes the packages of a command for Linux.
func (r *release) packages(b built) error {
	for kind, zsh := range zshFolder {
		packager, err := nfpm.Get(kind)
		if err != nil {
			return err
		}
		contents, err := r.contents(b, zsh)
		if err != nil {
			return err
		}
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "dfaparse", Arch: b.arch, Platform: "linux", Version: r.version, Release: "1",
			Maintainer: "The dfaparse authors <" + homepage + ">", Vendor: "dfaparse", Homepage: homepage,
			Description: description, License: licence, Section: "utils", Priority: "optional", MTime: r.date,
			Overridables: nfpm.Overridables{Contents: contents},
		})
		if err := nfpm.PrepareForPackager(info, kind); err != nil {
			return err
		}
		var buf bytes.Buffer
		if err := packager.Package(info, &buf); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, packager.ConventionalFileName(info)), buf.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// contents are the files of a package, and where they go.
func (r *release) contents(b built, zsh string) (files.Contents, error) {
	var all files.Contents
	add := func(from, to string, mode os.FileMode) {
		all = append(all, &files.Content{Source: from, Destination: to, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.date}})
	}
	add(b.file, "/usr/bin/dfaparse", 0o755)
	add(filepath.Join(r.root, "LICENSE"), "/usr/share/doc/dfaparse/copyright", 0o644)
	add(b.licences, "/usr/share/doc/dfaparse/LICENSES-OF-OTHERS", 0o644)
	completions := filepath.Join(r.work, "completions")
	add(filepath.Join(completions, shells["bash"]), "/usr/share/bash-completion/completions/dfaparse", 0o644)
	add(filepath.Join(completions, shells["zsh"]), zsh+"/_dfaparse", 0o644)
	add(filepath.Join(completions, shells["fish"]), "/usr/share/fish/vendor_completions.d/dfaparse.fish", 0o644)
	pages, err := filepath.Glob(filepath.Join(r.work, "man", "*.1"))
	if err != nil {
		return nil, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		var buf bytes.Buffer
		z, err := gzip.NewWriterLevel(&buf, gzip.BestCompression)
		if err != nil {
			return nil, err
		}
		if _, err := z.Write(text); err != nil {
			return nil, err
		}
		if err := z.Close(); err != nil {
			return nil, err
		}
		if err := os.WriteFile(page+".gz", buf.Bytes(), 0o644); err != nil {
			return nil, err
		}
		add(page+".gz", "/usr/share/man/man1/"+filepath.Base(page)+".gz", 0o644)
	}
	return all, nil
}
