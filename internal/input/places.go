package input

import (
	"archive/tar"
	"fmt"
	"path"
	"strings"
	"sync"
)

// This file finds the members of tars where they are remembered to be, so that not each is looked for
// from the beginning: a tar has no directory, and of thousands of members each is opened several times.

// places are those of the headers of a tar, as far as it has been passed over. A place is the offset
// of the first byte that belongs to a header, in bytes; of a tar that is decompressed as it is read it
// is the number of the header, from 0.
type places struct {
	sync.Mutex
	all    bool             // they are those of all of the tar
	first  map[string]place // by its name, the first file or link of this name
	files  map[string]int64 // by a clean name, the file that a link to it is where the places end; -1 for none
	last   int64            // of the last header, -1 before the first
	nbytes int              // of memory, about
}

type place struct {
	at   int64 // of the header which the data are behind, -1 if a link is to no file
	link bool
}

func newPlaces() *places {
	return &places{first: map[string]place{}, files: map[string]int64{}, last: -1}
}

// add adds a header. A link is to the last file before it that has the name, as it is when the tar
// is unpacked.
func (p *places) add(h *tar.Header, at int64) {
	p.last = at
	is := place{at: at}
	switch {
	case isFile(h):
	case h.Typeflag == tar.TypeLink:
		is = place{at: -1, link: true}
		if to, ok := p.files[path.Clean(h.Linkname)]; ok {
			is.at = to
		}
	default:
		return
	}
	name := strings.Clone(h.Name) // which may be a part of a long header
	p.files[path.Clean(name)] = is.at
	if _, ok := p.first[name]; !ok {
		p.first[name] = is
		p.nbytes += 2*len(name) + 100
	}
}

// where is the place of a member, or the one behind all that are known.
func (p *places) where(name string) int64 {
	p.Lock()
	defer p.Unlock()
	if is, ok := p.first[name]; ok {
		return is.at
	}
	return p.last + 1
}

// replace takes what is known of all of the tar, unless it is too much.
func (p *places) replace(all *places) {
	p.Lock()
	defer p.Unlock()
	if all.nbytes < mostMemory && !p.all {
		p.all, p.first, p.files, p.last, p.nbytes = true, all.first, all.files, all.last, all.nbytes
	}
}

// headers reads those of a tar.
type headers struct {
	*tar.Reader
	file *noting // nil if the tar is decompressed
	tape         // if it is
}

// next is the next one, and its place.
func (t *headers) next() (h *tar.Header, at int64, err error) {
	if t.file == nil {
		h, err = t.Next()
		t.tape.next(h, err)
		return h, t.n - 1, err
	}
	t.file.begin = -1
	h, err = t.Next()
	if at = t.file.begin; err == nil && (at < 0 || at%tarBlock != 0) {
		err = fmt.Errorf("a header of the tar is at %d", at)
	}
	return h, at, err
}

// tarBlock is what a tar consists of, in bytes.
const tarBlock = 512

// noting notes where the first block is read: what is left of a member before a header is sought
// over, and so is read in less.
type noting struct {
	*countedFile
	begin int64 // -1 if none was read
}

func (n *noting) Read(p []byte) (int, error) {
	if n.begin < 0 && len(p) == tarBlock {
		n.begin = n.at
	}
	return n.countedFile.Read(p)
}

// remembered goes to the data of a file by the places of this tar that are remembered, to which it
// adds those up to the file. Where ok is false it is not there, or something is wrong: reading
// from the beginning tells what.
func (a *archive) remembered(name string) (t *headers, h *tar.Header, ok bool) {
	if a.places == nil {
		return nil, nil, false
	}
	a.places.Lock()
	is, ok := a.places.first[name]
	if !ok {
		defer a.places.Unlock()
		t, h, err := a.pass(a.places, name, mostMemory)
		return t, h, err == nil
	}
	a.places.Unlock()
	if is.at < 0 {
		return nil, nil, false
	}
	t, h, err := a.header(is.at)
	return t, h, err == nil && isFile(h) && (is.link || h.Name == name)
}
