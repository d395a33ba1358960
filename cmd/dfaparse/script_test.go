package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/golden"
)

func TestMain(m *testing.M) {
	columns.Poison()
	testscript.Main(seldom{m}, map[string]func(){"dfaparse": main})
}

// seldom has the tests' own process collect garbage less often than the command does, whose
// runs by the thousands would otherwise do little else: each takes some MB, and drops them.
type seldom struct{ *testing.M }

func (m seldom) Run() int {
	goruntime.GC() // after which package collector sets what the command has
	for range 1000 {
		if debug.SetGCPercent(400) < 400 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return m.M.Run()
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
		UpdateScripts: *golden.Update,
		Cmds:          commands,
		Condition: func(name string) (bool, error) {
			holds, ok := conditions[name]
			if !ok {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return holds(), nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("DFAPARSE_PATH", "")
			for _, name := range ofDriver {
				if value, ok := os.LookupEnv(name); ok {
					env.Setenv(name, value)
				}
			}
			return nil
		},
	})
}

// commands are those that scripts have beside the usual ones.
var commands = map[string]func(*testscript.TestScript, bool, []string){
	"exits":  exits,
	"awaits": awaits,
	"none":   none,
}

// conditions are what scripts can depend on.
var conditions = map[string]func() bool{
	"cuda": func() bool { return engines["gpu"] != nil },
	"nvidia": func() bool { // there seems to be a device
		_, errDriver := os.Stat("/proc/driver/nvidia")
		_, errDevice := os.Stat("/dev/nvidia0")
		_, errTool := exec.LookPath("nvidia-smi")
		return errDriver == nil || errDevice == nil || errTool == nil
	},
	"gpu":       func() bool { return gpuUsable },
	"hostbuild": func() bool { return gpuUsable && onHostBuild },
}

// gpuUsable: this build has the engine for GPUs, and can open one; onHostBuild:
// which is the kernels' host build.
var gpuUsable, onHostBuild bool

// ofDriver are variables by which a driver is found.
var ofDriver = []string{"LD_LIBRARY_PATH", "LD_PRELOAD", "ASAN_OPTIONS", "UBSAN_OPTIONS"}

// exits runs a command that must end with an exit code: exits 3 dfaparse parse x
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// awaits waits until a file is there that matches a pattern.
func awaits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: awaits PATTERN")
	}
	for range 6000 {
		if found, _ := filepath.Glob(ts.MkAbs(args[0])); len(found) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	ts.Fatalf("no %s within a minute", args[0])
}

// none fails if there is a file that matches a pattern.
func none(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: none PATTERN")
	}
	if found, _ := filepath.Glob(ts.MkAbs(args[0])); len(found) > 0 {
		ts.Fatalf("there are %q", found)
	}
}

// dfaparse is the command under test, to be started.
func dfaparse(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("dfaparse")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "DFAPARSE_PATH=")
	return cmd
}
