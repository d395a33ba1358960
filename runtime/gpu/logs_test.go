//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// logSpecs are formats of many states, as users write them.
var logSpecs = map[string]string{
	"haproxy": `format haproxy {
  record ` + "`" + `{logged} {host} haproxy[[{pid}]: {client}:{port} [[{accepted}] {frontend} {backend}/{server} {tq}/{tw}/{tc}/{tr}/{tt} {status} {bytes} {reqcookie:-} {rescookie:-} {term} {actconn}/{feconn}/{beconn}/{srvconn}/{retries} {srvq}/{beq} "{method} {uri} {version}"` + "`" + `
  fields {
    logged ts("%b %e %H:%M:%S")  pid u32  port u16  accepted ts("%d/%b/%Y:%H:%M:%S.%f")
    tq i32  tw i32  tc i32  tr i32  tt i32  status i16  bytes u64
    actconn u32  feconn u32  beconn u32  srvconn u32  retries u32  srvq u32  beq u32
  }
  test "a request, and one that was not understood" ` + "`" + `Feb  6 12:14:14 localhost haproxy[14389]: 10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 "GET /index.html HTTP/1.1"
Feb  6 12:14:15 localhost haproxy[14389]: 10.0.1.3:33318 [06/Feb/2009:12:14:15.002] http-in http-in/<NOSRV> -1/-1/-1/-1/0 400 187 - - PR-- 0/0/0/0/3 0/0 "<BADREQ>"
` + "`" + ` => { pid 14389, tt 109, uri "/index.html" } reject
}`,
	"java": `format java_log {
  record ` + "`" + `{ts} {level}{ }[[{thread}] {logger} - {msg...}` + "`" + `
  fields { ts ts("%Y-%m-%d %H:%M:%S,%f") }
  test "two levels" ` + "`" + `2024-05-06 07:08:09,123 INFO  [main] org.example.Main - started in 12 ms
2024-05-06 07:08:10,000 ERROR [pool-1-thread-3] o.e.Worker - no [such] - file

java.io.IOException: no
` + "`" + ` => { level INFO, thread main, msg "started in 12 ms" } { msg "no [such] - file" } reject
}`,
	"java_multi": `format java_multi {
  record ` + "`" + `{ts} {level}{ }[[{thread}] {logger} - {msg...}` + "`" + `
  fields { ts ts("%Y-%m-%d %H:%M:%S,%f") }
  multiline { start ` + "`" + `{ts}` + "`" + `  into msg }
  test "a stack trace" ` + "`" + `2024-05-06 07:08:09,123 INFO  [main] org.example.Main - started in 12 ms
2024-05-06 07:08:10,000 ERROR [pool-1-thread-3] o.e.Worker - no
	at a.b(C.java:1)
2024-05
2024-05-06 07:08:10,001 INFO [x] y - z
` + "`" + ` => { msg "started in 12 ms" } { msg "no\n\tat a.b(C.java:1)\n2024-05" } { msg z }
}`,
	"syslog_3164": `format syslog_3164 {
  record ` + "`" + `<{pri}>{ts} {host} {tag}[{[}{pid}{]}]: {msg...}` + "`" + `
  fields { pri u8  ts ts("%b %e %H:%M:%S")  pid u32 }
  test "with and without a process" ` + "`" + `<34>Oct 11 22:14:15 mymachine su: 'su root' failed for lonvick on /dev/pts/8
<13>Feb  5 17:32:18 10.0.0.99 sshd[4721]: Accepted publickey for root from 10.0.0.1 port 5
what
` + "`" + ` => { pid null, tag su } { pid 4721, tag sshd } reject
}`,
}

// logMachines are those of logSpecs, their samples the inputs of their tests.
func logMachines(t testing.TB) (found []machine) {
	t.Helper()
	for _, name := range []string{"haproxy", "java", "java_multi", "syslog_3164"} {
		spec, err := compile.Compile(name, []byte(logSpecs[name]))
		if err != nil {
			t.Fatal(err)
		}
		m := machine{name: name, automaton: spec.Program.Automaton, program: spec.Program}
		for _, e := range spec.Examples {
			m.sample = append(m.sample, e.Input...)
		}
		m.alphabet = groupSymbols(m.automaton)
		found = append(found, m)
	}
	return found
}

