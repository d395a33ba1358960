package main

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/spf13/cobra"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

func newReplay(std *streams) *cobra.Command {
	var format, out string
	cmd := &cobra.Command{
		Use:   "replay -f FORMAT REJECTS.jsonl",
		Short: "Read rejected records again, by another format",
		Example: `  dfaparse parse -f my.dfp --on-error reject --rejects rejects.jsonl -o a.parquet my.log
  dfaparse replay -f fixed.dfp -o more.parquet rejects.jsonl`,
		Long: `Replay reads the records that "parse --rejects" has written as JSON Lines, each
by itself, by a format that has been mended meanwhile. It prints those that
still cannot be read, and why, and how many can; -o writes the rows of these.

A header, or what else comes before the first record, is taken from the file
that a record is from.`,
		Args: arguments(1, 1, "one file of rejects"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format == "" {
				return usagef("-f says by which format to read")
			}
			program, err := programFor(cmd.Context(), format, nil, std)
			if err == nil {
				program, err = std.decodeFor(program) // rejects are text, the files that they are from are not
			}
			if err != nil {
				return err
			}
			f, err := os.Open(args[0])
			if err != nil {
				return input.PathError(err)
			}
			defer f.Close()
			p := &replayed{ctx: cmd.Context(), std: std, program: program, out: out, heads: map[string][]byte{}}
			return p.finish(p.run(args[0], f))
		},
	}
	cmd.Flags().SortFlags = false
	formatFlag(cmd, &format, "must be given")
	cmd.Flags().StringVarP(&out, "output", "o", "", "write the rows that can be read to `FILE`, of a form by its extension as parse does")
	return cmd
}

// replayed are rejects that are read again.
type replayed struct {
	ctx     context.Context
	std     *streams
	program *dfa.Program
	out     string
	file    *output.File  // nil: none yet, or none wanted
	to      output.Writer // into it
	schema  *arrow.Schema
	heads   map[string][]byte // of files, what comes before their first record

	records, passed, rows int64
}

// replayedRecord is a line of a file of rejects.
type replayedRecord struct {
	File   string  `json:"file"`
	Line   int64   `json:"line"`
	Column int64   `json:"column"`
	Record int64   `json:"record"`
	Raw    *string `json:"raw"`
	Base64 *string `json:"raw_base64"`
}

func (p *replayed) run(name string, in io.Reader) error {
	lines := bufio.NewReaderSize(in, 1<<16)
	var last replayedRecord
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", name, input.Pathless(err))
		}
		if err := p.ctx.Err(); err != nil {
			return err
		}
		var r replayedRecord
		if jerr := json.Unmarshal(line, &r); jerr != nil || r.Raw == nil && r.Base64 == nil {
			return fmt.Errorf("%s:%d: this is no reject as \"parse --rejects\" writes them", render.Printable(name), n)
		}
		if n > 1 && r.File == last.File && r.Record == last.Record && r.Record > 0 {
			continue // another field of it
		}
		last = r
		if err := p.record(&r); err != nil {
			return err
		}
	}
}

