//go:build cgo && (linux || darwin)

package main

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/dfaparse/dfaparse"
	"github.com/dfaparse/dfaparse/runtime"
)

// splitOptions are the JSON of dfaparse_split_new.
type splitOptions struct {
	Path      fileName `json:"path"`
	N         int      `json:"n"`
	SkipLines int64    `json:"skip_lines"`
	Threads   int      `json:"threads"`
	Shape     string   `json:"shape"`
}

// splits is what a dfaparse_splits stands for: those of a file, a line of JSON each.
type splits struct {
	pending
	text []byte
}

func splitting(f *format, o *splitOptions) *splits {
	s := &splits{}
	s.pending.begin(func(ctx context.Context) error {
		if err := f.made(); err != nil {
			return err
		}
		if f.encoding != "" {
			return errSplitEncoded
		}
		opts := []dfaparse.Option{dfaparse.Program(f.program), dfaparse.WithSkipLines(o.SkipLines)}
		if o.Threads != 0 {
			opts = append(opts, dfaparse.WithThreads(o.Threads))
		}
		if o.Shape != "" {
			opts = append(opts, dfaparse.WithShape(o.Shape))
		}
		all, err := dfaparse.SplitFile(ctx, string(o.Path), o.N, opts...)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		for i := range all {
			line, err := json.Marshal(&all[i])
			if err != nil {
				return err
			}
			b.Write(append(line, '\n'))
		}
		s.text = b.Bytes()
		return nil
	})
	return s
}

var errSplitEncoded = &dfaparse.OptionError{Option: "encoding", Reason: "splits are of files in UTF-8"}

// split is the one that the options have, nil if they have none.
func (r *reader) split() (*dfaparse.Split, error) {
	switch o := r.options; {
	case o.Split == nil:
		return nil, nil
	case r.format.encoding != "":
		return nil, errSplitEncoded
	case r.data != nil || len(o.Paths) != 1:
		return nil, &dfaparse.OptionError{Option: "split", Reason: "a split is of one file: give its path"}
	default:
		s := new(runtime.Split)
		if err := json.Unmarshal(o.Split, s); err != nil {
			return nil, &dfaparse.OptionError{Option: "split", Reason: "this is no split: " + err.Error()}
		}
		return s, nil
	}
}
