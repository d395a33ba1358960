package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// repository is where files are that are no pages.
const repository = "https://github.com/dfaparse/dfaparse"

// pageOf is the page of a document of the repository, by its path there.
func pageOf(file string) (page string, ok bool) {
	switch {
	case file == "README.md":
		return "index.md", true
	case file == "CHANGELOG.md" || file == "CONTRIBUTING.md":
		return strings.ToLower(file), true
	case strings.HasPrefix(file, "docs/") && path.Ext(file) == ".md":
		return strings.TrimPrefix(file, "docs/"), true
	}
	return "", false
}

// writeDocuments writes every document as a page, and the pictures of docs beside them.
func writeDocuments(root, out string) error {
	files := []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md"}
	err := fs.WalkDir(os.DirFS(root), "docs", func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && (path.Ext(file) == ".md" || isPicture(file)) {
			files = append(files, file)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		page, ok := pageOf(file)
		if !ok { // a picture
			page = strings.TrimPrefix(file, "docs/")
		} else if text, err = relink(root, file, page, text); err != nil {
			return err
		}
		if page == "index.md" { // the README without its title, under the head of the home
			home, err := os.ReadFile(filepath.Join(root, "site/home.md"))
			if err != nil {
				return err
			}
			_, text, _ = bytes.Cut(text, []byte("\n"))
			text = append(home, text...)
		}
		if err := put(out, page, text); err != nil {
			return err
		}
	}
	return nil
}

func isPicture(file string) bool {
	switch path.Ext(file) {
	case ".svg", ".webp", ".png":
		return true
	}
	return false
}

var (
	codes = regexp.MustCompile("(?ms)^ *```.*?^ *```$|`[^`\n]*`")
	// Of a picture all, so that it is told from a link; of a link what follows its text; of HTML its attributes.
	links = regexp.MustCompile(`(!\[[^\]]*\]\(|\]\(|\b(?:src|srcset|href)=")([^)"\s]+)`)
)

// relink makes the links of a document those of its page: to other pages, or to files of the
// repository where they have none. What is code stays as it is.
func relink(root, file, page string, text []byte) ([]byte, error) {
	var out []byte
	var failed error
	between := func(text []byte) {
		out = append(out, links.ReplaceAllFunc(text, func(m []byte) []byte {
			parts := links.FindSubmatch(m)
			to, err := relinked(root, file, page, string(parts[2]), parts[1][0] != ']')
			if err != nil {
				failed = err
			}
			return slices.Concat(parts[1], []byte(to))
		})...)
	}
	at := 0
	for _, code := range codes.FindAllIndex(text, -1) {
		between(text[at:code[0]])
		out = append(out, text[code[0]:code[1]]...)
		at = code[1]
	}
	between(text[at:])
	return out, failed
}

// relinked is a link of a document as its page has it. A picture lies beside the pages if it
// is shown.
func relinked(root, file, page, link string, shown bool) (string, error) {
	target, anchor, found := strings.Cut(link, "#")
	if target == "" || strings.Contains(target, ":") {
		return link, nil
	}
	if found {
		anchor = "#" + anchor
	}
	to := path.Join(path.Dir(file), target)
	info, err := os.Stat(filepath.Join(root, to))
	if err != nil {
		return "", fmt.Errorf("%s: %s leads nowhere", file, link)
	}
	if p, ok := pageOf(to); ok {
		return relative(page, p) + anchor, nil
	}
	if shown && isPicture(to) && strings.HasPrefix(to, "docs/") {
		return relative(page, strings.TrimPrefix(to, "docs/")), nil
	}
	if info.IsDir() {
		return repository + "/tree/main/" + to + anchor, nil
	}
	return repository + "/blob/main/" + to + anchor, nil
}

func relative(from, to string) string {
	rel, _ := filepath.Rel(path.Dir("/"+from), "/"+to) // of two absolute paths there always is one
	rel = filepath.ToSlash(rel)
	if !strings.HasPrefix(rel, ".") {
		rel = "./" + rel
	}
	return rel
}
