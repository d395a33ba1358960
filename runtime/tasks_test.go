package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// sideBySide is the engine "cpu", and how many partitions its forks have read.
type sideBySide struct {
	runtime.Engine
	forks int
	wrong bool // guesses are wrong
	piece int  // forks say where lines end, by so many bytes, but for some of them; 0: they do not

	mu     sync.Mutex
	memory [][]byte // of the values of forks
}

// has reports whether a fork has put values there.
func (s *sideBySide) has(b []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return slices.ContainsFunc(s.memory, func(m []byte) bool {
		from := uintptr(unsafe.Pointer(unsafe.SliceData(m)))
		return at >= from && at < from+uintptr(len(m))
	})
}

func (*sideBySide) Name() string { return "side by side" }

func (s *sideBySide) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := s.Engine.Open(plan, cfg)
	return &forkingParser{p.(runtime.Forker), s}, err
}

type forkingParser struct {
	runtime.Forker
	engine *sideBySide
}

func (p *forkingParser) Guess(data []byte, b *runtime.Binding) (int, int, dfa.StateID, bool) {
	at, ahead, state, ok := p.Forker.Guess(data, b)
	if ok && p.engine.wrong && len(data)%3 == 0 {
		at, ahead = at-at/3, max(ahead-at%2, 0)
	}
	if ok {
		p.engine.forks++
	}
	return at, ahead, state, ok
}

func (p *forkingParser) Fork(n int) (runtime.Parser, error) {
	fork, err := p.Forker.Fork(n)
	return &forkedParser{fork, p.engine}, err
}

type forkedParser struct {
	runtime.Parser
	engine *sideBySide
}

func (p *forkedParser) Parse(ctx context.Context, part *runtime.Partition) (*runtime.Result, error) {
	result, err := p.Parser.Parse(ctx, part)
	if err != nil {
		return nil, err
	}
	p.engine.mu.Lock()
	defer p.engine.mu.Unlock()
	for i := range result.Rows {
		for _, c := range result.Rows[i].Columns {
			p.engine.memory = append(p.engine.memory, c.Fixed, c.Data)
		}
	}
	if p.engine.piece > 0 && part.LineEnds {
		told := *result
		told.LineEnds = lineEnds(part.Data, p.engine.piece)
		result = &told
	}
	return result, err
}

// lineEnds are those of data in some parts, by pieces of so many bytes.
func lineEnds(data []byte, piece int) (all []runtime.LineEnds) {
	for from := piece / 3; from < len(data); {
		k := runtime.LineEnds{From: from, To: min(len(data), from+10*piece+piece/2), Piece: piece}
		for at := from; at < k.To; at += piece {
			k.N = append(k.N, uint16(bytes.Count(data[at:min(at+piece, k.To)], []byte("\n"))))
		}
		all = append(all, k)
		from = k.To + piece*(len(all)%2)
	}
	return all
}

var forking = &sideBySide{Engine: cpu.Engine}

// drift is rows whose lengths change as they go on, some of which cannot be
// read, with quotes and line ends in texts, and one text that looks like rows.
func drift(rows int, bad bool) string {
	rng := rand.New(rand.NewPCG(1, 2))
	var in strings.Builder
	for i := range rows {
		text := strings.Repeat([]string{"x", "yy ", "é", `""`, ",", "\n"}[rng.IntN(6)], rng.IntN(1+20*i/rows))
		switch {
		case bad && rng.IntN(97) == 0:
			fmt.Fprintf(&in, "%d,no number,\"%s\",x\n", i, text)
		case i == rows/2:
			fmt.Fprintf(&in, "%d,1.5,\"%s\",z\n", i, strings.Repeat("7,2.5,a row,y\n", 300))
		default:
			fmt.Fprintf(&in, "%d,%d.25,\"%s\",%c\n", i, rng.IntN(1000), text, "xyz"[i%3])
		}
	}
	return in.String()
}

const driftSpec = `delimited { sep ','  quote '"' doubled } fields { a i64  b f64!  c str  d enum(x y z) }`

// goesOn is records of several lines, one of which has very many, and some of which
// cannot be read.
func goesOn(rows int, bad bool, end string) string {
	rng := rand.New(rand.NewPCG(3, 4))
	var in strings.Builder
	for i := range rows {
		lines := max(rng.IntN(8)-4, 0)
		if i == rows/2 {
			lines = 900
		}
		number := fmt.Sprint(rng.IntN(1000))
		if bad && rng.IntN(37) == 0 {
			number = "none"
		}
		fmt.Fprintf(&in, "2024-05-06 07:%02d:%02d %s %s%s", i/60%60, i%60, number, []string{"x", "y y", "é"}[rng.IntN(3)], end)
		for range lines {
			in.WriteString([]string{"  at 2024-05-06 07:08:09 1 x", "", "x", "2", "2024-05", "2024-05-06 7:08", "\t#"}[rng.IntN(7)] + end)
		}
		if bad && rng.IntN(41) == 0 {
			in.WriteString("lone \r and \r\r\n a return" + end)
		}
	}
	return in.String()
}

const goesOnSpec = "record `{at} {n} {message...}` fields { at ts(\"%F %T\")  n i16 } multiline { start `{at}`  into message }"

