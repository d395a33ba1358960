// Package docs_test holds the documents to what the code does: links resolve,
// specs compile, Go is that of examples that run, console sessions give what
// they show, and tables are current. Run it with -update to write the tables.
package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module.
const root = ".."

// documents are the paths of all documents, from root.
func documents(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/lab/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			rel, err := filepath.Rel(root, f)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, filepath.ToSlash(rel))
		}
	}
	if len(files) < 8 {
		t.Fatalf("only %d documents: %v", len(files), files)
	}
	return files
}

// read is the text of a file of the module, with LF line ends.
func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "\n")
}

// block is a fenced block of a document.
type block struct {
	file string
	line int // of its first line
	lang string
	text string
}

var fence = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// blocks are the fenced blocks of a language in all documents.
func blocks(t *testing.T, lang string, but ...string) (found []block) {
	t.Helper()
	for _, file := range documents(t) {
		if slices.Contains(but, file) {
			continue
		}
		for _, b := range blocksOf(t, file) {
			if b.lang == lang {
				found = append(found, b)
			}
		}
	}
	if len(found) == 0 {
		t.Fatalf("no document has a block of %s", lang)
	}
	return found
}

// blocksOf are the fenced blocks of a document.
func blocksOf(t *testing.T, file string) (found []block) {
	t.Helper()
	text := read(t, file)
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		found = append(found, block{file, 2 + strings.Count(text[:m[0]], "\n"), text[m[2]:m[3]], text[m[4]:m[5]]})
	}
	return found
}
