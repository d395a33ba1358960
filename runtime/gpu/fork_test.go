//go:build cuda

package gpu

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// forked is an Engine that counts what its forks read.
type forked struct {
	*Engine
	partitions, hauls, onCPU atomic.Int64
	wrong                    bool // some guesses are
}

func (e *forked) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := e.openParser(plan, cfg)
	return &forkedParser{p, e}, err
}

type forkedParser struct {
	*parser
	e *forked
}

func (p *forkedParser) Guess(data []byte, b *runtime.Binding) (at, ahead int, state dfa.StateID, ok bool) {
	if at, ahead, state, ok = p.parser.Guess(data, b); p.e.wrong && len(data)%3 > 0 {
		at -= at / 3
		ahead += len(data) % 3 * 300
	}
	return at, min(ahead, len(data)-at), state, ok
}

func (p *forkedParser) Fork(n int) (runtime.Parser, error) {
	fork, err := p.fork(n)
	return &countedFork{fork, p.e}, err
}

type countedFork struct {
	*parser
	e *forked
}

func (p *countedFork) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	p.e.partitions.Add(1)
	result, err := p.parser.Parse(ctx, part)
	p.e.hauls.Add(int64(len(p.result().held)))
	p.e.onCPU.Add(int64(p.result().nwhole))
	return result, err
}

// TestAhead: partitions that are read two at a time make the records that the CPU's
// engine makes, to the last byte of each buffer, of inputs in memory and of streams,
// while all records are held.
func TestAhead(t *testing.T) {
	newBench(t)
	for _, kind := range []string{"taxi", "yelp", "combined", "klog", "java_multiline", "java_multiline, guessed wrong", "w3c, its head again", "w3c, another head", "w3c, blank lines"} {
		var in bytes.Buffer
		kind, change, _ := strings.Cut(kind, ", ")
		if err := gen.Write(&in, kind, 150<<10, 1); err != nil {
			t.Fatal(err)
		}
		if kind == "w3c" && change != "" {
			in = *bytes.NewBuffer(changed(in.Bytes(), change))
		}
		format := map[string]string{"combined": "apache_combined"}[kind]
		if format == "" {
			format = kind
		}
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		for _, memory := range []bool{true, false} {
			read := func(engine runtime.Engine) []arrow.Record {
				opts := []runtime.Option{runtime.WithEngine(engine), runtime.WithReuse(), runtime.WithBatchSize(40), runtime.WithPartitionSize(20 << 10), runtime.WithThreads(3)}
				var r *runtime.Reader
				var err error
				if memory {
					r, err = runtime.ReadBytes(in.Bytes(), p, opts...)
				} else {
					r, err = runtime.NewReader(bytes.NewBuffer(in.Bytes()), p, opts...)
				}
				if err != nil {
					t.Fatal(err)
				}
				return retained(t, r)
			}
			e := &forked{Engine: New(WithFlight(8 << 10)), wrong: change == "guessed wrong"}
			got, want := read(e), read(cpu.Engine)
			if len(got) != len(want) {
				t.Fatalf("%s: %d records, want %d", kind, len(got), len(want))
			}
			for i := range got {
				if !slices.EqualFunc(contents(got[i]), contents(want[i]), bytes.Equal) {
					t.Fatalf("%s %s, in memory %v: record %d is not that of the CPU", kind, change, memory, i)
				}
				got[i].Release()
				want[i].Release()
			}
			least := int64(6)
			if change == "another head" || e.wrong { // those behind are read by the first parser
				least = 2
			}
			if n := e.partitions.Load(); n < least || e.hauls.Load() < n {
				t.Errorf("%s %s, in memory %v: %d partitions are read ahead, in %d hauls", kind, change, memory, n, e.hauls.Load())
			}
			if n := e.onCPU.Load(); n > 0 && change != "another head" && change != "blank lines" {
				t.Errorf("%s %s, in memory %v: %d flights are the CPU's", kind, change, memory, n)
			}
		}
	}
}

// changed is a log of w3c with more among its lines.
func changed(log []byte, how string) []byte {
	head, lines := []byte("#Software: x\n#Fields: "), bytes.SplitAfter(log, []byte("\n"))
	i := slices.IndexFunc(lines, func(line []byte) bool { return bytes.HasPrefix(line, []byte("#Fields: ")) })
	names := bytes.Fields(lines[i])[1:]
	var out bytes.Buffer
	for k, line := range lines {
		out.Write(line)
		switch {
		case k%70 != 69:
		case how == "blank lines" && k%210 == 69:
			out.WriteString("\n\n")
		case how == "another head" && k%420 == 69:
			swapped := slices.Clone(names)
			swapped[k/420+1], swapped[0] = swapped[0], swapped[k/420+1]
			out.Write(head)
			out.Write(bytes.Join(swapped, []byte(" ")))
			out.WriteByte('\n')
		case how == "another head" && k%210 == 69:
			out.WriteString("x \"#Fields: no\" y #Fields: no\n")
		default:
			out.Write(head)
			out.Write(bytes.TrimPrefix(lines[i], []byte("#Fields: ")))
		}
	}
	return out.Bytes()
}

