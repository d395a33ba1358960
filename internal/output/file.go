package output

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"syscall"
)

// System are the calls of the system by which a File is made. Tests let them
// fail.
type System interface {
	OpenFile(name string, flag int, perm fs.FileMode) (Handle, error)
	Rename(from, to string) error
	Remove(name string) error
	Mkdir(name string, perm fs.FileMode) error
	RemoveAll(name string) error
}

// Handle is an open file.
type Handle interface {
	io.WriteCloser
	Name() string
	Chmod(fs.FileMode) error
	Sync() error
}

// OS is the real System.
type OS struct{}

// OpenFile is os.OpenFile.
func (OS) OpenFile(name string, flag int, perm fs.FileMode) (Handle, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Rename is os.Rename.
func (OS) Rename(from, to string) error { return os.Rename(from, to) }

// Remove is os.Remove.
func (OS) Remove(name string) error { return os.Remove(name) }

// Mkdir is os.Mkdir.
func (OS) Mkdir(name string, perm fs.FileMode) error { return os.Mkdir(name, perm) }

// RemoveAll is os.RemoveAll.
func (OS) RemoveAll(name string) error { return os.RemoveAll(name) }

// File is a file that has its name only once it is complete: it is written
// under another name in the same folder. Devices and pipes are written to
// directly.
type File struct {
	sys    System
	handle Handle
	path   string // as it was asked for
	final  string // "" for what is written directly
	lent   bool   // the handle is not ours to close

	written, begun int64 // bytes: given to the system, and of these on their way to the disk
}

// behindBytes is how much is written until the system is told to bring it to the disk: where it
// waits for the end of the file, all that reads and encodes waits for the disk then.
const behindBytes = 16 << 20

// Create begins the file path. Where path is a link, what it leads to is written,
// whether or not it is there yet. A file that is there keeps its permissions, and
// is not replaced if it may not be written to.
func Create(sys System, path string) (*File, error) {
	f := &File{sys: sys, path: path}
	if f.handle = standard(path); f.handle != nil {
		f.lent = true
		return f, nil
	}
	perm := fs.FileMode(0o666)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, f.failure(err)
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder", path)
	default:
		there, err := sys.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, f.failure(err)
		}
		if !info.Mode().IsRegular() {
			f.handle = there
			return f, nil
		}
		if err := there.Close(); err != nil {
			return nil, f.failure(err)
		}
		perm = info.Mode().Perm()
	}
	if f.final, err = target(path); err != nil {
		return nil, f.failure(err)
	}
	for range 100 {
		base := filepath.Base(f.final)
		name := fmt.Sprintf(".%s.%08x.tmp", base[:min(len(base), 200)], rand.Uint32())
		f.handle, err = sys.OpenFile(filepath.Join(filepath.Dir(f.final), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, f.failure(err)
		}
		if info != nil { // the umask may have taken something away; where the system has no permissions, that is all right
			_ = f.handle.Chmod(perm)
		}
		return f, nil
	}
	return nil, fmt.Errorf("cannot write %s: no free temporary name beside it", path)
}

// Check says why Create cannot begin the file path, as far as the system tells that of a name. It creates
// nothing, and opens nothing: to open a pipe waits for who reads it.
func Check(path string) error {
	info, err := os.Stat(path)
	switch {
	case isDirect(path):
		return nil
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case err == nil:
		err = writable(path)
		if err != nil || !info.Mode().IsRegular() {
			break
		}
		fallthrough
	case errors.Is(err, fs.ErrNotExist):
		err = checkBeside(path)
	}
	if err != nil {
		return failure(path, err)
	}
	return nil
}

// checkBeside says why nothing can be created beside what path leads to.
func checkBeside(path string) error {
	final, err := target(path)
	if err != nil {
		return err
	}
	return writable(filepath.Dir(final))
}

// Hidden reports whether Create writes path under another name until it is complete.
func Hidden(path string) bool {
	if isDirect(path) {
		return false
	}
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular()
}

// isDirect reports whether a path is of the system's own, as those of the streams of a process are.
func isDirect(path string) bool {
	return strings.HasPrefix(path, "/dev/") || strings.HasPrefix(path, "/proc/")
}

