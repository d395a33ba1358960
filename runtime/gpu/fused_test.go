//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

const notationsSpec = `format notations {
  doc "every form of the fused path"
  delimited { sep ','  quote '"' doubled }
  fields {
    a i32   b i64!  c u32  d u64  e f64  f f64!  g dec(12, 2)  h dec(30, 9)
    i ts("%Y-%m-%d %H:%M:%S")  j ts  k date  l time  m i16  n bool  o str  p i64
  }
}
`

// notations are fields as they are written, each also with one symbol changed.
var notations = []string{
	"0", "-0", "-", "+1", "1", "-1", "9", "12", "007", "99999999", "-9999999", "999999999", "2147483647", "2147483648", "-2147483648", "4294967295", "4294967296",
	"18446744073709551615", "18446744073709551616", "9223372036854775808", "0x10", "1_000",
	".", "-.", ".5", "5.", "-.5", "-5.", "0.0", "-0.0", "1.25", "12.345678", "1234567.", ".1234567", "123.4567", "1..2", "1.2.3", "1e5", "-1E-5", "inf", "NaN", "123456789.25", "0.12345678901", "9007199254740993", "1.7976931348623157e308",
	"1234567890.12", "12345678901.12", "99999999.99", "0.001", "0.10",
	"2018-01-01 00:21:05", "2018-02-29 00:00:00", "2016-02-29 23:59:59", "0001-01-01 00:00:00", "9999-12-31 23:59:59", "2018-01-01T00:21:05", "2018-01-01 24:00:00", "2018-01-01 23:59:60",
	"2018-01-01T00:21:05Z", "2018-01-01 00:21:05.123", "2018-01-01T00:21:05.123456+02:00", "2018-01-01", "2018-13-01", "1996-03-13", "15:04:05", "15:04:05.5", "24:00:00",
	"true", "false", "N", "text", "é", "\xff", " 1", "1 ", "\"1\"", "\"\"", "\"1\"\"2\"", "\"2018-01-01 00:21:05\"",
}

// Whatever notation stands in whichever column, the fused path gives what the
// CPU does: values, nulls and problems.
func TestFusedNotations(t *testing.T) { byMasks(t, testFusedNotations) }

func testFusedNotations(t *testing.T) {
	spec := compiled(t, notationsSpec)
	columns := len(spec.Program.Columns)
	r := rand.New(rand.NewPCG(7, 8))
	field := func(column int, odd bool) string {
		if !odd { // such as most of the column's
			return []string{"12", "-34567", "89", "1234567", "1.25", "-.5", "17.00", "0.125", "2018-01-01 00:21:05", "2018-01-01T00:21:05Z", "1996-03-13", "15:04:05", "7", "true", "N", "123456789012"}[column]
		}
		f := notations[r.IntN(len(notations))]
		if i := r.IntN(4 * (len(f) + 1)); i < len(f) && f[0] != '"' {
			f = f[:i] + string("0123456789.-+eT: :/"[r.IntN(19)]) + f[i+1:]
		}
		return f
	}
	var fused [2]counted
	for round := range 40 {
		var in strings.Builder
		one := r.IntN(columns)
		for range 1 + r.IntN(700) {
			for c := range columns {
				f := field(c, round%4 == 0 && r.IntN(60) == 0 || round%4 == 1 && c == one && r.IntN(6) == 0)
				if round%4 == 2 && r.IntN(5) == 0 {
					f = `"` + f + `"`
				}
				if round%4 == 3 && r.IntN(3) == 0 {
					f = ""
				}
				in.WriteString(f)
				in.WriteByte(",\n"[min(c/(columns-1), 1)])
			}
		}
		read := func(e runtime.Engine) string {
			rows, stats, err := readRows(e, spec.Program, in.String(), runtime.WithErrorMode(dfa.Null))
			if err != nil {
				t.Fatal(err)
			}
			return rows + fmt.Sprint(stats)
		}
		want := read(cpu.Engine)
		for i, opts := range [][]Option{{WithoutMasks()}, nil} {
			e := &openEngine{Engine: New(opts...)}
			if got := read(e); got != want {
				t.Fatalf("tiles %v: of %q: rows\n%s\nwant\n%s", i == 1, in.String(), got, want)
			}
			if n := e.counted.FlightsByMasks; n != 0 && n != e.counted.FlightsFused || n > 0 && i == 0 || n == 0 && i == 1 && e.counted.FlightsFused > 0 {
				t.Fatalf("tiles %v: %d flights by masks, %d fused", i == 1, n, e.counted.FlightsFused)
			}
			fused[i].FlightsFused += e.counted.FlightsFused - e.counted.FlightsOnCPU
			fused[i].Rows += e.counted.Rows
			fused[i].RowsLeft += e.counted.RowsLeft
		}
	}
	for i, f := range fused {
		if f.FlightsFused < 20 || f.RowsLeft*2 > f.Rows {
			t.Errorf("tiles %v: %d flights were fused, and %d of %d rows left", i == 1, f.FlightsFused, f.RowsLeft, f.Rows)
		}
	}
}

