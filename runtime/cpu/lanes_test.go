package cpu

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// laneFormats are tables that masks do not read, and what is said in quotes and escapes.
var laneFormats = []struct {
	name, spec string
	line       [][]string
}{
	{"brackets", `dfa t {
  group O='[' | C=']' | Q='"' | E='\\' | T='|' | N='\n' | X=*
  A : P1 d | ! | Q0 d | X0 d | P0 f | A r | P0 d
  P0 : P1 d | ! "nothing to close" | Q0 d | X0 d | P0 f | A r | P0 d
  P1 : P2 d | P0 d | Q1 d | X1 d | P1 d | P1 d | P1 d
  P2 : ! "too deep" | P1 d | Q2 d | X2 d | P2 d | P2 d | P2 d
  Q0 : Q0 d | Q0 d | P0 d | Q0 d | Q0 d | Q0 d | Q0 d
  Q1 : Q1 d | Q1 d | P1 d | Q1 d | Q1 d | Q1 d | Q1 d
  Q2 : Q2 d | Q2 d | P2 d | Q2 d | Q2 d | Q2 d | Q2 d
  X0 : P0 d | P0 d | P0 d | P0 d | P0 d | P0 d | P0 d
  X1 : P1 d | P1 d | P1 d | P1 d | P1 d | P1 d | P1 d
  X2 : P2 d | P2 d | P2 d | P2 d | P2 d | P2 d | P2 d
  eof : A ok, P0 r, P1|P2|Q0|Q1|Q2|X0|X1|X2 ! "something is open"
}
format f { dfa t  fields { a u32  b str  c str } }`, [][]string{
		{"1", "", "x", "12"}, {"|"}, {"b", "[b]", "[b [c] d]", "[\"]\n\"]", "\"a|\n\"", "[", "]", "\\]", "\"", "[[["}, {"|", "||", ""}, {"c", "", "a long text in which nothing is special at all, so that there is much filler"}, {"\n", "\n", "\n\n"}}},
	{"escapes", `escape e = '\\' { '\\' n t 'N' x:hex2 }
format f { delimited { sep '\t'  escape e }  null "\\N"  fields { a i32  b str  c str } }`, [][]string{
		{"1", "\\N", "x"}, {"\t"}, {"b", "\\N", "a\\tb", "\\x41\\x42", "\\q", "\\", "\\\n", ""}, {"\t", "\t\t", ""}, {"c", "", "\\\\"}, {"\n", "\n", "\r\n"}}},
	{"quotes and escapes", "format f { delimited { sep ';'  quote '\"' doubled  escape '\\'  blanks }  fields { a str  b u16  c str } }", [][]string{
		{"a", "", `"a"`, ` "a;b" `, `"a""b"`, `"a\"b"`, ` a `}, {";"}, {"1", "", "x", "65536"}, {";"}, {"c", "\"c\nd\"", "", " c ", "\"c\n"}, {"\n", "\n", ";d\n"}}},
	{"comments over lines", `dfa t {
  group S='/' | A='*' | Q='\'' | T=';' | N='\n' | X=*
  A : V d | V d | Q d | V f | A r | V d
  V : VS d | V d | Q d | V f | A r | V d
  VS : VS d | C d | Q d | V f | A r | V d
  C : C d | CA d | C d | C d | C d | C d
  CA : V d | CA d | C d | C d | C d | C d
  Q : Q d | Q d | V d | Q d | Q d | Q d
  eof : A ok, V|VS r, C|CA|Q ! "open"
}
format f { dfa t  fields { a u32  b str  c str } }`, [][]string{
		{"1", "", "x", "12"}, {";"}, {"b", "/* a;\n * b\n */", "'it\n is'", "/*", "'", "/", "x;y"}, {";", ";;", ""}, {"c", "", "/*\n x */", "'\n'"}, {"\n", "\n", "\n\n"}}},
	{"lengths", `dfa t {
  group B='2' | C='3' | F=',' | N='\n' | X=*
  A : L2 . | L3 . | ! "a length" | ! "a length" | ! "a length"
  B : L2 . | L3 . | ! "a length" | ! "a length" | ! "a length"
  L1 : L0 d | L0 d | L0 d | L0 d | L0 d
  L2 : L1 d | L1 d | L1 d | L1 d | L1 d
  L3 : L2 d | L2 d | L2 d | L2 d | L2 d
  L0 : ! "an end" | ! "an end" | B f | A r | ! "an end"
  eof : A ok, L0 r, B|L1|L2|L3 ! "cut off"
}
format f { dfa t  fields { a u32  b str  c str } }`, [][]string{
		{"212", "3123", "2\n1", ""}, {","}, {"2ab", "3\n\n\n", "22\n", "3,2,", "1x"}, {",", "", "x"}, {"2,,", "3abc", "3ab"}, {"\n", "\n", "\n\n"}}},
	{"a template", "format f { record `{a} {b:-}[ ({c})]: {d...}` }", [][]string{
		{"a", "", "a-b", "long-long-long-long"}, {" "}, {"b", "-", ""}, {"", " (c)", " (", " ()"}, {": "}, {"d", "", "d: e (f)"}, {"\n", "\n", "\r\n"}}},
	{"several lines", "format f { record `{ts} {level} {msg...}`  fields { ts ts(\"%F %T\") }  multiline { start `{ts}`  into msg } }", [][]string{
		{"2024-05-06 07:08:09 INFO ", "2024-05-06 07:08", "\tat a.b", ""}, {"msg", "", "2024-05-06"}, {"\n", "\r\n", "\n\n"}}},
}