// TestLogs reads what such logs look like, with lines that are cut off, joined,
// changed or long, in flights of few records and in one: values, problems and
// counts are those of the CPU.
func TestLogs(t *testing.T) {
	newBench(t)
	for _, m := range logMachines(t) {
		t.Run(m.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(21, uint64(len(m.name))))
			lines := bytes.SplitAfter(m.sample, []byte("\n"))
			lines = lines[:len(lines)-1]
			rounds := 12
			if testing.Short() {
				rounds = 5
			}
			var fused counted
			for round := range rounds {
				var in []byte
				for range 1 + rng.IntN(150) {
					line := bytes.Clone(lines[rng.IntN(len(lines))])
					switch odd := rng.IntN(40); {
					case round%3 == 0 || odd > 4:
					case odd == 0:
						line = line[:rng.IntN(len(line))]
					case odd == 1:
						line = append(line[:len(line)-1], "\r\n"...)
					case odd == 2:
						line = append(bytes.Repeat([]byte("x"), rng.IntN(3000)), line...)
					case odd == 3 && round%2 == 1:
						line = append(line[:len(line)-1], bytes.Repeat([]byte(" long"), rng.IntN(9000))...)
						line = append(line, '\n')
					default:
						line[rng.IntN(len(line))] = m.alphabet[rng.IntN(len(m.alphabet))]
					}
					in = append(in, line...)
				}
				if round%5 == 4 {
					in = in[:len(in)-1] // no line end
				}
				modes := [][]runtime.Option{nil, {runtime.WithErrorMode(dfa.Null)}}
				if sanitized {
					modes = modes[round%2:][:1]
				}
				for _, opts := range modes {
					read := func(e runtime.Engine) string {
						rows, stats, err := readRows(e, m.program, string(in), opts...)
						if err != nil {
							t.Fatal(err)
						}
						return rows + fmt.Sprint(stats)
					}
					want := read(cpu.Engine)
					for _, engine := range []*Engine{New(), New(WithFlight(700)), New(WithGeneralPath(), WithFlight(40_000))} {
						e := &openEngine{Engine: engine}
						if got := read(e); got != want {
							t.Fatalf("round %d: of %q: rows\n%s\nwant\n%s", round, in, got, want)
						}
						if !engine.general {
							fused.Flights += e.counted.Flights
							fused.FlightsFused += e.counted.FlightsFused
							fused.FlightsOnCPU += e.counted.FlightsOnCPU
							fused.Rows += e.counted.Rows
							fused.RowsLeft += e.counted.RowsLeft
						}
					}
				}
			}
			t.Logf("%+v", fused)
		})
	}
}

// TestGeneratedLogs reads generated files of several tiles, with some lines that
// are damaged, by the path of lines where it is for the format.
func TestGeneratedLogs(t *testing.T) {
	newBench(t)
	for _, test := range []struct {
		kind  string
		fused bool
	}{
		{"haproxy", true}, {"syslog", true}, {"java", true}, {"klog", true}, {"auditd", true},
		{"syslog_rfc5424", true}, {"combined", true}, {"fixed", true}, {"java_multiline", true}, {"postgres", true},
	} {
		t.Run(test.kind, func(t *testing.T) {
			name := test.kind
			if name == "combined" {
				name = "apache_combined"
			}
			spec, err := gen.Spec(name)
			if err != nil {
				t.Fatal(err)
			}
			var file bytes.Buffer
			if err := gen.Write(&file, test.kind, 150_000, 3); err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(31, uint64(len(test.kind))))
			in := file.Bytes()
			for range 60 { // by what leaves the number of lines
				if i := rng.IntN(len(in)); in[i] != '\n' && in[max(i-1, 0)] != '\n' && in[min(i+1, len(in)-1)] != '\n' {
					in[i] = "\r\xff \"x0"[rng.IntN(6)]
				}
			}
			for _, opts := range [][]runtime.Option{{runtime.WithErrorMode(dfa.Reject)}, {runtime.WithErrorMode(dfa.Null)}, {runtime.WithErrorMode(dfa.Reject), runtime.WithUTF8(dfa.RejectUTF8)}} {
				read := func(e runtime.Engine) string { return readWhole(t, e, spec.Program, in, opts) }
				want := read(cpu.Engine)
				for _, flight := range []int{DefaultFlight, 60_000} {
					e := &openEngine{Engine: New(WithFlight(flight))}
					if got := read(e); got != want {
						t.Fatalf("flights of %d: of %q: rows\n%s\nwant\n%s", flight, in, got, want)
					}
					c := e.counted
					if fused := c.FlightsFused == c.Flights && c.FlightsOnCPU == 0; fused != test.fused || c.RowsLeft*4 > c.Rows {
						t.Errorf("flights of %d: %+v, by %s", flight, c, e.way())
					}
				}
			}
		})
	}
}

const widthsSpec = `format widths {
  fixed { a 5  b 3  c 10  d 8  e 7  f 4 }
  fields { a u32  b i8  c str trim  d date("%Y%m%d")  e dec(6, 2)  f str }
}`

