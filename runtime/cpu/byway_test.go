package cpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestByways: records that differ in words of a few, and are alike behind them, are those that the reference reads, whatever is
// odd about some and however long the runs of digits in them are.
func TestByways(t *testing.T) { onEach(t, testByways) }

func testByways(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	one := func(of ...string) string { return of[rng.IntN(len(of))] }
	for _, f := range []struct {
		spec string
		line func() string
	}{
		{"format f { record up `{at} {h} %{l}: Built {d} {p} connection {n} for {i}/{o} ({m}) to {x...}`  record down `{at} {h} %{l}: Teardown {p} connection {n} for {i}/{o} took {s}[ {r}]`  shape kind  fields { at ts(\"%F %T\")  l u8  d enum(inbound outbound)  p enum(TCP UDP ICMP)  n u64  i ip  o u16  m u16  s f32 } }", func() string {
			line := one("2024-05-06 07:08:09 h %4: ", "2024-05-06 07:08:09 host %40: ")
			tail := one("TCP", "UDP", "UDP", "ICMP") + " connection " + strings.Repeat("7", 1+rng.IntN(rng.IntN(20)+1)) + " for " + one("10.0.0.7", "193.111.222.103", "fe80::1") + "/" + one("80", "8080")
			if rng.IntN(2) == 0 {
				return line + "Built " + one("inbound ", "outbound ") + tail + " (443) to " + one("x", "", "y z") + "\n"
			}
			return line + "Teardown " + tail + " took " + one("1.5", "12.25") + one("", " r") + "\n"
		}},
		{"format f { record `{at} [{level}] ({n}) {m} {path} {a}={b}; {c}: {msg...}`  fields { at ts(\"%F %T\")  level enum(info warn error)  n u16  m enum(GET POST PUT)  b enum(yes no)  c u8 } }", func() string {
			return "2024-05-06 07:08:09 [" + one("info", "warn", "error") + "] (" + one("1", "12", "12345") + ") " + one("GET", "POST", "PUT") + " /a/b a=" + one("yes", "no") + "; 1: " + one("msg", "", "no; 1: m") + "\n"
		}},
		{"escape c = '\\' { '\"' '\\' n t }\nformat f { record `{ts} [[{thread}] {level} \"{a:c}\" {b}/{k}={v}, {msg...}`  fields { ts ts(\"%F %T\")  level enum(a bb ccc)  k enum(x yy)  v u32 }  multiline { start `{ts}`  into msg } }", func() string {
			return "2024-05-06 07:08:09 [" + one("main", "pool-1") + "] " + one("a", "bb", "ccc") + one(` "q" `, ` "q\"r" `) + "b/" + one("x", "yy") + "=" + one("1", "123456") + ", msg\n" + one("", "", "\tat a.b\n", "\n")
		}},
		{`format f { delimited { sep " = "  comment "#" after data }  fields { a u64  b enum(on off auto)  c str ? }  ragged pad }`, func() string {
			return one("1", "123456", "1234567890") + " = " + one("on", "off", "auto") + one(" = c", "", " = ") + one("\n", "\n", "# d = e\n", "\n# e\n", "\n\n")
		}},
	} {
		spec, err := compile.Compile("f.dfp", []byte(f.spec))
		if err != nil {
			t.Fatal(err)
		}
		for _, odd := range []int{3, 10, 40, 200} {
			var text bytes.Buffer
			for i := range 3000 {
				line := []byte(f.line())
				if i > 300 && rng.IntN(odd) == 0 {
					at := rng.IntN(len(line) - 1)
					switch rng.IntN(5) {
					case 0:
						line = append(line[:at], '\n')
					case 4: // the first hop of a byway, and not the others
						line = bytes.Replace(line, []byte("Built"), []byte(one("Built in Built", "Built ou Built")), 1)
					case 1:
						line = slices.Delete(line, at, at+1)
					default:
						line = slices.Insert(line, at, []byte(one(" ", "/", "7", "x", ".", "\"", "\\", "\n", "\r", "inbound ", "UDP ", strings.Repeat("1", 70), "\xff"))...)
					}
				}
				text.Write(line)
			}
			opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Null, dfa.Fail}[rng.IntN(4)]), runtime.WithBatchSize([]int{1 + rng.IntN(500), 1 << 16}[rng.IntN(2)])}
			want := outcomeOf(t, spec.Program, text.Bytes(), append(opts, runtime.WithEngine(reference.Engine))...)
			for _, records := range []int{1, 16, 64} {
				smallHops(t, []int{1024, windowMin}[rng.IntN(2)], records)
				how := append(opts, runtime.WithEngine(Engine), runtime.WithPartitionSize(1<<(10+rng.IntN(10))), runtime.WithThreads(1+rng.IntN(3)), runtime.WithChunkSize(1<<(4+rng.IntN(16))))
				if got := outcomeOf(t, spec.Program, text.Bytes(), how...); got != want {
					t.Fatalf("%s, %d records, one in %d odd: %s\nwant\n%s", f.spec, records, odd, got, want)
				}
			}
		}
	}
}
