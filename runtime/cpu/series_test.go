package cpu

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/guard"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestSeries: vector code takes records over a series as Go does it, and leaves those that are not on
// their way alone.
func TestSeries(t *testing.T) { onEach(t, testSeries) }

func testSeries(t *testing.T) {
	if !hasLeaps() {
		t.Skip("there is no vector code for it")
	}
	rng := rand.New(rand.NewPCG(31, 32))
	for range 2000 {
		nsteps, n, first := leastSteps+rng.IntN(12), 1+rng.IntN(maxAbreast), rng.IntN(5)
		var fields [2][][]uint32 // of each way to do it, two columns a step
		var s [2]series
		for way := range s {
			for range 2 * (nsteps + 1) {
				fields[way] = append(fields[way], make([]uint32, first+maxAbreast+leapLanes))
			}
			s[way].steps = make([]seriesStep, nsteps+1)
		}
		half, over, all := rng.IntN(2) == 0, uint32(rng.IntN(3)), rng.IntN(3) == 0
		for i := range nsteps {
			ends, stays := rng.IntN(3) > 0, uint32(rng.IntN(2))
			mark, least, span := (placeMark|uint32(rng.IntN(3)))<<placeGroup, uint32(rng.IntN(3)), []uint32{0, 1, anySpan, anySpan}[rng.IntN(4)]
			for way := range s {
				s[way].steps[i+1] = seriesStep{mark: mark, least: least, span: span, hop: int32(i), stays: stays}
				if ends || all || half && i == nsteps-1 {
					step := &s[way].steps[i+1]
					step.start, step.end, step.stays = unsafe.Pointer(&fields[way][2*i][0]), unsafe.Pointer(&fields[way][2*i+1][0]), 0
				}
			}
		}
		a, places := newAbreast(), make([]uint32, 2*maxAbreast+nsteps+8)
		odd := 1 + rng.IntN(2000)
		offset, steps := uint32(0), s[0].steps[1:]
		a.n, a.whole = n, rng.IntN(2) == 0
		rows := rng.Perm(maxAbreast)
		for r := range n {
			if a.whole {
				rows[r] = r
			}
			a.record[r], a.left[r], a.at[r], a.value[r], a.ended[r] = uint32(rows[r]), onWay, offset, offset+uint32(rng.IntN(2)), rng.Uint32()
			a.place[r] = uint32(len(places))
			if rng.IntN(odd) == 0 {
				a.left[r] = uint32(rng.IntN(9))
			}
			for i := range steps {
				offset += steps[i].least + min(uint32(rng.IntN(4)), steps[i].span)
				if rng.IntN(odd*nsteps) == 0 {
					offset -= min(offset, 1)
				}
				place := steps[i].mark | offset
				if rng.IntN(odd*nsteps) == 0 {
					place ^= 1 << placeGroup
				}
				places = append(places, place)
			}
			offset++
		}
		places = append(places, make([]uint32, 8)...)
		b := newAbreast()
		b.walkers, b.whole = a.walkers, a.whole
		for way := range s {
			s[way].steps, s[way].half, s[way].over = s[way].steps[1:], half, over
			countFields(s[way].steps)
		}
		a.overSeriesGeneric(unsafe.Pointer(&places[0]), &s[0], 0, n, first, 7)
		b.overSeries(unsafe.Pointer(&places[0]), &s[1], first, 7)
		for r := range n {
			if a.at[r] != b.at[r] || a.place[r] != b.place[r] || a.value[r] != b.value[r] || a.ended[r] != b.ended[r] {
				t.Fatalf("record %d of %d over %d steps: %d, %d, %d and %d, %d, %d", r, n, nsteps, a.at[r], a.value[r], a.ended[r], b.at[r], b.value[r], b.ended[r])
			}
			for i := range fields[0] {
				if x, y := fields[0][i][first+rows[r]], fields[1][i][first+rows[r]]; x != y && !slices.Contains(a.halted, uint8(r)) {
					t.Fatalf("record %d of %d over %d steps: column %d is %d and %d", r, n, nsteps, i, x, y)
				}
			}
		}
		if !slices.Equal(a.halted, b.halted) {
			t.Fatalf("of %d records over %d steps %d have not taken them, want %d", n, nsteps, b.halted, a.halted)
		}
	}
}

// TestSeriesWithinPlaces: of records that have no more places, as those at the end of a window, none are read, however
// many there are of one beside them.
func TestSeriesWithinPlaces(t *testing.T) { onEach(t, testSeriesWithinPlaces) }

