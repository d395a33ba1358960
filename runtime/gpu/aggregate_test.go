//go:build cuda

package gpu

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// small has tables begin small, and blocks few cells, for a test.
func small(t testing.TB, r groupRooms, cells int) {
	rooms, before := firstRooms, groupCells
	firstRooms, groupCells = r, cells
	t.Cleanup(func() { firstRooms, groupCells = rooms, before })
}

// finished are the results of an aggregation, one a line.
func finished(a *aggregate.Aggregation) (text string, err error) {
	err = a.Finish(context.Background(), func(rec arrow.Record) error {
		var b strings.Builder
		if err := array.RecordToJSON(rec, &b); err != nil {
			return err
		}
		text += b.String()
		return nil
	})
	return text, err
}

// onCPU groups what a Reader gives.
func onCPU(p *dfa.Program, in string, q *aggregate.Parsed, opts []runtime.Option) (string, runtime.Stats, error) {
	r, err := runtime.ReadBytes([]byte(in), p, append([]runtime.Option{runtime.WithEngine(cpu.Engine)}, opts...)...)
	if err != nil {
		return "", runtime.Stats{}, err
	}
	defer r.Release()
	plan, err := q.Bind(r.Schema())
	if err != nil {
		return "", runtime.Stats{}, err
	}
	a := aggregate.New(plan, aggregate.Options{Threads: 1})
	for r.Next() {
		if err := a.Add(r.Record()); err != nil {
			return "", runtime.Stats{}, err
		}
	}
	if r.Err() != nil {
		return "", runtime.Stats{}, r.Err()
	}
	text, err := finished(a)
	return text, r.Stats(), err
}

// aggregates compares the groups of the device with those of the CPU, and says how it went.
func aggregates(t testing.TB, e *Engine, p *dfa.Program, in string, query aggregate.Query, o aggregate.Options) (how string) {
	t.Helper()
	q, err := aggregate.Parse(query)
	if err != nil {
		t.Fatal(err)
	}
	opts := []runtime.Option{runtime.WithThreads(2), runtime.WithColumns(append([]string{}, q.Columns()...)...)}
	want, stats, wantErr := onCPU(p, in, q, opts)
	a, s, how, err := e.Aggregate(HostInput([]byte(in)), p, q.Bind, o, opts...)
	if err != nil {
		var other *aggregate.Elsewhere
		if !errors.As(err, &other) {
			t.Fatal(err)
		}
		return other.Error()
	}
	got, err := finished(a)
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("%+v: error %v, want %v", query, err, wantErr)
	}
	if got != want {
		t.Fatalf("%+v, %s: %d bytes of groups, want %d: %s", query, how, len(got), len(want), firstDifference(got, want))
	}
	stats.Partitions, s.Partitions, stats.Batches, s.Batches = 0, 0, 0, 0
	if s != stats {
		t.Fatalf("%+v: counted\n%+v, want\n%+v", query, s, stats)
	}
	return how
}

// TestAggregate: groups of generated files, by columns of all kinds, with tables that
// grow and ones that do not.
func TestAggregate(t *testing.T) {
	newBench(t)
	for _, c := range []struct{ kind, by, agg, where string }{
		{"stations", "station", "min(temperature) mean(temperature) max(temperature) sum(temperature) count()", ""},
		{"stations_dict", "station", "count() max(temperature)", ""},
		{"taxi", "payment_type passenger_count", "count() sum(total_amount) max(trip_distance) min(tpep_pickup_datetime)", "trip_distance > 1.5"},
		{"taxi", "hour(tpep_pickup_datetime) month(tpep_dropoff_datetime)", "count() mean(tip_amount)", "not (payment_type = 1 or passenger_count is null)"},
		{"lineitem", "l_returnflag l_linestatus", "sum(l_quantity) sum(l_extendedprice) mean(l_discount) count()", "l_shipdate <= '1998-09-02' and l_shipmode != 'RAIL'"},
		{"lineitem", "l_orderkey", "max(l_extendedprice)", ""},
		{"lineitem", "week(l_shipdate) quarter(l_commitdate) year(l_receiptdate)", "count(l_comment)", ""},
		{"lineitem", "", "count() sum(l_tax)", "l_comment > 'q'"},
		{"combined", "hour(time) status", "count() sum(bytes)", "status >= 500 or status < 300"},
		{"combined", "path method", "count()", ""},
		{"yelp", "stars", "count() sum(useful) max(date)", ""},
		{"klog", "file", "count() max(line)", ""},
	} {
		format := map[string]string{"combined": "apache_combined"}[c.kind]
		if format == "" {
			format = c.kind
		}
		kind := c.kind
		if strings.HasPrefix(kind, "stations") {
			kind = "1brc"
		}
		var in strings.Builder
		if err := gen.Write(&in, kind, 24<<10, 1); err != nil {
			t.Fatal(err)
		}
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range []groupRooms{firstRooms, {4, 600}} {
			t.Run(fmt.Sprintf("%s/%s/%d", c.kind, c.by, i), func(t *testing.T) {
				small(t, r, []int{8 << 10, 600}[i])
				how := aggregates(t, New(WithFlight(8<<10)), p, in.String(), aggregate.Query{By: c.by, Agg: c.agg, Where: c.where}, aggregate.Options{})
				if !strings.HasPrefix(how, "on the device") {
					t.Error(how)
				}
				t.Log(how)
			})
		}
	}
}

