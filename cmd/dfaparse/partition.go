package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/hive"
	"github.com/dfaparse/dfaparse/internal/output"
)

// This file is about rows that are written into folders by the values of columns.

// parted are the flags that say how.
type parted struct {
	by        []string
	overwrite bool
	folders   int
}

// maxFolders is as a rule how many folders there are at most: more come of a column that
// was not meant.
const maxFolders = 10_000

func (p *parted) flags(f *pflag.FlagSet) {
	f.StringSliceVar(&p.by, "partition-by", nil, "write into folders by the values of the columns `A,B,...`, as year=2024/month=1, in that of -o; as --to says, or Parquet")
	f.BoolVar(&p.overwrite, "overwrite", false, "of --partition-by: replace the folder of -o, and what was written into it before")
	numberVar(f, &p.folders, "max-folders", "", maxFolders, "of --partition-by: fail if there are more than `N`; 0: any number")
}

// kind is the form of the files in folders.
func (p *parted) kind(w *writing) (string, error) {
	kind, err := output.KindOf(filepath.Clean(w.out))
	switch {
	case w.to == "" && err != nil:
		return "parquet", nil
	case w.to == "":
		return kind, nil
	case err == nil && kind != w.to:
		return "", usagef("--to %s does not go with -o %s", w.to, w.out)
	}
	if err := oneOf("to", w.to, output.Kinds()...); err != nil {
		return "", err
	}
	if output.ExtOf(w.to, w.out) == "" {
		return "", usagef("--partition-by writes files, and --to %s is none", w.to)
	}
	return w.to, nil
}

// check says what is wrong with the flags, and with the folder.
func (p *parted) check(j *job) error {
	if len(p.by) == 0 {
		if p.overwrite {
			return usagef("--overwrite is of --partition-by; a file of -o is replaced without it")
		}
		return nil
	}
	if len(j.r.columns) > 0 {
		for _, name := range p.by {
			if err := oneOf("partition-by", name, append(j.r.columns, j.w.fileColumn)...); err != nil {
				return usagef("--partition-by %s: --columns does not name it", name)
			}
		}
	}
	if j.w.out == "" {
		return usagef("--partition-by wants the name of a folder: -o FOLDER")
	}
	for _, n := range j.needed() {
		if n.path != "" && within(j.w.out, n.path) {
			return usagef("%s is in the folder of -o %s, which is written anew; name another folder", n.what, j.w.out)
		}
	}
	return p.hint(output.CheckFolder(j.w.out, p.overwrite))
}

// within reports whether a file is in a folder.
func within(folder, path string) bool {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	folder, ferr := filepath.Abs(folder)
	path, perr := filepath.Abs(path)
	return ferr == nil && perr == nil && strings.HasPrefix(path, folder+string(os.PathSeparator))
}

// hint adds the flag that helps.
func (p *parted) hint(err error) error {
	if there := (*output.NotEmptyError)(nil); errors.As(err, &there) {
		return usagef("%w; --overwrite replaces what --partition-by has written before", err)
	}
	return err
}

// open begins the folder.
func (p *parted) open(j *job, opts output.Options) (openOutput, error) {
	var sys output.System = output.OS{}
	if j.std.sys != nil {
		sys = j.std.sys
	}
	into, err := output.CreateFolder(sys, j.w.out, p.overwrite)
	if err != nil {
		return nil, p.hint(err)
	}
	j.file, opts.SpoolDir = into, into.Dir()
	return func(schema *arrow.Schema) (output.Writer, error) {
		s, err := hive.NewSplitter(into, schema, hive.Splitting{By: p.by, Form: j.kind, Ext: output.ExtOf(j.kind, j.w.out), Folders: p.folders, Output: opts})
		if err != nil {
			return nil, &usageError{err: err}
		}
		return output.Pipelined(splitter{s}), nil
	}, nil
}

// splitter says which flag helps.
type splitter struct{ *hive.Splitter }

func (s splitter) Write(rec arrow.Record) error {
	err := s.Splitter.Write(rec)
	if many := (*hive.FoldersError)(nil); errors.As(err, &many) {
		return usagef("%w; --max-folders allows more", err)
	}
	return err
}
