package runtime_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// ranged reads in by ranges that end at cuts, as readers that do not know of each other, and
// composes what they give.
func ranged(t testing.TB, program string, in []byte, cuts []int) (*runtime.Survey, error) {
	p := spec(t, program)
	r, err := runtime.ReadBytes(in, p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithColumns([]string{}...))
	if err != nil {
		return nil, nil // no reading begins
	}
	defer r.Release()
	var start runtime.Checkpoint
	if err := r.Places(func(c *runtime.Checkpoint) bool { start = *c; return false }); err != nil {
		t.Fatal(err)
	}
	var ranges []*runtime.Range
	from := int(start.Offset)
	for _, to := range append(cuts, len(in)) {
		if to <= from && to < len(in) {
			continue
		}
		x, err := r.Range(in[from:to], int64(from))
		if err != nil {
			return nil, err
		}
		ranges, from = append(ranges, x), to
	}
	return runtime.ComposeRanges(p, 0, start, ranges)
}

// TestRanges: ranges that nobody knows the context of, composed, are the input.
func TestRanges(t *testing.T) {
	for _, f := range splitInputs {
		name, _, _ := strings.Cut(f.spec, " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := spec(t, f.spec)
			rapid.Check(t, func(rt *rapid.T) {
				in := []byte(f.words[0] + strings.Join(rapid.SliceOfN(rapid.SampledFrom(f.words), 0, 40).Draw(rt, "words"), ""))
				cuts := rapid.SliceOfNDistinct(rapid.IntRange(0, len(in)), 0, 8, rapid.ID[int]).Draw(rt, "cuts")
				slices.Sort(cuts)
				got, err := ranged(t, f.spec, in, cuts)
				if errors.Is(err, runtime.ErrRanges) && (p.Dynamic() || p.LinesEndAtCR()) {
					return
				}
				if err != nil {
					rt.Fatalf("%q: %v", in, err)
				}
				if got == nil {
					return
				}
				want := survey(t, p, in, 1).End()
				if end := *got.End(); end.Offset != want.Offset || end.Records != want.Records || end.Lines != want.Lines || end.LineStart != want.LineStart {
					rt.Fatalf("%q, cut at %v: %+v, want %+v", in, cuts, end, *want)
				}
				sameUnion(t, p, in, got.Split(4), "memory")
			})
		})
	}
}

// TestRangesLong: lanes that stay apart, and records longer than ranges.
func TestRangesLong(t *testing.T) {
	var torture, taxi strings.Builder
	for kind, b := range map[string]*strings.Builder{"torture": &torture, "taxi": &taxi} {
		if err := gen.Write(b, kind, 400<<10, 1); err != nil {
			t.Fatal(err)
		}
	}
	for name, in := range map[string]string{
		"torture": torture.String(), "taxi": taxi.String(),
		"long": "a,b\n1,\"" + strings.Repeat("x,y\n", 60000) + "\"\n2,3\n",
	} {
		p := spec(t, "csv")
		want := survey(t, p, []byte(in), 1000).End()
		for _, size := range []int{7000, 33000, 200000} {
			var cuts []int
			for at := size; at < len(in); at += size {
				cuts = append(cuts, at)
			}
			got, err := ranged(t, "csv", []byte(in), cuts)
			if err != nil {
				t.Fatal(err)
			}
			if end := got.End(); end.Records != want.Records || end.Lines != want.Lines {
				t.Errorf("%s by %d: %+v, want %+v", name, size, end, want)
			}
			if size > 30000 {
				sameUnion(t, p, []byte(in), got.Split(5), "memory")
			}
		}
	}
}

// TestRangesOfOthers: ranges that were not read by one Program are not composed.
func TestRangesOfOthers(t *testing.T) {
	p, in := spec(t, "csv"), []byte("a,b\n1,2\n3,4\n")
	r, err := runtime.ReadBytes(in, p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithColumns([]string{}...))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	start := runtime.Checkpoint{Offset: 4, Directive: -1, Lines: 1, LineStart: 4}
	first, err := r.Range(in[4:8], 4)
	if err != nil {
		t.Fatal(err)
	}
	second, err := r.Range(in[8:], 8)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := runtime.ComposeRanges(p, 0, start, []*runtime.Range{first, second}); err != nil || s.End().Records != 2 || s.Program != r.Fingerprint() {
		t.Fatalf("%+v, %v", s, err)
	}
	second.Program = runtime.Fingerprint(p, 1)
	if _, err := runtime.ComposeRanges(p, 0, start, []*runtime.Range{first, second}); err == nil || !strings.Contains(err.Error(), "byte 8 was read by another format") {
		t.Fatal(err)
	}
}