// Tiles that begin within quotes, in the middle of a field or behind a return give
// what the CPU does, and so does what no masks are for, which ends the path.
func TestTiles(t *testing.T) { byMasks(t, testTiles) }

func testTiles(t *testing.T) {
	long := strings.Repeat("x", 9000)
	quoted := `"` + strings.Repeat("say \"\"no\"\", twice\n", 1200) + `"`
	for _, test := range []struct {
		name   string
		change func(line string, i int) string
		fused  bool
	}{
		{"as generated", func(line string, _ int) string { return line }, true},
		{"returns", func(line string, _ int) string { return line + "\r" }, true},
		{"some returns", func(line string, i int) string { return line + strings.Repeat("\r", i/7%2) }, true},
		{"quotes", func(line string, i int) string {
			parts := strings.Split(line, ",")
			parts[i%len(parts)] = `"` + parts[i%len(parts)] + `"`
			return strings.Join(parts, ",")
		}, true},
		{"long fields", func(line string, i int) string {
			if i%97 == 50 {
				return strings.Replace(line, ",N,", ","+[]string{long, quoted, long + "é"}[i%3]+",", 1)
			}
			return line
		}, true},
		{"not ASCII", func(line string, i int) string {
			return strings.Replace(line, ",N,", ","+[]string{"é", "N", "phở", "\xff"}[i*i%61%4]+",", 1)
		}, true},
		{"nulls", func(line string, i int) string {
			parts := strings.Split(line, ",")
			parts[i%len(parts)] = ""
			return strings.Join(parts, ",")
		}, true},
		{"a quote within", func(line string, i int) string { return strings.Repeat(line[:1]+`"`, i/300%2) + line }, false},
		{"behind quotes", func(line string, i int) string { return strings.Replace(line, ",N,", `,"N"`+"NN"[:i/300%2]+",", 1) }, false},
		{"an empty line", func(line string, i int) string { return line + strings.Repeat("\n", i/300%2) }, false},
		{"a field more", func(line string, i int) string { return line + strings.Repeat(",", i/300%2) }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			spec, err := gen.Spec("taxi")
			if err != nil {
				t.Fatal(err)
			}
			var all, in strings.Builder
			if err := gen.Write(&all, "taxi", 60_000, 1); err != nil {
				t.Fatal(err)
			}
			for i, line := range strings.Split(strings.TrimSuffix(all.String(), "\n"), "\n") {
				if i > 0 {
					line = test.change(line, i)
				}
				in.WriteString(line + "\n")
			}
			e := &openEngine{Engine: New()}
			read := func(e runtime.Engine) string {
				rows, stats, err := readRows(e, spec.Program, in.String(), runtime.WithErrorMode(dfa.Null))
				return rows + fmt.Sprint(stats, err)
			}
			if got, want := read(e), read(cpu.Engine); got != want {
				t.Errorf("rows\n%.3000s\nwant\n%.3000s", got, want)
			}
			if fused := e.counted.FlightsByMasks > 0; fused != test.fused {
				t.Errorf("by masks: %v, of %d flights, %d fused", fused, e.counted.Flights, e.counted.FlightsFused)
			}
		})
	}
}

// TestTileSymbols: tiles of fields that any symbols end and enclose are the CPU's, and read by masks
// where these are below 0x80 and none that ends a field is NUL; data have the same symbols with bit 7.
func TestTileSymbols(t *testing.T) { byMasks(t, testTileSymbols) }

