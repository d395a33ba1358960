package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/follow"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file is about files that are read while they are written to, until an interrupt.

func followFlag(f *pflag.FlagSet, on *bool) {
	f.BoolVar(on, "follow", false, "of one file: go on with what is written to it, and with the file that takes its name, until an interrupt")
}

// startFollow begins to follow the input, if that is asked for. An interrupt then ends the
// input, and not the run.
func (j *job) startFollow() error {
	if !j.r.follow {
		return nil
	}
	path := j.paths[0]
	switch encoding := strings.ToLower(j.std.encoding); {
	case len(j.paths) != 1 || path == "-" || input.IsRemote(path):
		return usagef("--follow is of one file: name it")
	case strings.HasPrefix(encoding, "utf-16") || strings.HasPrefix(encoding, "utf-32"):
		return usagef("--follow reads lines, of UTF-8 and of encodings with a byte for each character, and not %s", j.std.encoding)
	}
	var err error
	j.follow, err = follow.New(path, j.ctx.Done())
	if wrong := (*input.NameError)(nil); errors.As(err, &wrong) {
		return &usageError{err: err}
	}
	j.ctx = context.WithoutCancel(j.ctx)
	return err
}

// openFollowed opens what has the name of the followed file now.
func (j *job) openFollowed(ctx context.Context) (*input.Input, error) {
	in, err := j.follow.Next(ctx, follow.Ends(j.program.Automaton))
	if err == nil && j.std.encoding != "" {
		if err = j.std.decode(in); err != nil {
			in.Close()
			return nil, &usageError{err: err}
		}
	}
	return in, err
}

// readAll reads an input, and where it is followed those that come after it.
func (j *job) readAll(i int, path string) error {
	if j.follow == nil {
		return j.read(i, path)
	}
	for {
		before := j.total.Records
		err := j.read(j.followed, path)
		if j.followed++; j.follow.Stopped() && err != nil {
			// An interrupt comes where it comes: a record that is not complete is none.
			if j.total.Records == before || errors.Is(err, runtime.ErrSyntax) {
				err = nil
			}
		}
		if err != nil || j.follow.Stopped() || j.limitLeft() == 0 || j.through.full() {
			return err
		}
	}
}
