package convert

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// plainly are types whose fields are taken together, beside those of vectored, with fields of theirs.
var plainly = []struct {
	typ   dfa.Type
	plain func(r *rand.Rand) string
}{
	{dfa.Type{Kind: dfa.Bool}, oneOf("true", "False", "YES", "n", "0", "1", "on", "OFF", "offf", "2", "tru")},
	{dfa.Type{Kind: dfa.Bool, True: []string{"a rather long word", "y", ""}, False: []string{"NA", "another rather long"}}, oneOf("a rather long word", "y", "another rather long", "a rather long worD", "NA", "Y")},
	{dfa.Type{Kind: dfa.Enum, Tokens: []string{"INFO", "WARN", "ERROR", "-", "a token of many symbols", "a token of many symbolt"}}, oneOf("INFO", "WARN", "ERROR", "-", "a token of many symbols", "a token of many symbolt", "a token of mony symbols", "WARN ", "INF")},
	{dfa.Type{Kind: dfa.Enum, Tokens: []string{"GET", "POST", "PUT"}}, oneOf("GET", "POST", "PUT", "PUTS", "get", "G")},
	{dfa.Type{Kind: dfa.Dictionary}, either(oneOf("a", "bb", "a token of many symbols", "", "NA", "é"), plainText(20))},
	{dfa.Type{Kind: dfa.String}, either(plainText(30), oneOf("é", "", "\xe2\x82\xac", "\xe2\x82", "\xff\xfe", "\xf0\x9f\x98\x80", "\xed\xa0\x80", "a\xc3", "\xa9b", strings.Repeat("ä", 40)))},
	{dfa.Type{Kind: dfa.Binary}, plainText(30)},
	{dfa.Type{Kind: dfa.Binary, Encoding: dfa.Hex}, oneOf("00ff", "", "0", "0g", "DEADbeef")},
	{dfa.Type{Kind: dfa.Binary, Encoding: dfa.Base64}, oneOf("aGVsbG8=", "aGVsbG8", "====", "a", "-_==")},
	{dfa.Type{Kind: dfa.Duration, Layout: "go"}, oneOf("1h2m3.5s", "0", "1ms", "-2us", "1.5h", "100ns", "3µs", "12", "h", "1h1h", "99999999h", ".5s", "1.s", "+4m")},
	{dfa.Type{Kind: dfa.Duration, Layout: "clock"}, oneOf("1:02:03", "02:03.5", "123:45", "1:2:3", "00:60", "-01:02", "999999:00:00.000001", "00:00.0000001", "1:02:")},
	{dfa.Type{Kind: dfa.IP, Bytes: true}, either(plainAddress, oneOf("2001:db8::1", "::", "::ffff:1.2.3.4", "1::2::3", "fe80::1%e"))},
	{dfa.Type{Kind: dfa.Int32, Thousands: ','}, oneOf("1,234", "1234", "-1,2,3", ",1", "1,", "1,,2", "999,999,999,999")},
	{dfa.Type{Kind: dfa.Int64, Base16: true}, oneOf("ff", "0xFF", "-8000000000000000", "7fffffffffffffff", "8000000000000000", "0x", "g", "0")},
	{dfa.Type{Kind: dfa.Uint8, Base16: true}, oneOf("ff", "0xFF", "100", "-1", "-0", "00ff")},
	{dfa.Type{Kind: dfa.Int64, Size: 1024}, oneOf("10K", "1.5MB", "2GiB", "3 B", "7", "9E", "1.K", "K")},
	{dfa.Type{Kind: dfa.Int64}, oneOf("09223372036854775807", "09223372036854775808", "-09223372036854775808", "-09223372036854775809", "00000000000000000001", "18446744073709551617", "-18446744073709551617", "99999999999999999999", "12345678901234567890")},
	{dfa.Type{Kind: dfa.Uint64}, oneOf("18446744073709551615", "18446744073709551616", "18446744073709551617", "18449999999999999999", "18450000000000000000", "18436744073709551616", "99999999999999999999", "9223372036854775808", "9999999999999999999", "00000000000000000000001", "-0", "-1", "+7")},
	{dfa.Type{Kind: dfa.Int64}, oneOf("9223372036854775807", "-9223372036854775808", "9223372036854775808", "-9223372036854775809", "-", "+", "+1", "--1", "0000000000000000000000012")},
	{dfa.Type{Kind: dfa.Int16, In: []dfa.Interval{{Low: "-5", High: "100"}, {Low: "200"}}}, plainInteger(4)},
	{dfa.Type{Kind: dfa.Float64, In: []dfa.Interval{{Low: "0.5", High: "100"}}}, either(plainNumber(6), oneOf("nan", "inf", "1e2", "1e3"))},
	{dfa.Type{Kind: dfa.Decimal, Precision: 9, Scale: 2, Implied: true}, either(plainInteger(10), oneOf("+12", "-", "-0", "1.5", "000000000012"))},
	{dfa.Type{Kind: dfa.Decimal, Precision: 38, Scale: 20, Thousands: ','}, either(plainNumber(25), oneOf("1,234.5", "1e3", "1e-20", "1e-21", "999999999999999999", "9999999999999999999", ".", "5.", ".5", "-.5"))},
	{dfa.Type{Kind: dfa.Float64}, either(plainNumber(25), oneOf("1e5", "-1E-5", "1e400", "1e-400", "nan", "-inf", "Infinity", ".", "5.", ".5", "-.5", "-0", "9007199254740993", "0.1e", "1e+", "2.2250738585072011e-308", "123456789012345678901234567890"))},
	{dfa.Type{Kind: dfa.Float32}, either(plainNumber(25), oneOf("16777217", "16777219", "3.4028236e38", "1e-46", "7.006492321624085e-46", "nan", "-inf", "1e39", "8388608.5", "0.000000000000000000000000000000000000000000001401298464324817"))},
	{dfa.Type{Kind: dfa.Date, Layout: "%d.%m.%Y", Or: []dfa.ClockForm{{Layout: "%F"}, {Layout: "%b %e %Y"}}}, either(plainClock("%02[3]d.%02[2]d.%04[1]d"), either(plainClock("%04d-%02d-%02d"), plainClock("%[7]s %2[3]d %04[1]d")))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%F %T", Or: []dfa.ClockForm{{Layout: "%F %T.%f"}, {Layout: "%d/%b/%Y:%T"}}}, either(plainClock("%04d-%02d-%02d %02d:%02d:%02d"), either(sameDates(11, plainClock("%04d-%02d-%02d %02d:%02d:%02d.%03[9]d")), plainClock("%02[3]d/%[7]s/%04[1]d:%02[4]d:%02[5]d:%02[6]d")))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%a %b %e %T %Y"}, sameDates(11, plainClock("Mon %[7]s %2[3]d %02[4]d:%02[5]d:%02[6]d %04[1]d"))},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%m/%d/%Y %I:%M:%S %p"}, plainClock("%02[2]d/%02[3]d/%04[1]d %02[4]d:%02[5]d:%02[6]d PM")},
	{dfa.Type{Kind: dfa.Timestamp, Layout: "%-m/%-d/%Y %-H:%M"}, plainClock("%[2]d/%[3]d/%04[1]d %[4]d:%02[5]d")},
	{dfa.Type{Kind: dfa.Timestamp, Epoch: true, CountUnit: dfa.Second}, either(plainNumber(17), oneOf("1e9", "-62135596800", "253402300799", "253402300800", "-62135596801", "1.0000001", "1.00000010", "+1"))},
	{dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Float64}, Lex: listLex(';')}, oneOf("1;2.5;-3", "", ";", "1;x", `1\;2`, "1;;2", `"`, strings.Repeat("12;", 60)+"1")},
	{dfa.Type{Kind: dfa.List, Elem: &dfa.Type{}, Lex: listLex(';')}, oneOf("a;b", "", ";", `a\;b`, "\xff;\xc3\xa9", "\xc3;\xa9", `\`, `"`, strings.Repeat("long text;", 30))},
	{dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.Int32}, Lex: mapLex()}, oneOf("a=1;b=2", "a=1;a=2", "a", "", "a=x", "=", ";", "a=1;b", strings.Repeat("key=12;", 40)+"z=1")},
	{dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}, Lex: mapLex(), Duplicates: dfa.LastDuplicate}, oneOf("a=1;b=2", "a=1;a=2", "a", "", "a=x\xff", "\xff=1;\xfe=2", "=", "a=1;b;a=3", strings.Repeat("key=12;", 40))},
	{dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{Kind: dfa.List, Elem: &dfa.Type{}}, Lex: mapLex(), Duplicates: dfa.ListDuplicates}, oneOf("a=1;b=2", "a=1;a=2", "a", "", "a=x\xff", "a=1;b;a=3")},
}

