// Command formats says how the engine for reading runs each built-in format, and
// how fast, as tables in Markdown.
//
//	go run ./bench/formats -mib 64 -out docs/formats-speed.md
//
// Rates of one core are of the core's time, in which other programs have no part; those
// of several cores are by the clock, for a machine that does nothing else.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	goruntime "runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/bench"
	"github.com/dfaparse/dfaparse/internal/pace"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// config is how is measured.
type config struct {
	nbytes int // of an input for one core
	runs   int // the median counts
	only   []string
	parts  []string

	threads []int // of the table of several cores, and of that of damage
	details int   // see runtime.WithRejectDetails
	damages []string
	shares  []int // of lines that are damaged, in percent
}

func main() {
	mib := flag.Int("mib", 64, "MiB of each input for one core; several cores have up to 1 GiB")
	runs := flag.Int("runs", 5, "runs of each format; the median counts")
	out := flag.String("out", "", "file to write; standard output if empty")
	only := flag.String("only", "", "measure only these `formats`, separated by commas")
	parts := flag.String("parts", strings.Join(allParts, ","), "the `tables` to write; there is also damage")
	threads := flag.String("threads", "", "the `numbers` of threads of the table of several cores; 1, 2, 4, … if empty")
	details := flag.Int("details", 1, "put so many rejects into words; all that are kept if negative")
	kinds := flag.String("damages", "", "of the table damage only these `kinds`, separated by commas")
	shares := flag.String("shares", "2,20", "of the table damage: how many `percent` of lines are damaged")
	figures := flag.Bool("figures", false, "print figures of one core as JSON: for itself, in processes that have less vector code")
	profile := flag.String("cpuprofile", "", "`file` to write a profile of the processor to")
	flag.Parse()
	c := &config{nbytes: *mib << 20, runs: *runs, parts: strings.Split(*parts, ","), details: *details}
	if *kinds != "" {
		c.damages = strings.Split(*kinds, ",")
	}
	if *only != "" {
		c.only = strings.Split(*only, ",")
	}
	c.threads, c.shares = numbers(*threads), numbers(*shares)
	run := func() error { return write(c, *out) }
	if *figures {
		run = func() error { return printFigures(c) }
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "formats:", err)
			os.Exit(1)
		}
		defer pprof.StopCPUProfile()
	}
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "formats:", err)
		os.Exit(1)
	}
}

// numbers are those of a list, which are 1 at least.
func numbers(list string) (numbers []int) {
	for _, text := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			fmt.Fprintf(os.Stderr, "formats: %q is no number above 0\n", text)
			os.Exit(2)
		}
		numbers = append(numbers, n)
	}
	return numbers
}

var allParts = []string{"formats", "vectors", "cores", "rejects"}

// chosen are those of samples that were asked for.
func (c *config) chosen(samples []sample) []sample {
	if c.only == nil {
		return samples
	}
	return slices.DeleteFunc(slices.Clone(samples), func(s sample) bool { return !slices.Contains(c.only, s.format) })
}

