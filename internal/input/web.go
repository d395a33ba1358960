//go:build !noweb

package input

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	neturl "net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// This file reads inputs over HTTP: by ranges, several at a time, where the server knows
// them; else from the beginning to the end. What fails is asked for again from where it
// ended.

// webLimits bound what is asked of a server.
type webLimits struct {
	first, block int           // bytes of the first request, and of others at most
	width        int           // requests at a time
	stall        time.Duration // that a server may be silent
	tries        int           // of a request that gives nothing
	pause        time.Duration // before the second try; each further one is twice as long
	longest      time.Duration // of pauses
}

// web holds the limits: at most first + width * block bytes are in memory.
var web = webLimits{first: 256 << 10, block: 4 << 20, width: 4, stall: 30 * time.Second, tries: 5, pause: 200 * time.Millisecond, longest: 30 * time.Second}

// webFile is an input on a server.
type webFile struct {
	webLimits
	ctx    context.Context
	cancel context.CancelFunc
	url    string
	send   func(*http.Request) (*http.Response, error)
	name   string // without a password
	stamp  string // by which the server says that it has not changed, "" if it does not
	size   int64
	ranged bool
	time   time.Time

	head []byte // the first bytes, of a server that knows ranges
	at   int64  // where Read is

	queue  []*webBlock     // asked for, in order; the first has the byte at, if any
	asking context.Context // of queue
	stop   context.CancelFunc
	next   int64 // byte that is asked for next
	step   int   // how many at once

	body io.ReadCloser // of a server that knows no ranges; nil: it is to be asked again
}

// webBlock is a range that is asked for.
type webBlock struct {
	from int64
	data []byte
	err  error
	done chan struct{}
}

// statusError is an answer that is none.
type statusError struct {
	code  int
	text  string
	after time.Duration // that it asks to wait
}

func (e *statusError) Error() string { return "the server says " + e.text }

// passing reports whether asking again may help.
func passing(err error) bool {
	var status *statusError
	if errors.As(err, &status) {
		return status.code == http.StatusTooManyRequests || status.code == http.StatusRequestTimeout || status.code >= 500 && status.code != http.StatusNotImplemented
	}
	return !errors.Is(err, errWebChanged) && !errors.Is(err, errUnknown) && !errors.Is(err, context.Canceled)
}

var (
	errWebChanged = errors.New("it was changed on the server while it was read")
	errUnknown    = errors.New("the connection broke, and the server neither knows ranges nor says whether it still has the same: fetch it first")
	errSilent     = errors.New("the server is silent")
)

func openWeb(ctx context.Context, name string, count func(nbytes int)) (*Input, error) {
	w := &webFile{webLimits: web, url: name, send: http.DefaultClient.Do, name: name}
	if isCloud(name) {
		s, key, err := storeOf(name)
		switch {
		case err != nil:
			return nil, err
		case key == "" || strings.HasSuffix(key, "/"):
			return nil, &NameError{name, "is a folder; name what is in it, such as " + strings.TrimSuffix(name, "/") + "/*"}
		}
		w.url, w.send = s.address(key), s.send
	} else {
		u, err := neturl.Parse(name)
		if err != nil || u.Host == "" {
			return nil, fmt.Errorf("%q is no address", name)
		}
		w.name = u.Redacted()
	}
	w.ctx, w.cancel = context.WithCancel(ctx)
	in := &Input{Name: w.name, close: []func() error{w.Close}, giveUp: w.cancel}
	if err := w.begin(); err != nil {
		in.Close()
		return nil, w.failure(err)
	}
	in.Changed, in.Size, in.Tag = w.time, w.size, w.stamp
	if err := in.decompress(&sought{w, 0}, path.Ext(pathOf(name)), nil); err != nil {
		in.Close()
		return nil, err
	}
	if count != nil {
		in.Reader = &counting{in.Reader.(io.ReadSeeker), count}
	}
	return in, nil
}

func (w *webFile) failure(err error) error {
	if w.ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return w.ctx.Err()
	}
	return fmt.Errorf("%s: %w", w.name, err)
}

// ask asks for the bytes from on, up to and without to; to is 0 for all. The answer's body
// fails once it is silent for too long.
func (w *webFile) ask(ctx context.Context, from, to int64) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	watch := time.AfterFunc(w.stall, func() { cancel(errSilent) })
	fail := func(err error) (*http.Response, error) {
		watch.Stop()
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		cancel(nil)
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.url, nil)
	if err != nil {
		return fail(err)
	}
	req.Header.Set("Accept-Encoding", "identity") // what is compressed stays so: ranges are of that
	req.Header.Set("User-Agent", "dfaparse")
	if to > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", from, to-1))
	}
	resp, err := w.send(req)
	if err != nil {
		if ue := (*neturl.Error)(nil); errors.As(err, &ue) {
			err = ue.Err // it has the address, and its password
		}
		return fail(err)
	}
	watch.Stop() // until the body is read
	resp.Body = &watched{resp.Body, watch, w.stall, ctx, cancel}
	return resp, nil
}

