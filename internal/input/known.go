package input

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"
)

// How much is remembered: of so many archives that were read last, so many bytes each.
const (
	mostKnown  = 4
	mostMemory = 16 << 20
)

// young is how long a file may be written to without another time of change, by the clocks of
// file systems.
const young = 2 * time.Second

// known is what is remembered of an archive: where its members are.
type known struct {
	info fs.FileInfo
	tar  *places
	sync.Mutex
	zip  *directory // nil before it was read
	read bool       // the text was
	text []byte     // of a compressed tar, nil if it is large or something is wrong with it
}

// knowns are of the archives that were read last, the last one at the end.
var knowns struct {
	sync.Mutex
	of []*known
}

// knownOf is what is remembered of a file as it is now. It is nil if the file was changed so lately
// that it might change again, and nobody would know.
func knownOf(info fs.FileInfo) *known {
	if time.Since(info.ModTime()) < young {
		return nil
	}
	knowns.Lock()
	defer knowns.Unlock()
	k := &known{info: info, tar: newPlaces()}
	i := slices.IndexFunc(knowns.of, func(k *known) bool {
		return os.SameFile(k.info, info) && k.info.Size() == info.Size() && k.info.ModTime().Equal(info.ModTime())
	})
	switch {
	case i >= 0:
		k = knowns.of[i]
		knowns.of = slices.Delete(knowns.of, i, i+1)
	case len(knowns.of) == mostKnown:
		knowns.of = slices.Delete(knowns.of, 0, 1)
	}
	knowns.of = append(knowns.of, k)
	return k
}

// recall lets a tar be read by what is remembered of it: of a compressed one, all of it.
func (a *archive) recall(k *known) error {
	if k == nil {
		return nil
	}
	if a.file() == nil {
		text, err := k.textOf(a)
		if text == nil {
			return err
		}
		a.Reader = &countedFile{counted: counted{bytes.NewReader(text), nil}, in: &a.Input}
	}
	a.places = k.tar
	return nil
}

// textOf is what a compressed tar is, nil if it is too large to be remembered or something is wrong:
// then it is where it was, at its beginning.
func (k *known) textOf(a *archive) ([]byte, error) {
	k.Lock()
	defer k.Unlock()
	if k.read {
		return k.text, nil
	}
	k.read = true
	text, err := io.ReadAll(io.LimitReader(a.Reader, mostMemory+1))
	if err == nil && len(text) <= mostMemory {
		k.text = text
		return text, nil
	}
	return nil, a.again()
}
