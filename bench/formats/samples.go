package main

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// sample is what a format is measured on.
type sample struct {
	format string
	what   string // in words
	make   func(nbytes int) ([]byte, error)
}

// samples are those of formats whose files can be generated, in the order of the table.
// Others are measured on the records of the tests in their specs (ofTests).
var samples = []sample{
	{"csv", "`gen taxi`, columns of strings", generated("taxi", nil)},
	{"csv_lax", "`gen taxi`, columns of strings", generated("taxi", nil)},
	{"tsv", "`gen taxi` with tabs, columns of strings", generated("taxi", func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(","), []byte("\t")) })},
	{"pgcopy", "`gen taxi` with tabs and nulls, columns of strings", generated("taxi", func(b []byte) []byte {
		return bytes.ReplaceAll(bytes.ReplaceAll(b, []byte(",N,"), []byte(`,\N,`)), []byte(","), []byte("\t"))
	})},
	{"taxi", "`gen taxi`", generated("taxi", nil)},
	{"yelp", "`gen yelp`", generated("yelp", nil)},
	{"lineitem", "`gen lineitem`", generated("lineitem", nil)},
	{"apache_common", "`gen combined` without the last two items", generated("combined", common)},
	{"apache_combined", "`gen combined`", generated("combined", nil)},
	{"nginx", "`gen combined`, as nginx writes it", generated("combined", nginx)},
	generatedOwn("haproxy"),
	generatedOwn("syslog"),
	generatedOwn("java"),
	generatedOwn("java_multiline"),
	generatedOwn("syslog_rfc5424"),
	generatedOwn("w3c"),
	generatedOwn("logfmt"),
	generatedOwn("auditd"),
	generatedOwn("postgres"),
	generatedOwn("klog"),
	generatedOwn("fixed"),
	generatedOwn("ticks"),
	{"stations", "`gen 1brc`", generated("1brc", nil)},
	{"stations_dict", "`gen 1brc`", generated("1brc", nil)},
}

// allSamples has a sample of every format: what is generated, and what is left by name.
func allSamples() ([]sample, error) {
	all := generatedSamples()
	for _, name := range gen.AllFormats() {
		if slices.ContainsFunc(all, func(s sample) bool { return s.format == name }) {
			continue
		}
		spec, err := gen.Spec(name)
		if err != nil {
			return nil, err
		}
		s, err := ofTests(spec)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// generatedSamples are those of which each record differs from the one before.
func generatedSamples() []sample { return slices.Concat(samples, strangers) }

// ofTests repeats the records of a spec's tests that can be read, under the header of the first, if
// the format has one: of all tests whose records can be read after those of the ones before.
func ofTests(spec *compile.Spec) (sample, error) {
	p := spec.Program
	var header, records []byte
	for _, ex := range spec.Examples {
		head, rest := readable([]byte(ex.Input), p), []byte(nil)
		if stats, err := readAll(p, head); err == nil {
			n := int(stats.Account.Mark + stats.Account.Header.Bytes)
			for stats.Account.Directives.Records > 0 { // those before the first row are read once, as in a file
				end := n + bytes.IndexByte(head[n:], '\n') + 1
				if before, err := readAll(p, head[:end]); end == n || err != nil || before.Rows > 0 {
					break
				}
				n = end
			}
			head, rest = head[:n], head[n:]
		}
		if records == nil {
			header = head
		}
		more := slices.Concat(records, rest)
		twice, err := readAll(p, slices.Concat(header, more, more)) // it goes on, and again
		if err == nil && bytes.Equal(head, header) && (bytes.HasSuffix(rest, []byte{'\n'}) || len(p.Cells) > 0) && twice.Rows > 0 && twice.Rejected == 0 {
			records = more
		}
	}
	if records == nil {
		return sample{}, fmt.Errorf("%s has nothing to be measured on: none of its tests has rows and a line end at the end", p.Name)
	}
	again := repeated(string(header), func(int) string { return string(records) })
	return sample{p.Name, "the records of its tests", func(nbytes int) ([]byte, error) { return again(min(nbytes, mostRepeated)) }}, nil
}

// mostRepeated is enough of the same few records.
const mostRepeated = 4 << 20

// readable is an input without the lines of the records that are rejected.
func readable(in []byte, p *dfa.Program) (out []byte) {
	from := int64(0)
	r, err := runtime.ReadBytes(in, p, runtime.WithEngine(cpu.Engine), runtime.WithErrorMode(dfa.Reject),
		runtime.WithRejectHandler(func(rej *runtime.Reject) error {
			if rej.FieldOnly {
				return nil
			}
			out = append(out, in[from:rej.Start]...)
			from = rej.Start + int64(len(rej.Raw))
			if n := bytes.IndexByte(in[from:], '\n'); n >= 0 {
				from += int64(n) + 1
			}
			return nil
		}))
	if err != nil {
		return in
	}
	defer r.Release()
	for r.Next() {
	}
	return append(out, in[from:]...)
}

func readAll(p *dfa.Program, in []byte, opts ...runtime.Option) (runtime.Stats, error) {
	r, err := runtime.ReadBytes(in, p, append(opts, runtime.WithEngine(cpu.Engine), runtime.WithName(p.Name))...)
	if err != nil {
		return runtime.Stats{}, err
	}
	defer r.Release()
	for r.Next() {
	}
	return r.Stats(), r.Err()
}

// generatedOwn is a format whose name is that of what is generated for it.
func generatedOwn(name string) sample {
	return sample{name, "`gen " + name + "`", generated(name, nil)}
}

// generated is what `dfaparse gen` writes, changed by change.
func generated(kind string, change func([]byte) []byte) func(int) ([]byte, error) {
	return func(nbytes int) ([]byte, error) {
		var b bytes.Buffer
		if err := gen.Write(&b, kind, int64(nbytes), 1); err != nil || change == nil {
			return b.Bytes(), err
		}
		return change(b.Bytes()), nil
	}
}

// repeated is lines that differ in their numbers.
func repeated(head string, line func(i int) string) func(int) ([]byte, error) {
	return func(nbytes int) ([]byte, error) {
		b := append(make([]byte, 0, nbytes+1024), head...)
		for i := 0; len(b) < nbytes; i++ {
			b = append(b, line(i)...)
		}
		return b, nil
	}
}

// common cuts lines of the combined format after the item "%b": in front of the
// space before the third quote.
func common(b []byte) []byte {
	var out []byte
	for line := range bytes.Lines(b) {
		at := 0
		for range 3 {
			at += bytes.IndexByte(line[at:], '"') + 1
		}
		out = append(append(out, line[:at-2]...), '\n')
	}
	return out
}

// nginx writes \x22 for a quote, and 0 where httpd writes a hyphen for the
// bytes sent.
func nginx(b []byte) []byte {
	b = bytes.ReplaceAll(b, []byte(`\"`), []byte(`\x22`))
	return bytes.ReplaceAll(b, []byte(` - "`), []byte(` 0 "`))
}