// watched is a body that fails once nothing has come for a while.
type watched struct {
	io.ReadCloser
	watch  *time.Timer
	stall  time.Duration
	ctx    context.Context
	cancel context.CancelCauseFunc
}

func (b *watched) Read(p []byte) (int, error) {
	b.watch.Reset(b.stall)
	n, err := b.ReadCloser.Read(p)
	b.watch.Stop() // who reads slowly is not the server
	if err != nil && err != io.EOF {
		if cause := context.Cause(b.ctx); cause != nil {
			err = cause
		}
	}
	return n, err
}

func (b *watched) Close() error {
	b.watch.Stop()
	b.cancel(nil)
	return b.ReadCloser.Close()
}

// refusal is what is wrong with an answer, nil if nothing is.
func refusal(resp *http.Response, want ...int) error {
	for _, code := range want {
		if resp.StatusCode == code {
			return nil
		}
	}
	e := &statusError{code: resp.StatusCode, text: resp.Status}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && seconds > 0 {
		e.after = time.Duration(seconds) * time.Second
	}
	return e
}

// stampOf is by what an answer says which version it is of.
func stampOf(resp *http.Response) string {
	if tag := resp.Header.Get("ETag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return resp.Header.Get("Last-Modified")
}

// placed reads Content-Range: where an answer begins, and how long the whole is, -1 if it
// does not say.
func placed(resp *http.Response) (from, size int64, err error) {
	text := resp.Header.Get("Content-Range")
	rest, ok := strings.CutPrefix(text, "bytes ")
	at, whole, slash := strings.Cut(rest, "/")
	begin, _, _ := strings.Cut(at, "-")
	if at == "*" {
		begin = "0"
	}
	from, err1 := strconv.ParseInt(begin, 10, 64)
	size, err2 := strconv.ParseInt(whole, 10, 64)
	if whole == "*" {
		size, err2 = -1, nil
	}
	if !ok || !slash || err1 != nil || err2 != nil {
		return 0, 0, fmt.Errorf("the server gives a range that nobody can read: %q", text)
	}
	return from, size, nil
}

// wait pauses before the next try; failed are those so far.
func (w *webFile) wait(ctx context.Context, failed int, err error) error {
	pause := min(w.pause<<(failed-1), w.longest)
	pause += rand.N(pause/2 + 1) // so that not all come back at once
	if status := (*statusError)(nil); errors.As(err, &status) && status.after > 0 {
		pause = min(status.after, w.longest)
	}
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// again calls try until it succeeds, or asking once more makes no sense. try says whether
// something came.
func (w *webFile) again(ctx context.Context, try func() (came bool, err error)) error {
	for failed := 0; ; {
		came, err := try()
		if err == nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if came {
			failed = 0
		}
		if failed++; !passing(err) {
			return err
		} else if failed >= w.tries {
			return fmt.Errorf("%w (tried %d times)", err, failed)
		}
		if err := w.wait(ctx, failed, err); err != nil {
			return err
		}
	}
}

// begin asks for the first bytes, and finds out what the server can do.
func (w *webFile) begin() error {
	return w.again(w.ctx, func() (bool, error) {
		resp, err := w.ask(w.ctx, 0, int64(w.first))
		if err != nil {
			return false, err
		}
		if resp.StatusCode == http.StatusRequestedRangeNotSatisfiable { // of nothing there is no range
			resp.Body.Close()
			if _, size, err := placed(resp); err == nil && size == 0 {
				w.ranged = true
				return false, nil
			}
			w.stamp = stampOf(resp)
			w.body, err = w.whole(0)
			return false, err
		}
		if err := refusal(resp, http.StatusOK, http.StatusPartialContent); err != nil {
			resp.Body.Close()
			return false, err
		}
		w.stamp = stampOf(resp)
		w.time, _ = http.ParseTime(resp.Header.Get("Last-Modified"))
		from, size, err := placed(resp)
		if resp.StatusCode == http.StatusOK {
			w.body = resp.Body
			return true, nil
		}
		defer resp.Body.Close()
		switch {
		case err != nil:
			return false, err
		case size < 0: // ranges of something whose end nobody knows
			w.body, err = w.whole(0)
			return false, err
		case from != 0:
			return false, fmt.Errorf("the server gives bytes from %d on, and was asked for those from 0 on", from)
		}
		w.ranged, w.size = true, size
		w.head = make([]byte, min(int64(w.first), size))
		if _, err := io.ReadFull(resp.Body, w.head); err != nil {
			return false, err
		}
		w.next, w.step = int64(len(w.head)), w.first
		return true, nil
	})
}

// fetch fills a block.
func (w *webFile) fetch(ctx context.Context, b *webBlock) error {
	got := 0
	return w.again(ctx, func() (bool, error) {
		resp, err := w.ask(ctx, b.from+int64(got), b.from+int64(len(b.data)))
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		if err := refusal(resp, http.StatusPartialContent); err != nil {
			if resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable {
				err = errWebChanged // it has given ranges, and this one was among them
			}
			return false, err
		}
		from, size, err := placed(resp)
		switch {
		case err != nil:
			return false, err
		case size >= 0 && size != w.size || stampOf(resp) != w.stamp:
			return false, errWebChanged
		case from != b.from+int64(got):
			return false, fmt.Errorf("the server gives bytes from %d on, and was asked for those from %d on", from, b.from+int64(got))
		}
		n, err := io.ReadFull(resp.Body, b.data[got:])
		got += n
		return n > 0, err
	})
}

// fill asks for what comes next, as long as there is room.
func (w *webFile) fill() {
	if len(w.queue) == 0 {
		w.next = max(w.at, int64(len(w.head)))
	}
	for len(w.queue) < w.width && w.next < w.size {
		if w.stop == nil {
			w.asking, w.stop = context.WithCancel(w.ctx)
		}
		w.step = min(2*w.step, w.block) // of a file of which little is read, little is asked for
		b := &webBlock{from: w.next, data: make([]byte, min(int64(w.step), w.size-w.next)), done: make(chan struct{})}
		w.next += int64(len(b.data))
		w.queue = append(w.queue, b)
		go func(ctx context.Context) {
			defer close(b.done)
			b.err = w.fetch(ctx, b)
		}(w.asking)
	}
}

// drop forgets what was asked for.
func (w *webFile) drop() {
	if w.stop != nil {
		w.stop()
		w.stop = nil
	}
	for _, b := range w.queue {
		<-b.done
	}
	w.queue, w.step = nil, w.first
}

// Read implements io.Reader.
func (w *webFile) Read(p []byte) (int, error) {
	if err := w.ctx.Err(); err != nil {
		return 0, err
	}
	if !w.ranged {
		return w.stream(p)
	}
	switch {
	case len(p) == 0:
		return 0, nil
	case w.at < int64(len(w.head)):
		n := copy(p, w.head[w.at:])
		w.at += int64(n)
		return n, nil
	case w.at >= w.size:
		return 0, io.EOF
	}
	w.fill()
	b := w.queue[0]
	select {
	case <-b.done:
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
	}
	if b.err != nil {
		return 0, w.failure(b.err)
	}
	n := copy(p, b.data[w.at-b.from:])
	if w.at += int64(n); w.at == b.from+int64(len(b.data)) {
		w.queue = w.queue[1:]
		w.fill()
	}
	return n, nil
}

// stream reads from a server that knows no ranges.
func (w *webFile) stream(p []byte) (n int, err error) {
	if len(p) == 0 {
		return 0, nil
	}
	ended := false
	err = w.again(w.ctx, func() (bool, error) {
		if w.body == nil {
			body, err := w.whole(w.at)
			if err != nil {
				return false, err
			}
			w.body = body
		}
		var err error
		if n, err = w.body.Read(p); n > 0 {
			w.at += int64(n)
			return true, nil // the error comes again
		}
		if err == io.EOF {
			ended = true
			return false, nil
		}
		if err != nil {
			w.body.Close()
			w.body = nil
		}
		return false, err
	})
	switch {
	case err != nil:
		return 0, w.failure(err)
	case ended:
		return 0, io.EOF
	}
	return n, nil
}

// whole asks for all, and passes over what was read before.
func (w *webFile) whole(skip int64) (io.ReadCloser, error) {
	resp, err := w.ask(w.ctx, 0, 0)
	if err != nil {
		return nil, err
	}
	err = refusal(resp, http.StatusOK)
	switch {
	case err != nil:
	case stampOf(resp) != w.stamp:
		err = errWebChanged
	case skip > 0 && w.stamp == "":
		err = errUnknown
	}
	if err == nil {
		_, err = io.CopyN(io.Discard, resp.Body, skip)
	}
	if err != nil {
		resp.Body.Close()
		return nil, err
	}
	return resp.Body, nil
}

// Seek implements io.Seeker; of a server that knows no ranges only the beginning can be
// sought.
func (w *webFile) Seek(offset int64, whence int) (int64, error) {
	switch {
	case whence == io.SeekCurrent:
		offset += w.at
	case whence == io.SeekEnd && w.ranged:
		offset += w.size
	case whence == io.SeekEnd:
		return 0, fmt.Errorf("%s: nobody knows where it ends", w.name)
	}
	switch {
	case offset == w.at:
		return offset, nil
	case offset < 0 || !w.ranged && offset != 0:
		return 0, fmt.Errorf("%s: cannot be sought to %d", w.name, offset)
	case w.ranged:
		w.drop()
	case w.body != nil:
		w.body.Close()
		w.body = nil
	}
	w.at = offset
	return offset, nil
}

// Close ends all requests.
func (w *webFile) Close() error {
	w.cancel()
	w.drop()
	if w.body != nil {
		w.body.Close()
		w.body = nil
	}
	return nil
}
