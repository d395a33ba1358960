package dfaparse_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

const pairs = `format pairs { delimited { sep ';' } fields { name str  n i64 } }`

// content is what a reader gives: its columns and rows, as text.
func content(t testing.TB, r *dfaparse.Reader, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var b strings.Builder
	for rec, err := range r.Records() {
		if err != nil {
			fmt.Fprintln(&b, "error:", err)
			continue
		}
		for i := range int(rec.NumRows()) {
			for c := range int(rec.NumCols()) {
				fmt.Fprint(&b, rec.ColumnName(c), "=", rec.Column(c).ValueStr(i), " ")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func write(t testing.TB, name string, data []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func zipped(t testing.TB, data string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(data)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestFormats: a format may be given in every way, with one result.
func TestFormats(t *testing.T) {
	ctx, data := context.Background(), "a;1\nb;2\n"
	spec, err := compile.Compile("pairs.dfp", []byte(pairs))
	if err != nil {
		t.Fatal(err)
	}
	dfp, dfac := write(t, "pairs.dfp", []byte(pairs)), write(t, "pairs.dfac", spec.Program.Encode())
	t.Setenv(formats.PathVariable, filepath.Dir(dfp))
	const want = "name=a n=1 \nname=b n=2 \n"
	for name, format := range map[string]dfaparse.Option{
		"spec": dfaparse.Spec(pairs), "program": dfaparse.Program(spec.Program), "a file": dfaparse.Format(dfp),
		"one of a file": dfaparse.Format(dfp + ":pairs"), "a saved one": dfaparse.Format(dfac), "a name": dfaparse.Format("pairs"),
	} {
		r, err := dfaparse.OpenBytes(ctx, []byte(data), format)
		if got := content(t, r, err); got != want {
			t.Errorf("%s gives %q, want %q", name, got, want)
		}
	}
	r, err := dfaparse.Open(ctx, write(t, "x.csv", []byte("a,b\n1,2\n")))
	if got := content(t, r, err); got != "a=1 b=2 \n" {
		t.Errorf("by extension: %q", got)
	}
	r, err = dfaparse.Open(ctx, write(t, "x.tsv.gz", zipped(t, "a\tb\n1\t2\n")))
	if got := content(t, r, err); got != "a=1 b=2 \n" {
		t.Errorf("by extension, compressed: %q", got)
	}
}

// TestFormatErrors: what is wrong with a format is an error of a type.
func TestFormatErrors(t *testing.T) {
	var faults compile.Faults
	var unknown *formats.NotFoundError
	var option *dfaparse.OptionError
	for name, c := range map[string]struct {
		opts []dfaparse.Option
		is   func(error) bool
	}{
		"none":       {nil, func(err error) bool { return strings.Contains(err.Error(), "give one with Format, Spec or Program") }},
		"two":        {[]dfaparse.Option{dfaparse.Format("csv"), dfaparse.Spec(pairs)}, func(err error) bool { return errors.As(err, &option) && option.Option == "Format" }},
		"unknown":    {[]dfaparse.Option{dfaparse.Format("cvs")}, func(err error) bool { return errors.As(err, &unknown) }},
		"no file":    {[]dfaparse.Option{dfaparse.Format("nowhere.dfp")}, func(err error) bool { return errors.Is(err, fs.ErrNotExist) }},
		"faulty":     {[]dfaparse.Option{dfaparse.Spec("format x { fields { a i46 } }")}, func(err error) bool { return errors.As(err, &faults) }},
		"no Program": {[]dfaparse.Option{dfaparse.Program(nil)}, func(err error) bool { return errors.As(err, &option) }},
		"its test fails": {[]dfaparse.Option{dfaparse.Spec(strings.TrimSuffix(pairs, "}") + "test `a;1\n` => { n 2 } }")},
			func(err error) bool { return strings.Contains(err.Error(), "test") }},
		"an option": {[]dfaparse.Option{dfaparse.Spec(pairs), dfaparse.WithThreads(-1)}, func(err error) bool { return errors.As(err, &option) && option.Option == "WithThreads" }},
		"a column":  {[]dfaparse.Option{dfaparse.Spec(pairs), dfaparse.WithColumns("m")}, func(err error) bool { return errors.As(err, &option) && option.Option == "WithColumns" }},
		"no engine": {[]dfaparse.Option{dfaparse.Spec(pairs), dfaparse.WithEngine(nil)}, func(err error) bool { return errors.As(err, &option) && option.Option == "WithEngine" }},
	} {
		r, err := dfaparse.OpenBytes(context.Background(), []byte("a;1\n"), c.opts...)
		if err == nil || r != nil || !c.is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// unseekable hides that an input can be sought.
type unseekable struct{ io.Reader }

// TestInputs: an input may come in every way, compressed or not, with one result.
func TestInputs(t *testing.T) {
	ctx := context.Background()
	want := "name=a n=1 \nname=b n=2 \n"
	plain := "a;1\nb;2\n"
	for name, data := range map[string][]byte{"plain": []byte(plain), "gzip": zipped(t, plain)} {
		path := write(t, "in", data)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for how, open := range map[string]func() (*dfaparse.Reader, error){
			"a path": func() (*dfaparse.Reader, error) { return dfaparse.Open(ctx, path, dfaparse.Spec(pairs)) },
			"bytes":  func() (*dfaparse.Reader, error) { return dfaparse.OpenBytes(ctx, data, dfaparse.Spec(pairs)) },
			"a file": func() (*dfaparse.Reader, error) { return dfaparse.OpenReader(ctx, f, dfaparse.Spec(pairs)) },
			"a seeker": func() (*dfaparse.Reader, error) {
				return dfaparse.OpenReader(ctx, bytes.NewReader(data), dfaparse.Spec(pairs))
			},
			"a pipe": func() (*dfaparse.Reader, error) {
				return dfaparse.OpenReader(ctx, unseekable{bytes.NewReader(data)}, dfaparse.Spec(pairs))
			},
			"another engine": func() (*dfaparse.Reader, error) {
				return dfaparse.Open(ctx, path, dfaparse.Spec(pairs), dfaparse.WithEngine(reference.Engine))
			},
		} {
			r, err := open()
			if got := content(t, r, err); got != want {
				t.Errorf("%s, %s: %q, want %q", name, how, got, want)
			}
		}
		if _, err := f.Stat(); err != nil {
			t.Errorf("%s: the caller's file was closed: %v", name, err)
		}
	}
	if _, err := dfaparse.Open(ctx, filepath.Join(t.TempDir(), "none"), dfaparse.Spec(pairs)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := dfaparse.Open(ctx, t.TempDir(), dfaparse.Spec(pairs)); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := dfaparse.Open(ctx, write(t, "x.gz", []byte(plain)), dfaparse.Spec(pairs)); err == nil || !strings.Contains(err.Error(), "it is not") {
		t.Errorf("no gzip: %v", err)
	}
	for _, in := range []io.Reader{nil, (*os.File)(nil), (*bytes.Reader)(nil)} {
		if _, err := dfaparse.OpenReader(ctx, in, dfaparse.Spec(pairs)); err == nil || !strings.Contains(err.Error(), "nil") {
			t.Errorf("%T: %v", in, err)
		}
	}
}

// TestProgress: a reader of what is compressed says how many bytes it has read of it, decompressed.
func TestProgress(t *testing.T) {
	plain := strings.Repeat("a;1\n", 1000)
	last := int64(0)
	r, err := dfaparse.OpenBytes(context.Background(), zipped(t, plain), dfaparse.Spec(pairs), dfaparse.WithProgress(func(n int64) { last = n }))
	content(t, r, err)
	if last != int64(len(plain)) {
		t.Errorf("%d bytes, want %d", last, len(plain))
	}
}

// TestReadTwice: columns that are named in the middle of what can be sought are
// known at once, from where it is.
func TestReadTwice(t *testing.T) {
	log := "#Fields: a b\n1 2\n#Fields: a c\n3 4\n"
	for name, data := range map[string][]byte{"plain": []byte(log), "gzip": zipped(t, log)} {
		in := bytes.NewReader(append([]byte("before"), data...))
		if _, err := in.Seek(6, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		r, err := dfaparse.OpenReader(context.Background(), in, dfaparse.Format("w3c"))
		if got := content(t, r, err); !strings.Contains(got, "c=4") || strings.Contains(got, "error") {
			t.Errorf("%s: %s", name, got)
		}
	}
	r, err := dfaparse.OpenReader(context.Background(), unseekable{strings.NewReader(log)}, dfaparse.Format("w3c"))
	if got := content(t, r, err); !strings.Contains(got, "error") {
		t.Errorf("of a pipe: %s", got)
	}
}

// TestErrorsOfTheReading come after the records before them, with the name.
func TestErrorsOfTheReading(t *testing.T) {
	path := write(t, "in.log", []byte("a;1\nb;x\nc;3\n"))
	r, err := dfaparse.Open(context.Background(), path, dfaparse.Spec(pairs), dfaparse.WithBatchSize(1))
	got := content(t, r, err)
	if !strings.HasPrefix(got, "name=a n=1 \nerror: "+path+":2:3: ") || strings.Count(got, "error") != 1 {
		t.Errorf("%s", got)
	}
	var parse *dfaparse.ParseError
	if !errors.As(r.Err(), &parse) || parse.Line != 2 || parse.Field != "n" || !errors.Is(r.Err(), dfaparse.ErrValue) {
		t.Errorf("%#v", r.Err())
	}
	r, err = dfaparse.Open(context.Background(), path, dfaparse.Spec(pairs), dfaparse.WithErrorMode(dfaparse.ModeReject))
	if got := content(t, r, err); got != "name=a n=1 \nname=c n=3 \n" || len(r.Rejects()) != 1 || r.Stats().Rejected != 1 {
		t.Errorf("%s, %v", got, r.Rejects())
	}
	ctx, cancel := context.WithCancel(context.Background())
	r, err = dfaparse.OpenReader(ctx, endless{}, dfaparse.Spec(pairs))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cancel()
	for r.Next() {
	}
	if !errors.Is(r.Err(), context.Canceled) {
		t.Errorf("after its context: %v", r.Err())
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return copy(p, "a;1\n"), nil }

// TestClose: what was opened is closed, once and early; what was retained stays.
func TestClose(t *testing.T) {
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(t, 0)
	path := write(t, "in", zipped(t, strings.Repeat("a;1\n", 100)))
	before := descriptors(t)
	r, err := dfaparse.Open(context.Background(), path, dfaparse.Spec(pairs), dfaparse.WithBatchSize(7), dfaparse.With(runtime.WithAllocator(mem)))
	if err != nil {
		t.Fatal(err)
	}
	r.Retain()
	var kept arrow.Record
	for rec, err := range r.Records() {
		if err != nil {
			t.Fatal(err)
		}
		rec.Retain()
		kept = rec
		break
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if !r.Next() {
		t.Errorf("a reader that is still referred to ended: %v", r.Err())
	}
	r.Release()
	if after := descriptors(t); after != before {
		t.Errorf("%d files are open, %d were", after, before)
	}
	if kept.NumRows() != 7 || kept.Column(0).ValueStr(6) != "a" {
		t.Errorf("the record that was kept is %v", kept)
	}
	kept.Release()
}

// TestReadOnClosed: who reads on after a Reader was closed gets an error that says so, and
// neither the end nor rows that were given before; at the end, and of who stops, it is none.
func TestReadOnClosed(t *testing.T) {
	path := write(t, "in.csv", []byte("name,n\n"+strings.Repeat("a,1\n", 100_000)))
	for _, format := range []dfaparse.Option{dfaparse.Infer(), dfaparse.Format("csv")} {
		opts := []dfaparse.Option{format, dfaparse.WithBatchSize(100)}
		open := func() *dfaparse.Reader {
			r, err := dfaparse.Open(context.Background(), path, opts...)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		before := descriptors(t)
		r, records := open(), 0
		var failed error
		for _, err := range r.Records() {
			if failed = err; err == nil {
				records++
				r.Close()
			}
		}
		if records != 1 || !errors.Is(failed, fs.ErrClosed) {
			t.Errorf("closed at the first record: %d records, then %v; want an error that is fs.ErrClosed", records, failed)
		}
		r = open()
		r.Next()
		r.Close()
		if err := r.Err(); err != nil {
			t.Errorf("who stops gets %v", err)
		}
		r = open()
		for r.Next() {
		}
		r.Close()
		if r.Next() || r.Err() != nil {
			t.Errorf("behind the end, closed: %v", r.Err())
		}
		if after := descriptors(t); after != before {
			t.Errorf("%d files are open, %d were", after, before)
		}
	}
}

// descriptors counts the open files of this process, where that can be.
func descriptors(t testing.TB) int {
	t.Helper()
	if goruntime.GOOS != "linux" {
		return 0
	}
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	return len(entries)
}

// TestEveryBuiltIn: a built-in format reads what its own test says it reads.
func TestEveryBuiltIn(t *testing.T) {
	if len(formats.Names()) < 10 {
		t.Fatal(formats.Names())
	}
	for _, name := range formats.Names() {
		spec, err := formats.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range spec.Examples {
			r, err := dfaparse.OpenBytes(context.Background(), []byte(x.Input), dfaparse.Format(name), dfaparse.WithErrorMode(dfaparse.ModeReject))
			if err != nil {
				continue // an example of an input that is refused
			}
			if got := content(t, r, err); got == "" && r.Stats().Rejected == 0 {
				t.Errorf("%s: nothing comes of %q", name, x.Input)
			}
		}
	}
}

// TestForms: every form of output reads back as what was written.
func TestForms(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	open := func() *dfaparse.Reader {
		r, err := dfaparse.OpenBytes(ctx, []byte("a;1\n\"x;\";2\n;\n"), dfaparse.Spec(
			`format p { delimited { sep ';'  quote '"' doubled } fields { name dict  n i64 } }`), dfaparse.WithBatchSize(2))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for ext, form := range map[string]dfaparse.Form{
		".parquet": dfaparse.Parquet, ".arrow": dfaparse.Arrow, ".arrows": dfaparse.ArrowStream,
		".jsonl": dfaparse.JSONL, ".csv": dfaparse.CSV, ".tsv": dfaparse.TSV,
	} {
		r := open()
		path := filepath.Join(dir, "out"+ext)
		if rows, err := dfaparse.WriteFile(path, r); err != nil || rows != 3 {
			t.Fatalf("%s: %d rows, %v", ext, rows, err)
		}
		r.Close()
		file, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		r = open()
		if rows, err := dfaparse.Write(&b, form, r); err != nil || rows != 3 {
			t.Fatalf("%s: %d rows, %v", form, rows, err)
		}
		r.Close()
		if got := rowsOf(t, form, b.Bytes()); got != rowsOf(t, form, file) || got != "a 1|x; 2| (null)" {
			t.Errorf("%s reads back as %q", form, got)
		}
	}
	r := open()
	defer r.Close()
	if _, err := dfaparse.WriteFile(filepath.Join(dir, "out.xml"), r); err == nil {
		t.Error("a form that there is not")
	}
	if _, err := dfaparse.NewWriter(io.Discard, "xml", r.Schema()); err == nil {
		t.Error("a form that there is not")
	}
}

// TestWriteFileIsWholeOrNot: of an input that fails there is no file, and one that
// was there stays.
func TestWriteFileIsWholeOrNot(t *testing.T) {
	for _, was := range []string{"", "before"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "out.csv")
		if was != "" {
			if err := os.WriteFile(path, []byte(was), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r, err := dfaparse.OpenBytes(context.Background(), []byte("a;1\nb;x\n"), dfaparse.Spec(pairs), dfaparse.WithBatchSize(1))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := dfaparse.WriteFile(path, r); !errors.Is(err, dfaparse.ErrValue) {
			t.Errorf("%v", err)
		}
		r.Close()
		got, _ := os.ReadFile(path)
		left, _ := os.ReadDir(dir)
		if string(got) != was || len(left) > 1 || was == "" && len(left) > 0 {
			t.Errorf("left %q and %d files, before %q", got, len(left), was)
		}
	}
}

// rowsOf reads what was written with readers that are not ours.
func rowsOf(t *testing.T, form dfaparse.Form, data []byte) string {
	t.Helper()
	table := readBack(t, form, data)
	var rows []string
	for _, row := range table {
		rows = append(rows, strings.Join(row, " "))
	}
	return strings.Join(rows, "|")
}

// cells are the rows of a record as text, nulls as Arrow prints them.
func cells(rec arrow.Record) (rows [][]string) {
	for i := range int(rec.NumRows()) {
		var row []string
		for _, c := range rec.Columns() {
			row = append(row, c.ValueStr(i))
		}
		rows = append(rows, row)
	}
	return rows
}

var _ array.RecordReader = (*dfaparse.Reader)(nil)

// TestRecordReader: what takes an array.RecordReader takes a Reader.
func TestRecordReader(t *testing.T) {
	r, err := dfaparse.OpenBytes(context.Background(), []byte("a;1\nb;2\n"), dfaparse.Spec(pairs))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var rr array.RecordReader = r
	rr.Retain()
	defer rr.Release()
	var got [][]string
	for rr.Next() {
		got = append(got, cells(rr.Record())...)
	}
	if !slices.EqualFunc(got, [][]string{{"a", "1"}, {"b", "2"}}, slices.Equal) || rr.Err() != nil {
		t.Errorf("%v, %v", got, rr.Err())
	}
}

// TestCutOffList: a list of JSON that nothing closes is an error behind its rows, or a hint where errors do
// not end the reading.
func TestCutOffList(t *testing.T) {
	text := []byte("[{\"a\":1},\n{\"a\":2}\n")
	path := filepath.Join(t.TempDir(), "cut.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	for name, format := range map[string]dfaparse.Option{"inferred": dfaparse.Infer(), "json": dfaparse.Format("json")} {
		for from, open := range map[string]func(opts ...dfaparse.Option) (*dfaparse.Reader, error){
			"bytes": func(opts ...dfaparse.Option) (*dfaparse.Reader, error) { return dfaparse.OpenBytes(ctx, text, opts...) },
			"file":  func(opts ...dfaparse.Option) (*dfaparse.Reader, error) { return dfaparse.Open(ctx, path, opts...) },
			"stream": func(opts ...dfaparse.Option) (*dfaparse.Reader, error) {
				return dfaparse.OpenReader(ctx, io.MultiReader(bytes.NewReader(text)), opts...)
			},
		} {
			read := func(opts ...dfaparse.Option) (rows int64, hints []string, err error) {
				r, err := open(append(opts, format)...)
				if err != nil {
					t.Fatal(err)
				}
				defer r.Release()
				for r.Next() {
					rows += r.Record().NumRows()
				}
				return rows, r.Hints(), r.Err()
			}
			if rows, _, err := read(); rows != 2 || !isCutOff(err) {
				t.Errorf("%s, %s: %d rows, then %v", name, from, rows, err)
			}
			if rows, hints, err := read(dfaparse.WithErrorMode(dfaparse.ModeReject)); rows != 2 || len(hints) != 1 || err != nil {
				t.Errorf("%s, %s, in mode reject: %d rows, then %v, %q", name, from, rows, err, hints)
			}
			if rows, hints, err := read(dfaparse.WithLimit(1)); rows != 1 || len(hints) > 0 || err != nil {
				t.Errorf("%s, %s, limited: %d rows, then %v, %q", name, from, rows, err, hints)
			}
		}
	}
}

func isCutOff(err error) bool {
	e := (*runtime.ParseError)(nil)
	return errors.As(err, &e) && e.Offset == 0
}
