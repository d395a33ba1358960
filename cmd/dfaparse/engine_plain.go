//go:build !cuda

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// exit ends the process.
func exit(code int) { os.Exit(code) }

// delegated is set for the command that another has handed its work to, so
// that it does not hand it on.
const delegated = "DFAPARSE_DELEGATED"

// chooseEngine makes of r.engine one that this build has. Where the work is for
// a GPU, the command that has the engine takes this one's place: then it does
// not return.
func (r *reading) chooseEngine(kind string, paths []string, _ *streams) error {
	switch r.engine {
	case "gpu":
		return fmt.Errorf("--engine gpu: %w", delegate())
	case "auto":
		if r.foresee(kind, paths); r.model().Possible(r.task) {
			r.without = delegate() // the CPU does as well
		}
	}
	return nil
}

// listDevices has the command that knows the driver list the GPUs.
func listDevices(*streams) error { return fmt.Errorf("no GPU is usable: %w", delegate()) }

// delegate puts the command that has the engine for GPUs in the place of this
// one: same arguments, same streams, and its exit code is this one's. It
// returns only if that cannot be, and says why.
func delegate() error {
	if os.Getenv(delegated) != "" {
		return fmt.Errorf("this %s was built without the tag cuda", cudaCommand)
	}
	if !hasNVIDIA() {
		return errNoNVIDIA
	}
	path, err := findCUDACommand()
	if err != nil {
		return err
	}
	env := append(os.Environ(), delegated+"=1")
	return fmt.Errorf("cannot run %s: %w", path, replaceProcess(path, append([]string{path}, os.Args[1:]...), env))
}

// findCUDACommand looks beside this command, then on PATH.
func findCUDACommand() (string, error) {
	beside := ""
	if self, err := os.Executable(); err == nil {
		if resolved, err := filepath.EvalSymlinks(self); err == nil {
			self = resolved
		}
		beside = filepath.Dir(self)
		if path, err := exec.LookPath(filepath.Join(beside, cudaCommand)); err == nil {
			return path, nil
		}
	}
	if path, err := exec.LookPath(cudaCommand); err == nil {
		return path, nil
	}
	return "", fmt.Errorf("there is no %s, neither in %s nor on PATH: make cuda builds it", cudaCommand, beside)
}
