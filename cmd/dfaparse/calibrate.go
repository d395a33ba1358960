package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/internal/pick"
)

// calibration fits the model by which auto chooses an engine to this machine: this
// command reads generated files, as a user would.
type calibration struct {
	ctx  context.Context
	self string
	dir  string // of the files
}

// calibrate fits the model, stores it, and says what it is.
func calibrate(ctx context.Context, std *streams, repeat int) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dfaparse-calibrate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c := &calibration{ctx, self, dir}
	names := []string{"cpu"}
	if hasNVIDIA() {
		if out, err := exec.CommandContext(ctx, self, "devices").CombinedOutput(); err == nil {
			names = append(names, "gpu")
		} else {
			fmt.Fprintf(people{std.err}, "dfaparse: the CPU alone is measured: %s\n", strings.TrimPrefix(strings.TrimSpace(string(out)), "dfaparse: "))
		}
	}
	m, err := pick.Calibrate(goruntime.NumCPU(), names, repeat, c.run)
	if err != nil {
		return err
	}
	path, err := pick.Save(m)
	if err != nil {
		return err
	}
	rows := [][]string{{"engine", "start", "class", "GB/s, one core", fmt.Sprintf("GB/s, %d", m.Cores)}}
	for _, name := range names {
		e := &m.CPU
		if name == "gpu" {
			e = &m.GPU
		}
		for _, class := range pick.Classes() {
			r := e.Rates[class]
			rows = append(rows, []string{name, fmt.Sprintf("%.3f–%.3f s", e.Start.One, e.Start.All), string(class), fmt.Sprintf("%.2f", r.One), fmt.Sprintf("%.2f", r.All)})
		}
	}
	if err := writeAligned(std.out, rows); err != nil {
		return err
	}
	fmt.Fprintf(people{std.err}, "dfaparse: auto chooses by %s from now on\n", path)
	return nil
}

// run is pick.Run.
func (c *calibration) run(engine string, class pick.Class, nbytes int64, cores int) (time.Duration, error) {
	kind, format := class.Sample()
	path, err := c.file(kind, nbytes)
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(c.ctx, c.self, "parse", "-f", format, "--engine", engine, "--threads", strconv.Itoa(cores), "--to", "none", path)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(cores))
	began := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 3 { // 3: records were rejected
			return 0, fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
		}
	}
	return time.Since(began), nil
}

// file is a generated file, which is there until another kind is asked for.
func (c *calibration) file(kind string, nbytes int64) (string, error) {
	path := filepath.Join(c.dir, fmt.Sprintf("%s.%d", kind, nbytes))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	others, _ := filepath.Glob(filepath.Join(c.dir, "*"))
	for _, other := range others {
		if !strings.HasPrefix(filepath.Base(other), kind+".") {
			os.Remove(other)
		}
	}
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	if err := gen.Write(f, kind, nbytes, 1); err != nil {
		return "", err
	}
	return path, f.Close()
}
