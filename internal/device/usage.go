//go:build cuda

package device

import "sync/atomic"

// Usage is how much memory was in use at once, at most so far, in bytes.
type Usage struct {
	Device     int // the device's
	Pinned     int // the host's: of AllocHost, and what of it is kept for later
	Registered int // the host's: files, see Register
}

type usage struct{ device, pinned, registered Gauge }

// Usage says how much memory was in use.
func (d *Device) Usage() Usage {
	return Usage{d.usage.device.Most(), d.usage.pinned.Most(), d.usage.registered.Most()}
}

// Gauge is a number that goes up and down. Any number of goroutines may use it.
type Gauge struct{ now, most atomic.Int64 }

// Add adds n, which may be below 0.
func (g *Gauge) Add(n int) {
	now := g.now.Add(int64(n))
	for most := g.most.Load(); now > most && !g.most.CompareAndSwap(most, now); most = g.most.Load() {
	}
}

// Most is what it was at most.
func (g *Gauge) Most() int { return int(g.most.Load()) }

// Now is what it is.
func (g *Gauge) Now() int { return int(g.now.Load()) }