func testSeriesWithinPlaces(t *testing.T) {
	if !hasLeaps() {
		t.Skip("there is no vector code for it")
	}
	const nsteps, n = 200, 2 * leapLanes
	memory, free := guard.Bytes((nsteps+maxSymbols+1)*4, false)
	defer free()
	places := unsafe.Slice((*uint32)(unsafe.Pointer(&memory[0])), nsteps+maxSymbols+1)
	s := series{steps: make([]seriesStep, nsteps+1)}
	for i := range places {
		places[i] = 1<<32 - 1
	}
	for i := range nsteps {
		s.steps[i+1] = seriesStep{mark: placeMark << placeGroup, span: anySpan}
		places[i] = placeMark<<placeGroup | uint32(i)
	}
	s.steps = s.steps[1:]
	for whole := range n { // the record that takes the series
		b := newAbreast()
		b.n, b.whole = n, true
		for r := range n {
			b.left[r], b.place[r] = onWay, nsteps
		}
		b.place[whole] = 0
		b.overSeries(unsafe.Pointer(&places[0]), &s, 0, 0)
		if len(b.halted) != n-1 || slices.Contains(b.halted, uint8(whole)) || b.at[whole] != nsteps {
			t.Errorf("%d of %d have not taken the series, number %d is at %d", b.halted, n, whole, b.at[whole])
		}
	}
}

// TestFindSeries: templates whose fields end at the next place have series, also where separators may
// be runs; a hop that many records do not take is left out.
func TestFindSeries(t *testing.T) {
	for _, c := range []struct {
		name, spec, line, odd string
		want                  string
	}{
		{"fields", "format f { record `{a} {b}/{c}/{d} {e}:{f} {g}` }", "a %d/2/3 e:f g\n", "", "[1,7) "},
		{"runs", "format f { delimited { sep ' '+  leading trailing }  fields { a str  b str  c str  d str  e str } }", "a %d cc d e\n", "", "[1,8) "},
		{"a literal", "format f { record `{a} {b}=({c}/{d} {e}` }", "a %d=(c/d e\n", "", "[1,5) "},
		{"a literal of letters", "format f { record `{a} {b} {c} {d} b{e} {f}` }", "a %d c d be f\n", "", "[1,4) "},
		{"a time", "format f { record `{a} {b}:<{c}> {d}/{e}` }", "a %d:<06/Feb/2009 12:14> d/e\n", "", "[1,5) "},
		{"often another", "format f { record `{a} {b} {c} {d} <{e}> {f}/{g} {h} {i}` }", "a b c %d <06/Feb> f/g h i\n", "a b c %d <6 Feb> f/g h i\n", "[1,5) [6,9) "},
		{"hops within a field", elements, "<1>%d c d [id k=\"v\" l=\"w\"] f\n", "", "[0,11) "},
		{"often none", "format f { record `{a} {b}/{c}/{d} {e} {f} {g} {h} {i}` }", "a %d/2/3 e f g h i\n", "a %d/2/3 e/e f g h i\n", "[1,5) [6,9) "},
	} {
		t.Run(c.name, func(t *testing.T) {
			spec, err := compile.Compile("f.dfp", []byte(c.spec))
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			for i := range 4000 {
				line := c.line
				if c.odd != "" && i > 1000 && i%3 == 0 {
					line = c.odd
				}
				fmt.Fprintf(&text, line, i)
			}
			p, binding := alone(t, spec.Program)
			if nrows := readText(t, p, binding, text.String()); nrows != 4000 {
				t.Fatalf("%d rows, want 4000", nrows)
			}
			got := ""
			for _, s := range p.workers[0].hopper.paths[0].series {
				got += fmt.Sprintf("[%d,%d) ", s.first, s.end)
			}
			if got != c.want {
				t.Errorf("series %s, want %s", got, c.want)
			}
		})
	}
}

// TestSeriesNotEmpty: a field that may not be empty is not empty in a series either.
func TestSeriesNotEmpty(t *testing.T) {
	spec, err := compile.Compile("f.dfp", []byte(`dfa t {
  group S=' ' | H='/' | N='\n' | X=*
  A "before a space" : ! "empty" | ! "empty" | ! "empty" | B d
  B "up to a space"  : C f | ! "a slash" | A r | B d
  C "before a slash" : ! "empty" | ! "empty" | ! "empty" | D d
  D "up to a slash"  : ! "a space" | A f | A r | D d
  eof : A|B|C|D r
}
format f { dfa t  fields { a str  b str  c str  d str  e str } }`))
	if err != nil {
		t.Fatal(err)
	}
	text := bytes.Repeat([]byte("a b/c d/e\n"), 500)
	copy(text[4000:], "a b/ dd/e\n") // nothing in the table recovers from an error
	onEach(t, func(t *testing.T) {
		p, binding := alone(t, spec.Program)
		if n := readText(t, p, binding, string(text)); n != 401 { // all of the rest is in the record
			t.Errorf("%d rows, want 401", n)
		}
	})
}

