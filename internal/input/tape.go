package input

import (
	"archive/tar"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// This file reads the members of a compressed tar that is too large to be remembered. It is
// decompressed from its beginning on, so who reads one member after the other goes on where the
// reading of the last one stands.

// How many readings of tars are kept, and for how long, until somebody goes on.
const (
	mostKept = 4
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
	t.note(p[:n])
	t.ended = err == io.EOF
	t.failed = err != nil && !t.ended
	return n, err
}

// note remembers data that were read, to be read again, unless they are too many.
func (t *tape) note(data []byte) {
	if t.past {
		return
	}
	had := cap(t.head)
	t.head = append(t.head, data...)
	t.at = len(t.head)
	if grown := cap(t.head) - had; len(t.head) > mostText || !remember(grown) {
		t.head = t.head[:0:had] // what is counted
		t.forget()
	}
}

// forget forgets the data that were read.
func (t *tape) forget() {
	remembered.Add(-int64(cap(t.head)))
	t.past, t.head, t.at = true, nil, 0
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
			return nil, nil, tarError(err, true)
		}
	}
	a.tape.at = 0
	return a.tape, a.tape.header, nil
}

// goesOn reports whether who reads another member can go on where the reading of the archive stands.
func (a *archive) goesOn() bool {
	t := a.tape
	return t != nil && !t.failed && a.places != nil && !(t.ended && a.atLast())
}

// atLast reports whether the reading of the archive stands at its last member.
func (a *archive) atLast() bool {
	a.places.Lock()
	defer a.places.Unlock()
	return a.places.all && a.places.last == a.tape.n-1
}

// leaveLast leaves the data of the last member, if all of them are remembered, to who reads it
// again: the archive need not be open for that.
func (a *archive) leaveLast(k *known) {
	t := a.tape
	if t == nil || t.failed || t.past || !t.ended || a.places == nil || !a.atLast() {
		return
	}
	k.Lock()
	defer k.Unlock()
	if k.last == nil {
		k.last, a.tape = t, nil
	}
}

// takeLast is for reading a member whose data somebody has left, nil for another one.
func (k *known) takeLast(member string) *headers {
	if k == nil || member == "" {
		return nil
	}
	at := k.tar.where(member)
	k.Lock()
	defer k.Unlock()
	t := k.last
	if t == nil || t.n != at+1 {
		return nil
	}
	k.last = nil
	return t
}

// kept is an archive that is open for who reads the next member.
type kept struct {
	*archive
	expiry *time.Timer
}

// keeps are the archives that are kept, the one that is kept for longest first.
var keeps struct {
	sync.Mutex
	of []*kept
}

// keep keeps an archive open for a while, in place of the one that is kept for longest if they
// are too many.
func keep(a *archive) error {
	one := &kept{archive: a}
	keeps.Lock()
	defer keeps.Unlock()
	one.expiry = time.AfterFunc(keptFor, func() { expire(one) })
	keeps.of = append(keeps.of, one)
	if len(keeps.of) <= mostKept {
		return nil
	}
	oldest := keeps.of[0]
	keeps.of = keeps.of[1:]
	oldest.expiry.Stop()
	return oldest.end()
}

// expire closes what nobody went on with.
func expire(one *kept) {
	keeps.Lock()
	defer keeps.Unlock()
	if i := slices.Index(keeps.of, one); i >= 0 {
		keeps.of = slices.Delete(keeps.of, i, i+1)
		one.end() // of what was only read
	}
}

// stands is an archive whose reading stands before a member, as near to it as one does, nil for none.
func (k *known) stands(member string) *archive {
	if k == nil || member == "" {
		return nil
	}
	at := k.tar.where(member)
	keeps.Lock()
	defer keeps.Unlock()
	nearest := -1
	for i, one := range keeps.of {
		if one.known == k && one.tape.reaches(at) && (nearest < 0 || one.tape.n > keeps.of[nearest].tape.n) {
			nearest = i
		}
	}
	if nearest < 0 {
		return nil
	}
	one := keeps.of[nearest]
	keeps.of = slices.Delete(keeps.of, nearest, nearest+1)
	one.expiry.Stop()
	k.use()
	return one.archive
}
