package studio

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// Progress is how far the reading of a whole input has come.
type Progress struct {
	Bytes    int64    `json:"bytes"`
	Of       int64    `json:"of"`
	Rows     int64    `json:"rows"`
	Rejected int64    `json:"rejected"`
	Nulled   int64    `json:"nulled"`
	Seconds  float64  `json:"seconds"`
	Done     bool     `json:"done"`
	Error    string   `json:"error,omitempty"`
	Rejects  []Reject `json:"rejects"` // the first
}

// runRejects is how many rejects of a whole input are told.
const runRejects = 200

// run is an input that is read to its end.
type run struct {
	mu     sync.Mutex
	p      Progress
	began  time.Time
	cancel context.CancelFunc
}

// newRun begins to read.
func newRun(ctx context.Context, in *Input, file string, src []byte) (*run, error) {
	spec, err := compile.Compile(file, src, compile.WithResolver(formats.Resolve))
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	x := &run{p: Progress{Of: in.Size, Rejects: []Reject{}}, began: time.Now(), cancel: cancel}
	go x.read(ctx, in, spec.Program.OfText())
	return x, nil
}

func (x *run) read(ctx context.Context, in *Input, p *dfa.Program) {
	defer x.cancel()
	mode := p.OnError
	if mode == dfa.Fail {
		mode = dfa.Reject
	}
	opts := []runtime.Option{
		runtime.WithEngine(cpu.Engine), runtime.WithContext(ctx), runtime.WithName(in.Name), runtime.WithErrorMode(mode), runtime.WithReuse(), runtime.WithRejectDetails(runRejects),
		runtime.WithProgress(func(n int64) {
			x.mu.Lock()
			x.p.Bytes = n
			x.mu.Unlock()
		}),
		runtime.WithRejectHandler(func(r *runtime.Reject) error {
			x.mu.Lock()
			defer x.mu.Unlock()
			if len(x.p.Rejects) < runRejects {
				x.p.Rejects = append(x.p.Rejects, shift{}.reject(r))
			}
			return nil
		}),
	}
	if !in.Time.IsZero() {
		opts = append(opts, runtime.WithBaseTime(in.Time))
	}
	r, err := runtime.NewReader(io.NewSectionReader(in, 0, in.Size), p, opts...)
	if err == nil {
		defer r.Release()
		for r.Next() {
			x.take(r.Stats())
		}
		x.take(r.Stats())
		err = r.Err()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.p.Seconds, x.p.Done = time.Since(x.began).Seconds(), true
	if err != nil {
		x.p.Error = render.Printable(err.Error())
	} else {
		x.p.Bytes = in.Size
	}
}

func (x *run) take(s runtime.Stats) {
	x.mu.Lock()
	x.p.Rows, x.p.Rejected, x.p.Nulled = s.Rows, s.Rejected, s.Nulled
	x.mu.Unlock()
}

// progress is how far it has come.
func (x *run) progress() Progress {
	x.mu.Lock()
	defer x.mu.Unlock()
	p := x.p
	if !p.Done {
		p.Seconds = time.Since(x.began).Seconds()
	}
	return p
}