const drawnSpec = `format drawn {
  delimited { sep ';' }
  null "" "-"
  fields { k str  i i16  n i64  u u64  d dec(9, 2)  e dec(30, 3)  f f64  g f32  b bool  t ts  a date  w dict }
}`

// TestDrawnAggregates: drawn rows and queries, tables that are full, keys that are long,
// and memory for few groups.
func TestDrawnAggregates(t *testing.T) {
	newBench(t)
	spec := compiled(t, drawnSpec)
	keys := []string{"k", "i", "n", "u", "d", "e", "f", "g", "b", "hour(t)", "day(t)", "month(a)", "week(a)", "w", "minute(t)", "year(t)", "quarter(t)"}
	aggs := []string{"count()", "count(k)", "count(w)", "sum(i)", "sum(n)", "sum(u)", "sum(d)", "sum(e)", "sum(f)", "sum(g)", "mean(f)", "mean(d)", "mean(i)", "min(i)", "max(n)", "min(u)", "max(d)", "min(f)", "max(g)", "max(t)", "min(a)", "max(b)", "max(hour(t))"}
	tests := []string{"", "i > 3", "n <= 2 or u = 18446744073709551615", "d != 0.5 and f < 1e3", "not (k = 'a' or w != 'b')", "k >= 'b'", "k is not null", "e > -1.5", "b", "not b", "i != 2", "g >= 0", "hour(t) < '2020-01-01 10:00'", "a > '2020-01-05'", "u < 1.5", "n is null"}
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := rapid.SampledFrom([]int{0, 1, 31, 32, 33, 511, 512, 513, 1025, 3000}).Draw(rt, "rows")
		many := rapid.SampledFrom([]int{1, 2, 40, 5000}).Draw(rt, "many") // different values
		long := rapid.SampledFrom([]int{0, 0, 3, 100, 4200}).Draw(rt, "long")
		var in strings.Builder
		pick := func(null int, f func() string) string {
			if rng.IntN(20) < null {
				return []string{"", "-"}[rng.IntN(2)]
			}
			return f()
		}
		nulls := rapid.SampledFrom([]int{0, 1, 20}).Draw(rt, "nulls")
		for range rows {
			v := rng.IntN(many)
			if rng.IntN(2) == 0 { // skewed
				v = 0
			}
			fields := []string{
				pick(nulls, func() string {
					n := 0
					if long > 0 && rng.IntN(8) == 0 {
						n = rng.IntN(long)
					}
					return fmt.Sprintf("%c%d%s", 'a'+v%5, v, strings.Repeat("x", n))
				}),
				pick(nulls, func() string { return fmt.Sprint(v%100 - 20) }),
				pick(nulls, func() string { return fmt.Sprint(int64(rng.Uint64()>>rng.IntN(64)) - int64(v)) }),
				pick(nulls, func() string { return fmt.Sprint(rng.Uint64() >> rng.IntN(64)) }),
				pick(nulls, func() string { return fmt.Sprintf("%d.%02d", v-many/2, rng.IntN(100)) }),
				pick(nulls, func() string { return fmt.Sprintf("%d%012d.5", v-many/2, rng.Int64N(1e12)) }),
				pick(nulls, func() string {
					switch rng.IntN(30) {
					case 0:
						return []string{"NaN", "Inf", "-Inf", "-0", "5e-324", "1.7976931348623157e308", "-1.7976931348623157e308"}[rng.IntN(7)]
					case 1, 2:
						return fmt.Sprint((rng.Float64() - 0.5) * []float64{1e-300, 1e300, 1e-20, 1e20}[rng.IntN(4)])
					}
					return fmt.Sprint(float64(v) / 8)
				}),
				pick(nulls, func() string { return fmt.Sprint(float32(rng.NormFloat64())) }),
				pick(nulls, func() string { return fmt.Sprint(rng.IntN(2) == 1) }),
				pick(nulls, func() string {
					return fmt.Sprintf("20%02d-%02d-%02d %02d:%02d:%02d", v%40, 1+v%12, 1+v%28, v%24, v%60, v%60)
				}),
				pick(nulls, func() string { return fmt.Sprintf("%04d-%02d-%02d", 1890+v%200, 1+v%12, 1+v%28) }),
				pick(nulls, func() string { return string(rune('a' + v%7)) }),
			}
			in.WriteString(strings.Join(fields, ";") + "\n")
		}
		by := rapid.SliceOfNDistinct(rapid.SampledFrom(keys), 0, 3, rapid.ID[string]).Draw(rt, "by")
		agg := rapid.SliceOfNDistinct(rapid.SampledFrom(aggs), 1, 5, rapid.ID[string]).Draw(rt, "agg")
		q := aggregate.Query{By: strings.Join(by, " "), Agg: strings.Join(agg, " "), Where: rapid.SampledFrom(tests).Draw(rt, "where")}
		rooms, before := firstRooms, groupCells
		firstRooms = rapid.SampledFrom([]groupRooms{{4, 600}, {64, 4000}, {4096, 64 << 10}}).Draw(rt, "rooms")
		groupCells = rapid.SampledFrom([]int{0, 500, 6000}).Draw(rt, "cells")
		mostAdded = rapid.SampledFrom([]int{1 << 30, 100}).Draw(rt, "added")
		defer func() { firstRooms, groupCells, mostAdded = rooms, before, 1<<30 }()
		o := aggregate.Options{Memory: rapid.SampledFrom([]int64{0, 64 << 10}).Draw(rt, "memory"), Dir: t.TempDir()}
		how := aggregates(t, New(WithFlight(rapid.SampledFrom([]int{2000, 20000, 1 << 20}).Draw(rt, "flight"))), spec.Program, in.String(), q, o)
		if rows > 0 && !strings.HasPrefix(how, "on the device") {
			t.Logf("%s %+v", how, q)
		}
	})
}

