//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// valuesOf are the rows of a record, one a line: also of numbers that JSON has not.
func valuesOf(rec arrow.Record) string {
	var b strings.Builder
	for i := range int(rec.NumRows()) {
		for _, c := range rec.Columns() {
			fmt.Fprintf(&b, "%t %q ", c.IsNull(i), c.ValueStr(i))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// damage puts odd symbols into a text, at random.
func damage(r *rand.Rand, text []byte) []byte {
	odd := []string{"", "\n", "\r", "\"", "'", ",", "x", "\x00", "\xff", "\n\n", "\n#\n", "\r\n", "\\", "[", "999999999999999999999", " ", "|", "\t", strings.Repeat("7", 5000)}
	for range r.Intn(1 << r.Intn(7)) {
		at := r.Intn(len(text) + 1)
		to := min(len(text), at+r.Intn(4))
		text = slices.Concat(text[:at], []byte(odd[r.Intn(len(odd))]), text[to:])
	}
	return text[:len(text)-r.Intn(min(len(text), 20)+1)]
}

// TestColumnsAnywhere: an input on the device, damaged or not, at any address, with anything behind it, in flights of any
// size, whatever its head says: what the CPU has of it, and it stays as it is.
func TestColumnsAnywhere(t *testing.T) {
	b := newBench(t)
	readWhereItLies(t)
	sampled, head := sampledHead, headSize
	defer func() { sampledHead, headSize = sampled, head }()
	trials := 400
	if testing.Short() {
		trials = 60
	}
	kinds, modes := gen.Kinds(), dfa.ErrorModes()
	for seed := range trials {
		r := rand.New(rand.NewSource(int64(seed)))
		kind := kinds[seed%len(kinds)]
		format := map[string]string{"combined": "apache_combined", "1brc": "stations", "torture": "csv"}[kind]
		if format == "" {
			format = kind
		}
		p, err := gen.Program(format)
		b.ok(err)
		var made bytes.Buffer
		b.ok(gen.Write(&made, kind, int64(1+r.Intn(1<<(7+r.Intn(10)))), uint64(seed)))
		text := made.Bytes()
		if r.Intn(2) == 0 {
			text = damage(r, text)
		}
		skip, flight := r.Intn(34), len(text)/(1+r.Intn(12))+1
		shortFlight = 1 + r.Intn(1+len(text)/(1+r.Intn(30)))
		beyondFlight, sampledHead, headSize = max(0, r.Intn(4)-2)*r.Intn(1<<10), 1+r.Intn(1<<(1+r.Intn(15))), 64+r.Intn(1<<(1+r.Intn(15)))
		opts := []Option{WithFlight(flight)}
		if r.Intn(3) == 0 {
			opts = append(opts, WithTextViews())
		}
		readers := []runtime.Option{runtime.WithErrorMode(modes[r.Intn(len(modes))]), runtime.WithThreads(2)}

		want, wantErr := "", error(nil)
		reader, err := runtime.ReadBytes(text, p, append([]runtime.Option{runtime.WithEngine(cpu.Engine)}, readers...)...)
		if wantErr = err; err == nil {
			for reader.Next() {
				want += valuesOf(reader.Record())
			}
			wantErr = reader.Err()
			reader.Release()
		}
		all := make([]byte, skip+len(text)+kernels.Padding)
		for i := range all {
			all[i] = "\n,\"\r1 x\xff#"[r.Intn(9)]
		}
		copy(all[skip:], text)
		m, err := b.d.Alloc(len(all))
		b.ok(err)
		b.ok(b.s.Upload(m.Address, all))
		b.ok(b.s.Synchronize())
		got := ""
		c, err := New(opts...).Columns(DeviceInput(m.Address+uint64(skip), len(text)), p, readers...)
		if err == nil {
			for c.Next() {
				rec := b.record(c.Batch())
				got += valuesOf(rec)
				rec.Release()
			}
			err = c.Err()
			b.ok(c.Close())
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || err == nil && got != want {
			t.Errorf("%d, %s: error %v, want %v: %s", seed, kind, err, wantErr, firstDifference(got, want))
		}
		after := make([]byte, len(all))
		b.ok(b.s.Download(after, m.Address))
		b.ok(b.s.Synchronize())
		if !bytes.Equal(after, all) {
			t.Errorf("%d, %s: the input is another one", seed, kind)
		}
		b.ok(b.d.FreeMemory(m))
	}
}
