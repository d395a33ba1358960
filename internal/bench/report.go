package bench

import "time"

// Report is what was measured of one input.
type Report struct {
	File    string `json:"file"`
	Format  string `json:"format"`
	Columns int    `json:"columns"`
	Engine  string `json:"engine"`
	Threads int    `json:"threads"`
	Device  string `json:"device,omitempty"` // that the engine runs on, if it is not the processor
	CPU     string `json:"cpu"`
	Cores   int    `json:"cores"`
	System  string `json:"system"` // GOOS/GOARCH
	Go      string `json:"go"`
	Repeat  int    `json:"repeat"` // runs that count

	Ticks float64 `json:"tsc_hz,omitempty"`     // of the time stamp counter, 0 if there is none of a fixed rate
	Peak  int64   `json:"peak_bytes,omitempty"` // resident memory of the process while a Reader read the file, 0 if unknown
	Cut   bool    `json:"cut"`                  // the input is longer than what was measured

	Samples []Sample `json:"samples"`
}

// Sample is what was measured of the whole input, or of a head of it.
type Sample struct {
	Bytes    int64 `json:"bytes"`
	Rows     int64 `json:"rows"`
	Rejected int64 `json:"rejected"`
	Left     int64 `json:"left"` // rows that the device left to the processor

	Stages []Timing `json:"stages"`
	Wholes []Timing `json:"wholes"`
	Notes  []string `json:"notes,omitempty"`
}

// Timing is the time of a stage or a whole.
type Timing struct {
	Name   string        `json:"name"`
	Time   time.Duration `json:"nanoseconds"`
	Work   time.Duration `json:"core_nanoseconds,omitempty"` // 0 if not counted
	Share  float64       `json:"share,omitempty"`            // of the stages together
	Rate   float64       `json:"gb_per_second"`
	Cycles float64       `json:"tsc_cycles_per_byte,omitempty"` // of Work
}

// A Reader that takes noticed or longer and gets less than busy of a core, where
// it could use one at least, runs on a machine that does other things too.
const (
	noticed = 50 * time.Millisecond
	busy    = 0.75
)

// complete fills in what follows from times and bytes.
func (r *Report) complete() {
	for i := range r.Samples {
		s := &r.Samples[i]
		all := time.Duration(0)
		for _, t := range s.Stages {
			all += t.Time
		}
		for _, timings := range [][]Timing{s.Stages, s.Wholes} {
			for i := range timings {
				t := &timings[i]
				if t.Time > 0 {
					t.Rate = float64(s.Bytes) / float64(t.Time) // bytes a nanosecond
				}
				if s.Bytes > 0 {
					t.Cycles = t.Work.Seconds() * r.Ticks / float64(s.Bytes)
				}
			}
		}
		for i := range s.Stages {
			if all > 0 {
				s.Stages[i].Share = float64(s.Stages[i].Time) / float64(all)
			}
		}
		for _, t := range s.Wholes {
			if t.Name == fromMemory && r.Device == "" && t.Work > 0 && t.Time >= noticed && float64(t.Work) < busy*float64(t.Time) {
				s.Notes = append(s.Notes, "The machine was busy with other things: the times are longer than they need be.")
			}
		}
	}
}
