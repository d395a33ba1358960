//go:build !noweb

package input

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// hurried are limits that a test has the time for, but for that of a silent server.
func hurried(t *testing.T) {
	old := web
	web = webLimits{first: 1 << 10, block: 8 << 10, width: 4, stall: time.Minute, tries: 4, pause: time.Millisecond, longest: 20 * time.Millisecond}
	t.Cleanup(func() { web = old })
}

// served is a text on a server that treats each request as treat does; false: as usual.
func served(t *testing.T, data []byte, treat func(w http.ResponseWriter, r *http.Request, n int64) bool) string {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		if treat == nil || !treat(w, r, n.Add(1)) {
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/in.csv?token=x"
}

// cutOff gives some of what was asked for, and then closes the connection.
func cutOff(w http.ResponseWriter, r *http.Request, data []byte) {
	c := &cutter{ResponseWriter: w, left: 3000}
	http.ServeContent(c, r, "", time.Time{}, bytes.NewReader(data))
	panic(http.ErrAbortHandler)
}

type cutter struct {
	http.ResponseWriter
	left int
}

func (c *cutter) Write(p []byte) (int, error) {
	if len(p) > c.left {
		c.ResponseWriter.Write(p[:c.left])
		c.ResponseWriter.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
	c.left -= len(p)
	return c.ResponseWriter.Write(p)
}

// TestWeb: whatever a server does, the input is the same, twice, or there is an error.
func TestWeb(t *testing.T) {
	data := rows(20000)
	ignore := func(w http.ResponseWriter, r *http.Request) bool {
		r.Header.Del("Range")
		return false
	}
	var busy sync.Map // ranges that were asked for
	for name, c := range map[string]struct {
		data  []byte
		treat func(w http.ResponseWriter, r *http.Request, n int64) bool
		want  string // "" for the data
	}{
		"ranges":               {data, nil, ""},
		"empty":                {nil, nil, ""},
		"short":                {[]byte("a\n1\n"), nil, ""},
		"gzip":                 {compress(t, "gz", data), nil, ""},
		"ignores ranges":       {data, func(w http.ResponseWriter, r *http.Request, _ int64) bool { return ignore(w, r) }, ""},
		"ignores ranges, gzip": {compress(t, "gz", data), func(w http.ResponseWriter, r *http.Request, _ int64) bool { return ignore(w, r) }, ""},
		"resets": {data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
			if n%3 == 0 {
				cutOff(w, r, data)
			}
			return false
		}, ""},
		"resets and ignores ranges": {data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
			if ignore(w, r); n%2 == 1 {
				cutOff(w, r, data)
			}
			return false
		}, ""},
		"stalls": {data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
			if n%5 == 0 {
				<-r.Context().Done()
				return true
			}
			return false
		}, ""},
		"stalls in the middle": {data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
			if n == 3 {
				w.Header().Set("Content-Range", fmt.Sprintf("bytes %s/%d", strings.TrimPrefix(r.Header.Get("Range"), "bytes="), len(data)))
				w.WriteHeader(http.StatusPartialContent)
				w.(http.Flusher).Flush()
				<-r.Context().Done()
				return true
			}
			return false
		}, ""},
		"is busy": {data, func(w http.ResponseWriter, r *http.Request, _ int64) bool {
			_, before := busy.LoadOrStore(r.Header.Get("Range"), true)
			if !before {
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return !before
		}, ""},
		"is not there": {data, func(w http.ResponseWriter, r *http.Request, _ int64) bool {
			http.NotFound(w, r)
			return true
		}, "the server says 404 Not Found"},
		"is broken": {data, func(w http.ResponseWriter, _ *http.Request, n int64) bool {
			w.WriteHeader(http.StatusBadGateway)
			return true
		}, "the server says 502 Bad Gateway (tried 4 times)"},
		"breaks": {data, func(w http.ResponseWriter, _ *http.Request, n int64) bool {
			if n > 3 {
				w.WriteHeader(http.StatusInternalServerError)
			}
			return n > 3
		}, "the server says 500 Internal Server Error (tried 4 times)"},
		"is silent": {data, func(_ http.ResponseWriter, r *http.Request, n int64) bool {
			<-r.Context().Done()
			return true
		}, "the server is silent (tried 4 times)"},
		"changes": {data, func(w http.ResponseWriter, _ *http.Request, n int64) bool {
			if n > 3 {
				w.Header().Set("ETag", `"2"`)
			}
			return false
		}, "it was changed on the server while it was read"},
		"changes and ignores ranges": {data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
			if ignore(w, r); n == 1 {
				cutOff(w, r, data)
			}
			w.Header().Set("ETag", `"2"`)
			return false
		}, "it was changed on the server while it was read"},
		"resets, ignores ranges, and has no version": {data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
			ignore(w, r)
			w.Header().Del("ETag")
			cutOff(w, r, data)
			return true
		}, errUnknown.Error()},
		"gives another range": {data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
			if n > 1 {
				r.Header.Set("Range", "bytes=5-8")
			}
			return false
		}, "the server gives bytes from 5 on, and was asked for those from 1024 on (tried 4 times)"},
		"gives a range of what has no end": {data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
			if r.Header.Get("Range") == "" {
				return false
			}
			w.Header().Set("Content-Range", "bytes 0-3/*")
			w.WriteHeader(http.StatusPartialContent)
			w.Write(data[:4])
			return true
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			hurried(t)
			switch name { // a busy machine may be as silent as the server
			case "is silent":
				web.stall = 20 * time.Millisecond
			case "stalls", "stalls in the middle":
				web.stall, web.tries = 150*time.Millisecond, 1000
			}
			got, err := read(t, served(t, c.data, c.treat))
			if c.want != "" {
				if err == nil || !strings.HasSuffix(err.Error(), "/in.csv?token=x: "+c.want) {
					t.Errorf("%v, want %s", err, c.want)
				}
				return
			}
			want := c.data
			if Compressed(c.data) {
				want = data
			}
			if err != nil || got != string(want) {
				t.Errorf("%d bytes, %v; want %d", len(got), err, len(want))
			}
		})
	}
}

