package input

import (
	"bytes"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/klauspost/compress/zip"
	"github.com/klauspost/compress/zstd"
)

// directory is that of a zip. It is read once for all members that are opened one after the other,
// or at once: each of them opens the file.
type directory struct {
	*zip.Reader
	file  *anyOf
	first map[string]*zip.File // by its name, the first file of this name
	end   []byte               // of the zip, which is looked at again
}

// lookedAt is how much of the end of a zip is, in bytes: the last entries of its directory.
const lookedAt = 4 << 10

// openDirectory is the directory of the zip f, which is remembered in k, unless this is nil or it
// is large. It is closed with f.
func openDirectory(f *os.File, size int64, k *known) (*directory, error) {
	end := make([]byte, min(size, lookedAt))
	if _, err := f.ReadAt(end, size-int64(len(end))); err != nil {
		return nil, err
	}
	if k != nil {
		k.Lock()
		defer k.Unlock()
		if d := k.zip; d != nil && bytes.Equal(d.end, end) {
			d.file.add(f)
			return d, nil
		}
	}
	d := &directory{file: &anyOf{files: []*os.File{f}}, first: map[string]*zip.File{}, end: end}
	var err error
	if d.Reader, err = zip.NewReader(d.file, size); err != nil {
		return nil, err
	}
	d.RegisterDecompressor(zstd.ZipMethodWinZip, zstd.ZipDecompressor())
	nbytes := 0
	for _, f := range d.File {
		if _, ok := d.first[f.Name]; !ok && f.Mode().IsRegular() {
			d.first[f.Name] = f
		}
		nbytes += len(f.Name) + len(f.Extra) + len(f.Comment) + 500
	}
	if k != nil && nbytes < mostMemory {
		k.zip = d
	}
	return d, nil
}

// anyOf is a file that several have opened: it is read as long as one of them has not closed it.
type anyOf struct {
	sync.RWMutex
	files []*os.File
}

func (a *anyOf) ReadAt(p []byte, at int64) (int, error) {
	a.RLock()
	defer a.RUnlock()
	if len(a.files) == 0 {
		return 0, fs.ErrClosed
	}
	return a.files[0].ReadAt(p, at)
}

func (a *anyOf) add(f *os.File) {
	a.Lock()
	defer a.Unlock()
	a.files = append(a.files, f)
}

// closed closes one of the files, which nobody reads then.
func (a *anyOf) closed(f *os.File) error {
	a.Lock()
	defer a.Unlock()
	a.files = slices.DeleteFunc(a.files, func(of *os.File) bool { return of == f })
	return f.Close()
}
