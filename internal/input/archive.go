package input

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/klauspost/compress/zip"

	"github.com/dfaparse/dfaparse/internal/steady"
)

// This file reads what is in zip and tar archives. A member is named behind its archive,
// as in data.zip!2024/a.csv.

// isArchive reports whether a name is that of an archive, which stands for its members.
func isArchive(name string) bool {
	name = strings.ToLower(name)
	for _, ext := range []string{".zip", ".tar", ".tgz", ".tbz2", ".txz", ".tzst"} {
		if strings.HasSuffix(name, ext) || ext == ".tar" && strings.HasSuffix(Bare(name), ext) {
			return true
		}
	}
	return false
}

// Member is the archive that a name begins with, and the member behind the sign. ok is
// false where there is no such archive, or a file has just that name.
func Member(name string) (archive, member string, ok bool) {
	if !strings.Contains(name, "!") {
		return "", "", false
	}
	if _, err := os.Lstat(name); err == nil {
		return "", "", false
	}
	for i := range len(name) {
		if name[i] != '!' {
			continue
		}
		if info, err := os.Stat(name[:i]); err == nil && info.Mode().IsRegular() {
			return name[:i], name[i+1:], true
		}
	}
	return "", "", false
}

// members are those of an archive that a pattern matches, "" for all: in the order in which
// the archive has them.
func members(archive, pattern string) (names []string, err error) {
	a, err := openArchive(context.Background(), archive, "", nil)
	if err != nil {
		return nil, err
	}
	defer a.Close()
	all, err := a.list()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", archive, err)
	}
	if pattern != "" && !doublestar.ValidatePattern(pattern) {
		return nil, &NameError{archive + "!" + pattern, "there is no such member, and it is no pattern"}
	}
	for _, name := range all {
		if pattern == "" && isLeftOut(name) || name != pattern && isIndex(name) {
			continue
		}
		if pattern == "" || name == pattern || doublestar.MatchUnvalidated(pattern, name) {
			names = append(names, archive+"!"+name)
		}
	}
	switch {
	case len(names) > 0:
		return names, once(names)
	case pattern == "":
		return nil, &NameError{archive, "no file is in this archive" + butLeftOut}
	default:
		return nil, &NameError{archive + "!" + pattern, "no member matches; there " + listed(all)}
	}
}

// once wants each member to have a name of its own: what several are called stands for none of them.
func once(names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[name] {
			return fmt.Errorf("%s: several members of the archive have this name; unpack it first", name)
		}
		seen[name] = true
	}
	return nil
}

// listed are some of the members of an archive, in words.
func listed(all []string) string {
	switch n := len(all); {
	case n == 0:
		return "are none"
	case n == 1:
		return "is " + all[0]
	case n > 5:
		return fmt.Sprintf("are %s and %d others", strings.Join(all[:4], ", "), n-4)
	}
	return "are " + strings.Join(all, ", ")
}

// archive is an open one.
type archive struct {
	Input
	known  *known     // what is remembered of it, nil for nothing
	zip    *directory // nil: a tar, which the Input reads
	places *places    // that are remembered of a tar, nil for none
	tape   *headers   // where the reading of a tar stands that is decompressed as it is read, nil before its beginning
}

