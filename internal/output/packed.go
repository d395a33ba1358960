package output

import (
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packings are how text is compressed, by the extension behind that of its form.
var packings = map[string]func(w io.Writer, many bool) (io.WriteCloser, error){
	".gz": func(w io.Writer, _ bool) (io.WriteCloser, error) { return gzip.NewWriter(w), nil },
	".zst": func(w io.Writer, many bool) (io.WriteCloser, error) {
		if many {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
		}
		return zstd.NewWriter(w)
	},
}

// otherPackings are those of inputs, in which nothing is written.
var otherPackings = []string{".bz2", ".xz", ".lz4", ".zip", ".zstd", ".gzip"}

// unpacked is a path without the extension that asks for compression, and that one.
func unpacked(path string) (bare, ext string) {
	ext = strings.ToLower(filepath.Ext(path))
	if packings[ext] == nil {
		return path, ""
	}
	return path[:len(path)-len(ext)], ext
}

// packs reports whether the form of output may be compressed as a whole.
func (k *kind) packs() bool { return len(k.exts) > 0 && !k.binary }

// packed is a Writer of what is compressed.
type packed struct {
	Writer
	z io.WriteCloser
}

// Close completes the compressed stream.
func (p *packed) Close() error { return errors.Join(p.Writer.Close(), p.z.Close()) }

// Abort gives up the output; the goroutines of the compression end.
func (p *packed) Abort() {
	Abort(p.Writer)
	_ = p.z.Close()
}