// TestAheadLoose: records that may end where partitions do, and do so, have the rows of others.
func TestAheadLoose(t *testing.T) {
	newBench(t)
	var in bytes.Buffer
	if err := gen.Write(&in, "taxi", 150<<10, 1); err != nil {
		t.Fatal(err)
	}
	p, err := gen.Program("taxi")
	if err != nil {
		t.Fatal(err)
	}
	read := func(opts ...runtime.Option) (rows []string, short int) {
		r, err := runtime.ReadBytes(in.Bytes(), p, append(opts, runtime.WithReuse(), runtime.WithBatchSize(50), runtime.WithPartitionSize(20<<10), runtime.WithThreads(3))...)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Release()
		for r.Next() {
			text, err := r.Record().MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(string(text)) {
				if line = strings.Trim(line, "[],\n"); line != "" {
					rows = append(rows, line)
				}
			}
			if r.Record().NumRows() < 50 {
				short++
			}
		}
		if r.Err() != nil {
			t.Fatal(r.Err())
		}
		return rows, short
	}
	want, _ := read(runtime.WithEngine(cpu.Engine))
	e := &forked{Engine: New()}
	got, short := read(runtime.WithEngine(e), runtime.WithLooseBatches())
	if !slices.Equal(got, want) {
		t.Errorf("%d rows, want %d", len(got), len(want))
	}
	if n := e.partitions.Load(); n < 6 || short < int(n)/2 {
		t.Errorf("%d records are short, of %d partitions", short, n)
	}
}

// TestPinnedAgain: what the Readers of a large file have pinned is there for those after them,
// who pin little more.
func TestPinnedAgain(t *testing.T) {
	t.Setenv("DFAPARSE_HOST_REGISTERED", "1")
	path, p := taxiFile(t, 3_000_000)
	newBench(t)
	e := New()
	const partition = 128 << 10
	var pinned []int
	for range 8 {
		pinned = append(pinned, readPartitions(t, e, path, p, partition).Start().Pinned)
	}
	// How far partitions run ahead is a matter of luck, and so is how much is in use at once.
	if first, all := pinned[0], pinned[len(pinned)-1]; first < 3*leastAhead*partition || all > 2*first {
		t.Errorf("%d bytes were pinned, want at least %d first, and at most twice that in the end", pinned, 3*leastAhead*partition)
	}
	t.Log(pinned)
}

// TestPinnedOfLongPartitions: where a partition is of several blocks, memory is pinned for blocks of their length, not
// of that of flights, which may be longer.
func TestPinnedOfLongPartitions(t *testing.T) {
	t.Setenv("DFAPARSE_HOST_REGISTERED", "1")
	defer func(before int) { leastBlock = before }(leastBlock)
	leastBlock = 128 << 10
	const partition, blocks, longest = 1 << 20, 6, 320 << 10 // of 128, 256, 320, 160, 128 and 32 KiB
	path, p := taxiFile(t, 10*partition)
	newBench(t)
	pinned := readPartitions(t, New(WithFlight(partition)), path, p, partition).Start().Pinned
	// The blocks of two partitions come in, values of two and what is being made of a third go out; some more, for small ones.
	if most := leastAhead*5*blocks*(longest+longest/8) + 1<<20; pinned > most {
		t.Errorf("%d bytes were pinned, want at most %d", pinned, most)
	}
	t.Log(pinned)
}

// TestHopsLearnt: a fork takes the hops that the first parser has found, and reads as it does.
func TestHopsLearnt(t *testing.T) {
	newBench(t)
	p, err := gen.Program("apache_combined")
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := gen.Write(&text, "combined", 100_000, 1); err != nil {
		t.Fatal(err)
	}
	begin, err := runtime.Begin(text.Bytes(), p, runtime.WithEngine(cpu.Engine), runtime.WithThreads(4))
	if err != nil {
		t.Fatal(err)
	}
	first, err := New().openParser(begin.Plan, begin.Config)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	fork, err := first.fork(1)
	if err != nil {
		t.Fatal(err)
	}
	defer fork.Close()
	part := &runtime.Partition{Data: text.Bytes(), State: begin.State, Binding: begin.Binding, Final: true}
	var rows []int
	var found *boundHops
	for _, p := range []*parser{first, fork} {
		result, err := p.Parse(context.Background(), part)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, result.Rows[0].N)
		if now := p.fused.learnt.of.Load(); now == nil || found != nil && now != found {
			t.Errorf("hops were found %v, and again %v", found, now)
		} else {
			found = now
		}
		if n := int(p.fused.image.HopCount); n == 0 || n != len(found.images) {
			t.Errorf("%d hops, want %d", n, len(found.images))
		}
	}
	if rows[0] == 0 || rows[0] != rows[1] {
		t.Errorf("%d rows", rows)
	}
	for i := range first.fused.splits {
		if a, b := first.fused.splits[i].image.Hop, fork.fused.splits[i].image.Hop; a != b {
			t.Errorf("hops of column %d begin at %d, and at %d", i, a, b)
		}
	}
}
