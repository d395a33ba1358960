package dfaparse_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/runtime"
)

var manyRows = "a,b\n" + strings.Repeat("1,some text\n", 1<<20)

// sparing is an input that tells when it is read, and takes its time.
type sparing struct {
	*strings.Reader
	reading, released atomic.Bool
	t                 *testing.T
}

func (s *sparing) Read(p []byte) (int, error) {
	s.reading.Store(true)
	defer s.reading.Store(false)
	if s.released.Load() {
		s.t.Error("an input is read after the Reader was closed")
	}
	time.Sleep(100 * time.Microsecond)
	return s.Reader.Read(p[:min(len(p), 64<<10)])
}

// TestReadUntilReleased: whoever has closed a Reader early has its input for himself, if it
// can be sought, and can go on with it.
func TestReadUntilReleased(t *testing.T) {
	for i := range 50 {
		in := &sparing{Reader: strings.NewReader(manyRows), t: t}
		r, err := dfaparse.OpenReader(context.Background(), in, dfaparse.Format("csv"), dfaparse.WithThreads(1+i%2))
		if err != nil {
			t.Fatal(err)
		}
		if i%3 > 0 && !r.Next() {
			t.Fatal(r.Err())
		}
		r.Close()
		if in.released.Store(true); in.reading.Load() {
			t.Error("an input is still read when the Reader is closed")
		}
		time.Sleep(time.Duration(i) * 10 * time.Microsecond)
	}
}

// TestServerReleased: what a server sends is closed while it is read ahead.
func TestServerReleased(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "a.csv", time.Unix(1, 0), strings.NewReader(manyRows))
	}))
	defer server.Close()
	for i := range 100 {
		r, err := dfaparse.Open(context.Background(), server.URL+"/a.csv", dfaparse.Format("csv"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(i) * 30 * time.Microsecond)
		if i%2 > 0 && !r.Next() {
			t.Fatal(r.Err())
		}
		r.Close()
	}
}

// TestSilentReleased: nobody waits for a pipe that is silent, compressed or not, nor for a
// server; what comes after that is nobody's.
func TestSilentReleased(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, manyRows[:1<<20])
	z.Flush()
	for name, head := range map[string]string{"text": manyRows[:1<<20], "gzip": packed.String()} {
		in, out := io.Pipe()
		go func() {
			io.WriteString(out, head)
			io.WriteString(out, "more") // which is let go
		}()
		r, err := dfaparse.OpenReader(context.Background(), in, dfaparse.Format("csv"), dfaparse.With(runtime.WithBatchTime(10*time.Millisecond)))
		if err != nil {
			t.Fatal(err)
		}
		if !r.Next() {
			t.Fatal(name, r.Err())
		}
		within(t, name, func() { r.Close() })
		out.Close()
	}
	silent := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, manyRows)
		w.(http.Flusher).Flush()
		<-silent
	}))
	defer server.Close()
	defer close(silent)
	r, err := dfaparse.Open(context.Background(), server.URL+"/a.csv", dfaparse.Format("csv"))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Next() {
		t.Fatal(r.Err())
	}
	within(t, "server", func() { r.Close() })
}

// unending is an input that cannot be sought.
type unending struct{ at int }

func (e *unending) Read(p []byte) (int, error) {
	n := copy(p, manyRows[e.at:])
	e.at = (e.at + n) % len(manyRows)
	return n, nil
}

// TestNothingOutlives: no goroutine, and so no memory of one, waits for who has closed a Reader
// of what cannot be sought before its end.
func TestNothingOutlives(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	io.WriteString(z, manyRows)
	z.Close()
	text := func() io.Reader { return &unending{} }
	for name, of := range map[string]struct {
		in   func() io.Reader
		opts []dfaparse.Option
	}{
		"text":     {text, []dfaparse.Option{dfaparse.Format("csv")}},
		"at once":  {text, []dfaparse.Option{dfaparse.Format("csv"), dfaparse.With(runtime.WithBatchTime(10 * time.Millisecond))}},
		"inferred": {text, []dfaparse.Option{dfaparse.Infer(), dfaparse.WithAllStrings()}},
		"gzip":     {func() io.Reader { return io.MultiReader(bytes.NewReader(packed.Bytes()), text()) }, []dfaparse.Option{dfaparse.Format("csv")}},
		"refused":  {text, []dfaparse.Option{dfaparse.Spec("format x extends csv { fields { no str } }")}},
	} {
		before := goruntime.NumGoroutine()
		for i := range 20 {
			r, err := dfaparse.OpenReader(context.Background(), of.in(), of.opts...)
			if err != nil {
				continue
			}
			if i%2 == 0 && !r.Next() {
				t.Fatal(name, r.Err())
			}
			r.Close()
		}
		for range 1000 {
			if goruntime.NumGoroutine() <= before {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if n := goruntime.NumGoroutine() - before; n > 0 {
			t.Errorf("%s: %d goroutines are left by 20 Readers", name, n)
		}
	}
}

// within fails when f takes as long as a server may be silent.
func within(t *testing.T, name string, f func()) {
	t.Helper()
	began := time.Now()
	if f(); time.Since(began) > 20*time.Second {
		t.Errorf("%s: closing takes %v", name, time.Since(began))
	}
}