// openArchive opens an archive to read a member, or to list them.
func openArchive(ctx context.Context, name, member string, count func(nbytes int)) (*archive, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, PathError(err)
	}
	a := &archive{Input: Input{Name: name, close: []func() error{f.Close}}}
	head := make([]byte, tarBlock)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		a.Close()
		return nil, PathError(err)
	}
	info, err := f.Stat()
	if err != nil {
		a.Close()
		return nil, PathError(err)
	}
	a.known = knownOf(info)
	if begins := beginsZip(head[:n]); begins || maybeZip(head[:n]) {
		a.zip, err = openDirectory(f, info.Size(), a.known)
		switch {
		case err == nil:
			a.steady = steady.Of(f, info)
			a.close = []func() error{func() error { return a.zip.file.closed(f) }}
			return a, nil
		case begins || !errors.Is(err, zip.ErrFormat):
			a.Close()
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if kept := a.known.stands(member); kept != nil {
		return kept, a.Close()
	}
	if err := a.open(ctx, f, "", count); err != nil {
		a.Close()
		return nil, err
	}
	if err := a.recall(); err != nil {
		a.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	a.tape = a.known.takeLast(member)
	return a, nil
}

func beginsZip(head []byte) bool {
	return bytes.HasPrefix(head, []byte("PK\x03\x04")) || bytes.HasPrefix(head, []byte("PK\x05\x06"))
}

// maybeZip reports whether a zip may stand behind something else, as behind the program that unpacks
// it: by the first block, no tar begins.
func maybeZip(head []byte) bool {
	if recognise(head[:min(len(head), magicBytes)]) != nil {
		return false
	}
	_, err := tar.NewReader(bytes.NewReader(head)).Next()
	return errors.Is(err, tar.ErrHeader) || len(head) < tarBlock
}

// file is the tar as what any part of is read at once, a file or memory: nil if it is decompressed.
func (a *archive) file() *countedFile {
	f, _ := a.Reader.(*countedFile)
	return f
}

// Close closes the archive, or leaves it to who reads the next member.
func (a *archive) Close() error {
	k := a.known
	if k == nil {
		return a.end()
	}
	defer k.unused()
	if a.goesOn() {
		return keep(a)
	}
	a.known = nil
	a.leaveLast(k)
	return a.end()
}

// end closes the archive for good.
func (a *archive) end() error {
	if a.tape != nil {
		a.tape.forget()
	}
	return a.Input.Close()
}

// tar reads the headers of a tar from where its reading is: the beginning, or that of a header of a file.
func (a *archive) tar() *headers {
	if f := a.file(); f != nil {
		file := &noting{countedFile: f, begin: -1}
		return &headers{Reader: tar.NewReader(file), file: file} // which passes over members
	}
	if a.tape != nil {
		a.tape.forget()
	}
	a.tape = &headers{Reader: tar.NewReader(struct{ io.Reader }{a.Reader})}
	return a.tape
}

// list are the names of the files in the archive. Of a tar it is read to its end.
func (a *archive) list() (names []string, err error) {
	if a.zip != nil {
		for _, f := range a.zip.File {
			if f.Mode().IsRegular() {
				names = append(names, f.Name)
			}
		}
		return names, nil
	}
	t, p := a.tar(), newPlaces()
	for {
		h, at, err := t.next()
		if err == io.EOF {
			if err = a.rest(); err == nil && a.places != nil && a.file() == nil {
				a.places.replace(p)
			}
			return names, err
		}
		if err != nil {
			return nil, tarError(err, p.last >= 0)
		}
		p.add(h, at)
		if isFile(h) || h.Typeflag == tar.TypeLink {
			names = append(names, h.Name)
		}
	}
}

// isFile reports whether a tar has a file's data behind a header. A link to a file, as tar writes
// for a file that has two names, has them behind the header of the first.
func isFile(h *tar.Header) bool { return h.Typeflag == tar.TypeReg || h.Typeflag == tar.TypeGNUSparse }

// rest wants nothing but zeros behind the last member.
func (a *archive) rest() error {
	buf := make([]byte, 64<<10)
	for {
		n, err := a.Reader.Read(buf)
		for _, c := range buf[:n] {
			if c != 0 {
				return errors.New("something else is left after the last member of the tar")
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// tarError says what is wrong with a tar; began, with one that has a member at least.
func tarError(err error, began bool) error {
	switch {
	case errors.Is(err, tar.ErrHeader), errors.Is(err, io.ErrUnexpectedEOF) && !began:
		return errors.New("is neither a zip nor a tar, or it is damaged")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return errors.New("the tar is cut off")
	}
	return err
}

// member opens one.
func (a *archive) member(name string) (io.ReadCloser, fs.FileInfo, error) {
	if a.zip != nil {
		f := a.zip.first[name]
		if f == nil {
			return nil, nil, a.missing()
		}
		if f.Flags&1 != 0 {
			return nil, nil, errors.New("it is encrypted, which is not read")
		}
		r, err := f.Open()
		if errors.Is(err, zip.ErrAlgorithm) {
			err = fmt.Errorf("it is compressed by method %d of zip, which is not read", f.Method)
		}
		return r, f.FileInfo(), err
	}
	t, h, err := a.find(name)
	if err != nil {
		return nil, nil, err
	}
	return io.NopCloser(t), h.FileInfo(), nil
}

// find goes to the data of the file that a tar has by a name. Those of a link are behind the last
// header before it that has the name of what it links to, as they are when the tar is unpacked.
func (a *archive) find(name string) (*headers, *tar.Header, error) {
	if t, h, ok := a.remembered(name); ok {
		return t, h, nil
	}
	t, h, err := a.pass(newPlaces(), name, math.MaxInt)
	if err == io.EOF {
		err = a.missing()
	}
	return t, h, err
}

// errMany says that the places of a tar need too much memory.
var errMany = errors.New("more members than are remembered")

// pass passes over what comes behind some places, of most bytes, and adds what it passes, until it
// is at the file of a name, which is none of theirs. It gives io.EOF after the last.
func (a *archive) pass(p *places, name string, most int) (t *headers, h *tar.Header, err error) {
	switch {
	case p.last < 0:
		if err = a.again(); err == nil {
			t = a.tar()
		}
	case a.tape != nil && a.tape.n == p.last+1: // whose data may be passed
		t = a.tape
	default:
		t, _, err = a.header(p.last)
	}
	if err != nil {
		return nil, nil, err
	}
	for p.nbytes < most {
		h, at, err := t.next()
		if err == io.EOF {
			return nil, nil, err
		}
		if err != nil {
			return nil, nil, tarError(err, p.last >= 0)
		}
		p.add(h, at)
		switch is, ok := p.first[name]; {
		case !ok:
		case is.at == at:
			return t, h, nil
		case is.at < 0:
			return nil, nil, fmt.Errorf("it is a link to %s, and no file of this name stands before it in the archive", h.Linkname)
		default:
			return a.header(is.at)
		}
	}
	return nil, nil, errMany
}

// header goes to the header of a tar that is at a place, with all of its data behind it.
func (a *archive) header(at int64) (t *headers, h *tar.Header, err error) {
	f := a.file()
	if f == nil {
		return a.wind(at)
	}
	if _, err = f.Seek(at, io.SeekStart); err != nil {
		return nil, nil, err
	}
	t = a.tar()
	if h, _, err = t.next(); err != nil {
		return nil, nil, tarError(err, true)
	}
	return t, h, nil
}

// again goes back to the beginning of a tar, if it is not there.
func (a *archive) again() error {
	again, ok := a.Reader.(io.Seeker)
	if !ok { // a zip
		return nil
	}
	at, err := again.Seek(0, io.SeekCurrent)
	if err == nil && at > 0 {
		_, err = again.Seek(0, io.SeekStart)
	}
	return err
}

func (a *archive) missing() error {
	if err := a.again(); err != nil {
		return err
	}
	all, err := a.list()
	if err != nil {
		return err
	}
	return fmt.Errorf("there is no such member; there %s", listed(all))
}

// openMember opens a member of an archive, decompressed if it is compressed.
func openMember(ctx context.Context, archive, member string, count func(nbytes int)) (*Input, error) {
	name := archive + "!" + member
	a, err := openArchive(ctx, archive, member, nil)
	if err != nil {
		return nil, err
	}
	in := &Input{Name: name, close: []func() error{a.Close}}
	fail := func(err error) (*Input, error) {
		in.Close()
		return nil, fmt.Errorf("%s: %w", name, Pathless(err))
	}
	m := &memberReader{ctx: ctx, archive: a, name: member}
	info, err := m.open()
	if err != nil {
		return fail(err)
	}
	in.Changed = info.ModTime()
	in.close = append(in.close, m.Close)
	if err := in.decompress(&sought{m, 0}, path.Ext(member), nil); err != nil {
		in.Close()
		return nil, err
	}
	if count != nil { // what is counted is of this size
		in.Reader = &counting{in.Reader.(io.ReadSeeker), count}
	}
	return in, nil
}

// counting counts what is read, and can be read again.
type counting struct {
	io.ReadSeeker
	count func(nbytes int)
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.ReadSeeker.Read(p)
	c.count(n)
	return n, err
}

// memberReader reads a member, and can be read again from its beginning.
type memberReader struct {
	ctx     context.Context
	archive *archive
	name    string

	mu   sync.Mutex // held while it is read: others go on with the archive when it is closed
	now  io.ReadCloser
	at   int64
	shut bool
}

func (m *memberReader) open() (fs.FileInfo, error) {
	r, info, err := m.archive.member(m.name)
	m.now, m.at = r, 0
	if err != nil {
		m.now = nil
	}
	return info, err
}

// Close ends the reading of the member.
func (m *memberReader) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shut = true
	return m.end()
}

func (m *memberReader) end() error {
	if m.now == nil {
		return nil
	}
	now := m.now
	m.now = nil
	return now.Close()
}

func (m *memberReader) Read(p []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	if m.now == nil {
		return 0, fs.ErrClosed
	}
	n, err := m.now.Read(p)
	m.at += int64(n)
	if changed := m.archive.steady.Check(); changed != nil {
		return 0, changed
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the archive is cut off")
		if m.archive.zip != nil { // its directory, behind all members, is there
			err = errors.New("the archive is damaged: the data of the member end too early")
		}
	} else if errors.Is(err, zip.ErrChecksum) {
		err = errors.New("the archive is damaged: the checksum is not that of the data")
	}
	return n, err
}

func (m *memberReader) Seek(offset int64, whence int) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case offset == 0 && whence == io.SeekCurrent:
		return m.at, nil
	case offset != 0 || whence != io.SeekStart:
		return 0, fmt.Errorf("a member of an archive cannot be sought to %d", offset)
	case m.shut:
		return 0, fs.ErrClosed
	case m.at == 0:
		return 0, nil
	}
	if err := m.end(); err != nil {
		return 0, err
	}
	_, err := m.open()
	return 0, err
}
