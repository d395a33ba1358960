// Command gopeer is one peer of Go in a process of its own, dfaparse itself
// among them:
//
//	gopeer JOB
//
// JOB is JSON as bench/peers/run.py makes it. It prints what it measured as
// JSON. The first run does not count; from it come the sums. bench/peers/peer.py
// is the same for the peers of Python.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	goruntime "runtime"
	"time"

	"github.com/apache/arrow/go/v17/arrow"
)

// job says what to measure.
type job struct {
	Peer    string  `json:"peer"`
	Job     string  `json:"job"` // memory, parquet, count
	Threads int     `json:"threads"`
	Runs    int     `json:"runs"`   // that count
	Budget  float64 `json:"budget"` // seconds, after which no further run begins
	Out     string  `json:"out"`    // Parquet file to write
	Codec   string  `json:"codec"`
	Command string  `json:"command"` // dfaparse, which counts
	Input   input   `json:"input"`
}

// input is a file and what a reader has to be told about it.
type input struct {
	Name      string      `json:"name"`
	Format    string      `json:"format"`
	File      string      `json:"file"`
	Separator string      `json:"separator"` // "" of a log
	Header    bool        `json:"header"`
	Trailing  bool        `json:"trailing"` // a separator also stands after the last field
	Columns   [][2]string `json:"columns"`  // name, type
}

// result is what a run leaves: records that are held, or only how many rows
// there were.
type result struct {
	records []arrow.Record
	rows    int64
}

func (r *result) release() {
	for _, rec := range r.records {
		rec.Release()
	}
}

type report struct {
	Version string         `json:"version"`
	Seconds []float64      `json:"seconds"`
	Work    []float64      `json:"work"` // seconds of processor cores
	Rows    int64          `json:"rows"`
	Sums    map[string]any `json:"sums,omitempty"`
}

var peers = map[string]func(*job) (*result, error){
	"dfaparse":      dfaparse,
	"csv-strings":   csvStrings,
	"csv-strconv":   csvStrconv,
	"arrow-go":      arrowCSV,
	"regexp":        regexpTyped,
	"regexp-string": regexpStrings,
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var j job
	if len(os.Args) != 2 {
		return fmt.Errorf("usage: gopeer JOB")
	}
	if err := json.Unmarshal([]byte(os.Args[1]), &j); err != nil {
		return err
	}
	read := peers[j.Peer]
	if read == nil {
		return fmt.Errorf("there is no peer %q", j.Peer)
	}
	goruntime.GOMAXPROCS(j.Threads)
	rep := report{Version: goruntime.Version(), Seconds: []float64{}, Work: []float64{}}
	total := 0.0
	for turn := 0; turn <= j.Runs && total <= j.Budget; turn++ {
		goruntime.GC()
		start, worked := time.Now(), work()
		res, err := read(&j)
		seconds, worked := time.Since(start).Seconds(), work()-worked
		if err != nil {
			return err
		}
		if turn == 0 {
			rep.Rows = res.rows
			if res.records != nil {
				rep.Sums = sums(res.records)
			}
		} else {
			rep.Seconds = append(rep.Seconds, seconds)
			rep.Work = append(rep.Work, worked)
			total += seconds
		}
		res.release()
	}
	return json.NewEncoder(os.Stdout).Encode(rep)
}
