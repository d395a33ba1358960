package main

import (
	"errors"
	"os"
	goruntime "runtime"
	"runtime/pprof"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/internal/collector"
	"github.com/dfaparse/dfaparse/internal/input"
)

// profiles are what every command writes for "go tool pprof" if it is asked
// to: flags that help does not list, but that of bench tells of.
type profiles struct {
	cpu, mem string // files, "" for none
	cpuFile  *os.File
}

// newProfiles adds the flags to the command tree and starts with any command.
func newProfiles(root *cobra.Command) *profiles {
	p := &profiles{}
	f := root.PersistentFlags()
	f.StringVar(&p.cpu, "cpuprofile", "", "write a profile of processor time to `FILE`")
	f.StringVar(&p.mem, "memprofile", "", "write a profile of allocated memory to `FILE`")
	for _, name := range []string{"cpuprofile", "memprofile"} {
		_ = f.MarkHidden(name)
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := checkFlags(cmd); err != nil {
			return err
		}
		return p.start(args)
	}
	return p
}

func (p *profiles) start(args []string) error {
	var outs, needed []named
	for flag, path := range map[string]string{"--cpuprofile ": p.cpu, "--memprofile ": p.mem} {
		if path != "" {
			outs = append(outs, named{what: flag + path, path: path})
		}
	}
	for _, arg := range args {
		needed = append(needed, named{what: "the argument " + arg, path: arg})
	}
	if err := checkOutputs(outs, needed); err != nil {
		return err
	}
	if p.mem != "" {
		collector.Sample()
	}
	if p.cpu == "" {
		return nil
	}
	f, err := os.Create(p.cpu)
	if err != nil {
		return input.PathError(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return errors.Join(err, f.Close())
	}
	p.cpuFile = f
	return nil
}

// stop writes the profiles, whatever became of the command.
func (p *profiles) stop() error {
	var err error
	if p.cpuFile != nil {
		pprof.StopCPUProfile()
		err = p.cpuFile.Close()
		p.cpuFile = nil
	}
	if p.mem == "" {
		return err
	}
	f, cerr := os.Create(p.mem)
	if cerr != nil {
		return errors.Join(err, input.PathError(cerr))
	}
	goruntime.GC() // so that the profile is up to date
	return errors.Join(err, pprof.Lookup("allocs").WriteTo(f, 0), f.Close())
}
