package dfaparse_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// smallFiles are some of splitFiles' kinds, of so few records that they can be cut into
// any number of splits in a moment, with records that cannot be read.
func smallFiles(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	write := func(name, format string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		files[path] = format
	}
	of := func(kind string, nbytes int64) []byte {
		var b bytes.Buffer
		if err := gen.Write(&b, kind, nbytes, 1); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	const numbered = "format numbered extends csv { fields { n u16!  text str  end u8 } }"
	var torture bytes.Buffer
	torture.WriteString("n,text,end\n")
	for i := range 27 {
		inner := strings.Repeat("7,row-shaped,\"\"x\"\"\n", i%5)
		n := []string{"1", "23", "456", "x", "5", "66", "777", "8", "99"}[i%9]
		fmt.Fprintf(&torture, "%s,\"%s\",%d\n", n, inner, i%10)
	}
	torture.WriteString("9,\"never closed\n1,a,2\n")
	write("torture.csv", numbered, torture.Bytes())
	write("crlf.csv", numbered, bytes.ReplaceAll(torture.Bytes(), []byte("\n"), []byte("\r\n")))
	write("torture.csv.gz", numbered, gzipped(t, torture.Bytes()))
	yelp := of("yelp", 12<<10)
	cut := bytes.IndexByte(yelp, '\n') + 1
	write("yelp.csv", "csv", bytes.Join([][]byte{yelp[:cut], []byte(`"a","b","c","1","2019-01-01","` + strings.Repeat("x,y\n\"\"1\"\",z\n", 900) + `","1","2","3"` + "\n"), yelp[cut:], []byte("no,such,row\n")}, nil))
	java := of("java_multiline", 3<<10)
	write("java.log", "java_multiline", bytes.Join([][]byte{[]byte("begins in the middle\n\tat x.y(Z.java:1)\n"), java, []byte("2024-13-01 10:00:00,123 INFO  [m] c - no such month\n"), java}, nil))
	w3c := of("w3c", 2<<10)
	write("w3c.log", "w3c", bytes.Join([][]byte{w3c, []byte("#Fields: time cs-uri-stem x-new\n10:00:00 /a 1\n#Fields: date time\n"), w3c, []byte("bad\n"), w3c}, nil))
	combined := of("combined", 3<<10)
	write("combined.log.gz", "apache_combined", gzipped(t, append(combined, "junk\n"...)))
	return files
}

// reading is what one of a file, or of a split, comes to.
type reading struct {
	table
	err string
}

func (x *reading) read(t testing.TB, path string, opts ...dfaparse.Option) {
	t.Helper()
	r, err := dfaparse.Open(context.Background(), path, append([]dfaparse.Option{
		dfaparse.WithThreads(1),
		dfaparse.WithRejects(func(r *dfaparse.Reject) error { x.rejects = append(x.rejects, *r); return nil }),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	x.schema = r.Schema()
	for rec, err := range r.Records() {
		if err != nil {
			x.err = err.Error()
			return
		}
		rec.Retain()
		x.records = append(x.records, rec)
	}
}

// add adds what was read of the next split, unless reading has failed.
func (x *reading) add(part *reading) {
	if x.err == "" {
		x.schema, x.err = part.schema, part.err
		x.records = append(x.records, part.records...)
		x.rejects = append(x.rejects, part.rejects...)
	}
}

// splitReader reads splits of a file, each once: many of those that are made for different
// numbers of them are the same but for their numbers.
type splitReader struct {
	path  string
	opts  []dfaparse.Option
	whole reading
	rows  []byte // of whole
	known map[splitKey]*reading
}

// splitKey is all of a split that differs from others of the same file, but its number.
type splitKey struct {
	start       runtime.Checkpoint
	end, count  int64
	look        int
	first, last bool
	access      int64
}

func keyOf(s *dfaparse.Split) splitKey {
	access := int64(-1)
	if s.Access != nil {
		access = s.Access.Out
	}
	return splitKey{s.Start, s.End, s.Count, s.Look, s.First, s.Last, access}
}

func newSplitReader(t *testing.T, path string, opts ...dfaparse.Option) *splitReader {
	r := &splitReader{path: path, opts: opts, known: map[splitKey]*reading{}}
	r.whole.read(t, path, opts...)
	r.rows = r.whole.arrow(t)
	return r
}

// check holds splits together to the file.
func (r *splitReader) check(t *testing.T, splits []dfaparse.Split) {
	t.Helper()
	var sum reading
	for i := range splits {
		key := keyOf(&splits[i])
		part := r.known[key]
		if part == nil {
			part = new(reading)
			part.read(t, r.path, append(r.opts[:len(r.opts):len(r.opts)], dfaparse.WithSplit(&splits[i]))...)
			r.known[key] = part
		}
		sum.add(part)
	}
	if !sum.schema.Equal(r.whole.schema) || !bytes.Equal(sum.arrow(t), r.rows) {
		t.Fatalf("%d splits give other rows", len(splits))
	}
	if sum.err != r.whole.err {
		t.Fatalf("%d splits fail with %q, the file with %q", len(splits), sum.err, r.whole.err)
	}
	if !reflect.DeepEqual(sum.rejects, r.whole.rejects) {
		t.Fatalf("%d splits give other rejects: %v, want %v", len(splits), sum.rejects, r.whole.rejects)
	}
}

// TestSplitEachNumber: for each number of splits from 1 to 1,000, and wherever the file is cut,
// they are the file in every mode: its rows byte for byte, its rejects, and its error.
func TestSplitEachNumber(t *testing.T) {
	for path, format := range smallFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			program, err := formatProgram(format)
			if err != nil {
				t.Fatal(err)
			}
			asked := dfaparse.Program(program)
			var readers []*splitReader
			for _, mode := range []dfa.ErrorMode{dfaparse.ModeFail, dfaparse.ModeNull, dfaparse.ModeReject} {
				r := newSplitReader(t, path, asked, dfaparse.WithErrorMode(mode))
				if wrong := r.whole.err != "" || len(r.whole.rejects) > 0; !wrong {
					t.Errorf("in mode %v nothing is wrong with the file", mode)
				}
				readers = append(readers, r)
			}
			check := func(splits []dfaparse.Split) {
				for _, r := range readers {
					r.check(t, splits)
				}
			}
			var finest []dfaparse.Split
			for n := range 1000 {
				if testing.Short() && n > 40 && n%333 > 0 {
					continue
				}
				splits, err := dfaparse.SplitFile(context.Background(), path, n+1, asked)
				if err != nil || len(splits) != n+1 {
					t.Fatalf("%d splits of %d, %v", len(splits), n+1, err)
				}
				check(splits)
				finest = splits
			}
			rapid.Check(t, func(rt *rapid.T) {
				cuts := rapid.SliceOfN(rapid.IntRange(1, len(finest)-1), 0, 6).Draw(rt, "cuts")
				slices.Sort(cuts)
				check(joined(finest, append(cuts, len(finest))))
			})
		})
	}
}

// formatProgram is that of a format by its name, or of a spec.
func formatProgram(format string) (*dfa.Program, error) {
	if strings.Contains(format, "{") {
		found, err := (&formats.Found{File: "spec", Source: []byte(format)}).Compile(runtime.Verifier(cpu.Engine))
		if err != nil {
			return nil, err
		}
		return found.Program, nil
	}
	return gen.Program(format)
}

// joined makes one split each of those before the first cut, those from there to the second, and
// so on.
func joined(splits []dfaparse.Split, cuts []int) (fewer []dfaparse.Split) {
	from := 0
	for _, to := range cuts {
		if to == from {
			continue
		}
		one := splits[from]
		for i := range splits[from+1 : to] {
			next := &splits[from+1+i]
			one.End, one.Look, one.Last, one.Count = next.End, next.Look, one.Last || next.Last, one.Count+next.Count
		}
		fewer, from = append(fewer, one), to
	}
	return fewer
}

func gzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return z.Bytes()
}
