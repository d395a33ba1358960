package main

import (
	"fmt"
	goruntime "runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func newVersion(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  arguments(0, 0, ""),
		RunE: func(*cobra.Command, []string) error {
			_, err := std.out.Write([]byte(versionText()))
			return err
		},
	}
}

// versionText is what the command prints of itself: its version, what it was built by and for, and
// what it runs on this machine.
func versionText() string {
	return fmt.Sprintf("dfaparse %s\n%s %s/%s, engines: %s, vectors: %s\n", version(),
		goruntime.Version(), goruntime.GOOS, goruntime.GOARCH, engineNames(), cpu.Vectors())
}

// version is the module's version, or the commit that was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(unknown)"
	}
	v := info.Main.Version
	if v != "" && v != "(devel)" {
		return v
	}
	v = "(devel)"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			v += " " + s.Value[:min(12, len(s.Value))]
		case s.Key == "vcs.modified" && s.Value == "true":
			v += ", modified"
		}
	}
	return v
}