func oneOf(all ...string) func(r *rand.Rand) string {
	return func(r *rand.Rand) string { return all[r.IntN(len(all))] }
}

// TestPlain: fields that are taken together by whatever there is for them, beside any others and after any, are what each is
// by itself.
func TestPlain(t *testing.T) {
	test := func(t *testing.T) {
		seed := uint64(0)
		for _, v := range append(slices.Clone(vectored), plainly...) {
			for range 12 {
				seed++
				r := rand.New(rand.NewPCG(1, seed))
				comparePlain(t, r, v.typ, v.plain, 0)
			}
		}
	}
	sets(t, func(t *testing.T, _ func(func())) { test(t) })
	t.Run("Go", func(t *testing.T) {
		defer noInstructions()()
		test(t)
	})
}

// TestSparse: where most rows are absent, the others give what each is by itself.
func TestSparse(t *testing.T) {
	setsAndGo(t, func(t *testing.T) {
		for _, v := range append(slices.Clone(vectored), plainly...) {
			there, runs := 0, 12
			if v.typ.Kind == dfa.String {
				runs = 60 // of which few have to be mended
			}
			for seed := range uint64(runs) {
				r := rand.New(rand.NewPCG(2, seed))
				there += comparePlain(t, r, v.typ, v.plain, []int{10, 17, 18, 20}[r.IntN(4)])
			}
			if nested := v.typ.Kind == dfa.List || v.typ.Kind == dfa.Map; there == 0 != nested {
				t.Errorf("%s: %d rows were converted apart from those that are absent", Name(&v.typ), there)
			}
		}
	})
}

