package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	goruntime "runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/splits"
	"github.com/dfaparse/dfaparse/internal/studio"
	"github.com/dfaparse/dfaparse/runtime"
)

// unpacked is how much of an input is read that cannot be read from any place.
const unpacked = 64 << 20

func newStudio(std *streams) *cobra.Command {
	var noOpen bool
	cmd := &cobra.Command{
		Use:   "studio [SPEC] [FILE...]",
		Short: "Write a spec in the browser, and see what it makes of a file",
		Example: `  dfaparse studio mine.dfp app.log
  dfaparse studio app.log
  dfaparse studio nginx`,
		Long: `Studio opens a page in the browser with the spec, the bytes of the files, the
table that comes of them, and the automaton; all follow each keystroke. SPEC is
a .dfp file, which need not exist yet, or the name of a built-in format to begin
with. Without one the page proposes some.

The page is served on this machine alone (127.0.0.1), to whoever has the address
that is printed, and loads nothing from elsewhere. Interrupt the command to end
it.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			s := &studio.Studio{Save: func(file, text string) error { return writeFile(std, file, []byte(text)) }}
			if len(args) > 0 {
				named, err := studioSpec(s, args[0])
				if err != nil {
					return err
				}
				if named {
					args = args[1:]
				}
			}
			for _, name := range args {
				in, close, err := studioInput(cmd.Context(), name, std)
				if err != nil {
					return err
				}
				defer close()
				s.Add(in)
			}
			return serveStudio(cmd.Context(), s, std, noOpen)
		},
	}
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "print the address, and open no browser")
	return cmd
}

// studioSpec takes the spec that is named, and reports whether there is one.
func studioSpec(s *studio.Studio, name string) (bool, error) {
	if strings.HasSuffix(name, ".dfp") {
		src, err := os.ReadFile(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, input.PathError(err)
		}
		s.File, s.Spec = name, string(src)
		return true, nil
	}
	if _, err := os.Stat(name); err == nil {
		return false, nil
	}
	found, err := formats.Find(name)
	if err != nil {
		return false, notFound(name, err)
	}
	if found.Source == nil {
		return false, usagef("%s is a compiled format, of which there is no text", name)
	}
	s.Spec = string(found.Source)
	return true, nil
}

// studioInput opens a file. One that is not compressed is read where the page looks; of
// others the beginning is.
func studioInput(ctx context.Context, name string, std *streams) (*studio.Input, func(), error) {
	none := func() {}
	info, err := os.Stat(name)
	if err == nil && info.Mode().IsRegular() {
		f, err := os.Open(name)
		if err != nil {
			return nil, none, input.PathError(err)
		}
		start := make([]byte, 8)
		n, _ := f.ReadAt(start, 0)
		if !input.Compressed(start[:n]) {
			in := &studio.Input{Name: name, Size: info.Size(), Time: info.ModTime().Add(24 * time.Hour), ReaderAt: f, Index: func(p *dfa.Program) *runtime.Survey { return indexOf(ctx, name, p) }}
			return in, func() { f.Close() }, nil
		}
		f.Close()
	}
	in, err := openInput(ctx, name, std, nil)
	if err != nil {
		return nil, none, err
	}
	defer in.Close()
	data, err := io.ReadAll(io.LimitReader(in, unpacked))
	if err != nil {
		return nil, none, err
	}
	out := &studio.Input{Name: in.Name, Size: int64(len(data)), ReaderAt: bytes.NewReader(data)}
	if len(data) == unpacked {
		out.Part = fmt.Sprintf("of which the first %d MiB are looked at, for it is compressed", unpacked>>20)
	}
	return out, none, nil
}

// indexOf is the index beside a file, nil if there is none that is of the file as it is, read by p.
func indexOf(ctx context.Context, name string, p *dfa.Program) *runtime.Survey {
	if _, err := os.Stat(name + splits.Extension); err != nil {
		return nil
	}
	f, err := splits.OpenFile(ctx, name, p)
	if err != nil {
		return nil
	}
	defer f.Close()
	x, err := f.Index()
	if err != nil {
		return nil
	}
	return &x.Survey
}

// serveStudio shows the page until it is interrupted.
func serveStudio(ctx context.Context, s *studio.Studio, std *streams, noOpen bool) error {
	srv, err := studio.Listen(s)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { srv.Close() })
	defer stop()
	if _, err := fmt.Fprintln(std.out, srv.Address()); err != nil {
		return err
	}
	if !noOpen {
		if err := openBrowser(srv.Address()); err != nil {
			fmt.Fprintf(std.err, "no browser could be opened (%v): open the address yourself\n", err)
		}
	}
	return srv.Serve()
}

// openBrowser opens an address in the browser of whoever is at this machine.
func openBrowser(address string) error {
	var cmd *exec.Cmd
	switch goruntime.GOOS {
	case "darwin":
		cmd = exec.Command("open", address)
	case "windows":
		cmd = exec.Command(filepath.Join(os.Getenv("SYSTEMROOT"), "System32", "rundll32.exe"), "url.dll,FileProtocolHandler", address)
	default:
		cmd = exec.Command("xdg-open", address)
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}
