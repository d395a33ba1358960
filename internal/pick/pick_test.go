package pick

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/golden"
)

// TestTable: what is chosen of sizes, classes and cores by the model as it was measured, with
// the times that are expected of both. It changes with the figures of measured.go, and
// with nothing else.
func TestTable(t *testing.T) {
	m := Measured()
	var b strings.Builder
	fmt.Fprintf(&b, "%-8s %5s %9s  %-6s %10s %10s\n", "class", "cores", "bytes", "choice", "cpu", "gpu")
	for _, class := range Classes() {
		for _, cores := range []int{1, 4, 16} {
			gpu := false
			for _, n := range []int64{1e6, 4e6, 16e6, 64e6, 256e6, 1e9, 4e9, 20e9} {
				c := m.Choose(Reading{Bytes: n, Class: class, Cores: cores})
				chosen := "cpu"
				if c.GPU {
					chosen = "gpu"
				}
				if better := min(c.OnCPU, c.OnGPU); c.GPU != (better < c.OnCPU) {
					t.Errorf("%s, %d bytes, %d cores: %v", class, n, cores, c)
				}
				if gpu && !c.GPU {
					t.Errorf("%s, %d cores: %d bytes are the CPU's, fewer were the GPU's", class, cores, n)
				}
				gpu = c.GPU
				fmt.Fprintf(&b, "%-8s %5d %6d MB  %-6s %8.3f s %8.3f s\n", class, cores, n/1e6, chosen, c.OnCPU.Seconds(), c.OnGPU.Seconds())
			}
		}
	}
	golden.File(t, filepath.Join("testdata", "table.txt"), b.String())
}

// fake is a machine by which models are made: what run takes.
func fake(start, one, all float64) Run {
	return func(_ string, _ Class, nbytes int64, n int) (time.Duration, error) {
		rate := one
		if n > 1 {
			rate = all
		}
		return seconds(start + float64(nbytes)/1e9/rate), nil
	}
}

// TestCalibrate: of times that are made of a start and of rates these are found again, and
// the model tells of the sizes between.
func TestCalibrate(t *testing.T) {
	var warm map[string]bool // engines and classes that have been run
	run := func(engine string, c Class, n int64, cores int) (d time.Duration, err error) {
		if engine == "gpu" {
			d, err = fake(0.25, 5, 30)(engine, c, n, cores)
		} else {
			d, err = fake(0.01, 2, 10)(engine, c, n, cores)
		}
		if what := engine + string(c); !warm[what] { // a first run takes longer
			warm[what], d = true, d+time.Minute
		}
		return d, err
	}
	for _, repeat := range []int{1, 3} {
		warm = map[string]bool{}
		testCalibrate(t, run, repeat)
	}
}

func testCalibrate(t *testing.T, run Run, repeat int) {
	m, err := Calibrate(8, []string{"cpu", "gpu"}, repeat, run)
	if err != nil {
		t.Fatal(err)
	}
	near := func(got, want float64) bool { return math.Abs(got-want) < 0.01*want }
	for _, c := range Classes() {
		for _, x := range []struct {
			e               *Engine
			start, one, all float64
		}{{&m.CPU, 0.01, 2, 10}, {&m.GPU, 0.25, 5, 30}} {
			if r := x.e.Rates[c]; !near(x.e.Start.One, x.start) || !near(x.e.Start.All, x.start) || !near(r.One, x.one) || !near(r.All, x.all) {
				t.Errorf("%s: %+v, want %+v", c, x.e, x)
			}
		}
	}
	// 0.01 + x/10 = 0.25 + x/30 at 3.6 GB with 8 cores, 0.01 + x/2 = 0.25 + x/5 at 0.8 with one.
	for _, x := range []struct {
		cores int
		gb    float64
		gpu   bool
	}{{8, 3.5, false}, {8, 3.7, true}, {1, 0.79, false}, {1, 0.81, true}, {64, 3.5, false}} {
		if c := m.Choose(Reading{Bytes: int64(x.gb * 1e9), Class: Texts, Cores: x.cores}); c.GPU != x.gpu {
			t.Errorf("%v GB, %d cores: %v", x.gb, x.cores, c)
		}
	}
	if !m.Possible(Reading{Bytes: 4e9, Cores: 8}) || m.Possible(Reading{Bytes: 3e9, Cores: 8}) {
		t.Error("Possible is another choice")
	}
	// Who writes a file is the one to wait for.
	if c := m.Choose(Reading{Bytes: 20e9, Class: Numbers, Cores: 8, Output: 0.5}); c.GPU {
		t.Errorf("%v", c)
	}
	if c := m.Choose(Reading{Bytes: 20e9, Class: Numbers, Cores: 1, Output: 0.5}); !c.GPU { // here the only core has both to do
		t.Errorf("%v", c)
	}
	// Without a device, and where something fails.
	if m, err = Calibrate(1, []string{"cpu"}, 1, run); err != nil {
		t.Fatal(err)
	}
	if c := m.Choose(Reading{Bytes: 1e12, Class: Numbers, Cores: 1}); c.GPU || c.OnGPU != 0 {
		t.Errorf("there is no GPU: %+v", c)
	}
	failure := errors.New("failure")
	if _, err := Calibrate(1, []string{"cpu"}, 1, func(string, Class, int64, int) (time.Duration, error) { return 0, failure }); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
	if _, err := Calibrate(1, []string{"cpu"}, 1, func(string, Class, int64, int) (time.Duration, error) { return time.Second, nil }); err == nil || !strings.Contains(err.Error(), "busy") {
		t.Errorf("error %v", err)
	}
}

