package cpu

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
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
	{"a template", "format f { record `{a} {b:-}[ ({c})]: {d...}` }", [][]string{
		{"a", "", "a-b", "long-long-long-long"}, {" "}, {"b", "-", ""}, {"", " (c)", " (", " ()"}, {": "}, {"d", "", "d: e (f)"}, {"\n", "\n", "\r\n"}}},
	{"several lines", "format f { record `{ts} {level} {msg...}`  fields { ts ts(\"%F %T\") }  multiline { start `{ts}`  into msg } }", [][]string{
		{"2024-05-06 07:08:09 INFO ", "2024-05-06 07:08", "\tat a.b", ""}, {"msg", "", "2024-05-06"}, {"\n", "\r\n", "\n\n"}}},
}

// TestLanes: records that are stepped in lanes are those that the reference reads, whatever
// the lanes guessed.
func TestLanes(t *testing.T) {
	onEach(t, testLanes)
}

func testLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	defer func(groups, region int) { maxHopGroups, laneRegion = groups, region }(maxHopGroups, laneRegion)
	maxHopGroups = 0 // all that masks do not read is stepped
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
					if got := readBy(t, Engine, spec.Program, text.Bytes()); got != want {
						t.Fatalf("regions of %d: %q gives\n%s\nwant\n%s", laneRegion, text.String(), got, want)
					}
				}
			}
		})
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
