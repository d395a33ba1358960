package compile

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/dfaparse/dfaparse/internal/lower"
	"github.com/dfaparse/dfaparse/internal/near"
)

// Fault is one reason why a spec does not compile.
type Fault struct {
	Pos     lexer.Position
	Message string
}

// Error is "file:line:col: message".
func (f *Fault) Error() string { return where(f.Pos) + f.Message }

// Faults are all the faults that were found, in the order of the file. It is
// the error that Parse, Check, Build and Compile return.
type Faults []*Fault

// Error is one fault a line.
func (fs Faults) Error() string {
	lines := make([]string, len(fs))
	for i, f := range fs {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the single faults to errors.As.
func (fs Faults) Unwrap() []error {
	errs := make([]error, len(fs))
	for i, f := range fs {
		errs[i] = f
	}
	return errs
}

// FaultsOf are all that an error of Compile says, that of its verifier included, each with its
// place; of what says none, Pos.Line is 0.
func FaultsOf(err error) (all Faults) {
	if faults, ok := err.(Faults); ok {
		return faults
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok {
		for _, one := range several.Unwrap() {
			all = append(all, FaultsOf(one)...)
		}
		return all
	}
	if inner := errors.Unwrap(err); errors.As(inner, new(Faults)) {
		return FaultsOf(inner)
	}
	f := &Fault{Message: err.Error()}
	var placed interface{ Pos() string } // "file:line:col"
	if !errors.As(err, &placed) {
		return Faults{f}
	}
	parts := strings.Split(placed.Pos(), ":")
	if n := len(parts) - 2; n > 0 {
		f.Pos.Filename = strings.Join(parts[:n], ":")
		f.Pos.Line, _ = strconv.Atoi(parts[n])
		f.Pos.Column, _ = strconv.Atoi(parts[n+1])
		f.Message = strings.TrimPrefix(f.Message, placed.Pos()+": ")
	}
	return Faults{f}
}

// Warning is something that compiles and is probably not meant.
type Warning struct {
	Pos     lexer.Position
	Message string
}

// String is "file:line:col: warning: message".
func (w Warning) String() string { return where(w.Pos) + "warning: " + w.Message }

func where(pos lexer.Position) string {
	if pos.Line == 0 {
		if pos.Filename == "" {
			return ""
		}
		return pos.Filename + ": "
	}
	return pos.String() + ": "
}

func faultf(pos lexer.Position, format string, args ...any) *Fault {
	return &Fault{pos, fmt.Sprintf(format, args...)}
}

// maxFaults bounds how many faults of a spec are reported.
const maxFaults = 100

// faults collects what is wrong, each thing once.
type faults struct {
	work     *work // that finding them may take
	list     Faults
	warnings []Warning
	seen     map[Fault]bool
}

func (c *faults) addf(pos lexer.Position, format string, args ...any) {
	c.add(faultf(pos, format, args...))
}

func (c *faults) add(f *Fault) {
	f.Message = clipped(f.Message)
	if c.seen == nil {
		c.seen = map[Fault]bool{}
	}
	if !c.seen[*f] && len(c.list) < maxFaults {
		c.seen[*f] = true
		c.list = append(c.list, f)
	}
}

// clipped is a message with what a spec put into it cut to a readable length.
func clipped(message string) string {
	const most = 1000
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most/2], "") + " … " + strings.ToValidUTF8(message[len(message)-most/2:], "")
}

func (c *faults) warnf(pos lexer.Position, format string, args ...any) {
	c.warnings = append(c.warnings, Warning{pos, fmt.Sprintf(format, args...)})
}

// err is nil if there is no fault, else the Faults by position.
func (c *faults) err() error {
	if len(c.list) == 0 {
		return nil
	}
	slices.SortStableFunc(c.list, func(a, b *Fault) int { return before(a.Pos, b.Pos) })
	said := false // that the file needs too much, which all say that come after
	return slices.DeleteFunc(slices.Clone(c.list), func(f *Fault) bool {
		again := said && strings.Contains(f.Message, lower.TooManyStates)
		said = said || strings.Contains(f.Message, lower.TooManyStates)
		return again
	})
}

// before compares positions.
func before(a, b lexer.Position) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Offset, b.Offset))
}

// suggest is suggest, while there is room for a fault that it could go with.
func (c *faults) suggest(word string, known []string) string {
	if len(c.list) == maxFaults {
		return ""
	}
	return suggest(word, known)
}

// suggest is `; did you mean "x"?` for the known word nearest to word, or, if
// none is near, the list of those known, if that is short.
func suggest(word string, known []string) string {
	if meant := near.Word(word, known); meant != "" {
		return fmt.Sprintf("; did you mean %q?", meant)
	}
	if len(known) == 0 || len(known) > 24 {
		return ""
	}
	return "; known: " + strings.Join(known, ", ")
}
