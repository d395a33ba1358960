package conformance

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

const (
	most    = 48 << 10         // of each file
	patient = 20 * time.Second // how long an input of that size may take, on a busy machine
)

var all = flag.Bool("all", false, "read every file of the corpora, not one of 24")

// specs are formats of the conformance run that are not built in.
var specs = map[string]string{
	"semicolon": `delimited { sep ';' quote '"' doubled } header names utf8 keep`,
	"tab":       `delimited { sep '\t' quote '"' doubled eol any } header none ragged pad utf8 replace`,
	"pipe":      `delimited { sep '|' escape '\' } header none`,
	"escaped":   `delimited { sep ',' quote '"' escape '\' comment "#" lax } header none ragged pad truncate utf8 keep`,
	"commented": `delimited { sep ',' quote "'" doubled comment "#" } header names ragged truncate`,
}

// folders are the files that are damaged, each with the formats that read them.
var folders = []struct{ folder, formats string }{
	{"duckdb/data_csv", "csv csv_lax semicolon tab pipe escaped commented"},
	{"csv-spectrum/csvs", "csv csv_lax escaped"},
	{"rust-csv-bench", "csv tab"},
	{"1brc", "semicolon"},
	{"lnav", "apache_combined nginx w3c syslog_rfc5424 logfmt csv_lax"},
	{"crowdsec", "apache_combined nginx syslog_rfc5424 logfmt"},
	{"elastic", "apache_combined logfmt"},
	{"parse-number-fxx", "logfmt tab"},
}

// way is a way to run a Program; none may make a difference.
type way struct {
	engine                    string
	threads, chunk, partition int
}

var engines = map[string]runtime.Engine{"cpu": cpu.Engine, "reference": reference.Engine}

var ways = []way{
	{"reference", 1, 1 << 20, 1 << 20},
	{"cpu", 1, 1 << 20, 1 << 20},
	{"cpu", 3, 61, 4096},
	{"reference", 1, 97, 777},
	{"cpu", 2, 1 << 10, 1031},
}

// TestVariants reads every file, and variants of it that are damaged in a way
// that its name decides, in each error mode and two more ways by turns.
func TestVariants(t *testing.T) {
	corpora := os.Getenv("DFAPARSE_CORPORA")
	if corpora == "" {
		corpora = filepath.Join("..", "..", "..", "shared", "corpora")
	}
	if _, err := os.Stat(corpora); err != nil {
		t.Skipf("no real files: %v", err)
	}
	for _, f := range folders {
		files := under(t, filepath.Join(corpora, filepath.FromSlash(f.folder)))
		if !*all {
			some := files[:0]
			for i := 0; i < len(files); i += 24 {
				some = append(some, files[i])
			}
			files = some
		}
		var programs []*dfa.Program
		for _, name := range strings.Fields(f.formats) {
			programs = append(programs, program(t, name))
		}
		t.Run(f.folder, func(t *testing.T) {
			t.Parallel()
			for i, file := range files {
				rel, _ := filepath.Rel(corpora, file)
				other := files[(i+1)%len(files)]
				for v, in := range variants(rel, content(t, file), content(t, other)) {
					// A file has one format and the next variant another: all formats meet all damages.
					p := programs[(i+v)%len(programs)]
					for m, mode := range []dfa.ErrorMode{dfa.Fail, dfa.Null, dfa.Reject} {
						try(t, fmt.Sprintf("%s, variant %d, as %s, mode %v", rel, v, p.Name, mode), p, in, mode, i+v+m)
					}
				}
			}
		})
	}
}

// under lists the files below a folder.
func under(t *testing.T, folder string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type().IsRegular() && !strings.Contains(filepath.Base(path), "LICENSE") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil || len(files) == 0 {
		t.Skipf("no files in %s: %v", folder, err)
	}
	return files
}

// content is the beginning of a file, decompressed.
func content(t *testing.T, file string) []byte {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = f
	if z, err := gzip.NewReader(f); err == nil {
		in = z
	} else if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(io.LimitReader(in, most))
	if err != nil && len(b) == 0 {
		t.Logf("%s: %v", file, err) // a compressed file that is broken on purpose
	}
	return b
}

// variants gives a file and what is left of it after some damage.
func variants(name string, in, other []byte) [][]byte {
	h := fnv.New64a()
	io.WriteString(h, name)
	r := rand.New(rand.NewPCG(h.Sum64(), 1))
	at := func(n int) int { return r.IntN(max(n, 1)) }
	flipped := func(share int) []byte {
		b := bytes.Clone(in)
		for range 1 + len(b)/share {
			if len(b) > 0 {
				b[at(len(b))] ^= 1 << at(8)
			}
		}
		return b
	}
	return [][]byte{
		in,
		in[:at(len(in))],
		in[at(len(in)):],
		flipped(1 << 30),
		flipped(200),
		flipped(20),
		slices.Concat(in, other),
		slices.Concat(in[:at(len(in))], other[at(len(other)):]),
		slices.Concat(in[:len(in)/2], []byte{0xef, 0xbb, 0xbf}, in[len(in)/2:]),
	}
}

