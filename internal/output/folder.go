package output

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Folder is a folder of files that has its name only once all of them are complete: it is
// written under another name beside it.
type Folder struct {
	sys     System
	path    string // as it was asked for
	final   string
	temp    string
	replace bool
	dirs    []string

	syncing chan struct{} // a token for each file that is being completed
	mu      sync.Mutex
	err     error // the first of these
}

// syncedAtOnce is how many files wait for the disk at once: together they take little longer than
// one.
const syncedAtOnce = 16

// NotEmptyError says that a folder is there already, with something in it.
type NotEmptyError struct{ Path string }

func (e *NotEmptyError) Error() string {
	return e.Path + " is there already, and it is not empty"
}

// CheckFolder says why a folder cannot be written. If replace it may be there already, and
// hold what could have been written before: files in folders as year=2024.
func CheckFolder(path string, replace bool) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		if info, serr := os.Stat(path); serr == nil && !info.IsDir() {
			return fmt.Errorf("%s is a file, and a folder is to be written", path)
		}
		return failure(path, err)
	case len(entries) > 0 && !replace:
		return &NotEmptyError{path}
	}
	if err := checkBeside(filepath.Clean(path)); err != nil {
		return failure(path, err)
	}
	if len(entries) == 0 {
		return nil
	}
	top, err := target(path)
	if err != nil {
		return failure(path, err)
	}
	return filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return failure(path, err)
		}
		if name == top {
			return nil
		}
		ours := d.IsDir() && strings.Contains(d.Name(), "=")
		if d.Type().IsRegular() && filepath.Dir(name) != top {
			_, err := KindOf(name)
			ours = err == nil
		}
		if !ours {
			return fmt.Errorf("%s is not replaced: %s in it is no data of folders as year=2024", path, name)
		}
		return nil
	})
}

// CreateFolder begins the folder path. What is there already is only replaced if that is
// wanted, see CheckFolder.
func CreateFolder(sys System, path string, replace bool) (*Folder, error) {
	if err := CheckFolder(path, replace); err != nil {
		return nil, err
	}
	f := &Folder{sys: sys, path: path, replace: replace, syncing: make(chan struct{}, syncedAtOnce)}
	var err error
	if f.final, err = target(filepath.Clean(path)); err != nil {
		return nil, f.failure(err)
	}
	if f.temp, err = f.beside("tmp", func(name string) error { return sys.Mkdir(name, 0o777) }); err != nil {
		return nil, f.failure(err)
	}
	return f, nil
}

// beside does something with a free name beside the folder's.
func (f *Folder) beside(ext string, do func(name string) error) (name string, err error) {
	base := filepath.Base(f.final)
	for range 100 {
		name = filepath.Join(filepath.Dir(f.final), fmt.Sprintf(".%s.%08x.%s", base[:min(len(base), 200)], rand.Uint32(), ext))
		if err = do(name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return name, err
}

func (f *Folder) failure(err error) error { return failure(f.path, err) }

// Mkdir makes a folder in it, whose elements but the last are there.
func (f *Folder) Mkdir(name string) error {
	full := filepath.Join(f.temp, name)
	err := f.sys.Mkdir(full, 0o777)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("cannot write %s: another folder has the name %s here, where names do not differ by case alone", f.path, name)
	}
	if err != nil {
		return failure(filepath.Join(f.path, name), err)
	}
	f.dirs = append(f.dirs, full)
	return nil
}

// Create begins a file in it.
func (f *Folder) Create(name string) (*Part, error) {
	p := &Part{folder: f, path: filepath.Join(f.path, name)}
	var err error
	if p.handle, err = f.sys.OpenFile(filepath.Join(f.temp, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return nil, failure(p.path, err)
	}
	return p, nil
}

// Dir is the folder that it is written in.
func (f *Folder) Dir() string { return filepath.Dir(f.final) }

// Commit gives the folder its name. All files have been committed.
func (f *Folder) Commit() error {
	if err := f.wait(); err != nil {
		f.Abort()
		return err
	}
	for _, dir := range append(f.dirs, f.temp) {
		syncFolder(f.sys, dir)
	}
	old, err := f.makeRoom()
	if err == nil {
		err = f.sys.Rename(f.temp, f.final)
		if err != nil && old != "" {
			_ = f.sys.Rename(old, f.final)
			old = ""
		}
	}
	if err != nil {
		f.Abort()
		return f.failure(err)
	}
	syncFolder(f.sys, filepath.Dir(f.final))
	if old != "" {
		if err := f.sys.RemoveAll(old); err != nil {
			return fmt.Errorf("%s is written, but what it replaces is left as %s: %w", f.path, old, err)
		}
	}
	return nil
}

// makeRoom moves what has the folder's name out of the way, and says where it is.
func (f *Folder) makeRoom() (old string, err error) {
	if err := CheckFolder(f.path, f.replace); err != nil { // it may have come meanwhile
		return "", err
	}
	entries, err := os.ReadDir(f.final)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", err
	case len(entries) == 0:
		return "", f.sys.Remove(f.final)
	}
	return f.beside("old", func(name string) error { return f.sys.Rename(f.final, name) })
}

// Abort gives the folder up and leaves nothing behind.
func (f *Folder) Abort() {
	_ = f.wait()
	_ = f.sys.RemoveAll(f.temp)
}

// wait waits until all files that have been committed are complete.
func (f *Folder) wait() error {
	for range cap(f.syncing) {
		f.syncing <- struct{}{}
	}
	for range cap(f.syncing) {
		<-f.syncing
	}
	return f.failed()
}

func (f *Folder) failed() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// Part is a file in a Folder.
type Part struct {
	folder *Folder
	handle Handle
	path   string // that it will have
}

// Write implements io.Writer.
func (p *Part) Write(b []byte) (int, error) {
	n, err := p.handle.Write(b)
	if err != nil {
		err = failure(p.path, err)
	}
	return n, err
}

// Commit completes the file, and sees that it is on the disk. It may return before, and gives
// the error of an earlier file.
func (p *Part) Commit() error {
	f := p.folder
	f.syncing <- struct{}{}
	go func() {
		err := synced(p.handle)
		if cerr := p.handle.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			f.mu.Lock()
			if f.err == nil {
				f.err = failure(p.path, err)
			}
			f.mu.Unlock()
		}
		<-f.syncing
	}()
	return f.failed()
}

// Abort gives the file up.
func (p *Part) Abort() { _ = p.handle.Close() }
