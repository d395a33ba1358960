// Command dfaparse reads files of any described format as typed columns.
//
//	dfaparse parse -f apache_combined -o access.parquet access.log.gz
//
// Its exit code is 0 if all went well, 1 if it failed, 2 if it was used
// wrongly or a spec does not compile, 3 if it finished but left out records
// that could not be read, and 128 and the number of a signal that ended it.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync/atomic"
	"syscall"
	_ "time/tzdata" // zones, where the system has none

	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
)

// Exit codes.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitRejected = 3

	exitSignal = 128 // and the number of what has ended the run
)

// signalled is why a run is to end.
type signalled struct{ syscall.Signal }

func (s signalled) Error() string { return s.String() }
func (s signalled) Unwrap() error { return context.Canceled }

func main() { exit(run()) }

// run is main, but returns its exit code.
func run() int {
	signal.Ignore(syscall.SIGPIPE) // a write to a closed pipe is an error like others
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, ends...)
	go func() {
		sent := <-ended
		signal.Stop(ended) // a second signal ends the program at once
		cancel(signalled{sent.(syscall.Signal)})
	}()

	std := &streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}
	if closedStream(os.Stdin) {
		std.in = closed("input")
	}
	if closedStream(os.Stdout) {
		std.out = closed("output")
	}
	return execute(ctx, os.Args[1:], std)
}

// closed is a standard stream that is closed.
type closed string

func (c closed) fail([]byte) (int, error) {
	return 0, fmt.Errorf("the standard %s is closed", string(c))
}

func (c closed) Read(p []byte) (int, error)  { return c.fail(p) }
func (c closed) Write(p []byte) (int, error) { return c.fail(p) }

// streams are where a command reads and writes.
type streams struct {
	in  io.Reader
	out io.Writer
	err io.Writer
	sys output.System // nil: the real one

	held map[string]*input.Input // by their paths: inputs that can be read only once, of which a sample has been looked at

	encoding string // that inputs are in, "" for UTF-8
	guessed  bool   // it is that of the first input, and others may have their own
	ascii    bool   // the format counts bytes, see dfa.Program.CountsBytes

	misread atomic.Bool // it has been said that an input is rather UTF-8 than in encoding

	leftOver *leftOver // nil: what is left after compressed data is an error
}

// create begins a file.
func (s *streams) create(path string) (*output.File, error) {
	if s.sys == nil {
		return output.Create(output.OS{}, path)
	}
	return output.Create(s.sys, path)
}

// execute runs the command line and reports its outcome on std.err.
func execute(ctx context.Context, args []string, std *streams) int {
	root := newRoot(std)
	profiles := newProfiles(root)
	root.SetArgs(implied(root, args, std))
	err := root.ExecuteContext(ctx)
	if perr := profiles.stop(); err == nil {
		err = perr
	}
	if help, ok := root.OutOrStdout().(*lasting); ok && err == nil {
		err = help.err
	}
	var rejected *rejectedError
	var usage *usageError
	var option *output.OptionError
	switch {
	case err == nil || isClosedPipe(err):
		return exitOK
	case errors.As(err, &rejected):
		return exitRejected // already said
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(std.err, "dfaparse: interrupted")
		if by := (signalled{}); errors.As(context.Cause(ctx), &by) {
			return exitSignal + int(by.Signal)
		}
		return exitFailed
	case errors.As(err, &usage):
		say(std, err)
		if usage.command != "" {
			fmt.Fprintf(std.err, "Run '%s --help' for usage.\n", usage.command)
		}
		return exitUsage
	case errors.As(err, &option):
		say(std, err)
		return exitUsage
	}
	say(std, err)
	return exitFailed
}

// lasting is a Writer for those who do not look at errors: it keeps the first.
type lasting struct {
	io.Writer
	err error
}

func (l *lasting) Write(p []byte) (int, error) {
	n, err := l.Writer.Write(p)
	if l.err == nil {
		l.err = err
	}
	return n, err
}

// people is a Writer of text for people: whatever is in it, it is no command to
// the terminal.
type people struct{ io.Writer }

func (p people) Write(text []byte) (int, error) {
	if _, err := io.WriteString(p.Writer, render.PrintableLines(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// say writes an error; what has a place in a file begins with the place.
func say(std *streams, err error) {
	var located *locatedError
	if errors.As(err, &located) {
		fmt.Fprintln(people{std.err}, located)
		return
	}
	fmt.Fprintf(people{std.err}, "dfaparse: %s\n", render.Printable(strings.TrimPrefix(unwritten(err).Error(), "runtime: ")))
}

// unwritten is err, or what the system said for which an output is not written, without the words of whoever wrote it.
func unwritten(err error) error {
	var file *output.WriteError
	if errors.As(err, &file) {
		return file
	}
	if pe := (*os.PathError)(nil); errors.As(err, &pe) && pe.Op == "write" && pe.Path == os.Stdout.Name() {
		return &output.WriteError{Path: "the standard output", Err: pe.Err}
	}
	return err
}

// usageError is a command that was used wrongly, or a spec that does not
// compile.
type usageError struct {
	err     error
	command string // whose help to read, "" if it would not help
}

func (e *usageError) Error() string { return strings.TrimPrefix(e.err.Error(), "runtime: ") }
func (e *usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...)}
}

// locatedError is an error whose text begins with a place, and may show it.
type locatedError struct {
	err  error
	text string
}

func (e *locatedError) Error() string { return e.text }
func (e *locatedError) Unwrap() error { return e.err }

// rejectedError says that the command finished, but records were left out.
type rejectedError struct{ n int64 }

func (e *rejectedError) Error() string { return fmt.Sprintf("%d records rejected", e.n) }

// isClosedPipe reports whether the reader of our output has gone away: of the
// standard output, or of a pipe that -o names. Of a file such an error is one.
func isClosedPipe(err error) bool {
	pe := (*os.PathError)(nil)
	return errors.Is(err, output.ErrReaderGone) ||
		errors.As(err, &pe) && pe.Op == "write" && pe.Path == os.Stdout.Name() && output.IsBrokenPipe(err)
}