// TestAggregateFull: where groups need more memory than they may have, they go to the host, as
// often as that is so; keys that are too long for the device are the host's, and one that
// is as long as a flight, too.
func TestAggregateFull(t *testing.T) {
	newBench(t)
	spec := compiled(t, "format x { delimited { sep ';' } fields { k str  n i64 } }")
	small(t, groupRooms{16, 1200}, 2000)
	var many, long strings.Builder
	for i := range 6000 {
		fmt.Fprintf(&many, "key %d;%d\n", i*7%4001, i)
		switch {
		case i == 100:
			fmt.Fprintf(&long, "%s;1\n", strings.Repeat("x", 300<<10))
		case i%500 == 0:
			fmt.Fprintf(&long, "%s;1\n", strings.Repeat("y", 4200+i%1000))
		case i < 2000:
			fmt.Fprintf(&long, "%d;%d\n", i%10, i)
		}
	}
	q := aggregate.Query{By: "k", Agg: "count() sum(n) min(n) max(n)"}
	how := aggregates(t, New(WithFlight(16<<10)), spec.Program, many.String(), q, aggregate.Options{Memory: 64 << 10, Dir: t.TempDir()})
	if !strings.Contains(how, "went to the host") || !strings.Contains(how, "grew") {
		t.Error(how)
	}
	how = aggregates(t, New(WithFlight(16<<10)), spec.Program, long.String(), q, aggregate.Options{})
	if !strings.Contains(how, "which grouped 13 rows itself") {
		t.Error(how)
	}
}

// TestAggregateElsewhere: what the device does not do is said, and so is an input that a Reader
// would say something of, or fail with.
func TestAggregateElsewhere(t *testing.T) {
	newBench(t)
	spec := compiled(t, "format x { delimited { sep ';' } fields { k str!  n i64  e dec(30, 2)  t ts(tz \"Europe/Berlin\") } }")
	row := "a;1;2.00;2020-01-01 00:00:00\n"
	for _, c := range []struct{ in, by, agg, where, how string }{
		{row, "k", "distinct(n)", "", "distinct values are counted on the host"},
		{row, "k", "approx_distinct(n)", "", "approximate numbers of values are found on the host"},
		{row, "k", "max(k)", "", "the least and the greatest text are found on the host"},
		{row, "k", "max(e)", "", "decimals of more than 18 digits are compared on the host"},
		{row, "k", "", "n < e", "two columns are compared"},
		{row, "day(t)", "", "", "day(t) is in the zone of its column"},
		{row + "b;x;;\n", "k", "sum(n)", "", "a record is to be told of"},
		{row + "b\n", "k", "sum(n)", "", "a record is to be told of"},
	} {
		if how := aggregates(t, New(), spec.Program, c.in, aggregate.Query{By: c.by, Agg: c.agg, Where: c.where}, aggregate.Options{}); how != "grouped on the host: "+c.how {
			t.Errorf("%+v: %s", c, how)
		}
	}
}

// TestAggregateFile: a file, by the call that programs use.
func TestAggregateFile(t *testing.T) {
	newBench(t)
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(path, []byte("a;1\nb;2\na;3\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for name, e := range map[string]runtime.Engine{"cpu": cpu.Engine, "gpu": New()} {
		r, err := dfaparse.AggregateFile(context.Background(), path, dfaparse.Query{By: "k", Agg: "sum(n)"}, dfaparse.Spec("format x { delimited { sep ';' } fields { k str  n i64 } }"), dfaparse.WithEngine(e))
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if _, err := dfaparse.Write(&b, dfaparse.CSV, r); err != nil {
			t.Fatal(err)
		}
		r.Release()
		texts[name] = b.String()
	}
	if texts["gpu"] != texts["cpu"] || texts["cpu"] != "k,sum(n)\na,4\nb,2\n" {
		t.Errorf("%q", texts)
	}
}
