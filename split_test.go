package dfaparse_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/ipc"
	"github.com/apache/arrow/go/v17/arrow/memory"
	"github.com/klauspost/compress/zstd"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// table is all that readings give, one after the other.
type table struct {
	schema  *arrow.Schema
	records []arrow.Record
	rejects []dfaparse.Reject
}

func (x *table) read(t *testing.T, path string, opts ...dfaparse.Option) {
	t.Helper()
	r, err := dfaparse.Open(context.Background(), path, append([]dfaparse.Option{
		dfaparse.WithErrorMode(dfaparse.ModeReject),
		dfaparse.WithRejects(func(r *dfaparse.Reject) error { x.rejects = append(x.rejects, *r); return nil }),
	}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if x.schema != nil && !x.schema.Equal(r.Schema()) {
		t.Fatalf("schema %v, before %v", r.Schema(), x.schema)
	}
	x.schema = r.Schema()
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		rec.Retain()
		x.records = append(x.records, rec)
	}
}

// arrow is the table as one record, in Arrow's stream format.
func (x *table) arrow(t *testing.T) []byte {
	t.Helper()
	var columns []arrow.Array
	rows := int64(0)
	for i := range x.schema.NumFields() {
		var parts []arrow.Array
		for _, rec := range x.records {
			parts = append(parts, rec.Column(i))
		}
		if len(parts) == 0 {
			return nil
		}
		column, err := array.Concatenate(parts, memory.DefaultAllocator)
		if err != nil {
			t.Fatal(err)
		}
		columns, rows = append(columns, column), int64(column.Len())
	}
	var b bytes.Buffer
	w := ipc.NewWriter(&b, ipc.WithSchema(x.schema))
	if err := w.Write(array.NewRecord(x.schema, columns, rows)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// splitFiles are files of kinds that readers that guess cut wrongly.
func splitFiles(t *testing.T) map[string]string {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{}
	write := func(name string, data []byte) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		format, _, _ := strings.Cut(name, ".")
		files[path] = format
	}
	of := func(kind string, nbytes int64) []byte {
		var b bytes.Buffer
		if err := gen.Write(&b, kind, nbytes, 1); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	torture := of("torture", 1<<20)
	write("csv.torture", torture)
	write("csv.crlf", bytes.ReplaceAll(torture, []byte("\n"), []byte("\r\n")))
	yelp := of("yelp", 300<<10)
	cut := bytes.IndexByte(yelp, '\n') + 1
	long := append(append(append([]byte{}, yelp[:cut]...), []byte(`"a","b","c","1","2019-01-01","`+strings.Repeat("x,y\n\"\"1\"\",z\n", 60<<10)+`","1","2","3"`+"\n")...), yelp[cut:]...)
	write("csv.long", long)
	write("java_multiline.log", of("java_multiline", 200<<10))
	w3c := of("w3c", 60<<10)
	write("w3c.log", bytes.Join([][]byte{w3c, []byte("#Fields: time cs-uri-stem x-new\n10:00:00 /a 1\n#Fields: date time\n"), w3c, []byte("bad\n")}, nil))
	compressed := func(name string, data []byte, each int, begin func(io.Writer) io.WriteCloser) {
		var z bytes.Buffer
		for part := range slices.Chunk(data, each) {
			w := begin(&z)
			if _, err := w.Write(part); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		write(name, z.Bytes())
	}
	gz := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	zst := func(w io.Writer) io.WriteCloser {
		z, err := zstd.NewWriter(w)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	combined := of("combined", 600<<10)
	compressed("apache_combined.gz", combined, len(combined), gz)
	compressed("csv.members.gz", torture, 50<<10, gz) // as bgzip writes
	compressed("csv.frames.zst", torture, 200<<10, zst)
	compressed("csv.frame.zst", yelp, len(yelp), zst)
	write("csv.empty", []byte("a,b\n"))
	write("csv.tail", []byte("a,b\n1,2\n\"3\n"))
	return files
}

// TestSplitFile: the splits of a file together are the file, byte for byte, with rejects in the
// same places, for any number of them.
func TestSplitFile(t *testing.T) {
	for path, format := range splitFiles(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			program, err := gen.Program(format)
			if err != nil {
				t.Fatal(err)
			}
			compressed := strings.HasSuffix(path, ".gz") || strings.HasSuffix(path, ".zst")
			ctx, asked := context.Background(), dfaparse.Program(program)
			var whole table
			whole.read(t, path, asked)
			for _, n := range []int{1, 7, 1000} {
				if n == 1000 && compressed {
					n = 50 // each decompresses what is between a place and it
				}
				splits, err := dfaparse.SplitFile(ctx, path, n, asked)
				if err != nil || len(splits) != n {
					t.Fatalf("%d splits, %v", len(splits), err)
				}
				var sum table
				for i := range splits {
					if splits[i].Empty() && i%10 > 0 {
						continue // some of them will do
					}
					sum.read(t, path, asked, dfaparse.WithSplit(&splits[i]))
				}
				if !bytes.Equal(sum.arrow(t), whole.arrow(t)) {
					t.Errorf("%d splits give other rows", n)
				}
				if !reflect.DeepEqual(sum.rejects, whole.rejects) {
					t.Errorf("%d splits give other rejects: %v, want %v", n, sum.rejects, whole.rejects)
				}
			}
		})
	}
}

// TestSplitEven: splits are of about the same size where records are short.
func TestSplitEven(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte("a,b\n"+strings.Repeat("12345,6789\n", 50000)), 0o644); err != nil {
		t.Fatal(err)
	}
	splits, err := dfaparse.SplitFile(context.Background(), path, 10)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range splits {
		if s.Count < 3500 || s.Count > 6500 {
			t.Errorf("split %d has %d of 50,000 records", i, s.Count)
		}
		if text, _ := json.Marshal(s); len(text) > 500 {
			t.Errorf("a split is %d bytes", len(text))
		}
	}
}

// TestSplitRefused: a split is of one file as it was, and of one format.
func TestSplitRefused(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "f.csv")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a,b\n1,2\n3,4\n")
	splits, err := dfaparse.SplitFile(ctx, path, 2)
	if err != nil {
		t.Fatal(err)
	}
	option := (*dfaparse.OptionError)(nil)
	if _, err := dfaparse.Open(ctx, path, dfaparse.Format("tsv"), dfaparse.WithSplit(&splits[1])); !errors.As(err, &option) {
		t.Errorf("another format: %v", err)
	}
	old := splits[1]
	old.Version = 0
	if _, err := dfaparse.Open(ctx, path, dfaparse.WithSplit(&old)); !errors.As(err, &option) {
		t.Errorf("another version: %v", err)
	}
	if _, err := dfaparse.OpenFiles(ctx, []string{path}, dfaparse.WithSplit(&splits[1])); !errors.As(err, &option) {
		t.Errorf("several files: %v", err)
	}
	if _, err := dfaparse.SplitFile(ctx, path, 0); !errors.As(err, &option) {
		t.Errorf("no splits: %v", err)
	}
	lying := splits[0] // ends where no record does
	lying.End--
	if r, err := dfaparse.Open(ctx, path, dfaparse.WithSplit(&lying)); err != nil {
		t.Error(err)
	} else {
		for r.Next() {
		}
		if r.Err() == nil {
			t.Error("a split that ends within a record was read")
		}
		r.Close()
	}
	write("a,b\n1,2\n3,45\n")
	if _, err := dfaparse.Open(ctx, path, dfaparse.WithSplit(&splits[1])); !errors.Is(err, dfaparse.ErrStale) {
		t.Errorf("a file that has grown: %v", err)
	}
	write("a,b\n1,2\n3,5\n")
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := dfaparse.Open(ctx, path, dfaparse.WithSplit(&splits[1])); !errors.Is(err, dfaparse.ErrStale) {
		t.Errorf("a file that was written to: %v", err)
	}
}

// TestSplitCompressed: a split of a compressed file says where to decompress from, and so does its
// index; where decompressing cannot begin there, it begins with the file.
func TestSplitCompressed(t *testing.T) {
	ctx := context.Background()
	for path, format := range splitFiles(t) {
		name := filepath.Base(path)
		if name != "apache_combined.gz" && name != "csv.members.gz" && name != "csv.frames.zst" {
			continue
		}
		asked := dfaparse.Format(format)
		splits, err := dfaparse.SplitFile(ctx, path, 4, asked)
		if err != nil {
			t.Fatal(err)
		}
		last := splits[3]
		if a := last.Access; a == nil || a.Out < last.Start.Offset-256<<10 {
			t.Fatalf("%s: the last split begins at %d, to be decompressed from %+v", name, last.Start.Offset, a)
		}
		var good, bad table
		good.read(t, path, asked, dfaparse.WithSplit(&last))
		access := *last.Access
		access.In += 7
		last.Access = &access
		bad.read(t, path, asked, dfaparse.WithSplit(&last)) // from the beginning
		if !bytes.Equal(bad.arrow(t), good.arrow(t)) {
			t.Errorf("%s: a place that is none gives other rows", name)
		}
		if err := dfaparse.IndexFile(ctx, path, asked); err != nil {
			t.Fatal(err)
		}
		s, err := dfaparse.SplitRecords(ctx, path, 2, 2, asked)
		if err != nil {
			t.Fatal(err)
		}
		var part table
		part.read(t, path, asked, dfaparse.WithSplit(s))
		rows := int64(0)
		for _, rec := range part.records {
			rows += rec.NumRows()
		}
		if rows != 1 {
			t.Errorf("%s: %d rows of 1", name, rows)
		}
	}
}

// TestSplitIndex: with an index, records and lines are found, and splits made, without reading
// the file from its beginning; one that is damaged or of a file that has changed is refused.
func TestSplitIndex(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "f.csv")
	var b strings.Builder
	b.WriteString("n,text\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "%d,\"line\n%d,x\"\n", i+1, i+1)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	check := func(from, to int64, first, last string) {
		t.Helper()
		s, err := dfaparse.SplitRecords(ctx, path, from, to)
		if err != nil {
			t.Fatal(err)
		}
		var x table
		x.read(t, path, dfaparse.WithSplit(s))
		var got []string
		for _, rec := range x.records {
			for i := range int(rec.NumRows()) {
				got = append(got, rec.Column(0).ValueStr(i))
			}
		}
		if int64(len(got)) != s.Count || len(got) == 0 && first != "" || len(got) > 0 && (got[0] != first || got[len(got)-1] != last) {
			t.Errorf("records %d to %d: %d of them, %q; the split says %d", from, to, len(got), got, s.Count)
		}
	}
	all := func() {
		check(1, 1, "1", "1")
		check(1, 0, "1", "3000")
		check(1234, 1250, "1234", "1250")
		check(3000, 9999, "3000", "3000")
		check(3001, 0, "", "")
	}
	all()
	if err := dfaparse.IndexFile(ctx, path); err != nil {
		t.Fatal(err)
	}
	all()
	plain, err := dfaparse.SplitFile(ctx, path, 1000)
	if err != nil {
		t.Fatal(err)
	}
	sum := int64(0)
	for _, s := range plain {
		if sum += s.Count; s.Count > 5 {
			t.Errorf("a split of 1,000 has %d of 3,000 records", s.Count)
		}
	}
	if sum != 3000 {
		t.Errorf("%d records", sum)
	}
	index, err := os.ReadFile(path + ".dfai")
	if err != nil {
		t.Fatal(err)
	}
	index[len(index)/2] ^= 1
	if err := os.WriteFile(path+".dfai", index, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := dfaparse.SplitFile(ctx, path, 2); !errors.Is(err, dfaparse.ErrDamaged) {
		t.Errorf("a damaged index: %v", err)
	}
	index[len(index)/2] ^= 1
	if err := os.WriteFile(path+".dfai", index, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()+"3001,x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := dfaparse.SplitFile(ctx, path, 2); !errors.Is(err, dfaparse.ErrStale) {
		t.Errorf("an index of a file that has grown: %v", err)
	}
}