// record reads one again.
func (p *replayed) record(r *replayedRecord) error {
	raw := []byte(nil)
	if r.Raw != nil {
		raw = []byte(*r.Raw)
	} else {
		var err error
		if raw, err = base64.StdEncoding.DecodeString(*r.Base64); err != nil {
			return fmt.Errorf("%s:%d: raw_base64: %w", render.Printable(r.File), r.Line, err)
		}
	}
	p.records++
	head, err := p.head(r.File)
	if err != nil {
		return err
	}
	data := append(append(append([]byte(nil), head...), raw...), '\n')
	var why *runtime.ParseError
	reader, err := runtime.ReadBytes(data, p.program, runtime.WithContext(p.ctx), runtime.WithEngine(cpu.Engine), runtime.WithName(r.File),
		runtime.WithErrorMode(dfa.Reject), runtime.WithThreads(1), runtime.WithMaxRejects(0),
		runtime.WithRejectHandler(func(reject *runtime.Reject) error {
			why = &reject.ParseError
			return nil
		}))
	if err != nil {
		return err
	}
	defer reader.Release()
	var records []arrow.Record
	defer func() {
		for _, rec := range records {
			rec.Release()
		}
	}()
	for reader.Next() {
		rec := reader.Record()
		rec.Retain()
		records = append(records, rec)
	}
	if err := reader.Err(); err != nil && why == nil && !errors.As(err, &why) {
		return err
	}
	at := render.Printable(r.File)
	if r.Line > 0 { // there are none in binary inputs
		at = fmt.Sprintf("%s:%d:%d", at, r.Line, r.Column)
	}
	rows := reader.Stats().Rows
	switch {
	case why != nil:
		reason := why.Detail
		if why.Field != "" {
			reason = fmt.Sprintf("field %q: %s", why.Field, reason)
		}
		_, err = fmt.Fprintf(people{p.std.out}, "%s: record %d still cannot be read: %s\n", at, r.Record, render.Printable(reason))
		return err
	case rows == 0:
		_, err = fmt.Fprintf(people{p.std.out}, "%s: record %d is none any more\n", at, r.Record)
		return err
	}
	p.passed++
	p.rows += rows
	for _, rec := range records {
		if err := p.write(rec); err != nil {
			return err
		}
	}
	return nil
}

// head is what comes before the first record of a file, if the format wants that.
func (p *replayed) head(file string) ([]byte, error) {
	if p.program.Header.Mode == dfa.NoHeader && len(p.program.Skip) == 0 && !p.program.Dynamic() && len(p.program.Columns) > 0 {
		return nil, nil
	}
	if head, known := p.heads[file]; known {
		return head, nil
	}
	in, err := openInput(p.ctx, file, p.std, nil)
	if err != nil {
		return nil, fmt.Errorf("the format wants what comes before the first record: %w", err)
	}
	defer in.Close()
	data := make([]byte, headLook)
	n, err := input.ReadFull(in.Reader, data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", render.Printable(file), input.Pathless(err))
	}
	r, err := runtime.ReadBytes(data[:n], p.program, runtime.WithContext(p.ctx), runtime.WithEngine(cpu.Engine), runtime.WithName(in.Name), runtime.WithThreads(1), runtime.WithColumns([]string{}...))
	if err != nil {
		return nil, err
	}
	defer r.Release()
	end := int64(0)
	err = r.Places(func(c *runtime.Checkpoint) bool {
		if c.Records == 0 {
			end = c.Offset
		}
		return c.Records == 0
	})
	p.heads[file] = data[:end]
	return p.heads[file], err
}

// headLook is how much of a file is looked at for what comes before its first record.
const headLook = 1 << 20

// write writes rows that can be read now.
func (p *replayed) write(rec arrow.Record) (err error) {
	if p.out == "" {
		return nil
	}
	if p.to == nil {
		kind, err := output.KindOf(p.out)
		if err != nil {
			return &usageError{err: err}
		}
		if p.file, err = p.std.create(p.out); err != nil {
			return err
		}
		p.schema = rec.Schema()
		if p.to, err = output.Open(kind, p.file, p.schema, output.Options{Path: p.out, SpoolDir: p.file.Dir()}); err != nil {
			return err
		}
	}
	if !p.schema.Equal(rec.Schema()) {
		return errors.New("the rejects are of files with different columns")
	}
	return p.to.Write(rec)
}

// finish says how many can be read, and completes the output.
func (p *replayed) finish(err error) error {
	if p.to != nil {
		if err == nil {
			err = p.to.Close()
		} else {
			output.Abort(p.to)
		}
	}
	switch {
	case p.file == nil:
	case err != nil:
		p.file.Abort()
	default:
		err = p.file.Commit()
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(people{p.std.err}, "dfaparse: %s of %s can be read now, and give %s\n", render.Grouped(p.passed), render.Count(p.records, "record"), render.Count(p.rows, "row"))
	if p.passed < p.records {
		return &rejectedError{p.records - p.passed}
	}
	return nil
}
