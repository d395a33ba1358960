package runtime

import (
	"fmt"
	"io"
	"os"
	"time"
)

// live reads an input that may be silent for long, in a goroutine of its own, so that
// what has come is handed on in time. See WithBatchTime.
type live struct {
	wait  time.Duration // at most from the first byte of a block on
	quiet time.Duration // that nothing has come for
	came  chan arrival
	spare chan []byte
	done  chan struct{} // closed when nobody reads on

	rest []byte // read, and not handed on
	cur  []byte // the memory of rest, if it is one of spare's
	err  error  // after rest
	told bool   // that nothing more has come since
}

// arrival is what one read gave.
type arrival struct {
	data []byte
	err  error
}

const (
	liveRead  = 64 << 10             // bytes of one read
	liveQuiet = 5 * time.Millisecond // after which nothing is expected to follow at once
)

// isPrompt reports whether an input is not silent for long: a file, or something else
// that can be read again.
func isPrompt(in io.Reader) bool {
	if f, ok := in.(*os.File); ok {
		info, err := f.Stat()
		return err == nil && info.Mode().IsRegular()
	}
	again, ok := in.(io.Seeker)
	if !ok {
		return false
	}
	_, err := again.Seek(0, io.SeekCurrent)
	return err == nil
}

func newLive(in io.Reader, wait time.Duration) *live {
	l := &live{wait: wait, quiet: min(wait, liveQuiet), came: make(chan arrival, 1), spare: make(chan []byte, 3), done: make(chan struct{}), told: true}
	for range cap(l.spare) {
		l.spare <- make([]byte, liveRead)
	}
	go l.read(in)
	return l
}

func (l *live) read(in io.Reader) {
	for {
		var mem []byte
		select {
		case mem = <-l.spare:
		case <-l.done:
			return
		}
		n, err := some(in, mem)
		select {
		case l.came <- arrival{mem[:n], err}:
		case <-l.done:
			return
		}
		if err != nil {
			return
		}
	}
}

// some reads at least one byte, unless in ends or fails.
func some(in io.Reader, p []byte) (n int, err error) {
	for range maxEmpty {
		n, err = in.Read(p)
		if n < 0 || n > len(p) {
			return 0, fmt.Errorf("the input says that it has read %d of %d bytes", n, len(p))
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}

// Read implements io.Reader.
func (l *live) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		if l.err != nil {
			return 0, l.err
		}
		if !l.await(nil) {
			return 0, io.ErrClosedPipe
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

// await waits for what comes next, and reports whether it came before the time was up.
func (l *live) await(timeout <-chan time.Time) bool {
	if l.cur != nil {
		l.spare <- l.cur
		l.cur = nil
	}
	select {
	case a := <-l.came:
		l.rest, l.err, l.told = a.data, a.err, false
		if a.err == nil {
			l.cur = a.data[:liveRead]
		}
		return true
	case <-timeout:
	case <-l.done:
		l.err = io.ErrClosedPipe
	}
	return false
}

// fill fills p, or gives what there is when nothing has come for a while, or the first
// byte has waited for long: then late is true.
func (l *live) fill(p []byte) (n int, late bool, err error) {
	var first time.Time
	for n < len(p) {
		if len(l.rest) > 0 {
			if n == 0 {
				first = time.Now()
			}
			m := copy(p[n:], l.rest)
			n, l.rest = n+m, l.rest[m:]
			continue
		}
		if l.err != nil {
			return n, false, l.err
		}
		var timeout <-chan time.Time
		switch {
		case n > 0:
			left := l.wait - time.Since(first)
			if left <= 0 {
				return n, true, nil
			}
			timeout = time.After(min(l.quiet, left))
		case !l.told: // the block before was full
			timeout = time.After(l.quiet)
		}
		if !l.await(timeout) && l.err == nil {
			l.told = true
			return n, true, nil
		}
	}
	return n, false, nil
}

// look gives what has come at first, which is read again, and whether it is all.
func (l *live) look(most int) (head []byte, whole bool) {
	head = make([]byte, most)
	n, _, err := l.fill(head)
	l.rest = append(head[:n:n], l.rest...) // a copy: cur is read into again
	return head[:n], err == io.EOF
}
