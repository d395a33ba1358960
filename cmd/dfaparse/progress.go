package main

import (
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// progress shows how much of the inputs, compressed or not, has been read.
type progress struct {
	show  bool      // at all
	total int64     // bytes, -1 if unknown
	after time.Time // when it is shown
	std   *streams

	mu    sync.Mutex // inputs are read ahead, in goroutines of their own
	bar   *progressbar.ProgressBar
	read  int64
	shown bool
	over  bool
}

// patience is how long a run may take without a progress bar.
const patience = 500 * time.Millisecond

func newProgress(j *job) *progress {
	p := &progress{std: j.std, after: j.began.Add(patience)}
	switch j.w.progress {
	case "always":
		p.show, p.after = true, j.began
	case "auto":
		toTerminal := j.w.out == "" && isTerminal(j.std.out) && j.kind != "none"
		p.show = isTerminal(j.std.err) && !toTerminal
	}
	if !p.show {
		return p
	}
	for _, path := range j.paths {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() {
			p.total = -1
			break
		}
		p.total += info.Size()
	}
	p.bar = progressbar.NewOptions64(p.total,
		progressbar.OptionSetWriter(p.std.err),
		progressbar.OptionShowBytes(true),
		progressbar.OptionShowCount(),
		progressbar.OptionUseIECUnits(true),
		progressbar.OptionShowTotalBytes(true),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionSetWidth(24),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionClearOnFinish(),
	)
	p.bar.StartWithoutRender() // rates count from here
	return p
}

// add counts bytes that were read.
func (p *progress) add(nbytes int) {
	if !p.show {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.read += int64(nbytes)
	if time.Now().Before(p.after) {
		return
	}
	p.shown = true
	_ = p.bar.Set64(p.read)
}

// finish takes the bar away.
func (p *progress) finish() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
	if p.shown {
		_ = p.bar.Clear()
		_ = p.bar.Exit()
	}
}