// standard is the stream of this process that path names, which may be a file
// that others write to as well; nil if it names none.
func standard(path string) Handle {
	switch path {
	case "/dev/stdout":
		return os.Stdout
	case "/dev/stderr":
		return os.Stderr
	}
	number, ok := strings.CutPrefix(path, "/dev/fd/")
	if !ok {
		number, ok = strings.CutPrefix(path, "/proc/self/fd/")
	}
	if fd, err := strconv.ParseUint(number, 10, 16); ok && err == nil {
		return os.NewFile(uintptr(fd), path)
	}
	return nil
}

// target is where path leads to, by whatever links; the last element need not be
// there.
func target(path string) (string, error) {
	for range 40 {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link, or nothing there
		}
		if path = link; !filepath.IsAbs(link) {
			path = dir + string(filepath.Separator) + link // not cleaned: ".." may follow a link
		}
	}
	return "", syscall.ELOOP
}

// SameFile reports whether two names are of one file, or would be. Devices and
// pipes can be used several times.
func SameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	switch {
	case errA == nil && errB == nil:
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	case errA == nil || errB == nil:
		return false
	}
	var err error
	if a, err = absoluteTarget(a); err != nil {
		return false
	}
	if b, err = absoluteTarget(b); err != nil {
		return false
	}
	if goruntime.GOOS == "windows" || goruntime.GOOS == "darwin" { // where as a rule case does not tell names apart
		return strings.EqualFold(a, b)
	}
	return a == b
}

func absoluteTarget(path string) (string, error) {
	path, err := target(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}

// ErrReaderGone is the failure of a pipe that nobody reads any more.
var ErrReaderGone = errors.New("its reader has gone away")

// IsBrokenPipe reports whether the system has said so.
func IsBrokenPipe(err error) bool {
	const brokenPipe, noData = syscall.Errno(109), syscall.Errno(232) // of Windows
	return errors.Is(err, syscall.EPIPE) || goruntime.GOOS == "windows" && (errors.Is(err, brokenPipe) || errors.Is(err, noData))
}

// Write implements io.Writer.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.handle.Write(p)
	if f.final == "" && IsBrokenPipe(err) {
		err = ErrReaderGone
	}
	if err != nil {
		err = f.failure(err)
	}
	if f.written += int64(n); f.final != "" && f.written-f.begun >= behindBytes {
		writeBehind(f.handle, f.begun, f.written-f.begun)
		f.begun = f.written
	}
	return n, err
}

// failure is err without the call and the temporary name that its text would
// show.
func (f *File) failure(err error) error { return failure(f.path, err) }

func failure(path string, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	if le := (*os.LinkError)(nil); errors.As(err, &le) {
		err = le.Err
	}
	return &WriteError{path, err}
}

// WriteError says that the system does not write an output.
type WriteError struct {
	Path string // as it was asked for
	Err  error  // of the system
}

func (e *WriteError) Error() string { return fmt.Sprintf("cannot write %s: %v", e.Path, e.Err) }
func (e *WriteError) Unwrap() error { return e.Err }

// Commit completes the file, sees that it is on the disk, and gives it its name.
func (f *File) Commit() error {
	if f.final == "" {
		return f.close()
	}
	err := synced(f.handle)
	if cerr := f.handle.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = f.sys.Rename(f.handle.Name(), f.final)
	}
	if err != nil {
		f.remove()
		return f.failure(err)
	}
	f.syncFolder()
	return nil
}

// synced sees that a file is on the disk.
func synced(h Handle) error {
	err := h.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil // the file system has nothing to do
	}
	return err
}

// syncFolder sees that the new name is on the disk. The file is there and
// complete, whatever comes of it.
func (f *File) syncFolder() { syncFolder(f.sys, filepath.Dir(f.final)) }

func syncFolder(sys System, path string) {
	dir, err := sys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return
	}
	_ = dir.Sync()
	_ = dir.Close()
}

// Abort gives the file up and leaves nothing behind.
func (f *File) Abort() {
	_ = f.close()
	f.remove()
}

func (f *File) close() error {
	if f.lent {
		return nil
	}
	if err := f.handle.Close(); err != nil {
		return f.failure(err)
	}
	return nil
}

func (f *File) remove() {
	if f.final != "" {
		_ = f.sys.Remove(f.handle.Name())
	}
}

// Dir is the folder that the file is written in.
func (f *File) Dir() string {
	if f.final == "" {
		return ""
	}
	return filepath.Dir(f.final)
}
