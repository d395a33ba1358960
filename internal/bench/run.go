package bench

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"slices"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// Input is what is measured.
type Input struct {
	Name string
	// Open gives the input from its beginning, decompressed. Where it is an
	// io.Seeker, Readers may read it twice.
	Open func() (io.ReadCloser, error)
	Once bool   // it can be opened only once
	Path string // of a file that is not compressed; else ""
}

// Settings say how.
type Settings struct {
	Program *dfa.Program
	Options []runtime.Option // of the Readers
	Engine  runtime.Engine
	Threads int     // the same
	Repeat  int     // runs that count, > 0
	Sizes   []int64 // measure heads of about so many bytes; nil: the whole input
}

// Names of the wholes that Run measures itself.
const (
	fromMemory = "to Arrow, from memory"
	fromFile   = "to Arrow, from the file"
)

// Run measures an input. Of one that is longer than runtime.MaxMeasured it
// takes the head, up to the end of a record.
func Run(in *Input, set *Settings) (*Report, error) {
	s := *set
	// As the command reads: memory of records that were released is used again.
	s.Options = append([]runtime.Option{runtime.WithEngine(s.Engine), runtime.WithReuse()}, s.Options...)
	b := &bench{in: in, set: &s, clock: startCounter()}
	b.report = Report{
		File: in.Name, Format: set.Program.Name, Engine: set.Engine.Name(), Threads: set.Threads, Repeat: set.Repeat,
		CPU: Processor(), Cores: goruntime.NumCPU(), System: goruntime.GOOS + "/" + goruntime.GOARCH, Go: goruntime.Version(),
	}
	if err := b.load(); err != nil {
		return nil, err
	}
	sizes := []int64{int64(len(b.data))}
	if set.Sizes != nil {
		sizes = slices.Compact(slices.Sorted(slices.Values(set.Sizes)))
	}
	for _, size := range sizes {
		if err := b.sample(size); err != nil {
			return nil, err
		}
		if size >= int64(len(b.data)) {
			break
		}
	}
	b.report.Ticks = b.clock.hertz()
	b.report.complete()
	return &b.report, nil
}

type bench struct {
	in     *Input
	set    *Settings
	clock  counter
	data   []byte // all that is measured
	report Report
}

// limit is how many bytes are wanted at most.
func (b *bench) limit() int64 {
	if b.set.Sizes == nil {
		return runtime.MaxMeasured
	}
	return min(slices.Max(b.set.Sizes), runtime.MaxMeasured)
}

// load reads the file once, which does not count but shows the memory that it
// takes, and then puts into memory what is to be measured.
func (b *bench) load() error {
	if b.in.Once {
		f, err := b.in.Open()
		if err != nil {
			return err
		}
		defer f.Close()
		b.data, err = io.ReadAll(io.LimitReader(f, b.limit()+1))
		if err != nil {
			return err
		}
		if int64(len(b.data)) > b.limit() {
			s, _, err := b.read(&head{r: bytes.NewReader(b.data), nbytes: b.limit(), end: errCut})
			if err != nil {
				return err
			}
			b.data, b.report.Cut = b.data[:s.Bytes], true
		}
		return nil
	}
	resetPeak()
	var nbytes int64
	if err := b.fromFile(b.limit(), errCut, func(s runtime.Stats, cut bool) { nbytes, b.report.Cut = s.Bytes, cut }); err != nil {
		return err
	}
	b.report.Peak = peak()
	f, err := b.in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	b.data = make([]byte, nbytes)
	_, err = io.ReadFull(f, b.data)
	return err
}

// fromFile reads the head of the file to Arrow.
func (b *bench) fromFile(nbytes int64, end error, done func(s runtime.Stats, cut bool)) error {
	if info, err := os.Stat(b.in.Path); err == nil && info.Size() <= nbytes {
		s, _, err := b.drop(runtime.ReadFile(b.in.Path, b.set.Program, b.set.Options...))
		if err == nil {
			done(s, false)
		}
		return err
	}
	f, err := b.in.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	s, cut, err := b.read(&head{r: f, nbytes: nbytes, end: end})
	if err == nil {
		done(s, cut)
	}
	return err
}

