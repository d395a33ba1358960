// Command cubins assembles the PTX of the kernels to machine code of common
// devices, which is then embedded into what is built with the tag cuda: a driver
// loads it at once, where it takes seconds to compile PTX.
//
//	go run ./internal/cubins PTXAS 75 80 90        in the root of the module; make cuda does so
//
// PTXAS is NVIDIA's assembler, and the numbers are compute capabilities. What is
// in kernels/cubin already, of the same PTX by the same assembler, stays; what is
// not asked for goes. Of a module and a capability only that PTX is assembled
// which such a device would get.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/dfaparse/dfaparse/kernels"
)

func main() {
	if err := run(filepath.Join("kernels", "cubin"), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cubins:", err)
		os.Exit(1)
	}
}

// cubin is a file to make.
type cubin struct {
	module kernels.Module
	arch   int
	made   bool
}

func (c *cubin) name() string { return kernels.CubinName(c.module.Stem, c.arch) }
func (c *cubin) line() string {
	return fmt.Sprintf("%s %s %s\n", c.module.PTXHash(), c.module.PTXName(), c.name())
}

// run makes what is missing in a folder, and says what is there then.
func run(folder string, args []string) error {
	if len(args) == 0 {
		return errors.New("want the path of ptxas, and compute capabilities such as 75")
	}
	a := &assembler{ptxas: args[0]}
	var all []*cubin
	for _, text := range args[1:] {
		arch, err := strconv.Atoi(text)
		if err != nil || len(kernels.Modules(arch)) == 0 {
			return fmt.Errorf("there is no PTX for the compute capability %q", text)
		}
		for _, m := range kernels.Modules(arch) {
			all = append(all, &cubin{module: m, arch: arch})
		}
	}
	if len(all) > 0 {
		if err := a.ask(); err != nil {
			return err
		}
	}
	if err := tidy(folder, a.version, all); err != nil {
		return err
	}
	missing := slices.DeleteFunc(slices.Clone(all), func(c *cubin) bool { return c.made })
	if len(missing) > 0 {
		fmt.Printf("assembling %d files of machine code by %s, which takes minutes\n", len(missing), a.version)
	}
	failed := a.assemble(folder, missing)
	// What is made is listed, also where something else has failed.
	list := bytes.NewBufferString("# " + a.version + "\n")
	sizes, total := map[int]int64{}, int64(0)
	for _, c := range all {
		if !c.made {
			continue
		}
		list.WriteString(c.line())
		info, err := os.Stat(filepath.Join(folder, c.name()))
		if err != nil {
			return err
		}
		sizes[c.arch] += info.Size()
		total += info.Size()
	}
	if len(all) > 0 {
		if err := os.WriteFile(filepath.Join(folder, kernels.ListName), list.Bytes(), 0o666); err != nil {
			return err
		}
	}
	var archs []string
	for _, arch := range slices.Sorted(maps.Keys(sizes)) {
		archs = append(archs, fmt.Sprintf("%d.%d %d KB", arch/10, arch%10, sizes[arch]/1000))
	}
	fmt.Printf("machine code: %.1f MB, compressed: %s\n", float64(total)/1e6, cmp.Or(strings.Join(archs, ", "), "none"))
	return failed
}

// tidy finds out what is made already, and removes the rest.
func tidy(folder, version string, all []*cubin) error {
	list, err := os.ReadFile(filepath.Join(folder, kernels.ListName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listed := map[string]bool{}
	if strings.HasPrefix(string(list), "# "+version+"\n") {
		for line := range strings.Lines(string(list)) {
			listed[line] = true
		}
	}
	keep := map[string]bool{"README.md": true, kernels.ListName: len(all) > 0}
	for _, c := range all {
		_, err := os.Stat(filepath.Join(folder, c.name()))
		c.made = err == nil && listed[c.line()]
		keep[c.name()] = c.made
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, f := range files {
		if !keep[f.Name()] {
			if err := os.Remove(filepath.Join(folder, f.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// assembler is ptxas.
type assembler struct {
	ptxas   string
	version string // what it says of itself
}

func (a *assembler) ask() error {
	out, err := exec.Command(a.ptxas, "--version").Output()
	if err != nil {
		return fmt.Errorf("%s --version: %w", a.ptxas, err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, "release") {
			a.version = strings.TrimSpace(line)
		}
	}
	if a.version == "" {
		return fmt.Errorf("%s does not say which release it is", a.ptxas)
	}
	return nil
}

// assemble makes files side by side, those that take long first.
func (a *assembler) assemble(folder string, todo []*cubin) error {
	slices.SortStableFunc(todo, func(x, y *cubin) int { return cmp.Compare(len(y.module.PTX()), len(x.module.PTX())) })
	next := make(chan *cubin)
	errs := make([]error, goruntime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			for c := range next {
				err := a.one(folder, c)
				c.made = err == nil
				errs[i] = errors.Join(errs[i], err)
			}
		})
	}
	for _, c := range todo {
		next <- c
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}

// one makes one file.
func (a *assembler) one(folder string, c *cubin) error {
	tmp, err := os.MkdirTemp("", "cubins")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	source, object := filepath.Join(tmp, c.module.PTXName()), filepath.Join(tmp, "cubin")
	if err := os.WriteFile(source, []byte(c.module.PTX()), 0o666); err != nil {
		return err
	}
	if out, err := exec.Command(a.ptxas, fmt.Sprintf("-arch=sm_%d", c.arch), source, "-o", object).CombinedOutput(); err != nil {
		return fmt.Errorf("%s for sm_%d: %w\n%s", c.module.PTXName(), c.arch, err, out)
	}
	code, err := os.ReadFile(object)
	if err != nil {
		return err
	}
	if err := check(code, &c.module); err != nil {
		return fmt.Errorf("%s: %w", c.name(), err)
	}
	packed, err := kernels.Pack(code)
	if err != nil {
		return err
	}
	path := filepath.Join(folder, c.name())
	if err := os.WriteFile(path+".new", packed, 0o666); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// check reports what of a module's kernels machine code lacks.
func check(code []byte, m *kernels.Module) error {
	names, err := kernels.KernelsIn(code)
	if err != nil {
		return err
	}
	for _, name := range m.Entries {
		if !slices.Contains(names, name) {
			return fmt.Errorf("it lacks the kernel %s", name)
		}
	}
	return nil
}
