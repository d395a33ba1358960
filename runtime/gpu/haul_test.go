//go:build cuda

package gpu

import (
	"bytes"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// watched is an Engine whose parsers a test looks into.
type watched struct {
	*Engine
	most int // of hauls.most; 0: as it is

	parsers []*parser
	mu      sync.Mutex
	pinned  [][]byte // memory of all hauls
	plain   [][]byte
}

func (w *watched) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := w.openParser(plan, cfg)
	if err != nil {
		return nil, err
	}
	if w.most > 0 {
		p.hauls.most = w.most
	}
	noted := func(alloc func(int) ([]byte, error), memory *[][]byte) func(int) ([]byte, error) {
		return func(nbytes int) ([]byte, error) {
			b, err := alloc(nbytes)
			w.mu.Lock()
			defer w.mu.Unlock()
			*memory = append(*memory, b)
			return b, err
		}
	}
	p.hauls.pinned, p.hauls.plain = noted(p.hauls.pinned, &w.pinned), noted(p.hauls.plain, &w.plain)
	w.parsers = append(w.parsers, p)
	return p, nil
}

func within(b []byte, all [][]byte) bool {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return slices.ContainsFunc(all, func(m []byte) bool {
		first := uintptr(unsafe.Pointer(unsafe.SliceData(m)))
		return at >= first && at < first+uintptr(len(m))
	})
}

// eachBuffer calls f for all buffers of an array but those of dictionaries.
func eachBuffer(d arrow.ArrayData, f func([]byte)) {
	for _, b := range d.Buffers() {
		if b != nil && b.Len() > 0 {
			f(b.Bytes())
		}
	}
	for _, c := range d.Children() {
		eachBuffer(c, f)
	}
}

// contents are the bytes of all buffers of a record.
func contents(rec arrow.Record) (all [][]byte) {
	for _, c := range rec.Columns() {
		eachBuffer(c.Data(), func(b []byte) { all = append(all, bytes.Clone(b)) })
	}
	return all
}

// TestNoCopy: records are made of the memory that a flight's values came to, and of
// which wide ones were made, but for bitmaps, offsets of texts, and records that lie
// in two flights. They are, to the last byte of each buffer, those of the CPU's
// engine; they stay it when the Reader has long ended, and give all memory back.
func TestNoCopy(t *testing.T) {
	newBench(t)
	for _, test := range []struct {
		kind, format string
		batch        int     // rows
		most         int     // of hauls
		copied       float64 // most bytes that are copied, of all
	}{
		{"taxi", "taxi", 20, 0, 0.1}, {"lineitem", "lineitem", 20, 0, 0.2}, {"yelp", "yelp", 4, 0, 0.2}, {"combined", "apache_combined", 20, 0, 0.25},
		{"taxi", "taxi", 20, 1, 1},
	} {
		t.Run(test.kind, func(t *testing.T) {
			var in bytes.Buffer
			if err := gen.Write(&in, test.kind, 200<<10, 1); err != nil {
				t.Fatal(err)
			}
			p, err := gen.Program(test.format)
			if err != nil {
				t.Fatal(err)
			}
			e := &watched{Engine: New(WithFlight(64 << 10)), most: test.most}
			opts := []runtime.Option{runtime.WithReuse(), runtime.WithBatchSize(test.batch), runtime.WithPartitionSize(100 << 10), runtime.WithThreads(1)}
			r, err := runtime.ReadBytes(in.Bytes(), p, append(opts, runtime.WithEngine(e))...)
			if err != nil {
				t.Fatal(err)
			}
			var records []arrow.Record
			var was [][][]byte
			var copied, wide, all int
			for r.Next() {
				rec := r.Record()
				rec.Retain()
				records, was = append(records, rec), append(was, contents(rec))
				for _, c := range rec.Columns() {
					eachBuffer(c.Data(), func(b []byte) {
						all += len(b)
						switch {
						case within(b, e.plain):
							wide += len(b)
						case !within(b, e.pinned):
							copied += len(b)
						}
					})
				}
			}
			if r.Err() != nil {
				t.Fatal(r.Err())
			}
			r.Release()
			share := float64(copied) / float64(all)
			t.Logf("%d records, %d bytes: %.1f%% as the device has written them, %.1f%% made wide in their place, %.1f%% copied",
				len(records), all, 100*float64(all-wide-copied)/float64(all), 100*float64(wide)/float64(all), 100*share)
			if share > test.copied || test.most > 0 && share < 1 {
				t.Errorf("%.1f%% are copies, want %.1f%% at most", 100*share, 100*test.copied)
			}
			want, err := runtime.ReadBytes(in.Bytes(), p, append(opts, runtime.WithEngine(cpu.Engine))...)
			if err != nil {
				t.Fatal(err)
			}
			defer want.Release()
			for i, rec := range records {
				if !want.Next() {
					t.Fatalf("%d records, the CPU has %d", len(records), i)
				}
				now, cpu := contents(rec), contents(want.Record())
				if !slices.EqualFunc(now, was[i], bytes.Equal) {
					t.Fatalf("record %d has changed", i)
				}
				if !slices.EqualFunc(now, cpu, bytes.Equal) {
					t.Fatalf("record %d is not that of the CPU", i)
				}
			}
			lent := 0
			for _, p := range e.parsers {
				lent += p.hauls.lent
			}
			if (lent == 0) != (test.most > 0) {
				t.Errorf("%d bytes are lent while records are held", lent)
			}
			for _, rec := range records {
				rec.Release()
			}
			for _, p := range e.parsers {
				if p.hauls.lent != 0 || len(p.hauls.spare) != 0 {
					t.Errorf("%d bytes are lent, %d hauls are kept after the end", p.hauls.lent, len(p.hauls.spare))
				}
			}
		})
	}
}
