package formats

import (
	"fmt"
	"os"
	"strings"

	"github.com/dfaparse/dfaparse/internal/importer"
)

// ImportOptions are what a description of another tool does not say.
type ImportOptions = importer.Options

// ImportError is why no spec can be made of a description; At says at which byte
// of it.
type ImportError = importer.Error

// Import makes a spec of a description that another tool has of a format, such as
// the LogFormat of Apache httpd; docs/import.md lists the kinds. A text @FILE is what the
// file holds. Find does the same with KIND:TEXT.
func Import(kind, text string, o ImportOptions) (*Found, error) {
	if file, ok := strings.CutPrefix(text, "@"); ok {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, &ImportError{Kind: kind, At: -1, Message: fmt.Sprintf("the text after @ is the name of a file: %v", err)}
		}
		text = string(content)
	}
	made, err := importer.Import(kind, text, o)
	if err != nil {
		return nil, err
	}
	found := &Found{File: kind, Source: made.Source}
	for _, n := range made.Notes {
		found.Lost = append(found.Lost, n.String())
	}
	return found, nil
}
