package input

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// How much is remembered: of so many archives that were read last, so many bytes each, and in all.
const (
	mostKnown  = 4
	mostMemory = 16 << 20
	mostInAll  = mostKnown * mostMemory
)

// mostText is how many bytes of text are remembered: of a compressed tar, or of the beginning of a
// member of a larger one. Fewer in tests.
var mostText = mostMemory

// remembered is how many bytes of text are, of all archives.
var remembered atomic.Int64

// mostRemembered is how many these may be: of a process whose memory is bounded, a small part of it.
func mostRemembered() int64 { return min(mostInAll, debug.SetMemoryLimit(-1)/16) }

// remember counts bytes of text, and reports whether they may be remembered; if not they are not counted.
func remember(nbytes int) bool {
	if remembered.Add(int64(nbytes)) <= mostRemembered() {
		return true
	}
	remembered.Add(-int64(nbytes))
	return false
}

// young is how long a file may be written to without another time of change, by the clocks of
// file systems.
const young = 2 * time.Second

// known is what is remembered of an archive: where its members are.
type known struct {
	info  fs.FileInfo
	tar   *places
	users int // that have the archive open
	sync.Mutex
	zip  *directory // nil before it was read
	read bool       // the text was
	text []byte     // of a compressed tar, nil if it is large or something is wrong with it
	last *headers   // of a large one: with all data of its last member, nil before that was read and while it is read again
}

// knowns are of the archives that are open, and of those that were read last, the last one at the end.
var knowns struct {
	sync.Mutex
	of []*known
}

// knownOf is what is remembered of a file as it is now, which is used until unused is called. It is nil
// if the file was changed so lately that it might change again, and nobody would know.
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
	if i >= 0 {
		k = knowns.of[i]
		knowns.of = slices.Delete(knowns.of, i, i+1)
	}
	k.users++
	knowns.of = append(knowns.of, k)
	forget()
	return k
}

// use says that somebody else has the archive open.
func (k *known) use() {
	knowns.Lock()
	defer knowns.Unlock()
	k.users++
}

// unused says that one of those who use it has closed the archive.
func (k *known) unused() {
	knowns.Lock()
	defer knowns.Unlock()
	k.users--
	forget()
}

// forget forgets archives that nobody has open, if they are too many.
func forget() {
	for len(knowns.of) > mostKnown {
		i := slices.IndexFunc(knowns.of, func(k *known) bool { return k.users == 0 })
		if i < 0 {
			return
		}
		drop(i)
	}
}

// drop forgets one of the archives.
func drop(i int) {
	k := knowns.of[i]
	remembered.Add(-int64(len(k.text)))
	if k.last != nil {
		k.last.forget()
	}
	knowns.of = slices.Delete(knowns.of, i, i+1)
}

// makeRoom forgets archives that nobody has open, until so many bytes of text may be remembered.
func makeRoom(nbytes int) {
	knowns.Lock()
	defer knowns.Unlock()
	for remembered.Load()+int64(nbytes) > mostRemembered() {
		i := slices.IndexFunc(knowns.of, func(k *known) bool { return k.users == 0 })
		if i < 0 {
			return
		}
		drop(i)
	}
}

// recall lets a tar be read by what is remembered of it: of a compressed one, all of it, if it is small.
func (a *archive) recall() error {
	if a.known == nil {
		return nil
	}
	a.places = a.known.tar
	if a.file() != nil {
		return nil
	}
	text, err := a.known.textOf(a)
	if text != nil {
		a.Reader = &countedFile{counted: counted{bytes.NewReader(text), nil}, in: &a.Input}
	}
	return err
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
	most := min(int64(mostText), mostRemembered())
	text, err := io.ReadAll(io.LimitReader(a.Reader, most+1))
	if err == nil && int64(len(text)) <= most {
		if makeRoom(len(text)); remember(len(text)) {
			k.text = text
			return text, nil
		}
	}
	return nil, a.again()
}
