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
	start instant
	ok    bool
}

// instant is a reading of the time stamp counter, and when it was taken: at,
// give or take slack.
type instant struct {
	ticks uint64
	at    time.Time
	slack time.Duration
}

// now reads the clock before and after the counter. The process may be stopped in
// between, so that of several readings the closest counts.
func now() instant {
	var best instant
	for i := range 8 {
		before := time.Now()
		n := ticks()
		slack := time.Since(before) / 2
		if i == 0 || slack < best.slack {
			best = instant{n, before.Add(slack), slack}
		}
	}
	return best
}

func startCounter() counter {
	if !steadyTicks() {
		return counter{}
	}
	return counter{now(), true}
}

// hertz is the counter's rate, 0 if there is no counter or too little time has
// passed to tell.
func (c counter) hertz() float64 {
	const enough = time.Millisecond
	if !c.ok {
		return 0
	}
	end := now()
	if took := end.at.Sub(c.start.at); end.ticks > c.start.ticks && took >= enough {
		return float64(end.ticks-c.start.ticks) / took.Seconds()
	}
	return 0
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
