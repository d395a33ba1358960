package fuzz

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
)

const whole = 1 << 20

// settings are the ways that have to agree; the first is what the others are
// held against. Every chunk size meets every number of workers, and every
// partition size both engines; "both" compares what they give buffer by buffer.
func settings(short bool) []setting {
	all := []setting{{"reference", 1, whole, whole}}
	chunks := []int{1, 2, 3, 31, 32, 33, 64, 65, whole}
	partitions := []int{1, 7, 64, 100, whole}
	if short {
		chunks, partitions = []int{1, 3, 33}, []int{1, 64, whole}
	}
	for i, chunk := range chunks {
		partition := partitions[i%len(partitions)]
		all = append(all,
			setting{"both", 1 + i%3, chunk, whole},
			setting{"reference", 1, chunk, partition},
			setting{"cpu", 2, chunk, partition},
			setting{"cpu", 8, chunk, whole})
	}
	for i, partition := range partitions {
		all = append(all,
			setting{"cpu", 1, whole, partition}, // one worker has no use for chunks
			setting{"both", 3, chunks[i%len(chunks)], partition})
	}
	return all
}

// rotated is a third of all settings, another one for each n, and the first.
func rotated(all []setting, n int) []setting {
	some := all[:1:1]
	for i, s := range all[1:] {
		if (i+n)%3 == 0 {
			some = append(some, s)
		}
	}
	return some
}

// TestConformance reads the examples of built-in formats, and what is left
// of them after some damage, in every way: the inputs as they are in all of
// them, the damaged ones in a third, by turns. A short run, which looks for
// races and not for answers, has a third of all.
func TestConformance(t *testing.T) {
	all := settings(testing.Short())
	for _, name := range append(gen.VariedFormats(), ownFormats...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			spec, err := specOf(name)
			if err != nil {
				t.Fatal(err)
			}
			// Of many examples each is damaged in some ways, and all ways are met.
			stride := (len(spec.Examples) + 2) / 3
			if testing.Short() {
				stride *= 3
			}
			for i := range spec.Examples {
				for j, input := range damaged(spec.Examples[i].Input) {
					if j > 0 && (i+j)%stride > 0 {
						continue
					}
					for mode, m := range modes {
						ways := all
						if j > 0 || testing.Short() {
							ways = rotated(all, i+j+int(m))
						}
						conform(t, fmt.Sprintf("example %d, damage %d, mode %s", i, j, mode), spec.Program, input, m, ways)
					}
				}
			}
		})
	}
}

// ways are the settings that this build reads in, of those that a test asks
// for: all of them, unless it has an engine for a device; in a short run, which
// looks for races, those in which workers are beside each other, the CPU's
// engine alone, and the first; or all, where there are none of those.
var ways = func(all []setting, _ string, _ dfa.ErrorMode) []setting {
	if !testing.Short() {
		return all
	}
	some := all[:1:1]
	for _, s := range all[1:] {
		if s.engine != "reference" && s.threads > 1 {
			s.engine = "cpu"
			some = append(some, s)
		}
	}
	if len(some) == 1 {
		return all
	}
	return some
}

// conform reads input in every way and reports the first that differs.
func conform(t testing.TB, what string, p *dfa.Program, input string, mode dfa.ErrorMode, all []setting, more ...runtime.Option) {
	t.Helper()
	want := ""
	for i, s := range ways(all, input, mode) {
		opts := append(s.options(), runtime.WithErrorMode(mode))
		got := outcome(t, p, strings.NewReader(input), append(opts, more...)...)
		if i == 0 {
			want = got
		} else if got != want {
			t.Fatalf("%s, %s: input %q gives\n%s\nwant, as by %s,\n%s", what, s, input, got, all[0], want)
		}
	}
}

// damaged gives input and variants of it: cut off, with bytes that matter to
// many formats put in and taken out, with other line ends, and without any.
func damaged(input string) []string {
	n := len(input)
	variants := []string{
		input,
		strings.TrimRight(input, "\n"),
		strings.ReplaceAll(input, "\n", "\r\n"),
		input[:n/2],
		input[:n*3/4] + "\"" + input[n*3/4:],
		input[:n/2] + "\n" + input[n/2:],
		input[:n/3] + "\x00\xff\"," + input[n/3:],
		input + input,
		input + "\n\n" + input[n/2:],
	}
	if i := strings.LastIndexAny(input, ", \t|"); i >= 0 {
		variants = append(variants, input[:i]+input[i+1:], input[:i]+input[i:i+1]+input[i:])
	}
	if i := strings.IndexAny(input, "0123456789"); i >= 0 {
		variants = append(variants, input[:i]+"x"+input[i:], input[:i]+"99999999999999999999"+input[i:])
	}
	return variants
}

// ownFormats have what few have, and no generator: a file of testdata each.
var ownFormats = []string{"statements", "comments", "ends", "bare", "without", "keyed", "keyed_json"}

// specOf compiles one of gen.VariedFormats, or of ownFormats.
func specOf(name string) (*compile.Spec, error) {
	if !slices.Contains(ownFormats, name) {
		return gen.Spec(name)
	}
	path, src, err := ownSource(name)
	if err != nil {
		return nil, err
	}
	return compile.Compile(path, src)
}

// ownSource is the spec of one of ownFormats.
func ownSource(name string) (path string, src []byte, err error) {
	path = filepath.Join("testdata", name+".dfp")
	src, err = os.ReadFile(path)
	return path, src, err
}
