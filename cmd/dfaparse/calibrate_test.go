package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/dfaparse/dfaparse/internal/pick"
)

// TestCalibrationRun: what is measured is the command, over generated files of each class, of which
// those of one class are there at a time.
func TestCalibrationRun(t *testing.T) {
	self, err := exec.LookPath("dfaparse")
	if err != nil {
		t.Skip(err) // it is there where scripts are run
	}
	c := &calibration{ctx: t.Context(), self: self, dir: t.TempDir()}
	for _, class := range pick.Classes() {
		for _, n := range []int64{20_000, 100_000} {
			if took, err := c.run("cpu", class, n, 1); err != nil || took <= 0 {
				t.Errorf("%s: %v, %v", class, took, err)
			}
		}
		if files, _ := filepath.Glob(filepath.Join(c.dir, "*")); len(files) != 2 {
			t.Errorf("%s: %q", class, files)
		}
	}
	if _, err := c.run("none", pick.Numbers, 1000, 1); err == nil {
		t.Error("an engine that there is none of")
	}
}
