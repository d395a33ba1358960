package splits

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/inflate"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// File is an input of which splits are made.
type File struct {
	path    string
	in      *input.Input
	program *dfa.Program
	options []runtime.Option

	mu   sync.Mutex // held while the input is read
	turn *turn      // that of the Reader that was begun last
}

// turn is the input for one Reader: when another begins, this one reads no more. It may
// still read ahead when it has been released.
type turn struct{ f *File }

func (t *turn) Read(p []byte) (int, error) {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	if t.f.turn != t {
		return 0, os.ErrClosed
	}
	return t.f.in.Reader.Read(p)
}

func (t *turn) Seek(offset int64, whence int) (int64, error) {
	t.f.mu.Lock()
	defer t.f.mu.Unlock()
	if t.f.turn != t {
		return 0, os.ErrClosed
	}
	return t.f.in.Reader.(io.Seeker).Seek(offset, whence)
}

// OpenFile opens a file, which options say how to read.
func OpenFile(ctx context.Context, path string, p *dfa.Program, options ...runtime.Option) (*File, error) {
	in, err := input.Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	options = append([]runtime.Option{runtime.WithContext(ctx), runtime.WithName(in.Name)}, append(options[:len(options):len(options)], runtime.WithEngine(cpu.Engine))...)
	return &File{path: path, in: in, program: p, options: options}, nil
}

// Close closes the file.
func (f *File) Close() error {
	f.next(nil)
	return f.in.Close()
}

// next gives the input to another Reader, or to none. It waits for one that is reading.
func (f *File) next(t *turn) {
	f.mu.Lock()
	f.turn = t
	f.mu.Unlock()
}

// Stamp is what the file is now.
func (f *File) Stamp() runtime.Stamp { return stampOf(f.in) }

// stampOf is what an input is now.
func stampOf(in *input.Input) runtime.Stamp {
	return runtime.Stamp{Size: in.Size, Modified: in.Changed.UTC(), Tag: in.Tag}
}

// begin is an Opener.
func (f *File) begin(opts ...runtime.Option) (*runtime.Reader, error) {
	all := append(f.options[:len(f.options):len(f.options)], opts...)
	if f.in.Plain != nil {
		return runtime.ReadOpenFile(f.in.Plain, f.program, all...)
	}
	if _, ok := f.in.Reader.(io.Seeker); !ok {
		return runtime.NewReader(f.in.Reader, f.program, all...)
	}
	again := &turn{f}
	f.next(again)
	if _, err := again.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	return runtime.NewReader(again, f.program, all...)
}

// Survey reads the file.
func (f *File) Survey(every int64) (*Index, error) {
	f.in.Mark(every)
	x, err := New(f.Stamp(), every, f.begin)
	if err != nil {
		return nil, err
	}
	f.next(nil)
	x.Points = f.in.Points()
	return x, f.in.Resume(x.Points)
}

// Index is what the index beside the file says; fs.ErrNotExist is its error if there is none.
func (f *File) Index() (*Index, error) {
	if input.IsURL(f.path) {
		return nil, fs.ErrNotExist
	}
	name := f.path + Extension
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	x, err := Read(data, f.Stamp())
	if err != nil {
		return nil, fmt.Errorf("%s: %w; \"dfaparse index\" makes it anew", name, err)
	}
	r, err := f.begin(runtime.WithColumns([]string{}...), runtime.WithLimit(0)) // refuses what it is not for
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if program := r.Fingerprint(); program != x.Program {
		return nil, fmt.Errorf("%s: the index was made with another format; read with that one, or make it anew by \"dfaparse index\" with this one", name)
	}
	f.next(nil)
	if err := f.in.Resume(x.Points); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return x, nil
}

// WriteIndex writes an index, which has its name only once it is complete.
func WriteIndex(x *Index, name string) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	err = x.Write(tmp)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// Resume lets an input be read by a split of it, which has to be of the file as it is now.
func Resume(in *input.Input, s *runtime.Split) error {
	if err := Fresh(&s.File, stampOf(in)); err != nil {
		return fmt.Errorf("%s: %w", in.Name, err)
	}
	if s.Access == nil {
		return nil
	}
	return in.Resume([]inflate.Point{*s.Access})
}

// Split gives n splits, by the file's index if it has one.
func (f *File) Split(n int) ([]runtime.Split, error) {
	x, err := f.Index()
	if os.IsNotExist(err) {
		x, err = f.Survey(f.in.Size / int64(8*n))
	}
	if err != nil {
		return nil, err
	}
	return x.Split(n, f.begin)
}

// FromBeginning reports whether a file is compressed such that nobody can begin to decompress
// it but at its beginning. It is asked after splits have been made.
func (f *File) FromBeginning() bool { return f.in.Whole() && len(f.in.Points()) == 0 }

// Known is the file's index, or what reading it finds.
func (f *File) Known() (*Index, error) {
	x, err := f.Index()
	if os.IsNotExist(err) {
		return f.Survey(Every)
	}
	return x, err
}

// Records is the split of data records, as Index.Records gives it.
func (f *File) Records(from, to int64) (*runtime.Split, error) {
	x, err := f.Known()
	if err != nil {
		return nil, err
	}
	return x.Records(from, to, f.begin)
}

// Line is the split from the record on that has a line.
func (f *File) Line(line int64) (*runtime.Split, error) {
	x, err := f.Known()
	if err != nil {
		return nil, err
	}
	return x.Line(line, f.begin)
}
