package output

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// File is a file that has its name only once it is complete: it is written
// under another name in the same folder. Devices and pipes are written to
// directly.
type File struct {
	*os.File
	final string // "" for what is written directly
}

// Create begins the file path.
func Create(path string) (*File, error) {
	var exists os.FileInfo
	if info, err := os.Stat(path); err == nil {
		if info.IsDir() {
			return nil, fmt.Errorf("%s is a folder", path)
		}
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			return &File{File: f}, err
		}
		exists = info
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real // the link stays, its target is replaced
		}
	}
	for range 100 {
		name := fmt.Sprintf(".%s.%08x.tmp", filepath.Base(path), rand.Uint32())
		f, err := os.OpenFile(filepath.Join(filepath.Dir(path), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("cannot write %s: %w", path, pathless(err))
		}
		if exists != nil {
			_ = f.Chmod(exists.Mode().Perm()) // a file keeps its permissions where the system has them
		}
		return &File{File: f, final: path}, nil
	}
	return nil, fmt.Errorf("cannot write %s: no free temporary name beside it", path)
}

// pathless is err without the temporary name that its text would show.
func pathless(err error) error {
	if pe := (*os.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// Commit completes the file and gives it its name.
func (f *File) Commit() error {
	if err := f.Close(); err != nil {
		f.remove()
		return err
	}
	if f.final == "" {
		return nil
	}
	if err := os.Rename(f.Name(), f.final); err != nil {
		f.remove()
		return fmt.Errorf("cannot write %s: %w", f.final, err)
	}
	return nil
}

// Abort gives the file up and leaves nothing behind.
func (f *File) Abort() {
	_ = f.Close()
	f.remove()
}

func (f *File) remove() {
	if f.final != "" {
		_ = os.Remove(f.Name())
	}
}

// Dir is the folder that the file is written in.
func (f *File) Dir() string {
	if f.final == "" {
		return ""
	}
	return filepath.Dir(f.Name())
}
