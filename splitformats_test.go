package dfaparse_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestSplitFormats: the examples of all formats one after the other, damaged here and there, and
// with lines before them that are passed over, give what the whole file gives however they are
// split, also with an index and compressed.
func TestSplitFormats(t *testing.T) {
	dir := t.TempDir()
	names := gen.VariedFormats()
	rapid.Check(t, func(rt *rapid.T) {
		spec, err := gen.Spec(rapid.SampledFrom(names).Draw(rt, "format"))
		if err != nil {
			t.Fatal(err)
		}
		if len(spec.Examples) == 0 {
			return
		}
		var text []byte
		for range rapid.IntRange(1, 4).Draw(rt, "examples") {
			text = append(text, rapid.SampledFrom(spec.Examples).Draw(rt, "example").Input...)
		}
		if rapid.Bool().Draw(rt, "crlf") {
			text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
		}
		for range rapid.IntRange(0, 3).Draw(rt, "damages") {
			at := rapid.IntRange(0, len(text)).Draw(rt, "at")
			damage := rapid.SampledFrom([]string{"\n", "\"", "\r\n", "\r", "\x00", "\xff", " ", ",", "\n\n", "#x\n", "\\", "é", "[", "{", "<"}).Draw(rt, "damage")
			to := min(len(text), at+rapid.IntRange(0, 3).Draw(rt, "removed"))
			text = append(append(append([]byte{}, text[:at]...), damage...), text[to:]...)
		}
		skip := rapid.IntRange(0, 2).Draw(rt, "skipped lines")
		text = append([]byte(strings.Repeat("a \"line, [x\n", skip)), text...)
		if rapid.IntRange(0, 5).Draw(rt, "mark") == 0 {
			text = append([]byte("\xef\xbb\xbf"), text...)
		}
		path := filepath.Join(dir, "input")
		os.Remove(path + ".dfai")
		if rapid.IntRange(0, 3).Draw(rt, "compressed") == 0 {
			half := rapid.IntRange(0, len(text)).Draw(rt, "member")
			text = append(gzipped(t, text[:half]), gzipped(t, text[half:])...)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		opts := []dfaparse.Option{dfaparse.Program(spec.Program), dfaparse.WithSkipLines(int64(skip)),
			dfaparse.WithErrorMode(rapid.SampledFrom([]dfa.ErrorMode{dfaparse.ModeFail, dfaparse.ModeNull, dfaparse.ModeReject}).Draw(rt, "mode"))}
		first := int64(rapid.IntRange(0, 3).Draw(rt, "skipped records"))
		opts = append(opts, dfaparse.WithSkip(first))
		whole, ok := readSplit(t, path, opts...)
		n := rapid.IntRange(1, 30).Draw(rt, "splits")
		if rapid.Bool().Draw(rt, "index") && ok {
			if err := dfaparse.IndexFile(context.Background(), path, opts...); err != nil {
				rt.Fatalf("%q: index: %v", text, err)
			}
		}
		splits, err := dfaparse.SplitFile(context.Background(), path, n, opts...)
		if !ok {
			return
		}
		if err != nil {
			rt.Fatalf("%s %q: %v, whole: %q", spec.Program.Name, text, err, whole.err)
		}
		var sum reading
		for i := range splits {
			part, ok := readSplit(t, path, append(opts, dfaparse.WithSplit(&splits[i]))...)
			if !ok {
				rt.Fatalf("%s %q: split %d of %d is not read: %v", spec.Program.Name, text, i, n, part.err)
			}
			sum.add(&part)
		}
		if !sum.schema.Equal(whole.schema) || !bytes.Equal(sum.arrow(t), whole.arrow(t)) {
			rt.Fatalf("%s %q: %d splits give other rows\n%v\n%v", spec.Program.Name, text, n, sum.records, whole.records)
		}
		if sum.err != whole.err {
			rt.Fatalf("%s %q: %d splits fail with %q, the file with %q", spec.Program.Name, text, n, sum.err, whole.err)
		}
		if !reflect.DeepEqual(sum.rejects, whole.rejects) {
			rt.Fatalf("%s %q: %d splits give other rejects: %v, want %v", spec.Program.Name, text, n, sum.rejects, whole.rejects)
		}
	})
}

// readSplit reads a file or a split, and reports whether it begins.
func readSplit(t *testing.T, path string, opts ...dfaparse.Option) (x reading, ok bool) {
	r, err := dfaparse.Open(context.Background(), path, append([]dfaparse.Option{
		dfaparse.WithThreads(1),
		dfaparse.WithRejects(func(r *dfaparse.Reject) error { x.rejects = append(x.rejects, *r); return nil }),
	}, opts...)...)
	if err != nil {
		x.err = err.Error()
		return x, false
	}
	defer r.Close()
	x.schema = r.Schema()
	for rec, err := range r.Records() {
		if err != nil {
			x.err = err.Error()
			break
		}
		rec.Retain()
		x.records = append(x.records, rec)
	}
	return x, true
}
