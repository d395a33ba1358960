package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestSegments: columns that a segment lacks are null in all of its rows, whatever those of segments before had,
// in those that are read together, one by one, and near to records that are left out.
func TestSegments(t *testing.T) { onEach(t, testSegments) }

func testSegments(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for _, options := range []string{`sep ','`, `sep ','  quote '"' doubled`, `sep ','  quote '"'  escape '\' everywhere`} {
		t.Run(options, func(t *testing.T) {
			spec, err := compile.Compile("f.dfp", []byte(fmt.Sprintf("format f { delimited { %s }  directive \"#F\" schema  fields { a str ?  b u32 ?  c str ?  d i64 ? }  on_error reject }", options)))
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
				var text strings.Builder
				for range 2 + rng.IntN(5) {
					columns := append([]string{}, names...)
					rng.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
					columns = columns[:1+rng.IntN(len(columns))]
					text.WriteString("#F," + strings.Join(columns, ",") + "\n")
					bad := []int{0, 0, 3, 30}[rng.IntN(4)] // of a hundred records
					for range rng.IntN(200) {
						for i, name := range columns {
							if i > 0 {
								text.WriteByte(',')
							}
							if name == "b" || name == "d" {
								fmt.Fprint(&text, rng.IntN(1<<(1+rng.IntN(30))))
							} else {
								text.WriteString(strings.Repeat(name, rng.IntN(12)))
							}
						}
						if rng.IntN(100) < bad {
							text.WriteString([]string{",", "\"", "\r", `\`}[rng.IntN(4)])
						}
						text.WriteByte('\n')
					}
				}
				told := rapid.SampledFrom([]int{0, 1, 1 << 20}).Draw(t, "told") // of records that are left out
				read := func(engine runtime.Engine, opts ...runtime.Option) string {
					return readAll(t, spec.Program, text.String(), append(opts, runtime.WithEngine(engine), runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(told))...)
				}
				opts := []runtime.Option{
					runtime.WithThreads(2), runtime.WithPartitionSize(rapid.SampledFrom([]int{200, 5000, 1 << 20}).Draw(t, "partition")),
					runtime.WithChunkSize(rapid.SampledFrom([]int{100, 3000, 1 << 20}).Draw(t, "chunk")),
				}
				if got, want := read(Engine, opts...), read(reference.Engine); got != want {
					t.Fatalf("%q gives\n%s\nwant\n%s", text.String(), got, want)
				}
			})
		})
	}
}