// directed is records among directives, most of which say what the one before said.
func directed(rows int, bad bool) string {
	rng := rand.New(rand.NewPCG(5, 6))
	var in strings.Builder
	in.WriteString("#fields a b c\n")
	for i := range rows {
		switch rng.IntN(60) {
		case 0:
			in.WriteString("#fields a b c\n")
		case 1:
			in.WriteString("# fields\n")
		case 2:
			fmt.Fprintf(&in, "%d,2.5,\"\n#fields c b a\n\"\n", i)
		case 3:
			if bad {
				in.WriteString("no number,\n")
			}
		}
		if i%(rows/3) == rows/4 {
			in.WriteString([]string{"#fields c b a\n", "#fields a\tb\tc\r\n", "#fields a b c\n"}[i*3/rows])
		}
		fmt.Fprintf(&in, "%d,%d.5,%s\n", i, rng.IntN(100), strings.Repeat("x", rng.IntN(20)))
	}
	return in.String()
}

const directedSpec = `delimited { sep ','  quote '"' doubled }  directive "#fields" schema  directive "#" skip  fields { a str  b f64!  c str }`

// TestTasks: where records end, and what is in them, does not depend on how many
// partitions are read side by side, nor on what was guessed.
func TestTasks(t *testing.T) {
	t.Run("quotes", func(t *testing.T) {
		testTasks(t, driftSpec, []int{64, 1000, 5000, 30000}, func(bad bool) string { return drift(3000, bad) })
	})
	t.Run("directives", func(t *testing.T) {
		testTasks(t, directedSpec, []int{1500}, func(bad bool) string { return directed(1200, bad) })
	})
	for name, end := range map[string]string{"LF": "\n", "CR LF": "\r\n"} {
		t.Run("lines that go on, "+name, func(t *testing.T) {
			testTasks(t, goesOnSpec, []int{2000}, func(bad bool) string { return goesOn(800, bad, end) })
		})
	}
}

func testTasks(t *testing.T, source string, partitions []int, input func(bad bool) string) {
	p := spec(t, source)
	batches := []int{40, 300, 5000}
	if testing.Short() {
		partitions, batches = []int{3000}, []int{40, 5000}
	}
	for _, bad := range []bool{false, true} {
		in := input(bad)
		for _, batch := range batches {
			for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null, dfa.Fail} {
				opts := []runtime.Option{runtime.WithBatchSize(batch), runtime.WithErrorMode(mode)}
				want := read(t, p, strings.NewReader(in), append(opts, runtime.WithEngine(reference.Engine), runtime.WithThreads(1))...)
				for _, wrong := range []bool{false, true} {
					for _, partition := range partitions {
						for _, threads := range []int{2, 5} {
							for _, memory := range []bool{false, true} {
								forking.forks, forking.wrong = 0, wrong
								what := fmt.Sprintf("bad rows %v, records of %d, mode %v, guesses wrong %v, partitions of %d, %d threads, in memory %v",
									bad, batch, mode, wrong, partition, threads, memory)
								var r io.Reader = strings.NewReader(in)
								if memory {
									r = inMemory(in)
								}
								got := read(t, p, r, append(opts, runtime.WithEngine(forking), runtime.WithThreads(threads), runtime.WithPartitionSize(partition))...)
								if got.String() != want.String() || fmt.Sprint(got.batches) != fmt.Sprint(want.batches) {
									t.Fatalf("%s: got records of %d\n%.3000s\nwant %d\n%.3000s", what, got.batches, got, want.batches, want)
								}
								if forking.forks == 0 && partition > 64 && (!bad || mode != dfa.Fail) {
									t.Errorf("%s: no partitions were read side by side", what)
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestTasksDoNotCopy: partitions that are read side by side put nearly all values
// where records have them.
func TestTasksDoNotCopy(t *testing.T) {
	p := spec(t, `delimited { sep ',' } fields { a i64  b str  c f64?  d bool  e list(i32, sep ';')  f dict }`)
	var in strings.Builder
	for i := range 40000 {
		fmt.Fprintf(&in, "%05d,text %d,%d.5,%t,1;%05d,w%d\n", i, i%1000, i%3, i%2 == 0, i, i%5)
	}
	want := read(t, p, strings.NewReader(in.String()), runtime.WithThreads(1), runtime.WithBatchSize(1000))
	opts := []runtime.Option{runtime.WithThreads(3), runtime.WithBatchSize(1000), runtime.WithEngine(forking), runtime.WithPartitionSize(300000)}
	forking.wrong = false
	for _, r := range []io.Reader{strings.NewReader(in.String()), inMemory(in.String())} {
		got := read(t, p, r, opts...)
		if got.String() != want.String() || fmt.Sprint(got.batches) != fmt.Sprint(want.batches) {
			t.Fatalf("%d rows, want %d", len(got.rows), len(want.rows))
		}
	}

	forking.memory = nil
	r, err := runtime.ReadBytes([]byte(in.String()), p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	records, copied := 0, 0
	for r.Next() {
		records++
		for _, c := range []int{0, 1, 2} {
			b := r.Record().Column(c).Data().Buffers()
			if !forking.has(b[len(b)-1].Bytes()) {
				copied++
			}
		}
	}
	if r.Err() != nil || records != 40 || copied > 3*12 { // before there is something to go by they are
		t.Errorf("of %d records %d columns are copied; %v", records, copied, r.Err())
	}
}