// TestLaneRegions: records that are stepped in lanes are those that the reference reads, whatever
// the lanes guessed.
func TestLaneRegions(t *testing.T) {
	onEach(t, testLanes)
}

func testLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	defer func(groups, region, trial int) {
		maxHopGroups, laneRegion, hopTrial = groups, region, trial
	}(maxHopGroups, laneRegion, hopTrial)
	hopTrial = 32
	ways := []int{0, maxHopGroups} // all that masks do not read is stepped, or what hops make little of
	for _, f := range laneFormats {
		t.Run(f.name, func(t *testing.T) {
			spec, err := compile.Compile("f.dfp", []byte(f.spec))
			if err != nil {
				t.Fatal(err)
			}
			for range 8 {
				odd := 1 + rng.IntN(30)
				var text bytes.Buffer
				for range rng.IntN(400) {
					for _, group := range f.line {
						i := 0
						if rng.IntN(odd) == 0 {
							i = rng.IntN(len(group))
						}
						text.WriteString(group[i])
					}
				}
				want := readBy(t, reference.Engine, spec.Program, text.Bytes())
				for _, laneRegion = range []int{64, 128, 256, 1024, laneSymbols} {
					for _, maxHopGroups = range ways {
						if got := readBy(t, Engine, spec.Program, text.Bytes()); got != want {
							t.Fatalf("regions of %d: %q gives\n%s\nwant\n%s", laneRegion, text.String(), got, want)
						}
					}
				}
			}
		})
	}
}

// TestLaneSteps: the vector code steps lanes, and finds gaps, as the code in Go does.
func TestLaneSteps(t *testing.T) {
	onEach(t, testLaneSteps)
}

func testLaneSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for _, f := range laneFormats {
		spec, err := compile.Compile("f.dfp", []byte(f.spec))
		if err != nil {
			t.Fatal(err)
		}
		m := newMachine(spec.Program)
		table := m.lanes()
		if table == nil {
			t.Fatalf("%s: no lanes", f.name)
		}
		for range 50 {
			data := make([]byte, blockSize*(1+rng.IntN(20)))
			for i := range data {
				data[i] = "[]\"\\|\n\tab1: "[rng.IntN(12)]
				if rng.IntN(2) == 0 {
					data[i] = 'x'
				}
			}
			listed := make([]uint32, len(data)+blockSize+2)
			listed[0] = placeOffset
			shared := table.places
			nplaces, _ := listPlaces(listed[1:], data, &table.group, &table.places)
			if table.places != shared {
				t.Fatalf("%s: the table of all workers has changed", f.name)
			}
			places := listed[:1+nplaces]
			want := slices.Clone(places)
			markGapsGeneric(want, table.gap)
			markGaps(places, table.gap)
			if !slices.Equal(places, want) {
				t.Fatalf("%s: %q: gaps are at %x, want %x", f.name, data, places, want)
			}
			begin := table.from(m.Row(spec.Program.Automaton.Start))
			var strips [2][nlanes]laneStrip
			var runs [2]laneRun
			for i, steps := range []func(*laneRun, int){(*laneRun).steps, (*laneRun).stepsGeneric} {
				r := &runs[i]
				*r = laneRun{table: unsafe.Pointer(&table.entries[0]), events: unsafe.Pointer(&strips[i][0].events), data: data, machine: m, laneTable: table}
				for lane := range nlanes {
					from, to := lane*(len(places)-1)/nlanes, (lane+1)*(len(places)-1)/nlanes
					r.lanes[lane] = newLane(&places[from], begin, lane)
					r.left[lane] = to - from
				}
				r.together(steps)
				for lane := range nlanes {
					r.alone(lane)
				}
			}
			for lane := range nlanes {
				got, want := &runs[0].lanes[lane], &runs[1].lanes[lane]
				n := want.nevents - uintptr(lane)*laneEvents
				if got.place != want.place || got.last>>32 != want.last>>32 || got.nevents != want.nevents || !slices.Equal(strips[0][lane].events[:n], strips[1][lane].events[:n]) {
					t.Fatalf("%s: %q: lane %d is at %+v, want %+v", f.name, data, lane, got, want)
				}
			}
		}
	}
}

