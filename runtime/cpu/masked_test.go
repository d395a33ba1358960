package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestWindows: what is read does not depend on how much is marked at once,
// whatever of a record lies in which window.
func TestWindows(t *testing.T) {
	defer func(n int) { windowBlocks = n }(windowBlocks)
	rng := rand.New(rand.NewPCG(13, 14))
	for _, format := range []string{"csv", "apache_combined"} {
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		pick := func(of ...string) string { return of[rng.IntN(len(of))] }
		long := func() string { return strings.Repeat(pick("x", "yz", " ", ""), rng.IntN(1+rng.IntN(90))) }
		for range 60 {
			var text strings.Builder
			var want []string
			end := pick("\n", "\r\n")
			if format == "csv" {
				text.WriteString("a,b,c" + end)
			}
			odd := 1 + rng.IntN(100)
			for range rng.IntN(60) {
				if format != "csv" {
					agent := "u" + long()
					raw := agent
					if rng.IntN(odd) == 0 {
						agent, raw = agent+`"`, raw+`\"`
					}
					text.WriteString(`h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 7 "r" "` + raw + `"` + end)
					want = append(want, agent)
					continue
				}
				row := [3]string{long(), long(), long()}
				for i := range row {
					if i > 0 {
						text.WriteByte(',')
					}
					switch rng.IntN(5) {
					case 0:
						row[i] += pick(`"`, ",\"\n", "\r\n")
						fallthrough
					case 1:
						text.WriteString(`"` + strings.ReplaceAll(row[i], `"`, `""`) + `"`)
					default:
						text.WriteString(row[i])
					}
				}
				text.WriteString(end)
				if rng.IntN(odd) == 0 {
					text.WriteString(end) // no record
				}
				want = append(want, strings.Join(row[:], "|"))
			}
			for _, windowBlocks = range []int{1, 2, 3, 256} {
				if got := rowsOf(t, p, text.String()); fmt.Sprintf("%q", got) != fmt.Sprintf("%q", want) {
					t.Fatalf("windows of %d blocks: %q gives\n%q, want\n%q", windowBlocks, text.String(), got, want)
				}
			}
		}
	}
}

// rowsOf gives the rows that the engine reads: of an access log the agents.
func rowsOf(t *testing.T, p *dfa.Program, text string) (rows []string) {
	t.Helper()
	opts := []runtime.Option{runtime.WithEngine(Engine), runtime.WithThreads(1), runtime.WithPartitionSize(3000)}
	if !p.Dynamic() {
		opts = append(opts, runtime.WithColumns("agent"))
	}
	r, err := runtime.NewReader(strings.NewReader(text), p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			var cells []string
			for _, c := range rec.Columns() {
				cells = append(cells, strings.Clone(c.ValueStr(i))) // the memory of a record is used again
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	if err := r.Err(); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return rows
}

// TestCounts: without columns the records are the same, the good and the bad.
func TestCounts(t *testing.T) {
	for _, machine := range maskedAutomata(t) {
		p, err := gen.Program(machine.Name)
		if err != nil || p.Dynamic() {
			continue
		}
		rng := rand.New(rand.NewPCG(15, 16))
		masks, _ := dfa.FindMasks(machine.Automaton)
		for range 50 {
			text := string(drawText(rng, masks, machine.Alphabet, 2000))
			count := func(engine runtime.Engine, columns []string) (rows, rejects int64) {
				r, err := runtime.NewReader(strings.NewReader(text), p, runtime.WithEngine(engine), runtime.WithColumns(columns...),
					runtime.WithErrorMode(dfa.Reject), runtime.WithThreads(1))
				if err != nil {
					t.Fatal(err)
				}
				defer r.Release()
				for r.Next() {
					rows += r.Record().NumRows()
				}
				if r.Err() != nil {
					t.Fatal(r.Err())
				}
				return rows, r.Stats().Rejected
			}
			rows, rejects := count(Engine, []string{})
			wantRows, wantRejects := count(reference.Engine, []string{})
			if rows != wantRows || rejects != wantRejects {
				t.Fatalf("%s: %q: %d rows and %d rejects, want %d and %d", machine.Name, text, rows, rejects, wantRows, wantRejects)
			}
		}
	}
}

// TestAvoid: what is odd is stepped up to where it stands, not to the end of its block,
// and where it comes often little is marked at once, with each kind of code.
func TestAvoid(t *testing.T) { onEach(t, testAvoid) }

func testAvoid(t *testing.T) {
	p, err := gen.Program("apache_combined")
	if err != nil {
		t.Fatal(err)
	}
	masks, why := dfa.FindMasks(p.Automaton)
	if masks == nil {
		t.Fatal(why)
	}
	line := `1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "x"` + "\n"
	cut := line[:30] + "\n" // a line ends in brackets
	at := 12*len(line) + len(cut) - 1
	data := []byte(strings.Repeat(line, 12) + cut + strings.Repeat(line, 4000))
	k := newMasked(newRoles(masks))
	k.maxMarks = windowMarks + len(p.Columns)
	k.marks, k.records = make([]mark, k.maxMarks+marksRoom+1), make([]uint32, k.maxMarks+marksRoom+1)
	k.next = -1
	k.resume(0)
	for k.odd == 0 {
		if !k.mark(data) {
			t.Fatal("no room")
		}
	}
	if to := k.avoid(data); to != at {
		t.Errorf("stepped up to %d, want %d", to, at)
	}
	k.resume(at + 1)
	if k.mark(data); k.nblocks*blockSize < at || k.nblocks*blockSize > 3*at {
		t.Errorf("%d symbols are marked next, where the last %d were of use", k.nblocks*blockSize, at)
	}
	for range 10 {
		if k.passed = k.nrecords; k.nrecords > 0 {
			k.last = int(k.records[k.nrecords-1])
		}
		k.mark(data)
	}
	if k.window != windowBlocks {
		t.Errorf("%d blocks are marked at once where nothing is odd, want %d", k.window, windowBlocks)
	}
}
