// Command site writes what the documentation site is built of: the documents of the
// repository as pages, and a gallery of the built-in formats, made of their specs. With
// -check it follows the links of the site that is built.
//
//	docs/*.md, README, …  ──▶ pages/*.md ────────┐
//	formats: specs, tests ──▶ pages/gallery/… ───┼──VitePress──▶ dist ──▶ site -check
//	the studio's page     ──▶ pages/public/studio┘
//
// docs stays the source: nothing is written by hand for the site but its home, the
// navigation and the looks. `make site` does all of it.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", ".", "the repository's `folder`")
	out := flag.String("out", "site/pages", "`folder` for the pages, made anew")
	check := flag.String("check", "", "check the site that is built in `folder` instead")
	base := flag.String("base", "/", "`path` that the site is served under")
	flag.Parse()
	err := func() error {
		if *check != "" {
			return checkLinks(os.Stdout, *root, *check, *base)
		}
		return write(*root, *out)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func write(root, out string) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	if err := writeDocuments(root, out); err != nil {
		return err
	}
	if err := writeGallery(context.Background(), root, out); err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(out, "public"), os.DirFS(filepath.Join(root, "site/public")))
}

// put writes a file of the pages, its folder too.
func put(out, name string, data []byte) error {
	file := filepath.Join(out, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o666)
}
