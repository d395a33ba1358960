// Command rows measures how fast readers give the rows of a file as values of a
// struct, beside each other in one run, and writes docs/rows.md. It is a module of
// its own, so that what it compares with is no dependency of dfaparse.
//
//	go run . -mib 64 -out ../../docs/rows.md
package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	goruntime "runtime"
	"slices"
	"strconv"
	"time"

	"github.com/gocarina/gocsv"
	"github.com/jszwec/csvutil"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/internal/bench"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// Trip is a row of the file taxi.
type Trip struct {
	VendorID     int32     `csv:"VendorID"`
	Pickup       time.Time `csv:"tpep_pickup_datetime" dfa:"tpep_pickup_datetime"`
	Dropoff      time.Time `csv:"tpep_dropoff_datetime" dfa:"tpep_dropoff_datetime"`
	Passengers   int32     `csv:"passenger_count" dfa:"passenger_count"`
	Distance     float64   `csv:"trip_distance" dfa:"trip_distance"`
	RatecodeID   int32     `csv:"RatecodeID"`
	StoreAndFwd  string    `csv:"store_and_fwd_flag" dfa:"store_and_fwd_flag"`
	PULocationID int32     `csv:"PULocationID"`
	DOLocationID int32     `csv:"DOLocationID"`
	PaymentType  int32     `csv:"payment_type"`
	Fare         float64   `csv:"fare_amount" dfa:"fare_amount"`
	Extra        float64   `csv:"extra"`
	MTATax       float64   `csv:"mta_tax"`
	Tip          float64   `csv:"tip_amount" dfa:"tip_amount"`
	Tolls        float64   `csv:"tolls_amount" dfa:"tolls_amount"`
	Improvement  float64   `csv:"improvement_surcharge" dfa:"improvement_surcharge"`
	Total        float64   `csv:"total_amount" dfa:"total_amount"`
}

// gocsvTrip is Trip for gocsv, which reads times by a method of their type.
type gocsvTrip struct {
	VendorID     int32    `csv:"VendorID"`
	Pickup       dateTime `csv:"tpep_pickup_datetime"`
	Dropoff      dateTime `csv:"tpep_dropoff_datetime"`
	Passengers   int32    `csv:"passenger_count"`
	Distance     float64  `csv:"trip_distance"`
	RatecodeID   int32    `csv:"RatecodeID"`
	StoreAndFwd  string   `csv:"store_and_fwd_flag"`
	PULocationID int32    `csv:"PULocationID"`
	DOLocationID int32    `csv:"DOLocationID"`
	PaymentType  int32    `csv:"payment_type"`
	Fare         float64  `csv:"fare_amount"`
	Extra        float64  `csv:"extra"`
	MTATax       float64  `csv:"mta_tax"`
	Tip          float64  `csv:"tip_amount"`
	Tolls        float64  `csv:"tolls_amount"`
	Improvement  float64  `csv:"improvement_surcharge"`
	Total        float64  `csv:"total_amount"`
}

type dateTime struct{ time.Time }

// UnmarshalCSV is what gocsv calls.
func (d *dateTime) UnmarshalCSV(s string) (err error) {
	d.Time, err = time.Parse(time.DateTime, s)
	return err
}

// sums are what every reader must find.
type sums struct {
	rows    int64
	seconds int64
	total   float64
	flags   int
}

func (s *sums) add(pickup, dropoff time.Time, total float64, flag string) {
	s.rows++
	s.seconds += dropoff.Unix() - pickup.Unix()
	s.total += total
	if flag == "Y" {
		s.flags++
	}
}

type reader struct {
	name string
	read func(data []byte, s *sums) error
}

var readers = []reader{
	{"dfaparse.Rows, 1 thread", func(data []byte, s *sums) error { return byRows(data, s, 1) }},
	{"dfaparse.Rows, all cores", func(data []byte, s *sums) error { return byRows(data, s, goruntime.GOMAXPROCS(0)) }},
	{"encoding/csv, fields by hand", byHand},
	{"csvutil", byCSVUtil},
	{"gocsv", byGoCSV},
}

func byRows(data []byte, s *sums, threads int) error {
	p, err := gen.Program("taxi")
	if err != nil {
		return err
	}
	r, err := dfaparse.OpenBytes(context.Background(), data, dfaparse.Program(p), dfaparse.WithThreads(threads))
	if err != nil {
		return err
	}
	defer r.Close()
	for trip, err := range dfaparse.Rows[Trip](r) {
		if err != nil {
			return err
		}
		s.add(trip.Pickup, trip.Dropoff, trip.Total, trip.StoreAndFwd)
	}
	return nil
}

func byHand(data []byte, s *sums) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	if _, err := r.Read(); err != nil {
		return err
	}
	for {
		rec, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		var t Trip
		if err := t.set(rec); err != nil {
			return err
		}
		s.add(t.Pickup, t.Dropoff, t.Total, t.StoreAndFwd)
	}
}

func (t *Trip) set(rec []string) error {
	var err error
	t.StoreAndFwd = rec[6]
	if t.Pickup, err = time.Parse(time.DateTime, rec[1]); err != nil {
		return err
	}
	if t.Dropoff, err = time.Parse(time.DateTime, rec[2]); err != nil {
		return err
	}
	return t.numbers(rec)
}

