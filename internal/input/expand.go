package input

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// NameError is a name that stands for no input.
type NameError struct{ Name, Why string }

func (e *NameError) Error() string { return e.Name + ": " + e.Why }

// Expand gives the inputs that names stand for, in their order: a folder those in it and
// in the folders in it, a pattern the files that match it; both are sorted by name. A file
// or folder of just that name goes before a pattern.
func Expand(names []string) ([]string, error) {
	var inputs []string
	for _, name := range names {
		info, err := os.Stat(name)
		archive, member, isMember := Member(name)
		var found []string
		switch {
		case isCloud(name):
			if found, err = expandCloud(context.Background(), name); err != nil {
				return nil, err
			}
		case name == "-" || IsURL(name):
			found = []string{name}
		case err == nil && info.IsDir():
			if found, err = filesIn(name); err != nil {
				return nil, PathError(err)
			}
			if len(found) == 0 {
				return nil, &NameError{name, "no file is in this folder" + butLeftOut}
			}
		case err == nil && info.Mode().IsRegular() && isArchive(name):
			if found, err = members(name, ""); err != nil {
				return nil, err
			}
		case err != nil && isMember:
			if found, err = members(archive, member); err != nil {
				return nil, err
			}
		case err == nil || !strings.ContainsAny(name, "*?[{"):
			found = []string{name}
		default:
			found, err = doublestar.FilepathGlob(name, doublestar.WithFilesOnly(), doublestar.WithFailOnIOErrors())
			found = slices.DeleteFunc(found, isIndex)
			switch {
			case errors.Is(err, doublestar.ErrBadPattern):
				return nil, &NameError{name, "there is no such file, and it is no pattern"}
			case err != nil:
				return nil, PathError(err)
			case len(found) == 0:
				return nil, &NameError{name, "no file matches"}
			}
			slices.Sort(found)
		}
		inputs = append(inputs, found...)
	}
	return inputs, nil
}

// filesIn are the files in a folder and in those in it, but for those that are left out, and
// what lies in folders that are.
func filesIn(folder string) (files []string, err error) {
	if !strings.HasSuffix(folder, string(filepath.Separator)) {
		folder += string(filepath.Separator) // which may be a link
	}
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == folder {
			return nil
		}
		if d.IsDir() {
			if isHidden(d.Name() + "/") {
				return fs.SkipDir
			}
			return nil
		}
		if isLeftOut(d.Name()) {
			return nil
		}
		regular := d.Type().IsRegular()
		if d.Type()&fs.ModeSymlink != 0 { // to a file; to a folder there might be a circle
			info, err := os.Stat(path)
			if err != nil {
				return fmt.Errorf("%s: %w", path, Pathless(err))
			}
			regular = info.Mode().IsRegular()
		}
		if regular {
			files = append(files, path)
		}
		return nil
	})
	slices.Sort(files)
	return files, err
}

// IndexExtension is that of an index beside its file, which is no data.
const IndexExtension = ".dfai"

func isIndex(path string) bool { return strings.HasSuffix(path, IndexExtension) }

// IsSpec reports whether the name of a file is that of a spec or of a compiled one.
func IsSpec(path string) bool {
	return strings.HasSuffix(path, ".dfp") || strings.HasSuffix(path, ".dfac")
}

// isLeftOut reports whether the file of a path, in a folder or an archive of which all is read, is
// no data by its name: others keep what is none under names that begin with a dot or an underscore
// (.git, _SUCCESS, _temporary), and indexes and specs lie beside what they are of.
func isLeftOut(path string) bool { return isHidden(path) || isIndex(path) || IsSpec(path) }

// butLeftOut goes behind a message that there is no file, as isLeftOut has it.
const butLeftOut = "; specs, indexes, and names that begin with a dot or an underscore are left out"

// isHidden reports whether a part of a path begins with a dot or an underscore. A folder _day=1 is that of a column _day,
// as Spark has it, and not hidden.
func isHidden(path string) bool {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		column := i < len(parts)-1 && strings.Contains(part, "=")
		if strings.HasPrefix(part, ".") && part != "." && part != ".." || strings.HasPrefix(part, "_") && !column {
			return true
		}
	}
	return false
}