// TestWidths reads columns of fixed width, blanks around values and lines that are too short or too
// long among them: what the path of lines makes of them is what the CPU does.
func TestWidths(t *testing.T) {
	newBench(t)
	spec := compiled(t, widthsSpec)
	rng := rand.New(rand.NewPCG(5, 6))
	columns := [][]string{{"00012", "  345", "7    ", "     ", " 1 2 "}, {" 12", "-7 ", "127", "129"}, {"text      ", "  in it   ", "          ", "\tx\t       ", "völlig   "},
		{"20240506", "20241306", " 2024056"}, {"  12.50", "-1.5   ", "9999.99", "1e3    "}, {"abcd", "    ", "\xff  x"}}
	var fused counted
	for round := range 12 {
		var in []byte
		for range 1 + rng.IntN(900) {
			from := len(in)
			for i, c := range columns {
				k := 0
				if i == 2 || rng.IntN(60) == 0 { // of the third, all are good
					k = rng.IntN(len(c))
				}
				in = append(in, c[k]...)
			}
			if odd := rng.IntN(60); round%3 == 1 && odd < 3 {
				in = [][]byte{in[:from+rng.IntN(len(in)-from)], append(in, " more"...), append(in, '\r')}[odd]
			}
			in = append(in, '\n')
		}
		for _, opts := range [][]runtime.Option{{runtime.WithErrorMode(dfa.Reject)}, {runtime.WithErrorMode(dfa.Null)}} {
			read := func(e runtime.Engine) string { return readWhole(t, e, spec.Program, in, opts) }
			want := read(cpu.Engine)
			for _, flight := range []int{DefaultFlight, 5000} {
				e := &openEngine{Engine: New(WithFlight(flight))}
				if got := read(e); got != want {
					t.Fatalf("round %d, flights of %d: of %q: rows\n%s\nwant\n%s", round, flight, in, got, want)
				}
				fused.Flights += e.counted.Flights
				fused.FlightsFused += e.counted.FlightsFused
			}
		}
	}
	if fused.FlightsFused*2 < fused.Flights {
		t.Errorf("%+v", fused)
	}
}

// readWhole is the rows of an input and what was counted.
func readWhole(t *testing.T, e runtime.Engine, p *dfa.Program, in []byte, opts []runtime.Option) string {
	t.Helper()
	rows, stats, err := readRows(e, p, string(in), opts...)
	if err != nil {
		t.Fatal(err)
	}
	return rows + fmt.Sprint(stats)
}

// TestLinePools: whatever a device has and a format asks for, there is room for a record's
// fields and for symbols, and the blocks fit.
func TestLinePools(t *testing.T) {
	all := lineBlockSize + 2*lineTransitions + (1+lineSplits)*lineHopsMost*sizeOf[hopImage]() + lineOutputs*(sizeOf[kernels.Output]()+lineTextSize)
	for _, most := range []int{leastLinePools, 99 << 10, 163 << 10, 227 << 10} {
		for _, tables := range []int{lineBlockSize, all} {
			for _, columns := range []int{1, 28, lineNextColumn - 1} {
				for _, length := range []int{2, 140, 5000, 1 << 20} {
					x := newLinePools(most, tables, columns, length)
					symbols := x.pool - lineFixed - 4*x.fields - 16
					if x.shared > most || x.warps < 4 || x.warps > lineWarps ||
						x.rows%32 != 0 || x.rows < 32 || x.fields < columns || x.fields%4 != 0 || x.pool%16 != 0 || symbols < 1024 || x.shared < tables+x.warps*x.pool {
						t.Errorf("of %d bytes, with tables of %d, %d columns, records of %d: %+v, %d bytes of symbols", most, tables, columns, length, x, symbols)
					}
				}
			}
		}
	}
}

const placedSpec = `format placed {
  record "{a}|{b}|{c}|{d}|{e} end"
  fields { a ts("%d/%b/%Y:%T.%L")  b date("%Y%m%d")  c time("%H.%M.%S")  d ts("%m/%d/%Y %H:%M")  e ts("%Y-%b-%dT%H%M%S.%LZ", unit ns) }
}`

// TestPlacedLayouts reads dates whose parts have their places, with symbols in them that are wrong:
// what the path of lines makes of them is what the CPU does.
func TestPlacedLayouts(t *testing.T) {
	newBench(t)
	spec := compiled(t, placedSpec)
	rng := rand.New(rand.NewPCG(7, 8))
	const wrong = "0123456789 /:.-TZJanfé\x80\xff|"
	for round := range 6 {
		var in []byte
		for range 1 + rng.IntN(400) {
			at := time.Unix(rng.Int64N(1<<34)-1<<33, rng.Int64N(1e9)).UTC()
			var line []byte
			for i, layout := range []string{"02/Jan/2006:15:04:05.000|", "20060102|", "15.04.05|", "01/02/2006 15:04|", "2006-Jan-02T150405.000Z end\n"} {
				value := at.AppendFormat(nil, layout)
				if i == rng.IntN(40) {
					value[rng.IntN(len(value)-1)] = wrong[rng.IntN(len(wrong))]
				}
				line = append(line, value...)
			}
			in = append(in, line...)
		}
		opts := []runtime.Option{runtime.WithErrorMode(dfa.Null)}
		e := &openEngine{Engine: New(WithFlight(3000))}
		if got, want := readWhole(t, e, spec.Program, in, opts), readWhole(t, cpu.Engine, spec.Program, in, opts); got != want {
			t.Fatalf("round %d: of %q: rows\n%s\nwant\n%s", round, in, got, want)
		}
		if c := e.counted; c.FlightsFused < c.Flights/2 || c.RowsLeft > c.Rows/2 {
			t.Errorf("round %d: %+v", round, c)
		}
	}
}
