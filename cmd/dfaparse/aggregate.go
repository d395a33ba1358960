package main

import (
	"context"
	"errors"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/dfaparse/dfaparse/internal/aggregate"
	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/output"
	"github.com/dfaparse/dfaparse/runtime"
)

// passage is what becomes of records between the reader and the output. A nil one
// leaves them as they are.
type passage struct {
	begin   func(j *job, schema *arrow.Schema, open openOutput) (output.Writer, error)
	missing func(*runtime.NoColumnError) error // says where a column is named that is not there, if one is
	isFull  func() bool                        // no more records are wanted; may be nil
	isWhole bool                               // of a part of the input there is no output

	plan func(*arrow.Schema) (*aggregate.Plan, error) // of an aggregation, for who groups otherwise; or nil
	take func(*aggregate.Aggregation)                 // has the groups of such a plan in place of its own
}

// openOutput opens the output for records of a schema.
type openOutput func(*arrow.Schema) (output.Writer, error)

func (p *passage) full() bool  { return p != nil && p.isFull != nil && p.isFull() }
func (p *passage) whole() bool { return p != nil && p.isWhole }

// fault is the fault of an expression for which the reading did not begin, nil if it
// is for something else.
func (p *passage) fault(err error) error {
	var no *runtime.NoColumnError
	if p == nil || !errors.As(err, &no) {
		return nil
	}
	return exprFault(p.missing(no))
}

// exprFault makes the fault of an expression one of usage.
func exprFault(err error) error {
	var fault *expr.Fault
	if !errors.As(err, &fault) {
		return err
	}
	return &usageError{err: &locatedError{err, fault.Error()}}
}

func whereFlag(f *pflag.FlagSet, where *string) {
	f.StringVar(where, "where", "", "only the rows for which `TEST` holds, as 'status >= 500 and not bot'")
}

// newWhere is the passage of --where: rows for which a test holds. It has the
// reader deliver the columns that the test reads, and counts --limit itself.
func newWhere(text string, r *reading, w *writing) (*passage, error) {
	if text == "" {
		return nil, nil
	}
	r.where = text
	src := expr.Source{Name: "--where", Text: text}
	test, err := expr.ParseWhere(src)
	if err != nil {
		return nil, exprFault(err)
	}
	names, err := src.TestNames(nil, test)
	if err != nil {
		return nil, exprFault(err)
	}
	asked := slices.Clone(r.columns)
	if len(asked) > 0 {
		for _, name := range names {
			if !slices.Contains(r.columns, name) && name != w.fileColumn {
				r.columns = append(r.columns, name)
			}
		}
	}
	kept := &whereWriter{left: r.limit}
	r.limit = -1
	return &passage{
		begin: func(j *job, schema *arrow.Schema, open openOutput) (_ output.Writer, err error) {
			if kept.filter, err = src.BindWhere(test, schema); err != nil {
				return nil, exprFault(err)
			}
			var names []string // all
			if len(asked) > 0 {
				names = append(slices.Clone(asked), j.w.fileColumn)
			}
			kept.schema, kept.columns = columnsOf(schema, names)
			kept.Writer, err = open(kept.schema)
			return kept, err
		},
		missing: func(no *runtime.NoColumnError) error {
			if slices.Contains(asked, no.Name) {
				return &usageError{err: no}
			}
			return src.CheckTest(test, schemaOf(no.Columns))
		},
		isFull: func() bool { return kept.left == 0 },
	}, nil
}

// schemaOf is a schema of which only the names count.
func schemaOf(names []string) *arrow.Schema {
	fields := make([]arrow.Field, len(names))
	for i, name := range names {
		fields[i] = arrow.Field{Name: name, Type: arrow.Null}
	}
	return arrow.NewSchema(fields, nil)
}

// whereWriter writes the rows that a filter wants.
type whereWriter struct {
	output.Writer
	filter  *expr.Filter
	schema  *arrow.Schema
	columns []int
	left    int64 // rows that may be written; -1: any number
}

func (w *whereWriter) Write(rec arrow.Record) error {
	rows, _ := w.filter.Rows(rec)
	if w.left >= 0 {
		rows = rows[:min(int64(len(rows)), w.left)]
		w.left -= int64(len(rows))
	}
	if len(rows) == 0 {
		return nil
	}
	taken := expr.Take(rec, w.schema, w.columns, rows)
	defer taken.Release()
	return w.Writer.Write(taken)
}

// Abort gives the output up.
func (w *whereWriter) Abort() { output.Abort(w.Writer) }

const aggregateExamples = `  dfaparse aggregate -f apache_combined --by status access.log
  dfaparse aggregate -f apache_combined --by 'hour(time) status' --agg 'count() sum(size)' -o hits.parquet access.log.gz
  dfaparse aggregate data.csv --by country --agg 'mean(price) distinct(customer) as customers' --where 'price > 0' --top 10`

