package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestDamage: whatever is wrong with lines, engines say the same of them, and of the others.
func TestDamage(t *testing.T) {
	nbytes := 40 << 10
	if testing.Short() {
		nbytes = 15 << 10
	}
	for _, s := range generatedSamples() {
		p, data, err := s.load(nbytes)
		if err != nil {
			t.Fatal(err)
		}
		for i := range damages {
			for _, percent := range []int{2, 20} {
				if damages[i].name == "words" && percent == 20 {
					continue // forty times the file
				}
				in, _ := damages[i].damaged(data, percent)
				want := said(t, p, in, reference.Engine)
				for _, threads := range []int{1, 3} {
					if got := said(t, p, in, cpu.Engine, runtime.WithThreads(threads)); !bytes.Equal(got, want) {
						t.Errorf("%s, %s, %s, %d%%, %d threads: %s", s.format, s.what, damages[i].name, percent, threads, differing(got, want))
					}
				}
			}
		}
	}
}

// said is all that reading an input gives, in words.
func said(t *testing.T, p *dfa.Program, in []byte, engine runtime.Engine, opts ...runtime.Option) []byte {
	t.Helper()
	var rejects, rows bytes.Buffer
	opts = append(opts, runtime.WithEngine(engine), runtime.WithErrorMode(dfa.Reject), runtime.WithRejectHandler(func(r *runtime.Reject) error {
		fmt.Fprintf(&rejects, "%d %v %d %q %v\n", r.Start, r.FieldOnly, r.Lines, r.Raw, r.ParseError)
		return nil
	}))
	r, err := runtime.ReadBytes(in, p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		b, err := r.Record().MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		rows.Write(bytes.Trim(b, "[]\n"))
		rows.WriteByte(',')
	}
	stats := r.Stats()
	fmt.Fprintf(&rejects, "%v, %d rows, %d rejected in %d lines, %d nulled, %d replaced, %d surplus, %+v\n",
		r.Err(), stats.Rows, stats.Rejected, stats.RejectedLines, stats.Nulled, stats.Replaced, stats.SurplusFields, stats.Account)
	return append(rejects.Bytes(), rows.Bytes()...)
}

// differing is where two texts differ.
func differing(got, want []byte) string {
	n := 0
	for n < min(len(got), len(want)) && got[n] == want[n] {
		n++
	}
	cut := func(b []byte) []byte { return b[max(n-100, 0):min(n+300, len(b))] }
	return fmt.Sprintf("\n%s\nwant\n%s", cut(got), cut(want))
}
