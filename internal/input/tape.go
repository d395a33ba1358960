package input

import (
	"archive/tar"
	"io"
	"os"
	"slices"
	"time"
)

// This file reads the members of a compressed tar that is too large to be remembered. It is
// decompressed from its beginning on, so who reads one member after the other goes on where the
// reading of the last one stands.

// How many readings of a tar are kept, and for how long, until somebody goes on.
const (
	mostKept = 2
	keptFor  = 2 * time.Second
)

// InTurn reports whether the members of an archive are best read one after the other: who reads
// several at a time decompresses all of it for each.
func InTurn(archive string) bool {
	info, err := os.Stat(archive)
	if err != nil {
		return false
	}
	k := knownOf(info)
	if k == nil {
		return false
	}
	defer k.unused()
	k.Lock()
	defer k.Unlock()
	return k.read && k.text == nil
}

// tape is where the reading of a tar stands.
type tape struct {
	n      int64       // headers that were read
	header *tar.Header // the last of them
	head   []byte      // of the data behind it, what was read, to be read again
	at     int         // in head, what is read next
	past   bool        // more was read than is remembered
	ended  bool        // all of the data was read
	failed bool        // there is nothing to go on with
}

// next notes that the next header was read.
func (t *tape) next(h *tar.Header, err error) {
	*t = tape{n: t.n + 1, header: h, head: t.head[:0], failed: err != nil}
}

// reaches reports whether a header and its data can be read without beginning anew.
func (t *tape) reaches(at int64) bool {
	return !t.failed && (t.n <= at || t.n == at+1 && !t.past)
}

// Read reads the data of the file behind the last header.
func (t *headers) Read(p []byte) (int, error) {
	if t.file != nil {
		return t.Reader.Read(p)
	}
	if t.at < len(t.head) {
		n := copy(p, t.head[t.at:])
		t.at += n
		return n, nil
	}
	n, err := t.Reader.Read(p)
	switch {
	case t.past:
	case len(t.head)+n > mostText:
		t.past, t.head, t.at = true, nil, 0
	default:
		t.head = append(t.head, p[:n]...)
		t.at = len(t.head)
	}
	t.ended = err == io.EOF
	t.failed = err != nil && !t.ended
	return n, err
}

// wind goes to the header of a number, with all of its data behind it: on, or from the beginning.
func (a *archive) wind(at int64) (*headers, *tar.Header, error) {
	if a.tape == nil || !a.tape.reaches(at) {
		if err := a.again(); err != nil {
			return nil, nil, err
		}
		a.tar()
	}
	for a.tape.n <= at {
		if _, _, err := a.tape.next(); err != nil {
			return nil, nil, tarError(err)
		}
	}
	a.tape.at = 0
	return a.tape, a.tape.header, nil
}

// goesOn reports whether who reads another member can go on where the reading of the archive stands.
func (a *archive) goesOn() bool {
	t := a.tape
	if t == nil || t.failed || a.places == nil {
		return false
	}
	a.places.Lock()
	defer a.places.Unlock()
	last := a.places.all && a.places.last == t.n-1
	return !last || !t.ended
}

// kept is an archive that is open for who reads the next member.
type kept struct {
	*archive
	expiry *time.Timer
}

// keep keeps an archive open for a while, in place of the one that is kept for longest if they
// are too many.
func (k *known) keep(a *archive) error {
	one := &kept{archive: a}
	k.Lock()
	defer k.Unlock()
	one.expiry = time.AfterFunc(keptFor, func() { k.expire(one) })
	k.kept = append(k.kept, one)
	if len(k.kept) <= mostKept {
		return nil
	}
	oldest := k.kept[0]
	k.kept = k.kept[1:]
	oldest.expiry.Stop()
	return oldest.Input.Close()
}

// expire closes what nobody went on with.
func (k *known) expire(one *kept) {
	k.Lock()
	defer k.Unlock()
	if i := slices.Index(k.kept, one); i >= 0 {
		k.kept = slices.Delete(k.kept, i, i+1)
		one.Input.Close() // of what was only read
	}
}

// stands is an archive whose reading stands before a member, as near to it as one does, nil for none.
func (k *known) stands(member string) *archive {
	if k == nil || member == "" {
		return nil
	}
	k.Lock()
	defer k.Unlock()
	if len(k.kept) == 0 {
		return nil
	}
	at := k.tar.where(member)
	nearest := -1
	for i, one := range k.kept {
		if one.tape.reaches(at) && (nearest < 0 || one.tape.n > k.kept[nearest].tape.n) {
			nearest = i
		}
	}
	if nearest < 0 {
		return nil
	}
	one := k.kept[nearest]
	k.kept = slices.Delete(k.kept, nearest, nearest+1)
	one.expiry.Stop()
	k.use()
	return one.archive
}
