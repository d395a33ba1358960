package cpu

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// TestGaps: records of quoted fields are what they are by reference around those that are broken, have too few fields or too
// many, or are passed over: whatever ends records, and how far behind their beginnings something is odd.
func TestGaps(t *testing.T) { onEach(t, testGaps) }

func testGaps(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for _, spec := range []string{
		`format all { delimited { sep ','  quote '"' doubled }  fields { a str  b u16  c str } }`,
		`format once { delimited { sep ','  quote '"' }  fields { a str  b u16  c str } }`,
		`format passed { delimited { sep ','  quote '"' doubled  comment "#" }  fields { a str  b u16  c str } }`,
		`format ragged { delimited { sep ','  quote '"' doubled }  fields { a str  b u16  c str }  ragged pad }`,
		`format crlf { delimited { sep ','  quote '"' doubled  eol crlf }  fields { a str  b u16  c str } }`,
		`format either { delimited { sep ','  quote '"' doubled  eol lf|crlf }  fields { a str  b u16  c str } }`,
		`dfa ends {
		   group             N='\n' '|' | C=',' | Q='"' | X=*
		   SOR "at a line"      : SOR r drop | SOF f | QUO . | FLD d
		   SOF "at a field"     : SOR r | SOF f | QUO . | FLD d
		   FLD "in a field"     : SOR r | SOF f | ! | FLD d
		   QUO "in quotes"      : QUO d | QUO d | END . | QUO d
		   END "behind a quote" : SOR r | SOF f | QUO d | !
		   eof : SOR ok, SOF|FLD|END r, QUO !
		   recover N
		 }
		 format ends { dfa ends  fields { a str  b u16  c str } }`,
	} {
		s, err := compile.Compile("gaps.dfp", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		for range rounds {
			data := drawBroken(rng)
			if strings.HasPrefix(spec, "dfa") {
				for i, symbol := range data {
					if symbol == '\n' && rng.IntN(3) == 0 {
						data[i] = '|'
					}
				}
			}
			opts := []runtime.Option{runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Reject, dfa.Null}[rng.IntN(3)]), runtime.WithRejectDetails([]int{0, 0, 1, -1}[rng.IntN(4)])}
			asReference(t, rng, s.Program, spec, data, opts, len(data)+1, 1+rng.IntN(len(data)), 1+rng.IntN(9000))
		}
	}
}

// drawBroken is lines of quoted fields, some of which are something else.
func drawBroken(rng *rand.Rand) (data []byte) {
	good := []string{`"Oslo",1,"a"`, `Rome,22,"b, c"`, `"Bonn","333","d ""e"" f"`, `"x` + "\n" + `y",4,"g"`}
	broken := []string{
		`"Oslo,1,"a"`, `"Oslo"x,1,"a"`, `Oslo",1,"a"`, `""Oslo",1,"a"`, `"Oslo","1`, `Oslo`, `"Oslo",1`, `"a","2","b","c"`, ``, `# "none`, `#,|,`,
		`<p class="x">no, "it's" not</p>`, "\"a\"\r,1,\"b\"", "a\rb,1,c", `"a",x,"b"`, `"a"|"b"x|`, `"` + strings.Repeat("long, ", rng.IntN(900)) + `"x,1,"b"`,
		strings.Repeat("w", rng.IntN(5000)) + `",1,"b"`, `"a","` + strings.Repeat("1", rng.IntN(1200)) + `"",2`,
	}
	ends, every := []string{"\n", "\n", "\r\n"}, 2+rng.IntN(60)
	if rng.IntN(2) == 0 {
		ends = ends[rng.IntN(3):][:1]
	}
	if rng.IntN(4) == 0 { // many fields
		good, every = []string{`"",1,`, `,1,`, `,1,`, `,1,`, `,1,`}, 2+rng.IntN(3000)
	}
	for n := 1 + rng.IntN(40_000); len(data) < n; {
		line := good[rng.IntN(len(good))]
		if rng.IntN(every) == 0 {
			line = broken[rng.IntN(len(broken))]
		}
		data = append(append(data, line...), ends[rng.IntN(len(ends))]...)
	}
	return data
}

// TestGapsBehindManyFields: the same where so many fields are marked in a strip that there is no room for those in front of what is odd.
func TestGapsBehindManyFields(t *testing.T) { onEach(t, testGapsBehindManyFields) }

func testGapsBehindManyFields(t *testing.T) {
	const spec, broken = `format many { delimited { sep ','  quote '"' doubled }  fields { a str  b u16  c str } }`, `"x"y,1,` + "\n"
	s, err := compile.Compile("gaps.dfp", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(43, 44))
	for n := 640; n < 760; n += 6 { // room for that of some, but not for what comes behind
		data := []byte(strings.Repeat(strings.Repeat(`"",1,`+"\n"+broken, 3)+strings.Repeat(",1,\n", n)+`,2,`+broken, 4))
		asReference(t, rng, s.Program, spec, data, []runtime.Option{runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(0)}, len(data)+1)
	}
}

// TestGapsBehindLongRecords: the same behind a record that ends in a block with something odd, and is about as long as what is
// marked again because of that.
func TestGapsBehindLongRecords(t *testing.T) { onEach(t, testGapsBehindLongRecords) }

func testGapsBehindLongRecords(t *testing.T) {
	const spec, broken = `format long { delimited { sep ','  quote '"' doubled }  fields { a str  b u16  c str } }`, `"x"y,1,` + "\n"
	s, err := compile.Compile("gaps.dfp", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(45, 46))
	for n := mostPadded - 80; n < mostPadded+80; n += 9 {
		long := `"",1,"` + strings.Repeat("a, ", n/3) + "\"\n"
		data := []byte(strings.Repeat(strings.Repeat(`"",1,`+"\n"+broken, 3)+strings.Repeat(long+broken, 8), 3))
		asReference(t, rng, s.Program, spec, data, []runtime.Option{runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(0)}, len(data)+1)
	}
}
