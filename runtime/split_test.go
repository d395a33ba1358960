package runtime_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// survey is the Survey of in.
func survey(t testing.TB, p *dfa.Program, in []byte, every int64, opts ...runtime.Option) *runtime.Survey {
	t.Helper()
	s, err := runtime.TakeSurvey(every, func(opts ...runtime.Option) (*runtime.Reader, error) {
		return runtime.ReadBytes(in, p, opts...)
	}, byCPU(opts...)...)
	if err != nil {
		t.Fatalf("%q: %v", in, err)
	}
	return s
}

type unsought struct{ io.Reader }

// givenBy are those in which an input may be given.
var givenBy = map[string]func(in []byte) io.Reader{
	"memory": func(in []byte) io.Reader { return inMemory(in) },
	"sought": func(in []byte) io.Reader { return bytes.NewReader(in) },
	"stream": func(in []byte) io.Reader { return unsought{bytes.NewReader(in)} },
}

// sameUnion holds all splits of in together to what reading it as a whole gives.
func sameUnion(t testing.TB, p *dfa.Program, in []byte, splits []runtime.Split, way string, opts ...runtime.Option) {
	t.Helper()
	whole := read(t, p, inMemory(in), opts...)
	sum := outcome{opened: true, schema: whole.schema}
	for i := range splits {
		text, err := json.Marshal(&splits[i])
		if err != nil {
			t.Fatal(err)
		}
		s := new(runtime.Split)
		if err := json.Unmarshal(text, s); err != nil {
			t.Fatal(err)
		}
		o := readSplit(t, p, givenBy[way](in), s, opts...)
		switch {
		case !o.opened || o.err != nil && whole.err == nil:
			t.Fatalf("%s, split %s: %v", way, text, o.err)
		case !o.schema.Equal(whole.schema):
			t.Fatalf("%s, split %s: schema %v, want %v", way, text, o.schema, whole.schema)
		case o.err == nil && o.stats.Records != s.Count:
			t.Fatalf("%s, split %s: %d records", way, text, o.stats.Records)
		}
		sum.rows = append(sum.rows, o.rows...)
		sum.rejects = append(sum.rejects, o.rejects...)
		sum.stats.Add(&o.stats)
		if sum.err = o.err; o.err != nil {
			break
		}
	}
	sum.stats.Batches, sum.stats.Partitions = whole.stats.Batches, whole.stats.Partitions
	if got, want := sum.String(), whole.String(); got != want || !reflect.DeepEqual(sum.stats, whole.stats) {
		t.Fatalf("%s, %d splits of %q:\n%s%+v\nas a whole:\n%s%+v", way, len(splits), in[:min(len(in), 4000)], got, sum.stats, want, whole.stats)
	}
}

// readSplit is read, whose account is none of a whole input.
func readSplit(t testing.TB, p *dfa.Program, in io.Reader, s *runtime.Split, opts ...runtime.Option) (o outcome) {
	t.Helper()
	opts = append([]runtime.Option{
		runtime.WithBaseTime(baseTime),
		runtime.WithRejectHandler(func(r *runtime.Reject) error {
			o.rejects = append(o.rejects, r)
			return nil
		}),
	}, append(slices.Clone(opts), runtime.WithSplit(s))...)
	var r *runtime.Reader
	if b, bare := in.(inMemory); bare {
		r, o.err = runtime.ReadBytes(b, p, byCPU(opts...)...)
	} else {
		r, o.err = runtime.NewReader(in, p, byCPU(opts...)...)
	}
	if o.err != nil {
		return o
	}
	defer r.Release()
	o.opened, o.schema = true, r.Schema()
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			o.rows = append(o.rows, jsonRow(rec, i))
		}
	}
	o.err, o.stats = r.Err(), r.Stats()
	if a := o.stats.Account; o.err == nil && a.Bytes() != o.stats.Bytes {
		t.Fatalf("split %+v: accounts for %d of %d bytes", s, a.Bytes(), o.stats.Bytes)
	}
	return o
}

