package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// TestTextsLeftOut: texts of records of which many are left out for other columns, for several, or for the texts, are what they
// are by reference, and so are the bytes of those that become null.
func TestTextsLeftOut(t *testing.T) { onEach(t, testTextsLeftOut) }

func testTextsLeftOut(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for spec, kinds := range map[string]string{ // of the fields of a record: numbers and texts
		`format plain { delimited { sep ';' }  fields { a u8!  b str  c u8!  d str }  utf8 reject }`:                                                                                    "ntnt",
		`format needed { delimited { sep ';' }  fields { a u8!  b str!  c u8  d str null "x" }  utf8 reject }`:                                                                          "ntnt",
		`format parts { delimited { sep ';' }  fields { a u8!  b str  e str!  f str  c u8!  d str }  split b ` + "`{e}é{f}`" + `  utf8 reject }`:                                        "ntnt",
		`escape short = '\' { n t '\' }  format escaped { delimited { sep ';'  escape short }  fields { a u8!  b str null "a\\b"  c u8!  d str }  null after escape "N"  utf8 reject }`: "ntnt",
		`escape short = '\' { n t '\' }  format led { delimited { sep ';'  escape short }  fields { a str  b u8!  c str null "a\\b" }  null after escape "N"  utf8 reject }`:            "tnt",
		`format first { delimited { sep ';' }  fields { a str  b u8!  c str! }  utf8 reject }`:                                                                                          "tnt",
		`format one { delimited { sep ';' }  fields { a str }  utf8 reject }`:                                                                                                           "t",
		`format padded { delimited { sep ';' }  fields { a str  b u8!  c str }  ragged pad  utf8 reject }`:                                                                              "tnt",
	} {
		s, err := compile.Compile("left.dfp", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			numbers, texts, nrows := 1+rng.IntN(20), 1+rng.IntN(20), 1+rng.IntN(1500)
			var data []byte
			for range nrows {
				for field, kind := range kinds {
					one := func(odd int, sound ...string) string {
						if rng.IntN(odd) == 0 {
							return []string{"x", "\xff", "é\xe2\x82", "\x82", ""}[rng.IntN(5)]
						}
						return sound[rng.IntN(len(sound))]
					}
					if kind == 'n' {
						data = append(data, one(numbers, "1", "23")...)
					} else {
						data = append(data, one(texts, "Oslo", "Tromsøé1", `\N`, `a\\b`, "")...)
					}
					if end := ";"; field+1 < len(kinds) && (s.Program.Name != "padded" || rng.IntN(9) > 0) {
						data = append(data, end...)
					} else {
						break
					}
				}
				data = append(data, '\n')
			}
			opts := []runtime.Option{
				runtime.WithErrorMode([]dfa.ErrorMode{dfa.Reject, dfa.Null}[rng.IntN(2)]), runtime.WithRejectDetails(rng.IntN(2)), runtime.WithBatchSize(1 + rng.IntN(3000)),
			}
			asReference(t, rng, s.Program, s.Program.Name, data, opts, 1+rng.IntN(len(data)), 1<<20)
		}
	}
}

// TestFullTexts: where columns of texts have no room for all of them, beside records that are left out for numbers, each record
// is what it is where they have, or it is left out too.
func TestFullTexts(t *testing.T) { onEach(t, testFullTexts) }

func testFullTexts(t *testing.T) {
	defer func(most int) { columns.MaxData = most }(columns.MaxData)
	unbounded := columns.MaxData
	s, err := compile.Compile("full.dfp", []byte(`format full { delimited { sep ';' }  fields { n u32  a u8!  b str  c u8!  d str null "x" }  utf8 reject }`))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(23, 24))
	full := 0
	for range 25 {
		odd, most, nrows, batch := 1+rng.IntN(20), 1+rng.IntN(40), 1+rng.IntN(1500), 1+rng.IntN(60)
		var data []byte
		for n := range nrows {
			number := func() string { return []string{"1", "23", "x"}[min(rng.IntN(2*odd), 2)] }
			text := func() string {
				return []string{"x", "\xff", strings.Repeat("é", rng.IntN(most)), strings.Repeat("t", rng.IntN(most))}[min(rng.IntN(30), 3)]
			}
			data = fmt.Appendf(data, "%d;%s;%s;%s;%s\n", n, number(), text(), number(), text())
		}
		opts := []runtime.Option{runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(rng.IntN(2)), runtime.WithBatchSize(batch)}
		columns.MaxData = unbounded
		want, left := numbered(t, s.Program, data, append(opts, runtime.WithEngine(reference.Engine))...)
		columns.MaxData = batch * 2 * most // for those of an Arrow record
		got, leftNow := numbered(t, s.Program, data, append(opts, runtime.WithEngine(Engine), runtime.WithThreads(1+rng.IntN(3)), runtime.WithChunkSize(1+rng.IntN(len(data))))...)
		for n, row := range got {
			if row != want[n] {
				t.Fatalf("at most %d bytes of texts, %.3000q: record %s is %s, want %s", columns.MaxData, data, n, row, want[n])
			}
		}
		if len(got)+leftNow != nrows || len(want)+left != nrows {
			t.Fatalf("at most %d bytes of texts, %.3000q: %d rows and %d left out, by reference %d and %d, of %d", columns.MaxData, data, len(got), leftNow, len(want), left, nrows)
		}
		if leftNow > left {
			full++
		}
	}
	if full < 5 {
		t.Fatalf("texts had no room %d times", full)
	}
}

// numbered gives rows as JSON by their first column, and how many records are left out.
func numbered(t *testing.T, p *dfa.Program, data []byte, opts ...runtime.Option) (rows map[string]string, left int) {
	t.Helper()
	r, err := runtime.ReadBytes(data, p, opts...)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	rows = map[string]string{}
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			var row []string
			for c, column := range rec.Columns() {
				row = append(row, string(render.AppendJSON(nil, rec.Schema().Field(c), column, i)))
			}
			rows[row[0]] += strings.Join(row, " ")
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return rows, int(r.Stats().Rejected)
}