// TestWebBounds: ranges are read side by side, and no more is asked for than may be in
// memory.
func TestWebBounds(t *testing.T) {
	hurried(t)
	data := rows(200000)
	var mu sync.Mutex
	at, most, last := 0, 0, int64(0)
	var several sync.WaitGroup
	several.Add(2)
	url := served(t, data, func(w http.ResponseWriter, r *http.Request, n int64) bool {
		var from, to int64
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to)
		mu.Lock()
		at++
		most, last = max(most, at), max(last, to)
		mu.Unlock()
		if n == 2 || n == 3 { // each waits for the other
			several.Done()
			several.Wait()
		}
		mu.Lock()
		at-- // who has the answer may ask again before this returns
		mu.Unlock()
		return false
	})
	in, err := Open(context.Background(), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	read := 0
	for buf := make([]byte, 5000); ; {
		n, err := in.Read(buf)
		if !bytes.Equal(buf[:n], data[read:read+n]) {
			t.Fatalf("other bytes than there are, from %d on", read)
		}
		read += n
		mu.Lock()
		if ahead := int(last) - read; ahead > web.first+web.width*web.block {
			t.Errorf("%d bytes ahead of byte %d", ahead, read)
		}
		mu.Unlock()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if most < 2 || most > web.width {
		t.Errorf("%d requests at a time, want 2 to %d", most, web.width)
	}
}

// TestWebWatchesReads: a server is not silent while nobody reads what it sends.
func TestWebWatchesReads(t *testing.T) {
	hurried(t)
	w := &webFile{webLimits: web, send: http.DefaultClient.Do, url: served(t, rows(20000), nil)}
	resp, err := w.ask(context.Background(), 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.Body.(*watched).watch.Stop() {
		t.Error("it is timed before the body is read")
	}
}

// TestWebGivenUp: when the context is done, reading ends at once, with what ctx says.
func TestWebGivenUp(t *testing.T) {
	hurried(t)
	ctx, cancel := context.WithCancel(context.Background())
	url := served(t, rows(20000), func(_ http.ResponseWriter, r *http.Request, n int64) bool {
		if n > 1 {
			cancel()
			<-r.Context().Done()
		}
		return n > 1
	})
	in, err := Open(ctx, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := io.Copy(io.Discard, in); err != context.Canceled {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if _, err := Open(context.Background(), "http://user:secret@127.0.0.1:1/x.csv", nil); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("%v tells the password, or there is no error", err)
	}
	if got := Bare("https://x.org/a/b.csv.gz?y=z.tsv"); got != "/a/b.csv" {
		t.Errorf("the name is %s", got)
	}
}
