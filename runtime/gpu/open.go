//go:build cuda

package gpu

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dfaparse/dfaparse/internal/device"
)

// devices are those that an engine has opened, by ordinal. They stay open: that
// takes longer than to parse a small file.
type devices struct {
	mu      sync.Mutex
	opening map[int]*opening

	files map[*byte]*file // that parsers read, by where they lie

	lay, copied atomic.Int64 // bytes of inputs that the device has read where they lay, or that were copied to pinned memory
	refused     error        // why files are copied, the first time
	columns     device.Gauge // bytes of Go's memory that values are made in

	left leftProgram

	first atomic.Int64 // nanoseconds from when the first device was asked for to the first result; 0: there is none yet
	began time.Time    // when that was
}

// opening is a device that is open, or that somebody is about to open.
type opening struct {
	done   chan struct{} // closed when what follows is there
	device *device.Device
	err    error
}

// begin begins to open a device beside the caller, unless that is so already.
func (x *devices) begin(ordinal int) *opening {
	x.mu.Lock()
	defer x.mu.Unlock()
	if o := x.opening[ordinal]; o != nil {
		return o
	}
	o := &opening{done: make(chan struct{})}
	if x.opening == nil {
		x.opening, x.began = map[int]*opening{}, time.Now()
	}
	x.opening[ordinal] = o
	go func() {
		defer close(o.done)
		o.device, o.err = device.Open(ordinal)
	}()
	return o
}