func newAggregate(std *streams) *cobra.Command {
	r := reading{limit: -1}
	var w writing
	var by, agg []string
	q := aggregate.Query{Names: aggregate.Names{By: "--by", Agg: "--agg", Where: "--where", Top: "--top"}}
	cmd := &cobra.Command{
		Use:     "aggregate [-f FORMAT] [--by COLUMNS] [--agg AGGREGATES] [INPUT...]",
		Short:   "Group the rows of inputs, and count, sum and compare their values",
		Example: aggregateExamples,
		Long: `Aggregate groups rows by columns, and finds out of each group what --agg asks
for: count() of rows, and of the values of a column count(x), sum(x), min(x),
max(x), mean(x), distinct(x), which is how many different ones there are, and
approx_distinct(x), which is about as many and needs little memory. Nulls are no
values; as a key, null is a group like others. Columns of --by may be dates and
times that are cut to year(x), quarter(x), month(x), week(x), day(x), hour(x),
minute(x) or second(x).

Sums are exact, and those of floats are rounded once. The groups come in the
order of their keys, or with --top the largest first. Only the columns that are
named are converted. The words are in docs/aggregate.md.`,
		Args: inputs(std),
		RunE: func(cmd *cobra.Command, args []string) error {
			args, err := inputsOf(args)
			if err != nil {
				return err
			}
			q.By, q.Agg = strings.Join(by, " "), strings.Join(agg, " ")
			parsed, err := aggregate.Parse(q)
			if err != nil {
				return exprFault(err)
			}
			r.condenses, r.once, r.where = true, true, q.Where
			run := func(r reading, w writing) error {
				through, done := aggregated(parsed)
				defer done()
				j, err := newJob(cmd, args, &r, &w, std, through)
				if err != nil {
					return err
				}
				names := parsed.Columns()
				if names == nil {
					names = []string{} // not nil, which would be all
				}
				j.matched.Wanted = names
				return j.run()
			}
			return onceOrAgain(run, r, w)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	formatFlag(cmd, &r.format, foundOut)
	r.dialect.flags(cmd, true)
	f.StringArrayVar(&by, "by", nil, "group by the `COLUMNS`, or functions of them: 'hour(time) status' (default: all rows are one group)")
	f.StringArrayVar(&agg, "agg", nil, "`AGGREGATES`: 'count() sum(size) mean(size) as average' (default: count())")
	whereFlag(f, &q.Where)
	numberVar(f, &q.Top, "top", "", 0, "only the `N` groups with the largest first aggregate")
	w.together.flags(f)
	f.StringVarP(&w.out, "output", "o", "", "write `FILE`: .arrow .arrows .parquet .csv .tsv .jsonl")
	toFlag(cmd, &w.to, "form of output: "+strings.Join(output.Kinds(), ", ")+" (default: by the extension of -o; else table on a terminal, jsonl elsewhere)")
	w.style.flags(f)
	numberVar(f, &r.skip, "skip", "", 0, "pass over the first `N` records")
	skipLinesFlag(f, &r.skipLines)
	shapeFlag(f, &r.shape)
	numberVar(f, &r.limit, "limit", "", -1, "read only the first `N` rows")
	f.Lookup("limit").DefValue = "0" // -1 is no number to show
	r.execution(f)
	r.tolerance(f)
	w.account(f)
	return cmd
}

// aggregated is the passage of an aggregation, and what to call in the end.
func aggregated(q *aggregate.Parsed) (*passage, func()) {
	w := &aggregateWriter{}
	p := &passage{isWhole: true, missing: func(no *runtime.NoColumnError) error { return q.CheckColumns(no.Columns) }}
	p.plan = q.Bind
	p.take = func(groups *aggregate.Aggregation) {
		w.groups.Close()
		w.groups = groups
	}
	p.begin = func(j *job, schema *arrow.Schema, open openOutput) (output.Writer, error) {
		plan, err := q.Bind(schema)
		if err != nil {
			return nil, exprFault(err)
		}
		w.open = func() (err error) {
			w.Writer, err = open(plan.Schema())
			return err
		}
		if j.chosen.trust == nil {
			if err := w.open(); err != nil {
				return nil, err
			}
		}
		o := aggregate.Options{Threads: j.r.threads, Memory: j.memory.grouping()}
		if o.Threads == 0 {
			o.Threads = goruntime.GOMAXPROCS(0)
		}
		w.ctx, w.groups = j.ctx, aggregate.New(plan, o)
		return w, nil
	}
	return p, func() {
		if w.groups != nil {
			w.groups.Close()
		}
	}
}

// aggregateWriter writes, when it is closed, what the records have come to.
type aggregateWriter struct {
	output.Writer // nil: it is not open yet
	open          func() error
	ctx           context.Context
	groups        *aggregate.Aggregation
}

func (w *aggregateWriter) Write(rec arrow.Record) error { return w.groups.Add(rec) }

func (w *aggregateWriter) Close() error {
	if w.Writer == nil {
		if err := w.open(); err != nil {
			return err
		}
	}
	if err := w.groups.Finish(w.ctx, w.Writer.Write); err != nil {
		output.Abort(w.Writer)
		return err
	}
	return w.Writer.Close()
}

// Abort gives it up.
func (w *aggregateWriter) Abort() {
	w.groups.Close()
	if w.Writer != nil {
		output.Abort(w.Writer)
	}
}
