package main

import (
	"os"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/bmatcuk/doublestar/v4"
)

// This file is about many inputs as one table.

// expanded are the inputs that args name, in their order: each pattern stands for the
// files that match it, sorted by name. A file of just that name goes before a pattern.
func expanded(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		if _, err := os.Lstat(arg); arg == "-" || err == nil || !strings.ContainsAny(arg, "*?[{") || url.MatchString(arg) {
			paths = append(paths, arg)
			continue
		}
		found, err := doublestar.FilepathGlob(arg, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
		switch {
		case err == doublestar.ErrBadPattern:
			return nil, usagef("%s: there is no such file, and it is no pattern", arg)
		case err != nil:
			return nil, err
		case len(found) == 0:
			return nil, usagef("%s: no file matches", arg)
		}
		slices.Sort(found)
		paths = append(paths, found...)
	}
	return paths, nil
}

// withFile is a schema with a column behind the others that names the input.
func withFile(schema *arrow.Schema, column string) (*arrow.Schema, error) {
	if schema.HasField(column) {
		return nil, usagef("--file-column %s: there is such a column already", column)
	}
	md := schema.Metadata()
	return arrow.NewSchema(append(schema.Fields(), arrow.Field{Name: column, Type: arrow.BinaryTypes.String}), &md), nil
}

// addFile gives rec with the column of schema that withFile has added, all of whose
// values are name; the caller owns the reference.
func addFile(rec arrow.Record, schema *arrow.Schema, name string) arrow.Record {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	n := int(rec.NumRows())
	b.Reserve(n)
	b.ReserveData(n * len(name))
	for range n {
		b.Append(name)
	}
	names := b.NewArray()
	defer names.Release()
	return array.NewRecord(schema, append(slices.Clone(rec.Columns()), names), rec.NumRows())
}
