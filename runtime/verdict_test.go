package runtime_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestRejectsOfWorkers: what workers find out about records that are left out, and the
// words that they put it into, are what one goroutine says of the input as a whole.
func TestRejectsOfWorkers(t *testing.T) {
	good := []string{"1,one,2.5,a;b\n", "22,\"quoted, \"\"twice\"\"\",,\n", "333,\"over\ntwo lines\",1,c\n", "4,\xff,1,\n"}
	bad := []string{"x,text,1,\n", "1,short\n", "5,y,no number,z\n", "6,\"a\"b,1,\n", "7,too,1,many,fields\n", "8,\"two\nlines\",x,\n", ",,,\n"}
	specs := []string{
		`delimited { sep ','  quote '"' }  utf8 replace`,
		`delimited { sep ','  quote '"'  eol any }  utf8 replace`,
	}
	for _, src := range specs {
		p := spec(t, src+` fields { a i64!  b str  c f64?  d list(str, sep ';') }`)
		for _, oneIn := range []int{3, 50, 100000} {
			r := rand.New(rand.NewPCG(1, uint64(oneIn)))
			var in strings.Builder
			for in.Len() < 100000 {
				if r.IntN(oneIn) == 0 {
					in.WriteString(bad[r.IntN(len(bad))])
				} else {
					in.WriteString(good[r.IntN(len(good))])
				}
			}
			for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null, dfa.Fail} {
				for name, opts := range map[string][]runtime.Option{
					"all":     nil,
					"details": {runtime.WithRejectDetails(7)},
					"none":    {runtime.WithRejectDetails(0)},
					"most":    {runtime.WithMaxRejects(90)},
					"share":   {runtime.WithMaxRejectShare(0.25)},
					"limit":   {runtime.WithLimit(2500)},
					"skip":    {runtime.WithSkip(1001), runtime.WithRejectDetails(3)},
				} {
					opts = append([]runtime.Option{runtime.WithErrorMode(mode), runtime.WithBatchSize(700)}, opts...)
					want := read(t, p, strings.NewReader(in.String()), append([]runtime.Option{runtime.WithEngine(reference.Engine)}, opts...)...)
					for way, bare := range []bool{false, true, false, true} {
						if testing.Short() && (way+int(mode)+oneIn)%4 > 0 {
							continue
						}
						x := &sideBySide{Engine: cpu.Engine, piece: way / 2 * 100}
						var from io.Reader = strings.NewReader(in.String())
						if bare {
							from = inMemory(in.String())
						}
						got := read(t, p, from, append([]runtime.Option{runtime.WithEngine(x), runtime.WithThreads(3), runtime.WithPartitionSize(9000)}, opts...)...)
						if got.String() != want.String() || counted(got.stats) != counted(want.stats) || fmt.Sprint(got.batches) != fmt.Sprint(want.batches) {
							t.Fatalf("%s, one bad in %d, mode %v, %s, in memory %v, line ends by %d bytes:\n%swant\n%s", src, oneIn, mode, name, bare, x.piece, got, want)
						}
						if x.forks == 0 && mode != dfa.Fail && oneIn > 3 && name != "most" {
							t.Errorf("%s, one bad in %d, mode %v, %s: no worker has read anything", src, oneIn, mode, name)
						}
					}
				}
			}
		}
	}
}

// TestRejectsUntilAnError: where whoever is told of rejects ends the reading, those before count that nobody was told of.
func TestRejectsUntilAnError(t *testing.T) {
	p := spec(t, `delimited { sep ',' }  utf8 replace  fields { a i64!  b str  c f64? }`)
	enough := errors.New("enough")
	for _, every := range []int{3, 40} {
		var in strings.Builder
		for i := range 20000 {
			switch {
			case i%every == 1 && i%2 == 0:
				in.WriteString("short\n")
			case i%every == 1:
				in.WriteString("x,one,1\n")
			case i%4999 == 4998:
				in.WriteString("1,one,x\n")
			default:
				in.WriteString("1,one,2.5\n")
			}
		}
		for stop := range 12 {
			if testing.Short() && stop%5 > 0 {
				continue
			}
			for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null} {
				var want string
				for i, opts := range [][]runtime.Option{{runtime.WithEngine(reference.Engine)}, {runtime.WithEngine(cpu.Engine)}, {runtime.WithEngine(cpu.Engine), runtime.WithThreads(3), runtime.WithPartitionSize(30000)}} {
					told := 0
					opts = append(opts, runtime.WithErrorMode(mode), runtime.WithRejectDetails(4), runtime.WithRejectHandler(func(*runtime.Reject) error {
						if told++; told > stop {
							return enough
						}
						return nil
					}))
					r, err := runtime.ReadBytes([]byte(in.String()), p, opts...)
					if err != nil {
						t.Fatal(err)
					}
					rows := 0
					for r.Next() {
						rows += int(r.Record().NumRows())
					}
					got := fmt.Sprint(counted(r.Stats()), r.Err(), rows)
					r.Release()
					if i == 0 {
						want = got
					} else if got != want {
						t.Fatalf("one in %d, mode %v, after %d rejects, way %d:\n%s\nwant\n%s", every, mode, stop, i, got, want)
					}
				}
			}
		}
	}
}
