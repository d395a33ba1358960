package input

import (
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
	zip *directory // nil before it was read
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