// splitInputs are formats, and what inputs of them are made of.
var splitInputs = []struct {
	spec  string
	words []string
}{
	{"csv", []string{"a,b\n", "1,2\n", "\"x\ny\",\"p\"\"q\"\n", "\"\n1,2\n3,4\n\",5\n", "1\n", "1,2,3\r\n", "\"open", "a\"b,c\n", "\n", "é,ü\n", "\xff,1\n"}},
	{"csv_lax", []string{"a,b\n", "1,2\n", "\"x\ny\",\"p\"\"q\"\n", "\"\n1,2\n\",5\n", "1\r\n", "1,2,3\r\n", "a\"b,c\n", "\n"}},
	{`delimited { sep ';'  eol any } header none fields { a i32  b str } on_error reject`, []string{"1;x\n", "2;y\r\n", "3;z\r", "q;1\r", "4\n", "\r\r", "\n"}},
	{"delimited { sep ',' comment '#' } header skip fields { a i32 null \"\"  b str } on_error null", []string{"a,b\n", "# no\n", "1,x\n", "x,y\n", "2\n", "\n", "3,z"}},
	{"w3c", []string{"#Version: 1.0\n", "#Fields: date time c-ip\n", "#Fields: time sc-status x\n", "2024-01-01 10:00:00 1.2.3.4\n", "10:00:00 200 y\n", "#Date: 2024\n", "x\n", "#Fields: x y z\n"}},
	{`delimited { sep '\t' } directive "#f" schema directive "#t" types { n u32  t str } directive "#" skip on_error reject ragged pad`,
		[]string{"#f\ta\tb\n#t\tn\tt\n", "#f\tb\n#t\tt\n", "1\tx\n", "y\n", "#f\tb\ta\n#t\tt\tn\n", "# no\n", "x\t2\n"}},
	{`delimited { sep '\t' } directive "#s" separator directive "#f" schema directive "#" skip on_error reject`,
		[]string{"#s \\x2c\n#f,a,b\n", "1,x\n", "y\tz\n", "#f,b\n", "#f\tb\n", "# no\n", "\n"}},
	{`delimited { sep '\t'  quote '"' } directive "#s" separator directive "#" skip fields { a str  b str } on_error reject`,
		[]string{"#s \\x2c\n", "1,x\n", "y\tz\n", "\"a,b\n\",c\n", "# no\n", "#s \\x2c\n", "\n"}},
	{"java_multiline", []string{"2024-01-01 10:00:00,123 INFO  [main] c.A - hello\n", "\tat x.y(Z.java:1)\n", "\n", "Caused by: z\n", "2024-13-01 10:00:00,123 INFO [m] c - bad\n", "2024-01-01 10:00:0"}},
	{"postgres", []string{"2024-01-01 10:00:00.123 UTC [1] LOG:  hello\n", "\tmore\n", "2024-01-01 10:00:00.123 UTC [1] db@u ERROR:  x\n", "junk\n"}},
	{"apache_combined", []string{`1.2.3.4 - - [01/Jan/2024:10:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "x"` + "\n", "junk\n", "\n", `1.2.3.4 - - [01/Jan/2024:10:00:00 +0000] "GET /\"a HTTP/1.1" 200 12 "-" "x"` + "\r\n"}},
	{"lineitem", []string{"1|2|3|4|5|6.0|0.1|0.1|N|O|1996-03-13|1996-02-12|1996-03-22|DELIVER|TRUCK|x|\n", "1|2\n", "\n"}},
	{"logfmt", []string{"a=1 b=2\n", `a="x y" c=3` + "\n", "=\n", "\n"}},
}

// TestSplitSeparated: a split is for inputs that are separated by what its own is.
func TestSplitSeparated(t *testing.T) {
	p := spec(t, `delimited { sep '\t' } directive "#s" separator directive "#f" schema directive "#" skip`)
	in := []byte("#s \\x2c\n#f,a,b\n1,x\n2,y\n3,z\n")
	splits := survey(t, p, in, 1).Split(3)
	for way := range givenBy {
		sameUnion(t, p, in, splits, way)
		var wrong *runtime.OptionError
		if o := readSplit(t, p, givenBy[way](bytes.ReplaceAll(bytes.ReplaceAll(in, []byte("x2c"), []byte("x3b")), []byte(","), []byte(";"))), &splits[1]); !errors.As(o.err, &wrong) {
			t.Errorf("%s: split of an input that is separated otherwise: %v", way, o.err)
		}
	}
}

// TestSplitUnion: all splits of an input together are the input, in every mode, with
// rejects in the same places, wherever it is cut.
func TestSplitUnion(t *testing.T) {
	for _, f := range splitInputs {
		name, _, _ := strings.Cut(f.spec, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := spec(t, f.spec)
			rapid.Check(t, func(rt *rapid.T) {
				words := rapid.SliceOfN(rapid.SampledFrom(f.words), 0, 30).Draw(rt, "words")
				in := []byte(strings.Join(words, ""))
				if rapid.Bool().Draw(rt, "header") {
					in = append([]byte(f.words[0]), in...)
				}
				mode := rapid.SampledFrom([]dfa.ErrorMode{dfa.Fail, dfa.Null, dfa.Reject}).Draw(rt, "mode")
				threads := rapid.SampledFrom([]int{1, 2, 3}).Draw(rt, "threads")
				opts := []runtime.Option{runtime.WithErrorMode(mode), runtime.WithThreads(threads)}
				if rapid.Bool().Draw(rt, "small") {
					opts = append(opts, runtime.WithPartitionSize(rapid.IntRange(1, 40).Draw(rt, "partition")), runtime.WithChunkSize(rapid.IntRange(1, 20).Draw(rt, "chunk")))
				}
				if rapid.Bool().Draw(rt, "skip") {
					opts = append(opts, runtime.WithSkip(int64(rapid.IntRange(0, 20).Draw(rt, "records"))))
				}
				if rapid.Bool().Draw(rt, "short") {
					opts = append(opts, runtime.WithMaxRecord(rapid.IntRange(20, 60).Draw(rt, "most")))
				}
				if o := read(t, p, inMemory(in), opts...); !o.opened {
					return // nothing to split
				}
				whole, err := runtime.TakeSurvey(int64(rapid.IntRange(1, 50).Draw(rt, "every")), func(opts ...runtime.Option) (*runtime.Reader, error) {
					return runtime.ReadBytes(in, p, opts...)
				}, byCPU(opts...)...)
				if err != nil {
					return // a directive that no reading gets over
				}
				if err := whole.Check(int64(len(in))); err != nil {
					rt.Fatalf("%q: %v", in, err)
				}
				sameUnion(t, p, in, whole.Split(rapid.SampledFrom([]int{1, 2, 3, 7, 25}).Draw(rt, "n")),
					rapid.SampledFrom([]string{"memory", "sought", "stream"}).Draw(rt, "way"), opts...)
			})
		})
	}
}