// TestString: a choice says what it expects, and why.
func TestString(t *testing.T) {
	m := &Model{Cores: 1, CPU: Engine{Start{}, map[Class]Rates{Numbers: {2, 2}}}, GPU: Engine{Start{0.31, 0.31}, map[Class]Rates{Numbers: {20, 20}}}}
	for gb, want := range map[float64]string{
		0.02: "cpu: 20 MB at an expected 2.0 GB/s, 0.01 s in all; gpu would take 0.31 s to start",
		0.65: "cpu: 650 MB at an expected 2.0 GB/s, 0.33 s in all; gpu would take 0.34 s",
		8:    "gpu: 8 GB at an expected 20.0 GB/s after 0.31 s to start, 0.71 s in all; cpu would take 4.00 s",
	} {
		if got := m.Choose(Reading{Bytes: int64(gb * 1e9), Class: Numbers, Cores: 1}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	m.GPU.Rates = nil
	if got, want := m.Choose(Reading{Bytes: 1.2e9, Class: Numbers, Cores: 1}).String(), "cpu: 1.2 GB at an expected 2.0 GB/s, 0.60 s in all"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestStore: what is stored is what is loaded, on the machine that it is of; a file that
// is none is an error, and does no harm.
func TestStore(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", dir)
	t.Setenv("HOME", dir)
	t.Setenv("AppData", dir)
	m, fitted, err := Load(4)
	if err != nil || fitted || m.Cores != Measured().Cores {
		t.Errorf("without a file: %+v, %v, %v", m, fitted, err)
	}
	m.Cores, m.CPU.Start.One = 4, 0.125
	path, err := Save(m)
	if err != nil || !strings.HasSuffix(path, filepath.Join("dfaparse", "engines.json")) {
		t.Fatal(path, err)
	}
	if m, fitted, err = Load(4); err != nil || !fitted || m.CPU.Start.One != 0.125 {
		t.Errorf("%+v, %v, %v", m, fitted, err)
	}
	if _, fitted, err = Load(8); err != nil || fitted {
		t.Errorf("another machine's: %v, %v", fitted, err)
	}
	for text, want := range map[string]string{"{": "unexpected end", "{}": "0 cores", `{"cores":4}`: "cpu: rates of numbers are 0 and 0 GB/s"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m, fitted, err = Load(4); fitted || m == nil || m.check() != nil || err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", text, fitted, err)
		}
	}
	if _, err := Save(&Model{}); err == nil {
		t.Error("a model of nothing is stored")
	}
}

// TestClasses: the formats that stand for the classes are of them, and so is what is like
// them.
func TestClasses(t *testing.T) {
	for _, c := range Classes() {
		_, format := c.Sample()
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		if got := ClassOf(p, nil); got != c {
			t.Errorf("%s is %s, want %s", format, got, c)
		}
	}
	for format, want := range map[string]Class{"lineitem": Numbers, "csv": Texts, "haproxy": Logs, "w3c": Logs, "auditd": Maps, "syslog_rfc5424": Maps, "fstab": Hosted} {
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		if got := ClassOf(p, nil); got != want {
			t.Errorf("%s is %s, want %s", format, got, want)
		}
	}
	for _, format := range []string{"auditd", "fstab"} {
		p, err := gen.Program(format)
		if err != nil {
			t.Fatal(err)
		}
		if got := ClassOf(p, []string{p.Columns[0].Name}); got == Hosted || got == Maps {
			t.Errorf("the first column of %s alone is %s", format, got)
		}
	}
}
