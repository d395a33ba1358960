// Command release makes what people install: for each platform an archive of the command with its manual
// pages, completions, licences and a list of what is in it; packages for Debian, Red Hat and Alpine; an
// image without a system; a formula for Homebrew, a manifest for Scoop; and the sums of all of them.
//
//	go run . -version 0.1.0 -out ../dist/release linux/amd64 darwin/arm64 windows/amd64
//
// Nothing is sent anywhere. From the same commit come the same bytes: times are the commit's.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	homepage    = "https://github.com/dfaparse/dfaparse"
	description = "Reads CSV, logs and formats of your own as typed columns"
	licence     = "Apache-2.0"
)

// release is what is being made.
type release struct {
	root    string // of the repository
	out     string // the folder of what is made
	work    string // a folder of what it is made of
	version string
	commit  string
	date    time.Time // of the commit
}

// target is what a command is built for.
type target struct {
	os, arch string
	cuda     bool // with the engine for GPUs
}

func (t target) command() string {
	if t.cuda {
		return "dfaparse-cuda"
	}
	return "dfaparse"
}

func (t target) executable() string {
	if t.os == "windows" {
		return t.command() + ".exe"
	}
	return t.command()
}

func main() {
	log.SetFlags(0)
	version := flag.String("version", "", "of the release, as 0.1.0")
	out := flag.String("out", "../dist/release", "the folder to write, which is replaced")
	with := flag.String("with", "", "files made elsewhere that are part of it, separated by blanks")
	flag.Parse()
	if err := run(*version, *out, strings.Fields(*with), flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func run(version, out string, with, targets []string) error {
	if version == "" || len(targets) == 0 {
		return fmt.Errorf("usage: release -version VERSION [-out FOLDER] [-with FILES] OS/ARCH[/cuda]…")
	}
	r, err := begin(version, out)
	if err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	for _, file := range with {
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(r.out, filepath.Base(file)), data, 0o644); err != nil {
			return err
		}
	}
	if err := r.texts(); err != nil {
		return err
	}
	var images []built
	archives := map[target]string{}
	for _, name := range targets {
		parts := strings.Split(name, "/")
		if len(parts) < 2 || len(parts) == 3 && parts[2] != "cuda" || len(parts) > 3 {
			return fmt.Errorf("%s: want OS/ARCH or OS/ARCH/cuda", name)
		}
		t := target{parts[0], parts[1], len(parts) == 3}
		b, err := r.build(t)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if archives[t], err = r.archive(b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if t.os != "linux" || t.cuda {
			continue
		}
		images = append(images, b)
		if err := r.packages(b); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if len(images) > 0 {
		if err := r.image(images); err != nil {
			return fmt.Errorf("image: %w", err)
		}
	}
	if err := r.manifests(archives); err != nil {
		return err
	}
	return r.sums()
}

// begin finds out what is being released, and empties the folder it goes to.
func begin(version, out string) (*release, error) {
	root, err := filepath.Abs("..")
	if err != nil {
		return nil, err
	}
	if out, err = filepath.Abs(out); err != nil {
		return nil, err
	}
	git := exec.Command("git", "log", "-1", "--format=%H %ct")
	git.Dir = root
	said, err := git.Output()
	if err != nil {
		return nil, fmt.Errorf("git log: %w", err)
	}
	commit, seconds, _ := strings.Cut(strings.TrimSpace(string(said)), " ")
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "dfaparse-release")
	if err != nil {
		return nil, err
	}
	return &release{root, out, work, version, commit, time.Unix(unix, 0).UTC()}, nil
}

// sums writes the SHA-256 of everything, as sha256sum -c reads it.
func (r *release) sums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines []string
	for _, e := range entries {
		sum, err := digest(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		lines = append(lines, sum+"  "+e.Name()+"\n")
		fmt.Printf("%6.1f MB  %s\n", float64(info.Size())/1e6, e.Name())
	}
	slices.Sort(lines)
	return os.WriteFile(filepath.Join(r.out, "SHA256SUMS"), []byte(strings.Join(lines, "")), 0o644)
}

// digest is the SHA-256 of a file.
func digest(file string) (string, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