func testTileSymbols(t *testing.T) {
	for _, test := range []struct {
		sep, eol, quote byte
		masks           bool
	}{
		{',', '\n', '"', true},
		{0x7f, 0x01, 0x02, true},
		{0, '\n', '"', false},
		{',', 0, '"', false},
		{0x80, '\n', '"', false},
		{0xac, '\n', '"', false},
		{',', 0xff, '"', false},
		{',', '\n', 0xa2, false},
	} {
		t.Run(fmt.Sprintf("%02x %02x %02x", test.sep, test.eol, test.quote), func(t *testing.T) {
			eol := "lf"
			if test.eol != '\n' {
				eol = fmt.Sprintf(`"\x%02x"`, test.eol)
			}
			spec, err := compile.Compile("symbols.dfp", fmt.Appendf(nil,
				`format f { delimited { sep '\x%02x' eol %s quote '\x%02x' doubled } header none fields { a i32  b str  c i64  d str } }`, test.sep, eol, test.quote))
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(uint64(test.sep), uint64(test.eol)))
			var words []string
			for _, symbol := range []byte{test.sep, test.eol, test.quote, 0, 0x80} {
				if other := symbol ^ 0x80; other != test.sep && other != test.eol && other != test.quote {
					words = append(words, string([]byte{'a', other}), string([]byte{other, other, 'b'}))
				}
			}
			var in strings.Builder
			for in.Len() < 40_000 {
				text := words[rng.IntN(len(words))]
				if in.Len() > 25_000 && rng.IntN(50) == 0 { // behind tiles that have none
					text = string([]byte{test.quote}) + text + string([]byte{test.sep, test.quote, test.quote, test.eol}) + text + string([]byte{test.quote})
				}
				for i, field := range []string{fmt.Sprint(rng.IntN(1000)), text, fmt.Sprint(rng.IntN(1 << 40)), "d"} {
					if i > 0 {
						in.WriteByte(test.sep)
					}
					in.WriteString(field)
				}
				in.WriteByte(test.eol)
			}
			for _, flight := range []int{1 << 20, 9000} {
				e := &openEngine{Engine: New(WithFlight(flight))}
				read := func(e runtime.Engine) string {
					rows, stats, err := readRows(e, spec.Program, in.String(), runtime.WithErrorMode(dfa.Null), runtime.WithUTF8(dfa.KeepUTF8))
					return rows + fmt.Sprint(stats, err)
				}
				if got, want := read(e), read(cpu.Engine); got != want {
					t.Errorf("flights of %d: rows\n%.3000s\nwant\n%.3000s", flight, got, want)
				}
				if masks := e.counted.FlightsByMasks > 0; masks != test.masks {
					t.Errorf("by masks: %v, of %d flights, %d fused", masks, e.counted.Flights, e.counted.FlightsFused)
				}
			}
		})
	}
}

// TestTileQuotes: values that are enclosed by what values may have in them, which is doubled
// there, are the CPU's.
func TestTileQuotes(t *testing.T) { byMasks(t, testTileQuotes) }

func testTileQuotes(t *testing.T) {
	for _, quote := range []string{"5", "-", ".", ":", "T", "x"} {
		spec, err := compile.Compile("quotes.dfp", fmt.Appendf(nil,
			`format f { delimited { sep ',' eol lf quote '%s' doubled } header none fields { a i64  b f64  c date  d timestamp  e str } }`, quote))
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		var in strings.Builder
		for in.Len() < 40_000 {
			for i, field := range []string{fmt.Sprint(rng.IntN(2000) - 1000), fmt.Sprint(float64(rng.IntN(2000)-1000) / 8), "2015-05-15", "2015-05-15T05:15:55", "x5"} {
				in.WriteString([]string{"", ","}[min(i, 1)] + quote + strings.ReplaceAll(field, quote, quote+quote) + quote)
			}
			in.WriteString("\n")
		}
		e := &openEngine{Engine: New()}
		read := func(e runtime.Engine) string {
			rows, stats, err := readRows(e, spec.Program, in.String(), runtime.WithErrorMode(dfa.Null))
			return rows + fmt.Sprint(stats, err)
		}
		if got, want := read(e), read(cpu.Engine); got != want {
			t.Errorf("%s: rows\n%.3000s\nwant\n%.3000s", quote, got, want)
		}
		if e.counted.FlightsByMasks == 0 {
			t.Errorf("%s: not by masks", quote)
		}
	}
}

