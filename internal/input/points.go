package input

import (
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/klauspost/compress/zstd"

	"github.com/dfaparse/dfaparse/internal/inflate"
)

// This file reads compressed files from places within them, which are noted while such a
// file is read from its beginning: blocks of gzip, members of it (bgzip), frames of zstd.

// Mark notes places at which decompressing can begin, about so many bytes of text apart,
// while the input is read from its beginning; Points gives them. An input that is not
// compressed, or not so that it has such places, has none.
func (in *Input) Mark(every int64) {
	if r, ok := in.Reader.(*rewindable); ok && r.compression.resume != nil {
		r.every, r.points = max(every, 1), nil
	}
}

// Points are the places that were noted, or that Resume was given, in order.
func (in *Input) Points() []inflate.Point {
	if r, ok := in.Reader.(*rewindable); ok {
		return r.points
	}
	return nil
}

// Whole reports whether the input is a file whose compression has no places within it, or only
// if who has compressed it has made some: none but gzip's blocks are always there.
func (in *Input) Whole() bool {
	r, ok := in.Reader.(*rewindable)
	return ok && r.compression.name != "gzip"
}

// errPoints are places of another file.
var errPoints = errors.New("the places to decompress from are not of this file")

// Resume lets the input be sought by such places, which are in order.
func (in *Input) Resume(points []inflate.Point) error {
	if len(points) == 0 {
		return nil
	}
	r, ok := in.Reader.(*rewindable)
	if !ok || r.compression.resume == nil {
		return fmt.Errorf("%s: %w", in.Name, errPoints)
	}
	for i := range points {
		if err := points[i].Check(in.Size); err != nil || i > 0 && points[i].Out < points[i-1].Out {
			return fmt.Errorf("%s: %w", in.Name, errPoints)
		}
	}
	r.every, r.points = 0, points
	return nil
}

// rewindable is a decompressed file, which can be read again from its beginning, and from
// the places that are known of it.
type rewindable struct {
	*decompressed
	at     int64
	points []inflate.Point
	every  int64 // text between places that are noted; 0: none are
}

func (r *rewindable) Read(p []byte) (int, error) {
	n, err := r.decompressed.Read(p)
	r.at += int64(n)
	return n, err
}

// Seek goes to a place in the text. Between places that are known, text is decompressed and
// passed over.
func (r *rewindable) Seek(offset int64, whence int) (int64, error) {
	switch {
	case offset == 0 && whence == io.SeekCurrent:
		return r.at, nil
	case whence != io.SeekStart || offset < 0 || offset > 0 && r.compression.resume == nil:
		return 0, fmt.Errorf("%s data cannot be sought to %d", r.compression.name, offset)
	}
	var from inflate.Point
	if n := sort.Search(len(r.points), func(i int) bool { return r.points[i].Out > offset }); n > 0 && offset > 0 {
		from = r.points[n-1]
	}
	if offset == 0 || offset < r.at || from.Out > r.at {
		if err := r.begin(&from); err != nil {
			return 0, err
		}
	}
	_, err := io.CopyN(io.Discard, r, offset-r.at)
	if err == io.EOF {
		err = r.failure(io.ErrUnexpectedEOF)
	}
	return r.at, err
}

// begin decompresses from a place on.
func (r *rewindable) begin(from *inflate.Point) error {
	if err := r.close(); err != nil { // first: zstd reads ahead, in goroutines of its own
		return err
	}
	in := r.in.(io.Seeker)
	if _, err := in.Seek(from.Begin(), io.SeekStart); err != nil {
		return err
	}
	r.at = from.Out
	if r.every == 0 && from.In == 0 {
		return r.open()
	}
	out, closer, err := r.compression.resume(r.in.(io.ReadSeeker), from, r.every, r.note)
	if err != nil {
		return r.failure(err)
	}
	r.out, r.close = out, closer
	return nil
}

func (r *rewindable) note(p inflate.Point) {
	if n := len(r.points); n == 0 || p.Out > r.points[n-1].Out { // else it has been read before
		r.points = append(r.points, p)
	}
}

func resumeGzip(in io.ReadSeeker, from *inflate.Point, every int64, note func(inflate.Point)) (io.Reader, func() error, error) {
	z, err := inflate.NewReader(in, from)
	if err != nil {
		return nil, nil, err
	}
	if every > 0 {
		z.Note, z.Every = note, every
	}
	return z, noClose, nil
}

func resumeZstd(in io.ReadSeeker, from *inflate.Point, every int64, note func(inflate.Point)) (io.Reader, func() error, error) {
	// One that reads by several goroutines might read while the next frame is looked for.
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, nil, err
	}
	f := &frames{in: newSource(in), begin: from.In, out: from.Out, noted: from.Out, every: every, note: note, z: z}
	return f, func() error { z.Close(); return nil }, nil
}

// frames reads zstd frame by frame.
type frames struct {
	in    *source
	begin int64 // where in the file in begins
	out   int64 // text before what comes next
	noted int64
	every int64 // 0: none are noted
	note  func(inflate.Point)
	z     *zstd.Decoder
	text  *text // of the frame that is read, nil before one
}

func (f *frames) Read(p []byte) (int, error) {
	for {
		if f.text == nil {
			if err := f.next(); err != nil {
				return 0, err
			}
		}
		n, err := f.text.Read(p)
		f.out += int64(n)
		if err == io.EOF {
			f.text, err = nil, nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// next begins to read the next frame.
func (f *frames) next() error {
	at := f.begin + f.in.at()
	if err := f.in.begins(4, beginsFrame(zstdMagic)); err != nil {
		if left := (*LeftOverError)(nil); errors.As(err, &left) {
			left.At = at
		}
		return err
	}
	if f.every > 0 && f.out >= f.noted+f.every {
		f.noted = f.out
		f.note(inflate.Point{In: at, Out: f.out})
	}
	f.text = &text{f.z, zstdFrame(f.in)}
	return f.z.Reset(f.text.frame)
}
