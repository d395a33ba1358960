package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// measured is an input with a header, quoted line ends and a split, and the
// rows that it has.
func measured(rows int) []byte {
	var b bytes.Buffer
	b.WriteString("\xEF\xBB\xBFid,name,pair\n")
	for i := range rows {
		fmt.Fprintf(&b, "%d,\"a\n\"\"%d\",%d-x\n", i, i, i)
	}
	return b.Bytes()
}

const measuredSpec = `
delimited { sep ','  quote '"' doubled }
header names
fields { id u32  name str  pair str  number u32 }
split pair "{number}-{letter}" else null`

func TestMeasureCountsWhatAReaderReads(t *testing.T) {
	p := spec(t, measuredSpec)
	data := measured(3000)
	for _, engine := range []string{"cpu", "reference"} {
		for _, partition := range []int{1, 7, 1000, 1 << 20} {
			if engine == "reference" && partition < 1000 {
				continue // a run over partitions of a byte takes seconds
			}
			m, err := runtime.Measure(data, p, 2, runtime.WithEngine(engines[engine]),
				runtime.WithPartitionSize(partition), runtime.WithChunkSize(500), runtime.WithThreads(2))
			if err != nil {
				t.Fatal(err)
			}
			header := int64(len("\xEF\xBB\xBFid,name,pair\n"))
			if m.Engine != engine || m.Rows != 3000 || m.Bytes != int64(len(data))-header || m.Left != 0 || m.Device != "" {
				t.Errorf("%s, partitions of %d: %+v", engine, partition, m)
			}
			var names []string
			sum := time.Duration(0)
			for _, s := range m.Stages {
				names = append(names, s.Name)
				sum += s.Time
				if engine == "cpu" && s.Name == "index" && (s.Time <= 0 || s.Work <= 0) {
					t.Errorf("%s: %s took %v, of workers %v", engine, s.Name, s.Time, s.Work)
				}
			}
			want := map[string]string{"cpu": "context index split convert", "reference": "context index partition convert"}[engine]
			if got := strings.Join(names, " "); got != want {
				t.Errorf("%s: stages %s, want %s", engine, got, want)
			}
			if len(m.Figures) != 1 || m.Figures[0].Name != "engine" || m.Figures[0].Time < sum/2 {
				t.Errorf("%s: figures %v, stages together %v", engine, m.Figures, sum)
			}
		}
	}
}

func TestMeasureFollowsDirectives(t *testing.T) {
	data := []byte("#Fields: date time\n2026-01-01 00:00:00\n2026-01-02 00:00:00\n#Fields: time date\n00:00:00 2026-01-03\n")
	for _, engine := range []string{"cpu", "reference"} {
		m, err := runtime.Measure(data, spec(t, "w3c"), 1, runtime.WithEngine(engines[engine]), runtime.WithPartitionSize(20))
		if err != nil {
			t.Fatal(err)
		}
		if m.Rows != 3 {
			t.Errorf("%s: %d rows, want 3", engine, m.Rows)
		}
	}
}

func TestMeasureRefuses(t *testing.T) {
	p := spec(t, measuredSpec)
	for _, c := range []struct {
		data   []byte
		repeat int
		opts   []runtime.Option
		want   string
	}{
		{measured(1), 0, nil, "a median of 0 runs"},
		{measured(1), 1, []runtime.Option{runtime.WithThreads(-1)}, "threads"},
		{measured(1), 1, []runtime.Option{runtime.WithEngine(nil)}, "no engine"},
		{[]byte(""), 1, nil, "the input is empty"},
	} {
		if _, err := runtime.Measure(c.data, p, c.repeat, byCPU(c.opts...)...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one of %q", err, c.want)
		}
	}
	if _, err := runtime.Measure(measured(1), p, 1, runtime.WithEngine(silent{})); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("an engine that is no Measurer: %v", err)
	}
}

// silent is an engine that cannot say where its time goes.
type silent struct{}

func (silent) Name() string                                               { return "silent" }
func (silent) Open(*runtime.Plan, runtime.Config) (runtime.Parser, error) { return silent{}, nil }
func (silent) Close() error                                               { return nil }
func (silent) Parse(context.Context, *runtime.Partition) (*runtime.Result, error) {
	return &runtime.Result{}, nil
}

// TestCutIsWhatAReaderDoes cuts a partition at every size and looks at what it
// hands out: nothing twice, nothing left out, the state carried over.
func TestCutIsWhatAReaderDoes(t *testing.T) {
	data := []byte("ab\ncdefghi\n\njk\nl")
	for size := range len(data) + 2 {
		part := runtime.Partition{Data: data, State: 1, Final: true}
		var got []string
		state := dfa.StateID(1)
		err := part.Cut(size, func(p *runtime.Partition) (*runtime.Result, error) {
			if p.State != state {
				t.Fatalf("size %d: state %d, want %d", size, p.State, state)
			}
			n := bytes.LastIndexByte(p.Data, '\n') + 1
			if p.Final {
				n = len(p.Data)
			}
			if n > 0 {
				got = append(got, string(p.Data[:n]))
				state++
			}
			return &runtime.Result{Consumed: n, State: state}, nil
		})
		if err != nil || strings.Join(got, "") != string(data) {
			t.Errorf("size %d: %q, %v", size, got, err)
		}
	}
}

func TestMedianIsOfEachTime(t *testing.T) {
	run := func(stage, work, figure time.Duration) *runtime.Measurement {
		return &runtime.Measurement{
			Device: "d", Rows: 3, Stages: []runtime.StageTime{{Name: "s", Time: stage, Work: work}},
			Figures: []runtime.Figure{{Name: "f", Time: figure, Work: figure}},
		}
	}
	m := runtime.Median([]*runtime.Measurement{run(5, 1, 30), run(1, 9, 20), run(3, 2, 10)})
	if m.Device != "d" || m.Rows != 3 || m.Stages[0] != (runtime.StageTime{Name: "s", Time: 3, Work: 2}) || m.Figures[0] != (runtime.Figure{Name: "f", Time: 20, Work: 20}) {
		t.Errorf("%+v", m)
	}
}
