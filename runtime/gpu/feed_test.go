//go:build cuda

package gpu

import (
	"bytes"
	"context"
	"maps"
	"os"
	"slices"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestBlocks: blocks have what there is, none more than a flight has, the first and
// the last ones less than those between.
func TestBlocks(t *testing.T) {
	for _, most := range []int{1, 48, leastBlock, leastBlock + 1, DefaultFlight, 1 << 30} {
		for _, n := range []int{1, 47, 48, 49, 1000, leastBlock - 1, leastBlock, leastBlock + 1, 3 * leastBlock, DefaultFlight, 10*DefaultFlight + 5, 2_000_000_000} {
			if n/most > 1e5 {
				continue
			}
			p := &parser{flightSize: most}
			var sizes []int
			for i, left := 0, n; left > 0; i++ {
				size := p.size(i, left)
				if size < 1 || size > min(most, left) {
					t.Fatalf("flights of %d: block %d has %d of %d", most, i, size, left)
				}
				sizes, left = append(sizes, size), left-size
			}
			if least := min(most, leastBlock, n); sizes[0] != least {
				t.Errorf("flights of %d, %d in all: the first block has %d", most, n, sizes[0])
			}
			if last := sizes[len(sizes)-1]; last > min(most, leastBlock) {
				t.Errorf("flights of %d, %d in all: the last block has %d", most, n, last)
			}
			if of := p.largest(n); of != slices.Max(sizes) || p.blockRoom(n) < of || p.largest(n-1) > of {
				t.Errorf("flights of %d, %d in all: the largest block has %d, found to be %d", most, n, slices.Max(sizes), of)
			}
			if bound := (n+most-1)/most + 16; len(sizes) > bound {
				t.Errorf("flights of %d, %d in all: %d blocks", most, n, len(sizes))
			}
		}
	}
}

// TestDrawnBlocks: rows are the CPU's and the reference's however partitions come in blocks, which grow and shrink, and
// whose memory is that of the partitions before.
func TestDrawnBlocks(t *testing.T) {
	newBench(t)
	defer func(before int) { leastBlock = before }(leastBlock)
	formats := map[string]string{"taxi": "taxi", "combined": "apache_combined", "logfmt": "logfmt"} // of what is generated
	rapid.Check(t, func(rt *rapid.T) {
		kind := rapid.SampledFrom(slices.Sorted(maps.Keys(formats))).Draw(rt, "kind")
		program, err := gen.Program(formats[kind])
		if err != nil {
			rt.Fatal(err)
		}
		var in bytes.Buffer
		if err := gen.Write(&in, kind, rapid.Int64Range(1, 60_000).Draw(rt, "bytes"), rapid.Uint64().Draw(rt, "seed")); err != nil {
			rt.Fatal(err)
		}
		opts := []runtime.Option{runtime.WithPartitionSize(rapid.IntRange(1<<10, 30_000).Draw(rt, "partition")), runtime.WithThreads(rapid.IntRange(1, 4).Draw(rt, "threads"))}
		read := func(e runtime.Engine) (rows string) {
			r, err := runtime.ReadBytes(in.Bytes(), program, append(opts, runtime.WithEngine(e))...)
			if err != nil {
				rt.Fatal(err)
			}
			defer r.Release()
			for r.Next() {
				text, err := r.Record().MarshalJSON()
				if err != nil {
					rt.Fatal(err)
				}
				rows += string(text) + "\n"
			}
			if r.Err() != nil {
				rt.Fatal(r.Err())
			}
			return rows
		}
		leastBlock = rapid.SampledFrom([]int{50, 600, 3000}).Draw(rt, "least")
		got := read(New(WithFlight(rapid.SampledFrom([]int{1000, 5000, 40_000}).Draw(rt, "flight"))))
		for _, e := range []runtime.Engine{cpu.Engine, reference.Engine} {
			if want := read(e); got != want {
				rt.Fatalf("not those of %s: %s", e.Name(), whereOther(got, want))
			}
		}
	})
}

// TestLongerPartition: blocks have memory of the partition before, which was shorter, or other memory; neither is
// given back while something is copied from there, and of a file that lies there nothing stays in use.
func TestLongerPartition(t *testing.T) {
	smallPieces(t)
	defer func(before int) { leastBlock = before }(leastBlock)
	filePiece, leastBlock = 4<<10, 8<<10
	path, program := taxiFile(t, 1<<20)
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := syscall.Mmap(int(file.Fd()), 0, 1<<20, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(data)
	begin, err := runtime.Begin(data, program, runtime.WithEngine(cpu.Engine), runtime.WithThreads(4))
	if err != nil {
		t.Fatal(err)
	}
	for _, hold := range []bool{false, true} {
		cfg, opts := begin.Config, []Option{WithFlight(1 << 20)}
		if cfg.Partition = 1 << 20; hold {
			cfg.Mapped, opts = data, append(opts, WithHeldFiles())
		}
		p, err := New(opts...).openParser(begin.Plan, cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		at, state := begin.Offset, begin.State
		for _, n := range []int{20 << 10, 700 << 10} { // of blocks of 8 KiB and less, and of 8 to 256
			part := &runtime.Partition{Data: data[at:][:n], State: state, Binding: begin.Binding}
			result, err := p.Parse(context.Background(), part)
			if err != nil {
				t.Fatal(err)
			}
			if end := bytes.LastIndexByte(part.Data, '\n') + 1; result.Consumed != end {
				t.Errorf("%d of %d bytes are consumed, want %d", result.Consumed, n, end)
			}
			at, state = at+result.Consumed, result.State
		}
		if p.mapped != nil {
			p.mapped.mu.Lock() // others are being let go of
			for i, piece := range p.mapped.pieces {
				if piece.users != 0 {
					t.Errorf("piece %d of the file has %d users", i, piece.users)
				}
			}
			p.mapped.mu.Unlock()
		}
	}
}

// TestLongerBehindRefused: blocks behind a directive that is refused are on their way when nobody wants them any more, and those of a
// longer partition have other memory.
func TestLongerBehindRefused(t *testing.T) {
	newBench(t)
	defer func(before int) { leastBlock = before }(leastBlock)
	leastBlock = 1000
	spec, err := gen.Spec("w3c")
	if err != nil {
		t.Fatal(err)
	}
	var in bytes.Buffer
	if err := gen.Write(&in, "w3c", 300_000, 1); err != nil {
		t.Fatal(err)
	}
	begin, err := runtime.Begin(in.Bytes(), spec.Program, runtime.WithEngine(cpu.Engine), runtime.WithThreads(4))
	if err != nil {
		t.Fatal(err)
	}
	rows := in.Bytes()[begin.Offset:]
	first := rows[:bytes.IndexByte(rows, '\n')+1]
	refused := slices.Concat(first, []byte("#Fields: date x-other\n"), rows[:20_000])
	for range 10 {
		p, err := New(WithFlight(1<<20)).openParser(begin.Plan, begin.Config)
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		for _, data := range [][]byte{refused, rows} {
			result, err := p.Parse(context.Background(), &runtime.Partition{Data: data, State: begin.State, Binding: begin.Binding})
			if err != nil {
				t.Fatal(err)
			}
			if len(data) == len(refused) && result.Err == nil {
				t.Errorf("%d bytes are consumed, and nothing is refused", result.Consumed)
			}
			if len(data) == len(rows) && result.Consumed < bytes.LastIndexByte(rows, '\n') {
				t.Errorf("%d of %d bytes are consumed", result.Consumed, len(rows))
			}
		}
	}
}

// TestNear: of a partition that is one block, and has been copied, the host looks at the copy,
// for rows that are left and for columns that no kernel converts: pages of a file that is mapped
// would be brought for that.
func TestNear(t *testing.T) {
	newBench(t)
	combined, err := gen.Spec("apache_combined")
	if err != nil {
		t.Fatal(err)
	}
	words := compiled(t, "format words { record `type={type} msg=audit({ts}:{serial}): {words...}` fields { ts ts(epoch(s), unit ms)  serial u64  words list(str, sep ' ') } }")
	for kind, p := range map[string]*dfa.Program{"combined": combined.Program, "auditd": words.Program} {
		var text bytes.Buffer
		if err := gen.Write(&text, kind, 1_500_000, 1); err != nil {
			t.Fatal(err)
		}
		begin, err := runtime.Begin(text.Bytes(), p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(4))
		if err != nil {
			t.Fatal(err)
		}
		data, err := syscall.Mmap(-1, 0, text.Len(), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Munmap(data)
		copy(data, text.Bytes())
		parser, err := New().openParser(begin.Plan, begin.Config)
		if err != nil {
			t.Fatal(err)
		}
		defer parser.Close()
		part := &runtime.Partition{Data: data[begin.Offset:], State: begin.State, Binding: begin.Binding, Final: true}
		parser.Prepare(part)
		parser.fed.wg.Wait()
		if err := syscall.Mprotect(data, syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
		var result *runtime.Result
		if err := runtime.Guard(data, func() error {
			result, err = parser.Parse(context.Background(), part)
			return err
		}); err != nil {
			t.Errorf("%s: %v", kind, err)
			continue
		}
		rows := 0
		for _, r := range result.Rows {
			rows += r.N
		}
		if of := parser.counted; rows == 0 || of.RowsLeft == 0 && len(parser.theirs) == 0 {
			t.Errorf("%s: %d rows, %d left: the host had nothing to look at", kind, rows, of.RowsLeft)
		}
	}
}