// comparePlain converts a few rounds of a column with options that are drawn, of which so many rows of twenty are absent
// or empty, or of some rounds all if any. It gives how many were there, at the end of each round, of the last one of which
// only these were converted.
func comparePlain(t *testing.T, r *rand.Rand, typ dfa.Type, plain func(r *rand.Rand) string, lacking int) (there int) {
	col := &dfa.Column{Type: typ, Required: r.IntN(4) == 0, Trim: r.IntN(2) == 0}
	opt := Options{UTF8: dfa.UTF8Policy(r.IntN(3)), BaseTime: base}
	often := ""
	switch r.IntN(4) {
	case 0:
		col.Nulls = []string{"-", "NA"}
	case 1:
		often = strings.Trim(plain(r), " \t")
		col.Nulls = []string{"-", often}
	case 2:
		col.Nulls, col.Empties = []string{"", "0"}, []string{"-"}
	}
	if nested := typ.Kind == dfa.List || typ.Kind == dfa.Map; !nested && !table[typ.Kind].Empty {
		col.Empties = nil
	}
	if r.IntN(3) == 0 {
		col.HasDefault, col.Default = true, plain(r)
		if _, err := NewConverter(col, opt); err != nil {
			col.HasDefault = false
		}
	}
	fast, err := NewConverter(col, opt)
	if err != nil {
		t.Fatal(err)
	}
	opt.Plain = true
	slow, err := NewConverter(col, opt)
	if err != nil {
		t.Fatal(err)
	}
	oneByOne, err := NewConverter(col, opt)
	if err != nil {
		t.Fatal(err)
	}
	got, want := NewColumn(&typ), NewColumn(&typ)
	strange := []float64{0, 0.02, 0.5}[r.IntN(3)]
	blanks := r.IntN(3) // of ten fields
	draw := func(r *rand.Rand) string {
		s := plain(r)
		if often != "" && r.IntN(3) == 0 {
			s = []string{often, often, "0" + often, "+" + often, often + "0"}[r.IntN(5)]
		}
		switch {
		case r.IntN(10) < blanks:
			s = strings.Repeat(" ", r.IntN(3)) + s + strings.Repeat("\t", r.IntN(40)*r.IntN(2))
		case blanks == 2 && r.IntN(20) == 0:
			s = []string{"-", "NA", "", "0", " ", " - ", "NA\t"}[r.IntN(7)]
		}
		if s == "" {
			return " " // column changes symbols
		}
		return s
	}
	for round := range 4 {
		f, free := column(r, r.IntN(300), draw, strange)
		absent := lacking
		if lacking > 0 && r.IntN(4) == 0 {
			absent = 20
		}
		for i := range f.Len() {
			if r.IntN(20) >= absent {
				continue
			}
			if f.Start[i], f.End[i] = Absent, uint32(r.IntN(2)); r.IntN(4) == 0 {
				f.Start[i] = f.End[i]
			}
		}
		if strange > 0 && r.IntN(4) == 0 && f.Len() > 0 { // something was escaped
			for _, row := range []int{r.IntN(f.Len()), r.IntN(f.Len())} {
				if len(f.Literal) > 0 && int(f.Literal[0].Row) >= row {
					continue
				}
				f.set(row, []byte(draw(r)))
				f.literally(Literal{Row: uint32(row), Start: f.Start[row]})
			}
		}
		before, wantBefore := fast.Replaced(), slow.Replaced()
		errs, wantErrs := fast.Append(got, f, nil), slow.Append(want, f, nil)
		if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) || fast.Replaced()-before != slow.Replaced()-wantBefore {
			t.Fatalf("%s, %+v, %v, Replaced %d %d, round %d: %s", Name(&typ), col, opt, fast.Replaced(), slow.Replaced(), round, roundDifference(f, got, want, errs, wantErrs))
		}
		if typ.Kind != dfa.Dictionary { // of which a token that is there has been checked
			oneByOne.Append(NewColumn(&typ), f, nil)
			var rows, wantRows []replacedRow
			fast.EachReplaced(f, func(row int, n int64) { rows = append(rows, replacedRow{row, n}) })
			oneByOne.EachReplaced(f, func(row int, n int64) { wantRows = append(wantRows, replacedRow{row, n}) })
			if !slices.Equal(rows, wantRows) {
				t.Fatalf("%s, %+v: replaced %v, want %v", Name(&typ), col, rows, wantRows)
			}
		}
		there += len(fast.sparse.rows)
		free()
	}
	return there
}

// roundDifference says where the last round of two columns differs.
func roundDifference(f *Fields, got, want *columns.Column, errs, wantErrs []FieldError) string {
	first := got.Len - f.Len()
	for i := range f.Len() {
		at := func(e FieldError) bool { return e.Row == first+i }
		k, l := slices.IndexFunc(errs, at), slices.IndexFunc(wantErrs, at)
		a, b := fmt.Sprint(cell(got, first+i)), fmt.Sprint(cell(want, first+i))
		if a != b || (k < 0) != (l < 0) || k >= 0 && errs[k] != wantErrs[l] {
			field, _ := f.At(i)
			code := func(errs []FieldError, k int) Code {
				if k < 0 {
					return OK
				}
				return errs[k].Code
			}
			return fmt.Sprintf("row %d of %d, %q, literal %v: %s %v, by itself %s %v", i, f.Len(), field, f.literal(i) != nil, a, code(errs, k), b, code(wantErrs, l))
		}
	}
	return "buffers differ"
}
