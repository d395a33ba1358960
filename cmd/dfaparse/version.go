package main

import (
	"cmp"
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

// What a release sets when it is linked: -X main.released=0.1.0 -X main.commit=1f2e…
var released, commit string

// versionText is what the command prints of itself: its version and commit, what it was built by and
// for, and what it runs on this machine.
func versionText() string {
	return fmt.Sprintf("dfaparse %s\n%s %s/%s, engines: %s, vectors: %s, cores: %d\n", version(),
		goruntime.Version(), goruntime.GOOS, goruntime.GOARCH, engineNames(), cpu.Vectors(), goruntime.GOMAXPROCS(0))
}

// version is that of the release, or the module's, and the commit that was built, as far as they are known.
func version() string {
	v, of, modified := released, commit, ""
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return cmp.Or(v, "(unknown)")
	}
	v = cmp.Or(v, info.Main.Version, "(devel)")
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			of = cmp.Or(of, s.Value)
		case s.Key == "vcs.modified" && s.Value == "true" && released == "":
			modified = ", modified"
		}
	}
	if of == "" {
		return v
	}
	return fmt.Sprintf("%s (commit %s%s)", v, of[:min(12, len(of))], modified)
}