func (t *Trip) numbers(rec []string) error {
	for _, f := range [...]struct {
		to *int32
		at int
	}{{&t.VendorID, 0}, {&t.Passengers, 3}, {&t.RatecodeID, 5}, {&t.PULocationID, 7}, {&t.DOLocationID, 8}, {&t.PaymentType, 9}} {
		n, err := strconv.ParseInt(rec[f.at], 10, 32)
		if err != nil {
			return err
		}
		*f.to = int32(n)
	}
	for _, f := range [...]struct {
		to *float64
		at int
	}{{&t.Distance, 4}, {&t.Fare, 10}, {&t.Extra, 11}, {&t.MTATax, 12}, {&t.Tip, 13}, {&t.Tolls, 14}, {&t.Improvement, 15}, {&t.Total, 16}} {
		v, err := strconv.ParseFloat(rec[f.at], 64)
		if err != nil {
			return err
		}
		*f.to = v
	}
	return nil
}

func byCSVUtil(data []byte, s *sums) error {
	r := csv.NewReader(bytes.NewReader(data))
	r.ReuseRecord = true
	d, err := csvutil.NewDecoder(r)
	if err != nil {
		return err
	}
	d.WithUnmarshalers(csvutil.UnmarshalFunc(func(b []byte, t *time.Time) (err error) {
		*t, err = time.Parse(time.DateTime, string(b))
		return err
	}))
	for {
		var t Trip
		if err := d.Decode(&t); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		s.add(t.Pickup, t.Dropoff, t.Total, t.StoreAndFwd)
	}
}

func byGoCSV(data []byte, s *sums) error {
	return gocsv.UnmarshalToCallback(bytes.NewReader(data), func(t gocsvTrip) {
		s.add(t.Pickup.Time, t.Dropoff.Time, t.Total, t.StoreAndFwd)
	})
}

func main() {
	mib := flag.Int64("mib", 64, "MiB of the input")
	runs := flag.Int("runs", 5, "runs of each reader; the median counts")
	out := flag.String("out", "", "file to write; standard output if empty")
	flag.Parse()
	var report bytes.Buffer
	err := measure(&report, *mib<<20, *runs)
	if err == nil && *out != "" {
		err = os.WriteFile(*out, report.Bytes(), 0o644)
	} else if err == nil {
		_, err = os.Stdout.Write(report.Bytes())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rows:", err)
		os.Exit(1)
	}
}

// result is what was measured of a reader.
type result struct {
	took   []time.Duration
	allocs uint64 // of the last run
}

// measure lets the readers take turns, after a run that does not count.
func measure(w io.Writer, nbytes int64, runs int) error {
	var data bytes.Buffer
	if err := gen.Write(&data, "taxi", nbytes, 1); err != nil {
		return err
	}
	results := make([]result, len(readers))
	var want sums
	for run := -1; run < runs; run++ {
		for i, r := range readers {
			var s sums
			var before, after goruntime.MemStats
			goruntime.GC()
			goruntime.ReadMemStats(&before)
			began := time.Now()
			if err := r.read(data.Bytes(), &s); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
			took := time.Since(began)
			goruntime.ReadMemStats(&after)
			if want.rows == 0 {
				want = s
			}
			if s.rows != want.rows || s.seconds != want.seconds || s.flags != want.flags || math.Abs(s.total-want.total) > 1e-6*want.total {
				return fmt.Errorf("%s gives %+v, %s %+v", r.name, s, readers[0].name, want)
			}
			if run >= 0 {
				results[i].took = append(results[i].took, took)
				results[i].allocs = after.Mallocs - before.Mallocs
			}
		}
	}
	print(w, data.Len(), runs, want.rows, results)
	return nil
}

func print(w io.Writer, nbytes, runs int, rows int64, results []result) {
	fmt.Fprintf(w, `# Rows as structs

`+"`make bench-rows`"+` writes this page: the file `+"`taxi`"+` (%d MiB, %d rows, 17 columns: numbers, two times, a flag) read as values of a
struct with all 17 fields, by readers that take turns in one run; medians of %d. All find the same sums. %s, %d cores, %s.

| reader | MB/s | rows/s, million | allocations a row | `+"`dfaparse.Rows`"+` with one thread is so much faster |
|---|---|---|---|---|
`, nbytes>>20, rows, runs, bench.Processor(), goruntime.NumCPU(), goruntime.Version())
	own := median(results[0].took)
	for i, r := range results {
		took := median(r.took)
		fmt.Fprintf(w, "| %s | %.0f | %.2f | %.3f | %.1f × |\n", readers[i].name,
			float64(nbytes)/took.Seconds()/1e6, float64(rows)/took.Seconds()/1e6, float64(r.allocs)/float64(rows), took.Seconds()/own.Seconds())
	}
	fmt.Fprint(w, `
Times are parsed as `+"`2006-01-02 15:04:05`"+`, by `+"`time.Parse`"+` where a reader leaves that to its user. The flag is the only text: its strings of
128 neighbouring rows are one allocation in `+"`dfaparse.Rows`"+`.
`)
}

func median(d []time.Duration) time.Duration {
	d = slices.Sorted(slices.Values(d))
	return d[len(d)/2]
}