// get waits until a device is open. One that could not be opened is tried again by
// who asks next.
func (x *devices) get(ordinal int) (*device.Device, error) {
	o := x.begin(ordinal)
	<-o.done
	if o.err == nil {
		return o.device, nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.opening[ordinal] == o {
		delete(x.opening, ordinal)
	}
	return nil, o.err
}

// parsed notes when there was a result for the first time.
func (x *devices) parsed() {
	if x.first.Load() == 0 {
		x.first.CompareAndSwap(0, int64(time.Since(x.began)))
	}
}

// Begin begins to open the engine's devices, beside the caller: to compile a spec and
// to look at an input can be done meanwhile. Open and Ready wait for them.
func (e *Engine) Begin() {
	if len(e.ordinals) == 0 {
		go e.all() // which loads the driver
		return
	}
	for _, ordinal := range e.ordinals {
		e.devices.begin(ordinal)
	}
}

// Ready waits until the engine's devices are open, and says why one cannot be opened.
func (e *Engine) Ready() error {
	ordinals, err := e.all()
	if err != nil {
		return err
	}
	for _, ordinal := range ordinals {
		if _, err := e.devices.get(ordinal); err != nil {
			return err
		}
	}
	return nil
}

// Start says how long what comes before the first rows took: a line or two for each
// device that is open, and one for each that has failed.
func (e *Engine) Start() []string {
	ordinals, err := e.all()
	if err != nil {
		return nil
	}
	var lines []string
	for _, ordinal := range ordinals {
		of := e.startOf(ordinal)
		if err := e.fallback.failure(ordinal); err != nil {
			of = append(of, fmt.Sprintf("it has failed: %v", err))
		}
		for _, line := range of {
			if len(ordinals) > 1 {
				line = fmt.Sprintf("device %d: %s", ordinal, line)
			}
			lines = append(lines, line)
		}
	}
	if first := time.Duration(e.devices.first.Load()); first > 0 && len(lines) > 0 {
		lines = append(lines, fmt.Sprintf("first rows %v after the device was asked for", millis(first)))
	}
	return lines
}

// startOf is Start for one device.
func (e *Engine) startOf(ordinal int) []string {
	e.devices.mu.Lock()
	o := e.devices.opening[ordinal]
	e.devices.mu.Unlock()
	if o == nil {
		return nil
	}
	<-o.done
	if o.err != nil {
		return nil
	}
	s, info := o.device.Start(), o.device.Info()
	var code []string
	if s.MachineCode > 0 {
		code = append(code, fmt.Sprintf("%d of machine code", s.MachineCode))
	}
	if s.PTX > 0 {
		code = append(code, fmt.Sprintf("%d of PTX", s.PTX))
	}
	if len(code) == 0 {
		code = append(code, "none")
	}
	lines := []string{fmt.Sprintf("driver %v, context %v, modules %v (%s, for %d.%d), pinned memory %v (%.2f MiB)",
		millis(s.Driver), millis(s.Context), millis(s.Loading), strings.Join(code, ", "), info.Capability/10, info.Capability%10,
		millis(s.Pinning), float64(s.Pinned)/(1<<20))}
	if s.Refused != nil {
		lines = append(lines, fmt.Sprintf("machine code was not taken: %v", s.Refused))
	}
	return lines
}

// Memory says how much memory was in use at once: a line for each device that is open; and
// then how inputs came to the devices.
func (e *Engine) Memory() []string {
	ordinals, err := e.all()
	if err != nil {
		return nil
	}
	mib := func(n int) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }
	var lines []string
	for _, ordinal := range ordinals {
		e.devices.mu.Lock()
		o := e.devices.opening[ordinal]
		e.devices.mu.Unlock()
		if o == nil {
			continue
		}
		if <-o.done; o.err != nil {
			continue
		}
		u := o.device.Usage()
		line := fmt.Sprintf("at most %s of the device's %.1f GiB; of the host's %s pinned, %s of files held", mib(u.Device), float64(o.device.Info().Memory)/(1<<30), mib(u.Pinned), mib(u.Registered))
		if len(ordinals) > 1 {
			line = fmt.Sprintf("device %d: %s", ordinal, line)
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		return nil
	}
	lines[len(lines)-1] += fmt.Sprintf("; %s for columns", mib(e.devices.columns.Most()))
	if lay, copied := e.devices.lay.Load(), e.devices.copied.Load(); lay+copied > 0 {
		line := fmt.Sprintf("%d bytes crossed the bus where they lay in the page cache, %d were copied to pinned memory", lay, copied)
		e.devices.mu.Lock()
		if e.devices.refused != nil {
			line += fmt.Sprintf(": %v", e.devices.refused)
		}
		e.devices.mu.Unlock()
		lines = append(lines, line)
	}
	return lines
}

// millis is a time to a tenth of a millisecond.
func millis(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// prepare has the device load what the first flight is most likely to need, while
// its input is read. What it needs besides is loaded when it is launched.
func (p *parser) prepare() {
	if len(p.mine) == 0 {
		return // no kernel will be
	}
	x := p.stages
	wanted := []*device.Kernel{x.copy.copying.Kernel}
	switch f := &p.fused; {
	case f.lines != nil:
		wanted = append(wanted, x.lines.Kernel, x.linesCount.Kernel, x.fusedCheck.Kernel)
	case f.masks != nil:
		wanted = append(wanted, x.tiles.Kernel, x.fusedCheck.Kernel)
		if p.columns.ntexts > 0 {
			wanted = append(wanted, x.recount.Kernel)
		}
	case len(f.ways) > 0:
		wanted = append(wanted, x.context.kernels[0].Kernel, x.fused.Kernel)
		if p.columns.ntexts > 0 {
			wanted = append(wanted, x.recount.Kernel)
		}
	default:
		wanted = append(wanted, x.context.kernels[0].Kernel, x.index.index.Kernel, x.partition.kernel.Kernel, x.convert.convert.Kernel, x.leftover.Kernel)
		if x.utf8.useful {
			wanted = append(wanted, x.utf8.kernel.Kernel)
		}
		if p.tagging != TaggingNone {
			wanted = append(wanted, x.css.offsets.Kernel)
		}
	}
	if p.columns.ntexts > 0 {
		wanted = append(wanted, x.convert.convert.Kernel, x.strings.offsets.Kernel)
	}
	if len(p.columns.splits) > 0 {
		wanted = append(wanted, x.split.kernel.Kernel)
	}
	for i := range p.columns.images {
		if _, ok := canNarrow(&p.columns.images[i]); ok {
			wanted = append(wanted, x.narrow.ranges.Kernel)
			break
		}
	}
	p.device.Prepare(wanted...)
}
