package bench

import (
	"bytes"
	"os"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"time"
)

// Processor is the processor's name, or its architecture where nothing says it.
func Processor() string {
	if name := brand(); name != "" {
		return name
	}
	return goruntime.GOARCH
}

// counter tells the rate of the time stamp counter from when it was started.
type counter struct {
	start uint64
	at    time.Time
	ok    bool
}

func startCounter() counter {
	n, ok := ticks()
	return counter{n, time.Now(), ok}
}

// hertz is the counter's rate, 0 if there is no counter or too little time has
// passed to tell.
func (c counter) hertz() float64 {
	const enough = time.Millisecond
	n, ok := ticks()
	took := time.Since(c.at)
	if !ok || !c.ok || n <= c.start || took < enough {
		return 0
	}
	return float64(n-c.start) / took.Seconds()
}

// Hertz is the rate of the time stamp counter, 0 if there is none of a fixed rate.
func Hertz() float64 {
	c := startCounter()
	time.Sleep(20 * time.Millisecond)
	return c.hertz()
}

// timed calls f and says how long it took, and how much work of cores.
func timed(f func() error) (took, work time.Duration, err error) {
	goruntime.GC() // what others left is not f's to clear away
	before, start := ProcessorTime(), time.Now()
	err = f()
	return time.Since(start), ProcessorTime() - before, err
}

// resetPeak lets peak begin anew, where Linux can.
func resetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0o600) // proc(5): resets VmHWM
}

// peak is the largest resident memory of the process in bytes since resetPeak,
// or since it was started; 0 if the system does not say.
func peak() int64 {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		if value, ok := bytes.CutPrefix(line, []byte("VmHWM:")); ok {
			kib, err := strconv.ParseInt(string(bytes.TrimSpace(bytes.TrimSuffix(bytes.TrimSpace(value), []byte("kB")))), 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
