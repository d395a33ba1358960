package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// number is a flag of a whole number, 0 or more, decimal or with 0x.
type number[T int | int64 | uint64] struct{ value *T }

// numberVar adds one to f; short is its letter, "" for none.
func numberVar[T int | int64 | uint64](f *pflag.FlagSet, value *T, name, short string, def T, usage string) {
	*value = def
	f.VarP(number[T]{value}, name, short, usage)
}

func (n number[T]) Set(text string) error {
	digits, base := text, 10
	if hex, ok := strings.CutPrefix(strings.ToLower(text), "0x"); ok {
		digits, base = hex, 16
	}
	v, err := strconv.ParseUint(digits, base, 64)
	largest := uint64(math.MaxUint64)
	switch any(*n.value).(type) {
	case int:
		largest = math.MaxInt
	case int64:
		largest = math.MaxInt64
	}
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && v > largest:
		return fmt.Errorf("want a whole number up to %d", largest)
	case err != nil:
		return errors.New("want a whole number, 0 or more")
	}
	*n.value = T(v)
	return nil
}

func (n number[T]) Type() string   { return "int" }
func (n number[T]) String() string { return fmt.Sprint(*n.value) }

// flagError says what is wrong with a flag.
func flagError(cmd *cobra.Command, err error) error {
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		f, cause := invalid.GetFlag(), invalid.Unwrap()
		switch f.Value.Type() {
		case "bool":
			cause = errors.New("want true or false, or nothing")
		case "size":
			return &usageError{fmt.Errorf("--%s: %w", f.Name, cause), cmd.CommandPath()}
		}
		err = fmt.Errorf("--%s %s: %w", f.Name, invalid.GetValue(), cause)
	}
	return &usageError{err, cmd.CommandPath()}
}

// checkFlags refuses values that say nothing: of a flag that is given somebody
// wants something.
func checkFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0
			for _, element := range list.GetSlice() {
				empty = empty || element == ""
			}
		}
		switch {
		case err != nil:
		case empty:
			err = usagef("--%s has an empty value", f.Name)
		case f.Value.Type() == "size" && f.Value.String() == "0":
			err = usagef("--%s 0: want 1 byte or more", f.Name)
		}
	})
	return err
}

// arguments wants so many arguments, which are what says in words.
func arguments(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("name %s", what)
		case len(args) > most && most == 0:
			return fmt.Errorf("there is nothing to be named, but here is %q", args[0])
		case len(args) > most:
			return fmt.Errorf("name %s, and no more: what is %q?", what, args[most])
		}
		for _, a := range args {
			if a == "" {
				return fmt.Errorf("name %s: a name is empty", what)
			}
		}
		return nil
	}
}
