// Package follow reads files that are written to meanwhile, until it is stopped.
package follow

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/input"
)

// File is one that is read record by record. When another file gets its name, or it is cut, an
// input ends and the next one begins.
type File struct {
	path    string
	stop    <-chan struct{}
	watcher *fsnotify.Watcher // nil where the system has none: then it is looked at now and then
}

// Between two looks at a file: of which nobody tells that it has changed, and in any case,
// since servers of files do not tell all that others do. Variables for tests.
var (
	followPoll   = 250 * time.Millisecond
	followAnyway = 2 * time.Second
)

// New follows the file path until stop is closed.
func New(path string, stop <-chan struct{}) (*File, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, input.PathError(err)
	case !info.Mode().IsRegular():
		return nil, &input.NameError{Name: path, Why: "is no file, and so nothing that is followed: a pipe is read as it comes without that"}
	}
	if in, err := input.Open(context.Background(), path, nil); err != nil {
		return nil, err
	} else {
		plain := in.Plain != nil
		if in.Close(); !plain {
			return nil, &input.NameError{Name: path, Why: "is compressed, and so nothing that is followed"}
		}
	}
	f := &File{path: path, stop: stop}
	if f.watcher, err = fsnotify.NewWatcher(); err == nil {
		if err := f.watcher.Add(filepath.Dir(path)); err != nil { // the folder: another file may get the name
			f.watcher.Close()
			f.watcher = nil
		}
	}
	return f, nil
}

// Close ends the watching.
func (f *File) Close() error {
	if f.watcher == nil {
		return nil
	}
	return f.watcher.Close()
}

// Stopped reports whether nothing more will be read.
func (f *File) Stopped() bool {
	select {
	case <-f.stop:
		return true
	default:
		return false
	}
}

// Ends are the symbols that end records of an automaton, and of which nothing belongs to the next one.
func Ends(a *dfa.Automaton) (ends dfa.Set) {
	for s := range a.NStates() {
		for symbol := range 256 {
			if _, e := a.Step(dfa.StateID(s), byte(symbol)); e.Kind == dfa.Record && e.Lag == e.Open {
				ends = ends.Union(dfa.Bytes(byte(symbol)))
			}
		}
	}
	if ends.Empty() { // what a record is shows behind it
		return dfa.Bytes('\n')
	}
	return ends
}

// Next is the file that has the name now, from its beginning, up to the last of the symbols that end records. Where none
// has it, as between two steps of who renames several, it is waited for.
func (f *File) Next(ctx context.Context, ends dfa.Set) (*input.Input, error) {
	file, err := os.Open(f.path)
	for errors.Is(err, fs.ErrNotExist) && !f.Stopped() {
		f.wait(ctx.Done())
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		file, err = os.Open(f.path)
	}
	if err != nil {
		return nil, input.PathError(err)
	}
	r := &followed{follow: f, file: file, ends: ends, closed: make(chan struct{}), buf: make([]byte, 64<<10)}
	in, err := input.Of(ctx, r, f.path, nil)
	if err != nil {
		r.Close()
		return nil, err
	}
	in.OnClose(r.Close)
	if info, err := file.Stat(); err == nil {
		in.Changed = info.ModTime()
	}
	return in, nil
}

// followed reads a file as far as it has whole records, and waits for more.
type followed struct {
	follow *File
	file   *os.File
	ends   dfa.Set
	closed chan struct{}
	at     int64
	buf    []byte
	ready  []byte // up to where a record ends
	rest   []byte // behind it
	last   []byte // that was read, some bytes: of a file that was cut and written again they are others
	moved  bool   // another file has the name
	cut    bool   // what there is now is new: nothing more is read of it here, though it may come to begin as before
}

// longRecord is how much of a record is held back until it is complete.
const longRecord = 1 << 20

// lastKept is how many bytes tell whether a file is still the one that was read.
const lastKept = 4 << 10

func (r *followed) Close() error {
	close(r.closed)
	return r.file.Close()
}

func (r *followed) Read(p []byte) (int, error) {
	for len(r.ready) == 0 {
		if r.cut {
			return 0, io.EOF
		}
		n, err := r.file.Read(r.buf)
		if n > 0 {
			// It may have been cut and written again since the look at it.
			if same, err := r.same(); err != nil {
				return 0, err
			} else if !same {
				r.cut = true
				r.giveRest()
				continue
			}
			r.at += int64(n)
			r.rest = append(r.rest, r.buf[:n]...)
			r.last = append(r.last, r.buf[max(0, n-lastKept):n]...)
			r.last = append(r.last[:0], r.last[max(0, len(r.last)-lastKept):]...)
			end, before := len(r.rest), len(r.rest)-n // where no record ends
			for end > before && !r.ends.Has(r.rest[end-1]) {
				end--
			}
			if end == before {
				if end = 0; len(r.rest) > longRecord {
					end = len(r.rest)
				}
			}
			r.ready = append(r.ready[:0], r.rest[:end]...)
			r.rest = append(r.rest[:0], r.rest[end:]...)
			continue
		}
		if err != nil && err != io.EOF {
			return 0, err
		}
		switch over, err := r.await(); {
		case err != nil:
			return 0, err
		case over && !r.giveRest():
			return 0, io.EOF
		}
	}
	n := copy(p, r.ready)
	r.ready = r.ready[n:]
	return n, nil
}

// giveRest makes what is read of a record ready that nobody will complete: another file has the name, or this one was
// cut. It reports whether there is any. An interrupt leaves it away.
func (r *followed) giveRest() bool {
	if len(r.rest) == 0 || !r.moved && r.follow.Stopped() {
		return false
	}
	r.ready, r.rest = append(r.ready[:0], r.rest...), nil
	return true
}

// await waits until there is more to read, and reports whether there never will be.
func (r *followed) await() (over bool, err error) {
	for !r.moved && !r.follow.Stopped() {
		info, err := r.file.Stat()
		if err != nil {
			return false, err
		}
		same, err := r.same()
		if r.cut = err == nil && (!same || info.Size() < r.at); r.cut {
			return true, nil
		}
		if err != nil || info.Size() > r.at {
			return false, err
		}
		// Who renames a file may write to it for a while, until it opens the new one.
		if named, err := os.Stat(r.follow.path); err == nil && !os.SameFile(info, named) && named.Size() > 0 {
			r.moved = true
			return false, nil // it is read to its end
		}
		if r.follow.wait(r.closed) {
			return true, nil
		}
	}
	return true, nil
}

// same reports whether what stands before the place that was read is what was read.
func (r *followed) same() (bool, error) {
	now := make([]byte, len(r.last))
	n, err := r.file.ReadAt(now, r.at-int64(len(now)))
	if err == io.EOF {
		err = nil
	}
	return bytes.Equal(now[:n], r.last), err
}

// wait waits until something may have changed, and reports whether nobody wants to know.
func (f *File) wait(over <-chan struct{}) (closed bool) {
	var events chan fsnotify.Event
	var failures chan error
	pause := followPoll
	if w := f.watcher; w != nil {
		events, failures, pause = w.Events, w.Errors, followAnyway
	}
	select {
	case <-events:
	case <-failures: // then what has changed is found anyway
	case <-time.After(pause):
	case <-f.stop:
	case <-over:
		return true
	}
	return false
}
