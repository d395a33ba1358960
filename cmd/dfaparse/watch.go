package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

const (
	watchedRows    = 20                     // of the sample
	watchedRejects = 5                      // that are said
	settle         = 100 * time.Millisecond // an editor writes a file in several steps
)

// watch checks a spec, reads a sample with it, and does so again whenever one of the two
// files changes, until it is interrupted. Without a sample it takes the input of the spec's
// first test.
func watch(ctx context.Context, std *streams, spec, sample string, verbose bool) error {
	files := []string{spec}
	if sample != "" {
		files = append(files, sample)
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching files: %w", err)
	}
	defer watcher.Close()
	var names []string
	for _, file := range files {
		if _, err := os.Stat(file); err != nil {
			return usagef("there is no file %s; --watch wants files", file)
		}
		name, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		names = append(names, name)
		// The folder: editors put a new file in the place of the old one.
		if err := watcher.Add(filepath.Dir(name)); err != nil {
			return fmt.Errorf("watching %s: %w", filepath.Dir(file), err)
		}
	}
	for {
		if err := look(ctx, std, spec, sample, verbose); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			say(std, err)
		}
		if err := changed(ctx, watcher, names); err != nil {
			if ctx.Err() != nil {
				return nil // an interrupt is how it ends
			}
			return err
		}
		fmt.Fprintln(std.out)
	}
}

// changed waits until one of the files has changed, and no more comes.
func changed(ctx context.Context, watcher *fsnotify.Watcher, names []string) error {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-watcher.Errors:
			return fmt.Errorf("watching files: %w", err)
		case event := <-watcher.Events:
			if slices.Contains(names, filepath.Clean(event.Name)) && !event.Has(fsnotify.Chmod) {
				quiet = time.After(settle)
			}
		case <-quiet:
			return nil
		}
	}
}

// look checks a spec and shows what it makes of a sample.
func look(ctx context.Context, std *streams, file, sample string, verbose bool) error {
	if err := check(ctx, people{std.out}, file, verbose); err != nil {
		return err
	}
	found, err := formats.Find(file)
	if err != nil {
		return notFound(file, err)
	}
	spec := &compile.Spec{Program: found.Program}
	if found.Program == nil {
		if spec, err = found.Compile(nil, compile.WithContext(ctx)); err != nil {
			return specError(err)
		}
	}
	rejects := 0
	options := []runtime.Option{
		runtime.WithEngine(cpu.Engine), runtime.WithContext(ctx), runtime.WithErrorMode(dfa.Reject), runtime.WithLimit(watchedRows),
		runtime.WithRejectHandler(func(rej *runtime.Reject) error {
			if rejects++; rejects <= watchedRejects {
				fmt.Fprintln(people{std.out}, render.Printable(rej.Error()))
			}
			return nil
		}),
	}
	std.encoding = "" // which a spec that was changed may not say any more
	program, err := std.decodeFor(spec.Program)
	if err != nil {
		return err
	}
	var r *runtime.Reader
	switch {
	case sample != "" && std.encoding != "":
		in, ierr := openInput(ctx, sample, std, nil)
		if ierr != nil {
			return ierr
		}
		defer in.Close()
		r, err = runtime.NewReader(in.Reader, program, append(options, runtime.WithName(sample))...)
	case sample != "":
		r, err = runtime.ReadFile(sample, program, options...)
	case len(spec.Examples) > 0:
		r, err = runtime.ReadBytes([]byte(spec.Examples[0].Input), program, append(options, runtime.WithName("the first test"))...)
	default:
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Release()
	w, err := output.Open("table", std.out, r.Schema(), output.Options{Table: tableOptions(std.out)})
	if err != nil {
		return err
	}
	for r.Next() {
		if err := w.Write(r.Record()); err != nil {
			return err
		}
	}
	return errors.Join(w.Close(), r.Err())
}
