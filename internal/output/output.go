package output

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
)

// Writer writes records of one schema.
type Writer interface {
	// Write writes a record. It keeps no reference to it.
	Write(arrow.Record) error
	// Close completes the output; it does not close what lies below.
	Close() error
}

// Options are what single kinds need to know.
type Options struct {
	Table TableOptions
	// SpoolDir is where an Arrow file with dictionaries is kept until the last
	// of them is known; "" is the system's folder for temporary files.
	SpoolDir string
	// CSV is how CSV is written.
	CSV CSVStyle
	// Compression is that of Parquet, one of Compressions(), "" is zstd; or of Arrow, one
	// of ArrowCompressions(), "" is none.
	Compression string
	// RowGroupRows is after how many rows a row group of Parquet ends, 0 for about a million.
	RowGroupRows int
	// Plain are the columns of Parquet that have no dictionary, Dictionary those that have
	// one even where values repeat seldom. All names must be of columns.
	Plain, Dictionary []string
	// Sorted is what rows of Parquet are sorted by, as "day" or "n:desc", nulls last. It
	// is written down, and rows that are not in the order are an error.
	Sorted []string
	// Path is the name of the output: .gz or .zst at its end compresses text. "" for none.
	Path string
	// Memory is about how much may be held to be written together, 0 for any.
	Memory int64
	// Overwrite: a folder that is there is replaced.
	Overwrite bool
	// Many outputs are open at once, of which each takes little memory.
	Many bool
	// Layout is the format whose records binary output has.
	Layout *dfa.Program
	// KeptUTF8: texts may hold what is no UTF-8. Forms of output that have no
	// such texts refuse them.
	KeptUTF8 bool
}

// kind is one form of output.
type kind struct {
	name   string
	exts   []string
	binary bool // not for terminals
	utf8   bool // texts are UTF-8
	json   bool // lists and maps are JSON, whose texts are UTF-8
	open   func(io.Writer, *arrow.Schema, Options) (Writer, error)
}

var kinds = []kind{
	{name: "table", open: func(w io.Writer, s *arrow.Schema, o Options) (Writer, error) { return newTable(w, s, o.Table), nil }},
	{name: "jsonl", exts: []string{".jsonl", ".ndjson"}, utf8: true, open: newJSONL},
	{name: "csv", exts: []string{".csv"}, json: true, open: newCSV},
	{name: "tsv", exts: []string{".tsv"}, json: true, open: newTSV},
	{name: "arrow", exts: []string{".arrow", ".feather"}, binary: true, utf8: true, open: newArrowFile},
	{name: "arrows", exts: []string{".arrows"}, binary: true, utf8: true, open: newArrowStream},
	{name: "parquet", exts: []string{".parquet"}, binary: true, utf8: true, open: newParquet},
	{name: "binary", binary: true, open: newBinary},
	{name: "none", open: func(io.Writer, *arrow.Schema, Options) (Writer, error) { return none{}, nil }},
}

// Kinds are the names that Open knows.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// Binary reports whether output of the named kind would disturb a terminal.
func Binary(name string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.name == name && k.binary })
}

// KindOf is the kind that the extension of a file's name asks for, that before .gz and
// .zst of text that is to be compressed.
func KindOf(path string) (string, error) {
	bare, packing := unpacked(path)
	ext := strings.ToLower(filepath.Ext(bare))
	var known []string
	for _, k := range kinds {
		if slices.Contains(k.exts, ext) && (packing == "" || k.packs()) {
			return k.name, nil
		}
		known = append(known, k.exts...)
	}
	if slices.Contains(known, "."+path) {
		return "", fmt.Errorf("%s: a file of this name has no extension that says its form; --to %[1]s is the form", path)
	}
	ext += packing
	if slices.Contains(otherPackings, ext) {
		return "", fmt.Errorf("%s: text is compressed as .gz or .zst, not as %s", path, ext)
	}
	return "", fmt.Errorf("%s: the extension %q says no form of output; use %s, or --to", path, ext, strings.Join(known, ", "))
}

// ExtOf is the extension of files of a kind, with that of their compression if path has
// one; "" if there are none.
func ExtOf(name, path string) string {
	for _, k := range kinds {
		if k.name == name && len(k.exts) > 0 {
			if _, packing := unpacked(filepath.Clean(path)); k.packs() {
				return k.exts[0] + packing
			}
			return k.exts[0]
		}
	}
	return ""
}

// Open begins an output of the named kind on w.
func Open(name string, w io.Writer, schema *arrow.Schema, o Options) (Writer, error) {
	for _, k := range kinds {
		if k.name == name {
			_, packing := unpacked(o.Path)
			var z io.WriteCloser
			if packing != "" && k.packs() {
				var err error
				if z, err = packings[packing](w, o.Many); err != nil {
					return nil, err
				}
				w = z
			}
			to, err := k.open(w, schema, o)
			if err == nil && z != nil {
				to = &packed{to, z}
			}
			if err == nil && o.KeptUTF8 && (k.utf8 || k.json) {
				to = &utf8Only{Writer: to, form: k.name, nested: k.json}
			}
			return to, err
		}
	}
	return nil, fmt.Errorf("unknown form of output %q, want one of %s", name, strings.Join(Kinds(), ", "))
}

// none is the Writer that writes nothing.
type none struct{}

func (none) Write(arrow.Record) error { return nil }
func (none) Close() error             { return nil }

// Flush has what is held written, as far as the form of output can: a row group of
// Parquet ends.
func Flush(w Writer) error {
	if f, ok := w.(interface{ Flush() error }); ok {
		return f.Flush()
	}
	return nil
}

// Abort gives up an output that will not be closed.
func Abort(w Writer) {
	if a, ok := w.(interface{ Abort() }); ok {
		a.Abort()
	}
}
