package pick

import (
	"fmt"
	"math"
	"time"
)

// Model is how long engines take on a machine.
type Model struct {
	Cores  int    `json:"cores"`            // that All is of
	Device string `json:"device,omitempty"` // the GPU's name; "": nobody knows
	CPU    Engine `json:"cpu"`
	GPU    Engine `json:"gpu"`
}

// Engine is how long one engine takes.
type Engine struct {
	Start Start           `json:"start"`
	Rates map[Class]Rates `json:"rates"` // none: it is not there
}

// Start is how many seconds pass until an engine is up to speed: with more cores it takes more
// memory first.
type Start struct {
	One float64 `json:"one"`
	All float64 `json:"all"`
}

// Rates are 10^9 bytes a second, to columns of Arrow in memory.
type Rates struct {
	One float64 `json:"one"` // of one core
	All float64 `json:"all"` // of all that the model has
}

// Reading is what there is to read.
type Reading struct {
	Bytes  int64
	Class  Class
	Cores  int
	Output float64 // 10^9 bytes of input a second that one core writes; 0: nothing is written
}

// Choice is which engine reads, and why.
type Choice struct {
	GPU     bool
	Reading Reading
	OnCPU   time.Duration // expected
	OnGPU   time.Duration // expected; 0: there is none
	StartUp time.Duration // of OnGPU what passes before it reads
	rates   [2]float64    // of the CPU and the GPU
}

// Choose says which engine is expected to be done first; the CPU's where that is the same.
func (m *Model) Choose(t Reading) Choice {
	c := Choice{Reading: t}
	c.OnCPU, c.rates[0] = m.time(&m.CPU, t)
	if len(m.GPU.Rates) > 0 {
		c.OnGPU, c.rates[1] = m.time(&m.GPU, t)
		c.StartUp = seconds(m.start(&m.GPU, t))
		c.GPU = c.OnGPU < c.OnCPU
	}
	return c
}

// Possible reports whether a reading of whatever class may be for the GPU. It is cheap.
func (m *Model) Possible(t Reading) bool {
	for _, c := range Classes() {
		if t.Class = c; m.Choose(t).GPU {
			return true
		}
	}
	return false
}

// time is how long an engine takes, and its rate.
func (m *Model) time(e *Engine, t Reading) (time.Duration, float64) {
	cores := float64(max(1, min(t.Cores, m.Cores)))
	r := e.Rates[t.Class]
	rate := min(r.One*cores, r.All) // until memory, or the bus, does not give more
	if rate <= 0 {
		return math.MaxInt64, 0
	}
	gb := float64(t.Bytes) / 1e9
	reading, writing := gb/rate, 0.0
	if t.Output > 0 {
		writing = gb / t.Output
	}
	// One core writes, beside those that read, whose work it takes none of.
	return seconds(m.start(e, t) + max(writing, reading+writing/cores)), rate
}

// start is how long an engine takes to start.
func (m *Model) start(e *Engine, t Reading) float64 {
	if m.Cores == 1 {
		return e.Start.One
	}
	share := float64(max(1, min(t.Cores, m.Cores))-1) / float64(m.Cores-1)
	return e.Start.One + share*(e.Start.All-e.Start.One)
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// OfCPU is the choice in a line, where it has to be the CPU's engine.
func (c Choice) OfCPU() string {
	c.GPU = false
	return c.String()
}

// String is the choice in a line.
func (c Choice) String() string {
	size := fmt.Sprintf("%.3g MB", float64(c.Reading.Bytes)/1e6)
	if c.Reading.Bytes >= 1e9 {
		size = fmt.Sprintf("%.3g GB", float64(c.Reading.Bytes)/1e9)
	}
	took := func(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }
	switch {
	case c.GPU:
		return fmt.Sprintf("gpu: %s at an expected %.1f GB/s after %s to start, %s in all; cpu would take %s", size, c.rates[1], took(c.StartUp), took(c.OnGPU), took(c.OnCPU))
	case c.OnGPU == 0:
		return fmt.Sprintf("cpu: %s at an expected %.1f GB/s, %s in all", size, c.rates[0], took(c.OnCPU))
	case c.OnCPU <= c.StartUp:
		return fmt.Sprintf("cpu: %s at an expected %.1f GB/s, %s in all; gpu would take %s to start", size, c.rates[0], took(c.OnCPU), took(c.StartUp))
	}
	return fmt.Sprintf("cpu: %s at an expected %.1f GB/s, %s in all; gpu would take %s", size, c.rates[0], took(c.OnCPU), took(c.OnGPU))
}