// elements is a format with hops within a field, as structured data of syslog has.
const elements = `
dfa elements {
  group OPEN='[' | CLOSE=']' | SP=' ' | EQ='=' | Q='"' | B='\' | NIL='-' | X=*
  START "at the start" : BEGIN . | !     | !      | !       | !     | !     | NONE . | !
  NONE "after -"       : !       | !     | !      | !       | !     | !     | !      | !
  BEGIN "at an id"     : ID d    | !     | !      | !       | !     | ID d  | ID d   | ID d
  ID "in an id"        : ID d    | OUT . | NEXT . | !       | !     | ID d  | ID d   | ID d
  NEXT "at a name"     : NAME d  | !     | !      | !       | !     | NAME d| NAME d | NAME d
  NAME "in a name"     : NAME d  | !     | !      | VALUE . | !     | NAME d| NAME d | NAME d
  VALUE "at a value"   : !       | !     | !      | !       | IN .  | !     | !      | !
  IN "in a value"      : IN d    | !     | IN d   | IN d    | END . | ESC . | IN d   | IN d
  ESC "after a lead"   : !       | IN d  | !      | !       | IN d  | IN d  | !      | !
  END "after a value"  : !       | OUT . | NEXT . | !       | !     | !     | !      | !
  OUT "after one"      : BEGIN . | !     | !      | !       | !     | !     | !      | !
  eof : OUT | NONE ok, START | BEGIN | ID | NEXT | NAME | VALUE | IN | ESC | END ! "cut off"
}
format f { record ` + "`<{a}>{b} {c} {d:-} {e:elements:-}[ {f...}]` }"

// TestHalted: records that do not take a series, and go on by themselves, are those that the reference
// reads: whether they come back to its hops, leave them for good or are malformed.
func TestHalted(t *testing.T) {
	onEach(t, testHalted)
}

func testHalted(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, f := range []struct{ spec, line string }{
		{"format f { record `{a} {b}/{c}/{d} {e}:{f} {g}` }", "a %d/2/3 e:f g\n"},
		{"format f { record `{a} {b}=({c}/{d} {e} [{f}] {g}/{h} {i}` }", "a %d=(c/d e [06/Feb/2009 12:14] g/h i\n"},
		{"format f { delimited { sep ' '+  leading trailing }  fields { a str  b str  c str  d str  e str  f str } }", "a %d cc d e f\n"},
		{"escape c = '\\' { '\"' '\\' n t }\nformat f { record `{a} \"{b:c}\" {c}/{d}[ ({o})] \"{e:c}\" {f}/{g} {h}` }", "a \"%d b\" c/d \"e e\" f/g h\n"},
		{elements, "<%d>1 c d [id@1 k=\"v\" l=\"w\"][x m=\"y\"] f g\n"},
		{elements, "<1>%d c - - f [g]\n<1>2 c - - f g\n<1>2 c - [id@1 k=\"v\" l=\"w\"] f g\n<1>2 c d [i k=\"v\"]\n"},
	} {
		spec, err := compile.Compile("f.dfp", []byte(f.spec))
		if err != nil {
			t.Fatal(err)
		}
		for _, odd := range []int{3, 10, 40, 200} {
			var text bytes.Buffer
			for i := range 3000 {
				line := fmt.Appendf(nil, f.line, i)
				if i > 300 && rng.IntN(odd) == 0 {
					at := rng.IntN(len(line) - 1)
					switch more := []string{" ", "/", "x", "\"", "\\", "[", "=(", "  ", "\n", "\\\"\\\\", " (o)", "][", "=\"", "<"}[rng.IntN(14)]; rng.IntN(4) {
					case 0:
						line = append(line[:at], '\n')
					case 1:
						line = slices.Delete(line, at, at+1)
					default:
						line = slices.Insert(line, at, []byte(more)...)
					}
				}
				text.Write(line)
			}
			want := readBy(t, reference.Engine, spec.Program, text.Bytes())
			for _, records := range []int{1, 16, 64} {
				smallHops(t, windowMin, records)
				if got := readBy(t, Engine, spec.Program, text.Bytes(), runtime.WithPartitionSize(1<<(10+rng.IntN(10)))); got != want {
					t.Fatalf("%s, %d records, one in %d odd: %s\nwant\n%s", f.spec, records, odd, got, want)
				}
			}
		}
	}
}
