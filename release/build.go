package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
)

// built is a command that has been built for a target.
type built struct {
	target
	file     string // the executable
	licences string // a file with the texts of what is in it
	modules  []*debug.Module
}

// link are the flags of the linker: without tables for debuggers, with what the command says of itself.
func (r *release) link() string {
	return "-s -w -X main.released=" + r.version + " -X main.commit=" + r.commit
}

// build builds the command. With the engine for GPUs it takes the settings of the C compiler from the
// environment (make cuda-env).
func (r *release) build(t target) (built, error) {
	b := built{target: t, file: filepath.Join(r.work, t.os, t.arch, t.executable())}
	args := []string{"build", "-trimpath", "-ldflags", r.link(), "-o", b.file}
	env := append(os.Environ(), "GOOS="+t.os, "GOARCH="+t.arch)
	if t.cuda {
		args = append(args, "-tags", "cuda")
	} else {
		env = append(env, "CGO_ENABLED=0")
	}
	if err := r.goes(env, append(args, "./cmd/dfaparse")...); err != nil {
		return b, err
	}
	info, err := buildinfo.ReadFile(b.file)
	if err != nil {
		return b, err
	}
	b.modules = info.Deps
	b.licences = filepath.Join(r.work, t.os+"-"+t.arch+"-"+t.command()+"-licences")
	text, err := r.licences(b.modules)
	if err != nil {
		return b, err
	}
	return b, os.WriteFile(b.licences, text, 0o644)
}

func (r *release) goes(env []string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = r.root, env, os.Stdout, os.Stderr
	return cmd.Run()
}

// shells are those that completions are written for, and the names that these have in an archive.
var shells = map[string]string{"bash": "dfaparse.bash", "zsh": "_dfaparse", "fish": "dfaparse.fish", "powershell": "dfaparse.ps1"}

// texts writes the pages of the manual into man, and completions: the same for all targets.
func (r *release) texts() error {
	here := filepath.Join(r.work, "here")
	env := append(os.Environ(), "CGO_ENABLED=0")
	if err := r.goes(env, "build", "-trimpath", "-ldflags", r.link(), "-o", here, "./cmd/dfaparse"); err != nil {
		return err
	}
	man := exec.Command(here, "man", filepath.Join(r.work, "man"))
	man.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.date.Unix()))
	if said, err := man.CombinedOutput(); err != nil {
		return fmt.Errorf("man: %w: %s", err, said)
	}
	folder := filepath.Join(r.work, "completions")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	for shell, name := range shells {
		text, err := exec.Command(here, "completion", shell).Output()
		if err != nil {
			return fmt.Errorf("completion %s: %w", shell, err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			return err
		}
	}
	return os.Remove(here)
}

// licenceFile are the names of files with what a module's licence wants to be passed on.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|copyright|patents)([-.].*)?$`)

// licences are the licences of modules and of Go itself, one after the other. A module without one is an error.
func (r *release) licences(modules []*debug.Module) ([]byte, error) {
	list := exec.Command("go", "list", "-m", "-json", "all")
	list.Dir = r.root
	said, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list -m: %w", err)
	}
	folders := map[string]string{}
	for d := json.NewDecoder(strings.NewReader(string(said))); d.More(); {
		var m struct{ Path, Dir string }
		if err := d.Decode(&m); err != nil {
			return nil, err
		}
		folders[m.Path] = m.Dir
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	folders["Go"] = strings.TrimSpace(string(goroot))
	var text strings.Builder
	for _, m := range slices.Concat([]*debug.Module{{Path: "Go"}}, modules) {
		entries, err := os.ReadDir(folders[m.Path])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		stating := func(e os.DirEntry) bool { return !e.IsDir() && licenceFile.MatchString(e.Name()) }
		if !slices.ContainsFunc(entries, stating) { // it stands where the module says what it is
			stating = func(e os.DirEntry) bool { return e.Name() == "README.md" }
		}
		found := false
		for _, e := range entries {
			if !stating(e) {
				continue
			}
			found = true
			b, err := os.ReadFile(filepath.Join(folders[m.Path], e.Name()))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&text, "== %s %s: %s\n\n%s\n\n", m.Path, m.Version, e.Name(), strings.TrimSpace(string(b)))
		}
		if !found {
			return nil, fmt.Errorf("%s has no licence in %s", m.Path, folders[m.Path])
		}
	}
	return []byte(text.String()), nil
}