// TestTileTexts: texts of tiles in which some are not ASCII, and some not UTF-8, wherever they
// lie, are the CPU's.
func TestTileTexts(t *testing.T) { byMasks(t, testTileTexts) }

func testTileTexts(t *testing.T) {
	spec, err := gen.Spec("stations")
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"Oslo", "Reykjavík", "東京", "a", "Petropavlovsk-Kamchatsky", "phở", strings.Repeat("é", 40), strings.Repeat("x", 2500) + "é"}
	wrong := []string{"\xff", "\xc3", "\xa9", "a\xed\xa0\x80", "\xf0\x9f\x98", strings.Repeat("é", 30) + "\xe2\x82"}
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var in strings.Builder
		for in.Len() < 70_000 {
			name := names[rng.IntN(3+int(seed))]
			if rng.IntN(200) == 0 {
				name = wrong[rng.IntN(len(wrong))]
			}
			fmt.Fprintf(&in, "%s;%d.%d\n", name, rng.IntN(40), rng.IntN(10))
		}
		text := in.String()
		if seed == 5 { // some that many blocks check, others between
			long := strings.Repeat("x", 33<<10) + "é;1.5\n"
			text += long + strings.Repeat("Oslo;1.5\n", 5000) + long
		}
		e := &openEngine{Engine: New()}
		read := func(e runtime.Engine) string {
			rows, stats, err := readRows(e, spec.Program, text, runtime.WithErrorMode(dfa.Null))
			return rows + fmt.Sprint(stats, err)
		}
		if got, want := read(e), read(cpu.Engine); got != want {
			t.Errorf("seed %d: rows\n%.3000s\nwant\n%.3000s", seed, got, want)
		}
		if e.counted.FlightsByMasks == 0 {
			t.Errorf("seed %d: no flight by masks: %+v", seed, e.counted)
		}
	}
}

// TestTilesDamaged: of inputs some symbols of which are exchanged, rows, problems and errors are the CPU's in
// every error mode, wherever flights begin.
func TestTilesDamaged(t *testing.T) { byMasks(t, testTilesDamaged) }

func testTilesDamaged(t *testing.T) {
	for kind, format := range map[string]string{"lineitem": "lineitem", "taxi": "taxi", "yelp": "yelp", "combined": "apache_combined"} {
		var in strings.Builder
		if err := gen.Write(&in, kind, 60_000, 1); err != nil {
			t.Fatal(err)
		}
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 21))
			text := []byte(in.String())
			for range []int{0, 3, 30, 60}[seed] {
				text[len(text)/10+rng.IntN(len(text)*9/10)] = "a1.-é\xff \r"[rng.IntN(9)]
			}
			for _, mode := range dfa.ErrorModes() {
				for _, flight := range []int{1 << 20, 17_000} {
					read := func(e runtime.Engine) string {
						rows, stats, err := readRows(e, p, string(text), runtime.WithErrorMode(mode))
						return rows + fmt.Sprint(stats, err)
					}
					if got, want := read(New(WithFlight(flight))), read(cpu.Engine); got != want {
						t.Errorf("%s, seed %d, %v, flights of %d: %s", kind, seed, mode, flight, firstDifference(got, want))
					}
				}
			}
		}
	}
}

// byMasks does a test with flights that are read by masks read by tiles, then by marks of quotes.
func byMasks(t *testing.T, test func(t *testing.T)) {
	newBench(t)
	t.Cleanup(func() { allBy.tiles, allBy.quoted = false, false })
	allBy.tiles = true
	t.Run("tiles", test)
	allBy.tiles, allBy.quoted = false, true
	t.Run("quoted", test)
}

