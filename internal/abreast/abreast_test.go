package abreast

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// opened counts what a Group has open.
type opened struct {
	mu        sync.Mutex
	now, most int
}

func (o *opened) add(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now += n
	o.most = max(o.most, o.now)
}

func csv(t *testing.T) *dfa.Program {
	t.Helper()
	p, err := gen.Program("csv")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// group has n files that all hold text.
func group(t *testing.T, n int, text string, o *opened, opts ...runtime.Option) *Group {
	t.Helper()
	dir, p := t.TempDir(), csv(t)
	paths := make([]string, n)
	for i := range paths {
		paths[i] = filepath.Join(dir, fmt.Sprintf("%d.csv", i))
		if err := os.WriteFile(paths[i], []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	opts = append([]runtime.Option{runtime.WithEngine(cpu.Engine), runtime.WithThreads(3)}, opts...)
	return New(context.Background(), paths, func(ctx context.Context, i int, ahead bool, more ...runtime.Option) (*input.Input, *runtime.Reader, error) {
		in, err := input.Open(ctx, paths[i], nil)
		if err != nil {
			return nil, nil, err
		}
		o.add(1)
		r, err := Read(in, p, append(opts[:len(opts):len(opts)], more...)...)
		return in, r, err
	}, opts...)
}

// TestBounds: no more waits than may, and nothing is left when the group is closed, wherever
// its reading is given up.
func TestBounds(t *testing.T) {
	before, old := goruntime.NumGoroutine(), mostWaiting
	mostWaiting = 2 << 20
	defer func() { mostWaiting = old }()
	text := "a,b\n" + strings.Repeat("1,"+strings.Repeat("long ", 50)+"\n", 2000) // 0.5 MB
	for _, stop := range []int{0, 1, 7, 60} {
		var o opened
		g := group(t, 60, text, &o)
		rows := int64(0)
		for i := range stop {
			in, r, err := g.Take(i)
			if err != nil {
				t.Fatal(err)
			}
			for r.Next() {
				rows += r.Record().NumRows()
				g.mu.Lock()
				if one := sizeOf(r.Record()); g.waiting > mostWaiting+2*one {
					t.Errorf("%d bytes wait", g.waiting)
				}
				g.mu.Unlock()
			}
			if r.Err() != nil || r.Stats().Rows != 2000 {
				t.Fatal(r.Err(), r.Stats())
			}
			r.Release()
			in.Close()
			o.add(-1)
		}
		g.Close()
		if rows != int64(stop)*2000 {
			t.Errorf("%d rows of %d inputs", rows, stop)
		}
		if o.most > 3*perWorker+3 || stop > 7 && o.most < 2 {
			t.Errorf("%d inputs open", o.most)
		}
	}
	for deadline := time.Now().Add(time.Minute); goruntime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, of which there were %d", goruntime.NumGoroutine(), before)
		}
	}
}

// TestGivenUp: an input of which only the first rows are wanted ends at once, and so does
// all when a handler of rejects fails.
func TestGivenUp(t *testing.T) {
	text := "a,b\n1,2\n1\n" + strings.Repeat("3,4\n", 50000)
	wrong := errors.New("wrong")
	var o opened
	g := group(t, 9, text, &o, runtime.WithErrorMode(dfa.Reject), runtime.WithRejectHandler(func(*runtime.Reject) error { return wrong }))
	defer g.Close()
	for i := range 9 {
		in, r, err := g.Take(i)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			for r.Next() {
			}
			if r.Err() != wrong {
				t.Errorf("%v, want %v", r.Err(), wrong)
			}
		}
		r.Release()
		in.Close()
	}
}

// TestApart: options that tie inputs together let them be read one after the other.
func TestApart(t *testing.T) {
	for i, opts := range [][]runtime.Option{
		{runtime.WithLimit(5)}, {runtime.WithSkip(1)}, {runtime.WithMaxRejects(3)}, {runtime.WithMemory(1 << 30)},
		{runtime.WithProgress(func(int64) {})}, {runtime.WithAllocator(memory.NewGoAllocator())}, {runtime.WithThreads(1)},
	} {
		var o opened
		g := group(t, 4, "a\n1\n", &o, opts...)
		in, r, err := g.Take(0)
		if err != nil {
			t.Fatal(err)
		}
		if o.most != 1 || g.width != 1 {
			t.Errorf("option %d: %d inputs at a time", i, o.most)
		}
		r.Release()
		in.Close()
		g.Close()
	}
	if threads("-") != 0 || threads(os.DevNull) != 0 || threads("there is no such file") != 1 {
		t.Error("what is no file is read side by side, or a missing one alone")
	}
	large := filepath.Join(t.TempDir(), "large.csv")
	if err := os.WriteFile(large, bytes.Repeat([]byte("1,2\n"), smallFile/4+1), 0o666); err != nil {
		t.Fatal(err)
	}
	if threads(large) != 0 {
		t.Error("a large file keeps all cores busy")
	}
}

// TestNobodyHasIt: an input is read though all workers are busy with those that have been given, as
// they are until they look for more.
func TestNobodyHasIt(t *testing.T) {
	var o opened
	g := group(t, 3, "a\n1\n", &o)
	defer g.Close()
	for i := range 3 {
		g.mu.Lock()
		g.next, g.working = i, g.working+g.width
		g.mu.Unlock()
		in, r, err := g.Take(i)
		if err != nil {
			t.Fatal(err)
		}
		for r.Next() {
		}
		if r.Err() != nil || r.Stats().Rows != 1 {
			t.Error(r.Err(), r.Stats())
		}
		r.Release()
		in.Close()
		g.mu.Lock()
		g.working -= g.width
		g.mu.Unlock()
	}
}

// TestGivenAtOnce is the same of inputs that end when they are opened.
func TestGivenAtOnce(t *testing.T) {
	wrong := errors.New("wrong")
	paths := make([]string, 200)
	for i := range paths {
		paths[i] = "gs://bucket/a.csv"
	}
	for range 50 {
		g := New(context.Background(), paths, func(context.Context, int, bool, ...runtime.Option) (*input.Input, *runtime.Reader, error) {
			return nil, nil, wrong
		}, runtime.WithEngine(cpu.Engine), runtime.WithThreads(2))
		for i := range paths {
			if _, _, err := g.Take(i); err != wrong {
				t.Fatal(i, err)
			}
		}
		g.Close()
	}
}

// TestFileChanges: how a file is read is decided once, whatever becomes of it.
func TestFileChanges(t *testing.T) {
	var o opened
	g := group(t, 3, "a\n1\n", &o)
	size := func(i int, nbytes int64) {
		if err := os.Truncate(g.paths[i], nbytes); err != nil {
			t.Fatal(err)
		}
	}
	size(1, smallFile+1)
	for i := range 2 { // 1 is passed over, and then small
		in, r, err := g.Take(i)
		if err != nil {
			t.Fatal(err)
		}
		r.Release()
		in.Close()
		size(1, 4)
	}
	g.Close()
	g = group(t, 3, "a\n1\n", &o)
	a := g.claim()
	size(0, smallFile+1)
	if a.read(); a.err != nil {
		t.Error(a.err)
	}
	g.Close()
}
