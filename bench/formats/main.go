// Command formats says how the engine for reading runs each built-in format, and
// how fast on one core, as a table in Markdown.
//
//	go run ./bench/formats -mib 64 -out docs/formats-speed.md
//
// Rates are of the core's time, in which other programs have no part.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/bench"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/pace"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func main() {
	mib := flag.Int("mib", 64, "MiB of each input")
	runs := flag.Int("runs", 5, "runs of each format; the median counts")
	out := flag.String("out", "", "file to write; standard output if empty")
	flag.Parse()
	if err := run(*mib, *runs, *out); err != nil {
		fmt.Fprintln(os.Stderr, "formats:", err)
		os.Exit(1)
	}
}

func run(mib, runs int, out string) error {
	goruntime.GOMAXPROCS(1)
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Formats by speed

Written by `+"`make bench-formats`"+`: how the engine `+"`cpu`"+` runs each built-in format, and those of generated files, and how
fast on one core: inputs of %d MiB from memory to Arrow records in memory, every column converted, the median of %d runs,
in the time of the core. Strings that stay strings cost less than columns with types, so that rates compare ways, not
formats.

- *Fields* are found by **masks**, which look at 64 symbols at once as long as nothing is odd, by **hops** along
  the path that other records took, or by **steps** of the automaton at special symbols alone
  ([performance.md](performance.md#index)).
- *Contexts* of chunks are only looked for by several workers: after the last symbol that leads to one state
  (**local**), which is free; by the **parity** of quotes, checked afterwards; by stepping one number (**monoid**), or
  those states that still differ (**generic**) ([performance.md](performance.md#context)).

Machine: %s, %s, %s/%s.

| format | states | fields | contexts | measured on | GB/s |
|---|---|---|---|---|---|
`, mib, runs, bench.Processor(), goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
	var reasons, below strings.Builder
	samples, err := allSamples()
	if err != nil {
		return err
	}
	for _, s := range samples {
		p, err := gen.Program(s.format)
		if err != nil {
			return err
		}
		rate, value, err := measure(p, s, mib<<20, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", s.format, err)
		}
		contexts := cpu.ContextPath(p)
		why := whyContexts(p, contexts)
		fmt.Fprintf(&b, "| `%s` | %d | %s | %s | %s | **%.2f** |\n",
			s.format, p.Automaton.NStates(), p.Analysis().IndexPath(), contexts, s.what, rate)
		if rate < 1 {
			spec, err := gen.Spec(s.format)
			if err != nil {
				return err
			}
			fmt.Fprintf(&below, "- `%s`, %.2f: %s.\n", s.format, rate, whyBelow(spec, value))
		}
		if way := p.Analysis().IndexPath(); way != "masks" {
			fmt.Fprintf(&reasons, "- `%s` finds fields by %s: %s.\n", s.format, way, p.Analysis().NoMasks)
		}
		if why != "" {
			fmt.Fprintf(&reasons, "- `%s` has contexts by %s: %s.\n", s.format, contexts, why)
		}
	}
	if below.Len() > 0 {
		fmt.Fprintf(&b, "\n## Below 1 GB/s\n\nWhat takes the time, as `dfaparse check -v` says it, and how long a value is: what is done once a value costs the more\nper byte the shorter values are.\n\n%s", below.String())
	}
	if reasons.Len() > 0 {
		fmt.Fprintf(&b, "\n## Why not by a cheaper way\n\n%s", reasons.String())
	}
	if out == "" {
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	return os.WriteFile(out, b.Bytes(), 0o644)
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
	for _, c := range p.Analysis().Choices {
		if !c.Fits && (c.Path == dfa.PathLocal || c.Path == dfa.PathParity || c.Path == dfa.PathMonoid && path == dfa.PathGeneric) {
			why = strings.TrimPrefix(why+"; "+c.Reason, "; ")
		}
	}
	return why
}

// measure gives GB/s on one core, and the bytes that a value has.
func measure(p *dfa.Program, s sample, nbytes, runs int) (rate, value float64, err error) {
	data, err := s.make(nbytes)
	if err != nil {
		return 0, 0, err
	}
	in := &bench.Input{Name: s.format, Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
	report, err := bench.Run(in, &bench.Settings{
		Program: p, Engine: cpu.Engine, Threads: 1, Repeat: runs,
		Options: []runtime.Option{runtime.WithThreads(1), runtime.WithReuse()},
	})
	if err != nil {
		return 0, 0, err
	}
	whole, got := report.Samples[0].Wholes[0], report.Samples[0]
	if got.Rejected > 0 || got.Rows == 0 {
		return 0, 0, fmt.Errorf("%d rows, %d rejected", got.Rows, got.Rejected)
	}
	for _, w := range got.Wholes {
		if strings.HasPrefix(w.Name, "to Arrow, from memory") {
			whole = w
		}
	}
	if whole.Work == 0 {
		whole.Work = whole.Time
	}
	return float64(got.Bytes) / float64(whole.Work), float64(got.Bytes) / float64(got.Rows*int64(max(len(p.Columns), 1))), nil
}