// TestQuotedFlights: behind a flight of which most tiles have quotes all are read by marks, until
// most have none.
func TestQuotedFlights(t *testing.T) {
	newBench(t)
	spec, err := gen.Spec("yelp")
	if err != nil {
		t.Fatal(err)
	}
	var in strings.Builder
	if err := gen.Write(&in, "yelp", 200_000, 1); err != nil {
		t.Fatal(err)
	}
	e := &openEngine{Engine: New(WithFlight(40_000))}
	quoted := func(in string) counted {
		t.Helper()
		if _, _, err := readRows(e, spec.Program, in); err != nil {
			t.Fatal(err)
		}
		if c := e.counted; c.FlightsFused != c.Flights || c.FlightsByMasks != c.Flights || c.FlightsQuoted == 0 || c.FlightsQuoted == c.Flights {
			t.Errorf("of %d flights %d were fused, %d by masks, and %d of quotes", c.Flights, c.FlightsFused, c.FlightsByMasks, c.FlightsQuoted)
		}
		return e.counted
	}
	all := quoted(in.String())
	bare := strings.Repeat("review,user,business,4.0,2016-03-09,nice food,3,0,1\n", 16_000)
	if some := quoted(in.String() + bare); some.Flights-some.FlightsQuoted <= all.Flights-all.FlightsQuoted {
		t.Errorf("of %d flights %d by quotes, and %d of %d with rows that have none", all.Flights, all.FlightsQuoted, some.FlightsQuoted, some.Flights)
	}
}

// TestQuotedTexts: quoted texts of any length, with whatever may be in them, are the CPU's,
// wherever tiles and flights begin, and so is what no marks are for.
func TestQuotedTexts(t *testing.T) {
	newBench(t)
	t.Cleanup(func() { allBy.quoted = false })
	allBy.quoted = true
	spec, err := gen.Spec("yelp")
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{"a", `""`, "\n", "\r\n", ",", `","`[1:2], `""""`, "é", "phở", "nice food, ", strings.Repeat("x", 61), strings.Repeat(`""`, 40), strings.Repeat("é", 33), "\r"}
	wrong := []string{"\xff", "\xc3", "\xed\xa0\x80", "\xe2\x82"}
	broken := []string{`"`, `"x`, "\r", "\n", ",", "\n\n", "x\"\""}
	by := counted{}
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 11))
		var in strings.Builder
		in.WriteString("\"review_id\",\"user_id\",\"business_id\",\"stars\",\"date\",\"text\",\"useful\",\"funny\",\"cool\"\n")
		end := []string{"\n", "\r\n"}[seed/3%2]
		text := func(most int) string {
			var b strings.Builder
			for n := rng.IntN(most + 1); b.Len() < n; {
				b.WriteString(parts[rng.IntN(len(parts))])
				if seed%4 == 1 && rng.IntN(400) == 0 {
					b.WriteString(wrong[rng.IntN(len(wrong))])
				}
			}
			return b.String()
		}
		for in.Len() < 90_000 {
			most := []int{20, 300, 3000, 40_000}[rng.IntN(4)*rng.IntN(4)*rng.IntN(4)/9]
			id := []string{`"` + text(20) + `"`, "bare", "", `""`}[rng.IntN(4)]
			fmt.Fprintf(&in, `%s,"%s",bare%d,"%d.%d",2016-03-%02d,"%s","%d",%d,"%d"%s`, id, text(30), rng.IntN(100), rng.IntN(9), rng.IntN(9), 1+rng.IntN(28), text(most), rng.IntN(9), rng.IntN(9), rng.IntN(9), end)
			if seed >= 20 && rng.IntN(60) == 0 {
				in.WriteString(broken[rng.IntN(len(broken))])
			}
		}
		if seed%2 == 1 {
			in.WriteString("r,u,b,1,2016-03-09,open,1,2,3")
		}
		e := &openEngine{Engine: New(WithFlight([]int{1 << 20, 30_000, 17_000}[seed%3]))}
		read := func(e runtime.Engine) string {
			rows, stats, err := readRows(e, spec.Program, in.String(), runtime.WithErrorMode(dfa.Null))
			return rows + fmt.Sprint(stats, err)
		}
		if got, want := read(e), read(cpu.Engine); got != want {
			t.Errorf("seed %d: rows\n%.3000s\nwant\n%.3000s", seed, got, want)
		}
		by.Flights += e.counted.Flights
		by.FlightsQuoted += e.counted.FlightsQuoted
	}
	if by.FlightsQuoted*2 < by.Flights {
		t.Errorf("of %d flights %d by quotes", by.Flights, by.FlightsQuoted)
	}
}

// openEngine keeps what its last parser counted.
type openEngine struct {
	*Engine
	*parser
}

func (e *openEngine) Open(plan *runtime.Plan, cfg runtime.Config) (runtime.Parser, error) {
	p, err := e.openParser(plan, cfg)
	if err != nil { // p is no parser then
		return nil, err
	}
	e.parser = p
	return p, nil
}