// read reads to Arrow what it drops; cut says that there was an end by errCut.
func (b *bench) read(in io.Reader) (s runtime.Stats, cut bool, err error) {
	return b.drop(runtime.NewReader(in, b.set.Program, b.set.Options...))
}

// drop reads r, unless opening it failed.
func (b *bench) drop(r *runtime.Reader, err error) (s runtime.Stats, cut bool, _ error) {
	if err != nil {
		if errors.Is(err, errCut) {
			err = b.noRecord()
		}
		return s, false, err
	}
	defer r.Release()
	for r.Next() {
	}
	b.report.Columns = r.Schema().NumFields()
	cut = errors.Is(r.Err(), errCut)
	if err := r.Err(); err != nil && !cut {
		return s, false, err
	}
	if cut && r.Stats().Records == 0 {
		return s, false, b.noRecord()
	}
	return r.Stats(), cut, nil
}

var errNoRecord = errors.New("not one record ends in the bytes that are to be measured")

func (b *bench) noRecord() error { return fmt.Errorf("%s: %w", b.in.Name, errNoRecord) }

// sample measures the records that are complete in the first nbytes.
func (b *bench) sample(nbytes int64) error {
	data := b.data
	if nbytes < int64(len(data)) {
		s, cut, err := b.read(&head{r: bytes.NewReader(data), nbytes: nbytes, end: errCut})
		if err != nil {
			return err
		}
		if cut {
			data = data[:s.Bytes]
		}
	}
	s := Sample{Bytes: int64(len(data))}
	if err := b.stages(&s, data); err != nil {
		return err
	}
	memory := func() error {
		stats, _, err := b.drop(runtime.ReadBytes(data, b.set.Program, b.set.Options...))
		s.Rows, s.Rejected = stats.Rows, stats.Rejected
		return err
	}
	file := func() error {
		return b.fromFile(s.Bytes, io.EOF, func(runtime.Stats, bool) {})
	}
	ways := []way{{name: fromMemory, read: memory}}
	if !b.in.Once {
		ways = append(ways, way{name: fromFile, read: file})
	}
	for run := -1; run < b.set.Repeat; run++ {
		for i := range ways {
			w := &ways[i]
			took, work, err := timed(w.read)
			if err != nil {
				return err
			}
			if run >= 0 {
				w.took, w.work = append(w.took, took), append(w.work, work)
			}
		}
	}
	for _, w := range ways {
		s.Wholes = append(s.Wholes, Timing{Name: w.name, Time: median(w.took), Work: median(w.work)})
	}
	b.report.Samples = append(b.report.Samples, s)
	return nil
}

// way is a way to read it all; ways take turns, so that a machine that slows
// down slows all of them.
type way struct {
	name       string
	read       func() error
	took, work []time.Duration
}

// stages lets the engine measure itself.
func (b *bench) stages(s *Sample, data []byte) error {
	m, err := runtime.Measure(data, b.set.Program, b.set.Repeat, b.set.Options...)
	if errors.Is(err, errors.ErrUnsupported) {
		s.Notes = append(s.Notes, "the engine does not say where its time goes")
		return nil
	}
	if err != nil {
		return err
	}
	b.report.Engine, b.report.Device = m.Engine, m.Device
	s.Left, s.Notes = m.Left, m.Notes
	for _, t := range m.Stages {
		s.Stages = append(s.Stages, Timing{Name: t.Name, Time: t.Time, Work: t.Work})
	}
	for _, t := range m.Figures {
		s.Wholes = append(s.Wholes, Timing{Name: t.Name, Time: t.Time, Work: t.Work})
	}
	return nil
}

func median(times []time.Duration) time.Duration {
	times = slices.Sorted(slices.Values(times))
	return times[len(times)/2]
}