func program(t *testing.T, name string) *dfa.Program {
	t.Helper()
	if text, ok := specs[name]; ok {
		spec, err := compile.Compile(name, []byte("format "+name+" { "+text+" }"), compile.WithResolver(formats.Resolve))
		if err != nil {
			t.Fatal(err)
		}
		return spec.Program
	}
	p, err := formats.Program(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// try reads an input in the first way and in two others, which turn says.
func try(t *testing.T, what string, p *dfa.Program, in []byte, mode dfa.ErrorMode, turn int) {
	t.Helper()
	want := ""
	for i, w := range []way{ways[0], ways[1+turn%4], ways[1+(turn+1)%4]} {
		got := read(t, p, in, mode, w)
		if i == 0 {
			want = got
		} else if got != want {
			t.Errorf("%s, %+v: another outcome than by %+v:\n%s\nwant\n%s", what, w, ways[0], tail(got), tail(want))
		}
		if strings.Contains(got, "FAULT") {
			t.Errorf("%s, %+v: %s", what, w, tail(got))
		}
	}
}

func tail(s string) string { return s[max(0, len(s)-1200):] }

// outcomes are buffers that outcomes were written to.
var outcomes = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// read is all that reading an input gives, as text; what must not be is marked
// FAULT in it.
func read(t *testing.T, p *dfa.Program, in []byte, mode dfa.ErrorMode, w way) (text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	out := outcomes.Get().(*bytes.Buffer)
	defer outcomes.Put(out)
	out.Reset()
	rejects := int64(0)
	r, err := runtime.NewReader(bytes.NewReader(in), p, runtime.WithErrorMode(mode), runtime.WithContext(ctx),
		runtime.WithEngine(engines[w.engine]), runtime.WithThreads(w.threads), runtime.WithChunkSize(w.chunk),
		runtime.WithPartitionSize(w.partition), runtime.WithBaseTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)),
		runtime.WithRejectHandler(func(r *runtime.Reject) error {
			if !r.FieldOnly {
				rejects++
			}
			fmt.Fprintf(out, "reject %d %v %v\n", r.Start, r.FieldOnly, &r.ParseError)
			return nil
		}))
	if err != nil {
		return "not opened: " + err.Error()
	}
	defer r.Release()
	rows := int64(0)
	h := fnv.New64a()
	var line []byte
	for r.Next() {
		rec := r.Record()
		rows += rec.NumRows()
		for i := range int(rec.NumRows()) {
			line = row(line[:0], rec, i)
			h.Write(line)
		}
	}
	s := r.Stats()
	fmt.Fprintf(out, "%v\n%d rows %x, %d records, %d rejected, %d nulled, error %v\n",
		r.Schema(), rows, h.Sum64(), s.Records, s.Rejected, s.Nulled, r.Err())
	var perr *runtime.ParseError
	switch err := r.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		fmt.Fprintf(out, "FAULT: it takes more than %v\n", patient)
	case err != nil && !errors.As(err, &perr):
		fmt.Fprintf(out, "FAULT: the error has no place: %v\n", err)
	case s.Account.Bytes() != s.Bytes || err == nil && s.Bytes != int64(len(in)):
		fmt.Fprintf(out, "FAULT: of %d bytes %d were read and %d accounted for\n", len(in), s.Bytes, s.Account.Bytes())
	case err == nil && mode == dfa.Fail && s.Rejected > 0:
		fmt.Fprintf(out, "FAULT: mode fail goes on\n")
	case err == nil && s.Records != s.Rows+s.Rejected:
		fmt.Fprintf(out, "FAULT: a record is neither a row nor rejected\n")
	}
	if s.Rows != rows || s.Rejected != rejects {
		fmt.Fprintf(out, "FAULT: %d rows and %d rejects are counted, there are %d and %d\n", s.Rows, s.Rejected, rows, rejects)
	}
	return out.String()
}

func row(line []byte, rec arrow.Record, i int) []byte {
	for c, col := range rec.Columns() {
		if s, ok := col.(*array.String); ok && s.IsValid(i) {
			line = append(append(line, s.Value(i)...), 0)
			continue
		}
		line = append(render.AppendJSON(line, rec.Schema().Field(c), col, i), 1)
	}
	return append(line, '\n')
}