// TestLanesNoteFaults: what makes a record malformed is an event, also where a region ends with filler.
func TestLanesNoteFaults(t *testing.T) {
	defer func(region int) { laneRegion = region }(laneRegion)
	laneRegion = 64
	spec, err := compile.Compile("f.dfp", []byte("escape c = '\\' { '\"' '\\' }\nformat f { record `{a:-} \"{b:c}\"` }"))
	if err != nil {
		t.Fatal(err)
	}
	m := newMachine(spec.Program)
	begin := m.Row(spec.Program.Automaton.Start)
	for n := range 100 {
		sound := "a \"b\"\n"
		data := []byte(strings.Repeat(sound, n%8) + "a \"b\"" + strings.Repeat("|", n) + "\n" + strings.Repeat(sound, 30))
		l := &lanes{table: m.lanes()}
		noted := map[int]bool{}
		for from, row := 0, begin; len(data)-from >= laneRegion; {
			l.step(data, m, from, row, begin)
			var s strip
			for l.next < l.n {
				l.take(&s)
				for _, e := range s.events {
					noted[s.from+e.offset()] = e.entry().Kind() == dfa.Error
				}
			}
			from, row = s.to, s.end
		}
		for at, row := 0, begin; at < len(data)-laneRegion; at++ {
			e := m.Entries[row|uint32(data[at])]
			if row = e.Row(); e.Kind() == dfa.Error && !noted[at] {
				t.Errorf("%d symbols behind a quote: the fault at %d is not noted", n, at)
			}
		}
	}
}

// TestLanesOfOtherData: strips that a worker has stepped in one piece are no strips of the next one, though that goes on
// at the same offset.
func TestLanesOfOtherData(t *testing.T) {
	defer func(region, trial, stepped int) { laneRegion, hopTrial, steppedMin = region, trial, stepped }(laneRegion, hopTrial, steppedMin)
	laneRegion, hopTrial, steppedMin = 64, 1, 300
	spec, err := compile.Compile("f.dfp", []byte("format f { record `[node={node} ]type={type} msg=audit({time}:{serial}): {fields...}`  fields { time ts(epoch(s), unit ms)  serial u64 } }"))
	if err != nil {
		t.Fatal(err)
	}
	sound := "type=SYSCALL msg=audit(1684329817.579:2995): arch=c000003e syscall=59 comm=\"a b\" key=(null)\n"
	data := []byte("s=aud817.579:2995): arch=c000003eull)\n" + strings.Repeat(sound, 6) + "yp msg=audit(1684329817.579:2995): \n" +
		"type=SYSCALL msg=audit(1684329C:2995): arch=c000003e sy29817.5call=59 comm=\"a b\" key=(null)\n" +
		"type=SS:29): ar=c03esyall=5om=a b\" key=(null)\ntype=sg=mm=\"a =SY\n")
	want := outcomeOf(t, spec.Program, data, runtime.WithEngine(reference.Engine))
	step := 1
	if testing.Short() {
		step = 7
	}
	for size := 20; size < 800; size += step {
		if got := outcomeOf(t, spec.Program, data, runtime.WithEngine(Engine), runtime.WithThreads(3), runtime.WithChunkSize(1000), runtime.WithPartitionSize(size)); got != want {
			t.Fatalf("partitions of %d:\n%s\nwant\n%s", size, got, want)
		}
	}
}
