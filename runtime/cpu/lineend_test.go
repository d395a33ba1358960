package cpu

import (
	"bytes"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestLineEnd: the first return or line feed is found, whichever it is and however far.
func TestLineEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := bytes.Repeat([]byte("a"), rapid.IntRange(0, 5000).Draw(t, "symbols"))
		for range rapid.IntRange(0, 3).Draw(t, "ends") {
			if len(data) > 0 {
				data[rapid.IntRange(0, len(data)-1).Draw(t, "at")] = rapid.SampledFrom([]byte("\r\n")).Draw(t, "end")
			}
		}
		want := bytes.IndexAny(data, "\r\n")
		if want < 0 {
			want = len(data)
		}
		if got := lineEnd(data); got != want {
			t.Fatalf("%d, want %d", got, want)
		}
	})
}

// TestMalformedEndedByReturns: malformed records that end with returns take no longer than those that
// end with line feeds, though no line feed is near.
func TestMalformedEndedByReturns(t *testing.T) {
	s, err := compile.Compile("f.dfp", []byte("format f { lines { eol any }  record `{a} {b}[ ({c})]: {d...}`  fields { b u8 } }"))
	if err != nil {
		t.Fatal(err)
	}
	took := func(end string) (least time.Duration) {
		data := bytes.Repeat([]byte("a 1 (c): d"+end+"a 1 (c) d"+end), 50_000)
		for range 3 {
			start := time.Now()
			r, err := runtime.ReadBytes(data, s.Program, runtime.WithEngine(Engine), runtime.WithThreads(1), runtime.WithPartitionSize(len(data)), runtime.WithErrorMode(dfa.Reject))
			if err != nil {
				t.Fatal(err)
			}
			for r.Next() {
			}
			if err := r.Err(); err != nil || r.Stats().Rejected != 50_000 {
				t.Fatalf("%d rejected, %v", r.Stats().Rejected, err)
			}
			r.Release()
			if d := time.Since(start); least == 0 || d < least {
				least = d
			}
		}
		return least
	}
	if feeds, returns := took("\n"), took("\r"); returns > 12*feeds {
		t.Fatalf("%v with line feeds, %v with returns", feeds, returns)
	}
}