func write(c *config, out string) error {
	save := func(b *bytes.Buffer) error {
		if out == "" {
			_, err := b.WriteTo(os.Stdout)
			return err
		}
		return os.WriteFile(out, b.Bytes(), 0o644)
	}
	b := &bytes.Buffer{}
	fmt.Fprintf(b, `# Formats by speed

Written by `+"`make bench-formats`"+`: how the engine `+"`cpu`"+` runs each built-in format, those of generated files, and some as
people write them for files of their own, and how fast: from memory to Arrow records in memory, every column converted,
the median of %d runs.

- [One core](#one-core)
- [Without vector instructions](#without-vector-instructions)
- [Several cores](#several-cores)
- [Records that are rejected](#records-that-are-rejected)

Machine: %s, %d cores, %s, %s, %s/%s.
`, c.runs, bench.Processor(), goruntime.NumCPU(), cpu.Vectors(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
	for _, part := range c.parts {
		do, ok := map[string]func(*bytes.Buffer, *config) error{"formats": oneCore, "vectors": byVectors, "cores": byCores, "rejects": byRejects, "damage": byDamage}[part]
		if !ok {
			return fmt.Errorf("there is no table %q", part)
		}
		if err := do(b, c); err != nil {
			return err
		}
		if err := save(b); err != nil { // what there is so far
			return err
		}
	}
	return nil
}

// oneCore writes the table of all formats.
func oneCore(b *bytes.Buffer, c *config) error {
	fmt.Fprintf(b, `
## One core

Inputs of %d MiB, in the time of the core. Strings that stay strings cost less than columns with types, so that rates
compare ways, not formats.

- *Fields* are found by **masks**, which look at 64 symbols at once as long as nothing is odd, by **hops** along
  the path that other records took, or by **steps** of the automaton at special symbols alone
  ([performance.md](performance.md#index)).
- *Contexts* of chunks are only looked for by several workers: after the last symbol that leads to one state
  (**local**), which is free; by the **parity** of quotes, checked afterwards; by stepping one number (**monoid**), or
  those states that still differ (**generic**) ([performance.md](performance.md#context)).

![GB/s of each format on one core, by how its fields are found](plots/formats.svg)

| format | states | fields | contexts | measured on | GB/s |
|---|---|---|---|---|---|
`, c.nbytes>>20)
	var reasons, below strings.Builder
	samples, err := allSamples()
	if err != nil {
		return err
	}
	said := map[string]bool{}
	for _, s := range c.chosen(samples) {
		f, err := s.measure(c.nbytes, 1, c.runs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.format, err)
		}
		spec, err := spec(s.format)
		if err != nil {
			return err
		}
		p := spec.Program
		contexts := cpu.ContextPath(p)
		why := whyContexts(p, contexts)
		fmt.Fprintf(b, "| `%s` | %d | %s | %s | %s | **%.2f** |\n",
			s.format, p.Automaton.NStates(), p.Analysis().IndexPath(), contexts, s.what, f.perCore())
		if f.perCore() < 1 {
			value := float64(f.NBytes) / float64(f.Rows*int64(max(len(p.Columns), 1)))
			fmt.Fprintf(&below, "- `%s`, %.2f: %s.\n", s.format, f.perCore(), whyBelow(spec, value))
		}
		if said[s.format] {
			continue
		}
		said[s.format] = true
		if way := p.Analysis().IndexPath(); way != "masks" {
			fmt.Fprintf(&reasons, "- `%s` finds fields by %s: %s.\n", s.format, way, p.Analysis().NoMasks)
		}
		if why != "" {
			fmt.Fprintf(&reasons, "- `%s` has contexts by %s: %s.\n", s.format, contexts, why)
		}
	}
	if below.Len() > 0 {
		fmt.Fprintf(b, "\n### Below 1 GB/s\n\nWhat takes the time, as `dfaparse check -v` says it, and how long a value is: what is done once a value costs the more\nper byte the shorter values are.\n\n%s", below.String())
	}
	if reasons.Len() > 0 {
		fmt.Fprintf(b, "\n### Why not by a cheaper way\n\n%s", reasons.String())
	}
	return nil
}

// byVectors writes the table of what less vector code makes of generated files.
func byVectors(b *bytes.Buffer, c *config) error {
	below := levels()
	if len(below) == 0 {
		return nil
	}
	samples := c.chosen(generatedSamples())
	var columns [][]figure
	head, line := "", ""
	for _, l := range append([]level{{name: cpu.Vectors()}}, below...) {
		figures, err := atLevel(l)
		if err != nil {
			return err
		}
		columns = append(columns, figures)
		head, line = head+fmt.Sprintf(" | %s", l.name), line+"|---"
	}
	hertz := bench.Hertz()
	fmt.Fprintf(b, `
## Without vector instructions

The same inputs on one core, GB/s, and TSC cycles a byte, if the processor had less vector code: `+"`GODEBUG=cpu.avx512f=off`"+`
takes AVX-512 away, `+"`cpu.avx2=off`"+` AVX2. The counter of this machine runs at %.1f GHz, whatever its clock.

| format | measured on%s |
|---|---%s|
`, hertz/1e9, head, line)
	for i, s := range samples {
		fmt.Fprintf(b, "| `%s` | %s", s.format, s.what)
		for _, figures := range columns {
			f := &figures[i]
			fmt.Fprintf(b, " | **%.2f**", f.perCore())
			if hertz > 0 {
				fmt.Fprintf(b, ", %.1f", f.nanoseconds()*hertz/1e9)
			}
		}
		b.WriteString(" |\n")
	}
	return nil
}

// byCores writes the table of what more cores make of generated files.
func byCores(b *bytes.Buffer, c *config) error {
	counts := c.threads
	if counts == nil {
		for n := 1; n < goruntime.NumCPU(); n *= 2 {
			counts = append(counts, n)
		}
		counts = append(counts, goruntime.NumCPU())
	}
	head, line := "", ""
	for _, n := range counts {
		head, line = head+fmt.Sprintf(" | %d", n), line+"|---"
	}
	fmt.Fprintf(b, `
## Several cores

Threads, GB/s by the clock on a machine that does nothing else, and how many times what one thread reads. Inputs have %d MiB, and as much again for each
further thread, up to 1 GiB.

| format | measured on%s |
|---|---%s|
`, c.nbytes>>20, head, line)
	for _, s := range c.chosen(generatedSamples()) {
		p, data, err := s.load(c.nbytes)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| `%s` | %s", s.format, s.what)
		one := 0.0
		for _, n := range counts {
			in, err := several(p, data, max(min(n, 1<<30/c.nbytes), 1))
			if err != nil {
				return fmt.Errorf("%s: %w", s.format, err)
			}
			f, err := measure(p, in, n, c.runs, c.details)
			if err != nil {
				return fmt.Errorf("%s: %w", s.format, err)
			}
			if one == 0 {
				one = f.byClock()
				fmt.Fprintf(b, " | %.2f", one)
				continue
			}
			fmt.Fprintf(b, " | **%.2f** (%.1f ×)", f.byClock(), f.byClock()/one)
		}
		b.WriteString(" |\n")
	}
	return nil
}

// rejecting are formats of which lines are spoilt. In those of several lines these would
// belong to the record before.
var rejecting = []string{"taxi", "lineitem", "apache_combined", "haproxy", "syslog", "java", "klog", "fixed", "service", "wide"}

// byRejects writes the table of what bad lines cost.
func byRejects(b *bytes.Buffer, c *config) error {
	threads := []int{1}
	if n := goruntime.NumCPU(); n > 1 {
		threads = append(threads, n)
	}
	head, line := "", ""
	for _, n := range threads {
		head, line = head+fmt.Sprintf(" | %d: none | 2%% | 20%%", n), line+"|---|---|---"
	}
	fmt.Fprintf(b, `
## Records that are rejected

GB/s with so many threads, of one in the time of the core, and how many times the time of a clean file a byte takes if
so many lines are bad: a third are cut short, a third are something else, a third have a letter in a
number. The first is put into words, as the command does it.

| format%s |
|---%s|
`, head, line)
	for _, s := range c.chosen(generatedSamples()) {
		if !slices.Contains(rejecting, s.format) {
			continue
		}
		p, clean, err := s.load(c.nbytes)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "| `%s`", s.format)
		for _, n := range threads {
			var none figure
			for _, percent := range []int{0, 2, 20} {
				data := clean
				if percent > 0 {
					data = spoilt(clean, percent)
				}
				if data, err = several(p, data, max(min(n, 1<<30/c.nbytes), 1)); err != nil {
					return fmt.Errorf("%s: %w", s.format, err)
				}
				f, err := measure(p, data, n, c.runs, c.details)
				if err != nil {
					return fmt.Errorf("%s: %w", s.format, err)
				}
				rate := (*figure).byClock
				if n == 1 {
					rate = (*figure).perCore
				}
				if percent == 0 {
					none = f
					fmt.Fprintf(b, " | %.2f", rate(&f))
					continue
				}
				fmt.Fprintf(b, " | **%.2f** (%.2f ×)", rate(&f), rate(&none)/rate(&f))
			}
		}
		b.WriteString(" |\n")
	}
	return nil
}

// whyBelow says what is slow about a format whose values have so many bytes.
func whyBelow(spec *compile.Spec, value float64) string {
	var why []string
	if len(spec.Program.Columns) > 0 { // else the file has them
		why = append(why, fmt.Sprintf("%.1f bytes a value", value))
	}
	for _, f := range pace.Find(spec) {
		message, _, _ := strings.Cut(f.Message, "; ")
		if !strings.Contains(message, "GPU") && !strings.HasPrefix(message, "with directives") {
			why = append(why, message)
		}
	}
	if len(why) == 0 {
		return "all columns are text that the file names"
	}
	return strings.Join(why, "; ")
}

// whyContexts says why contexts are found by neither of the first two ways.
func whyContexts(p *dfa.Program, path dfa.Path) (why string) {
	if path != dfa.PathMonoid && path != dfa.PathGeneric {
		return ""
	}
	for _, c := range p.Analysis().Choices() {
		if !c.Fits && (c.Path == dfa.PathLocal || c.Path == dfa.PathParity || c.Path == dfa.PathMonoid && path == dfa.PathGeneric) {
			why = strings.TrimPrefix(why+"; "+c.Reason, "; ")
		}
	}
	return why
}
