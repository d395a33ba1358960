// Command bench measures dfaparse on generated inputs, beside other readers of
// Go, and writes the table as Markdown.
//
//	go run ./fuzz/bench -mib 256 -out docs/benchmarks.md
//
// Every reader reads the same bytes from memory, on as many threads as the
// column says, and gives its records to nobody. Figures are the median of the
// runs, which take turns, so that a machine that slows down slows all of them.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"sort"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/internal/gen"
)

// contender is one way to read an input; it reports the records that it read.
type contender struct {
	name    string
	threads int
	read    func(in []byte) (records int64, err error)
}

type input struct {
	name       string
	format     string
	contenders []contender
}

func main() {
	size := flag.Int64("mib", 256, "MiB of each input")
	runs := flag.Int("runs", 5, "runs of each reader; the median counts")
	out := flag.String("out", "", "file to write; standard output if empty")
	only := flag.String("only", "", "measure only these inputs, comma-separated")
	profile := flag.String("cpuprofile", "", "write a profile of dfaparse alone to this file")
	flag.Parse()
	if err := run(*size, *runs, *out, *only, *profile); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(mib int64, runs int, out, only, profile string) error {
	nbytes := mib << 20
	var report bytes.Buffer
	header(&report, mib, runs)
	for _, in := range inputs() {
		if only != "" && !strings.Contains(","+only+",", ","+in.name+",") {
			continue
		}
		var data bytes.Buffer
		data.Grow(int(nbytes) + 1<<20)
		if err := gen.Write(&data, in.name, nbytes, 1); err != nil {
			return err
		}
		if profile != "" {
			return profiled(profile, in, data.Bytes(), runs)
		}
		if err := measure(&report, in, data.Bytes(), runs); err != nil {
			return err
		}
	}
	if out == "" {
		_, err := os.Stdout.Write(report.Bytes())
		return err
	}
	return os.WriteFile(out, report.Bytes(), 0o644)
}

// measure times every contender runs times, taking turns, after a run that
// does not count.
func measure(w io.Writer, in input, data []byte, runs int) error {
	times := make([][]float64, len(in.contenders))
	records := make([]int64, len(in.contenders))
	for run := -1; run < runs; run++ {
		for i, c := range in.contenders {
			procs := goruntime.GOMAXPROCS(c.threads)
			goruntime.GC()
			start := time.Now()
			n, err := c.read(data)
			seconds := time.Since(start).Seconds()
			goruntime.GOMAXPROCS(procs)
			if err != nil {
				return fmt.Errorf("%s by %s: %w", in.name, c.name, err)
			}
			records[i] = n
			if run >= 0 {
				times[i] = append(times[i], seconds)
			}
		}
	}
	fmt.Fprintf(w, "\n## %s: %.0f MB, %d records\n\n", in.name, float64(len(data))/1e6, records[0])
	fmt.Fprintf(w, "| reader | threads | GB/s | slowest and fastest run | dfaparse on one core is |\n|---|---|---|---|---|\n")
	base := median(times[0])
	for i, c := range in.contenders {
		if records[i] != records[0] {
			return fmt.Errorf("%s: %s reads %d records, %s %d", in.name, c.name, records[i], in.contenders[0].name, records[0])
		}
		m := median(times[i])
		gbps := func(s float64) float64 { return float64(len(data)) / 1e9 / s }
		sort.Float64s(times[i])
		ratio := ""
		if i > 0 {
			ratio = fmt.Sprintf("%.1f × as fast", m/base)
		}
		fmt.Fprintf(w, "| %s | %d | **%.3f** | %.3f … %.3f | %s |\n", c.name, c.threads, gbps(m), gbps(times[i][len(times[i])-1]), gbps(times[i][0]), ratio)
	}
	return nil
}

func median(s []float64) float64 {
	s = append([]float64(nil), s...)
	sort.Float64s(s)
	return s[len(s)/2]
}

func header(w io.Writer, mib int64, runs int) {
	fmt.Fprintf(w, `# Benchmarks

Written by `+"`make bench`"+`: generated inputs of %d MiB (`+"`dfaparse gen`"+`, seed 1), read from memory to Arrow
records in memory, every column converted to its type. Median of %d runs, the readers taking turns. encoding/csv and the
regular expression convert nothing and keep nothing; neither they nor arrow/go's reader run in parallel.
[peers.md](peers.md) has DuckDB, polars, pyarrow, pandas and others beside it, with Parquet and counting;
[formats-speed.md](formats-speed.md) has every built-in format, how it is run and how fast.

Machine: %s, %d cores, %s, %s/%s.
`, mib, runs, processor(), goruntime.NumCPU(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
}

// processor is the processor's name where the system tells it.
func processor() string {
	b, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	name, flags := "", ""
	for _, line := range strings.Split(string(b), "\n") {
		key, value, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(key) {
		case "model name":
			name = strings.TrimSpace(value)
		case "flags":
			flags = value + " "
		}
	}
	for _, f := range []string{"avx512vbmi", "avx512bw", "avx2"} {
		if strings.Contains(flags, " "+f+" ") {
			return name + " with " + f
		}
	}
	return name
}
