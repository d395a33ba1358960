package pick

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Path is the file that holds the model of this machine, in the user's folder of settings.
func Path() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "dfaparse", "engines.json"), nil
}

// Load gives the model of this machine, which has so many cores: the one that is stored, or if
// there is none, or it is another machine's, Measured. An error is of a file that
// cannot be read; the model is of use also then.
func Load(cores int) (m *Model, fitted bool, err error) {
	path, err := Path()
	if err != nil {
		return Measured(), false, nil // there is no such folder
	}
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Measured(), false, nil
	case err != nil:
		return Measured(), false, err
	}
	m = &Model{}
	err = json.Unmarshal(text, m)
	if err == nil {
		err = m.check()
	}
	if err != nil {
		return Measured(), false, fmt.Errorf("%s: %w", path, err)
	}
	if device := deviceName(); m.Cores != cores || m.Device != "" && device != "" && m.Device != device {
		return Measured(), false, nil
	}
	return m, true, nil
}

// check says what is wrong with m.
func (m *Model) check() error {
	if m.Cores < 1 {
		return fmt.Errorf("%d cores", m.Cores)
	}
	for name, e := range map[string]*Engine{"cpu": &m.CPU, "gpu": &m.GPU} {
		if name == "gpu" && len(e.Rates) == 0 {
			continue
		}
		if !(e.Start.One >= 0 && e.Start.All >= 0) {
			return fmt.Errorf("%s: it takes %v s to start", name, e.Start)
		}
		for _, c := range Classes() {
			if r := e.Rates[c]; !(r.One > 0 && r.All > 0) {
				return fmt.Errorf("%s: rates of %s are %v and %v GB/s", name, c, r.One, r.All)
			}
		}
	}
	return nil
}

// Save stores m, and gives the path of the file.
func Save(m *Model) (string, error) {
	path, err := Path()
	if err != nil {
		return "", err
	}
	if err := m.check(); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, append(text, '\n'), 0o666)
}

// deviceName is the name of the first GPU, "" if there is none or the system does not
// say. No driver is loaded for it.
func deviceName() string {
	found, _ := filepath.Glob("/proc/driver/nvidia/gpus/*/information")
	if len(found) == 0 {
		return ""
	}
	text, _ := os.ReadFile(found[0])
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "Model:"); ok {
			return strings.TrimSpace(name)
		}
	}
	return ""
}
