package reference

import (
	"fmt"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/runtime"
)

// Converters turn the CSSs of a plan's columns into the values of its outputs.
// They hold scratch memory and are used for one partition at a time.
type Converters struct {
	plan      *runtime.Plan
	outputs   []*convert.Converter
	cells     []*convert.Cells    // per output; nil unless it is a number of binary records
	settlers  []*convert.Settler  // per column of the plan; nil where it does not matter how a field was written
	splitters []*convert.Splitter // per column of the plan; nil where no output is a part of it
}

// NewConverters compiles the columns of plan's outputs.
func NewConverters(plan *runtime.Plan) (*Converters, error) {
	c := &Converters{plan: plan, settlers: make([]*convert.Settler, len(plan.Columns)), splitters: make([]*convert.Splitter, len(plan.Columns))}
	for i, o := range plan.Outputs {
		if o.Column < 0 || o.Column >= len(plan.Columns) {
			return nil, fmt.Errorf("output %d is column %d of %d", i, o.Column, len(plan.Columns))
		}
		converter, err := convert.NewConverter(plan.Def(o), convert.Options{UTF8: plan.UTF8, BaseTime: plan.BaseTime, Plain: true})
		if err != nil {
			return nil, err
		}
		c.outputs = append(c.outputs, converter)
		var cells *convert.Cells
		if p := plan.Program; len(p.Cells) > 0 && p.Cells[o.Column].Kind != dfa.TextCell {
			cells = convert.NewCells(converter, plan.Def(o), &p.Cells[o.Column], p.Widths[o.Column])
		}
		c.cells = append(c.cells, cells)
		c.settlers[o.Column] = convert.NewSettler(&plan.Columns[o.Column], plan.Program.Openers)
		if o.Part >= 0 && c.splitters[o.Column] == nil {
			c.splitters[o.Column] = convert.NewPlainSplitter(&plan.Columns[o.Column])
		}
	}
	return c, nil
}

// split is what the fields of one column were taken apart to.
type split struct {
	parts   []convert.Fields
	misfits []int // rows
}

// Convert is the stage convert (ParPaRaw, section 3.3): it gives the rows of a
// shape, one column an output, from the sorted symbols and the index into them.
//
// Columns are independent of each other. What a column has for a row is a view
// of the CSS; where something was escaped in data, it is settled what that means. A row whose record is malformed has nothing in any column, and
// what conversion says of such a row is not reported.
func (c *Converters) Convert(g Grid, shape *Shape, data, css []byte, start, end []int) runtime.Rows {
	n := len(shape.Record)
	fields := make([]convert.Fields, len(shape.Wanted))
	splits := make([]split, len(shape.Wanted))
	g.Each(len(shape.Wanted), func(w int) {
		fields[w] = view(css, start, end, shape.Span[w])
		column := shape.Wanted[w]
		if cells := c.plan.Program.Cells; len(cells) > 0 && cells[column].Pad != "" {
			for row := range fields[w].End {
				if text, ok := fields[w].At(row); ok {
					fields[w].End[row] = fields[w].Start[row] + uint32(len(cells[column].Text(text)))
				}
			}
		}
		if c.plan.Columns[column].Shape {
			c.nameShapes(&fields[w], shape)
		}
		if s := c.settlers[column]; s != nil {
			c.settle(s, &fields[w], shape, data, shape.Span[w])
		}
		if s := c.splitters[column]; s != nil {
			parts := make([]convert.Fields, len(c.plan.Columns[column].Split.Columns))
			splits[w] = split{parts, s.Split(&fields[w], parts)}
		}
	})

	malformed := make([]bool, n)
	for i := range shape.Problems {
		malformed[shape.Problems[i].Row] = true
	}
	rows := runtime.Rows{N: n, Columns: make([]*columns.Column, len(c.outputs))}
	problems := make([][]runtime.Problem, len(c.outputs))
	notes := make([][]runtime.Note, len(c.outputs))
	g.Each(len(c.outputs), func(o int) {
		output := c.plan.Outputs[o]
		w := slices.Index(shape.Wanted, output.Column)
		report := func(row int, what runtime.What, code convert.Code) {
			if malformed[row] {
				return
			}
			p := shape.At(row)
			p.What, p.Output, p.Code = what, o, code
			p.Field, p.Offset = p.Binding.Source[output.Column], p.End
			if span := shape.Span[w][row]; span >= 0 {
				p.Offset = shape.Spans.Start[span]
			}
			problems[o] = append(problems[o], p)
		}

		f := &fields[w]
		var misfits []int // rows that need no value, for they are reported as a whole
		if output.Part >= 0 {
			f = &splits[w].parts[output.Part]
			misfits = splits[w].misfits
			if c.firstPart(output.Column) == o {
				for _, row := range misfits {
					report(row, runtime.Part, convert.OK)
				}
			}
		}
		rows.Columns[o] = convert.NewColumn(&c.plan.Def(output).Type)
		replaced := c.outputs[o].Replaced()
		var errs []convert.FieldError
		if cells := c.cells[o]; cells != nil {
			errs = cells.AppendFields(rows.Columns[o], f, nil)
		} else {
			errs = c.outputs[o].Append(rows.Columns[o], f, nil)
		}
		for _, e := range errs {
			if _, misfit := slices.BinarySearch(misfits, e.Row); !misfit {
				report(e.Row, runtime.Value, e.Code)
			}
		}
		if c.outputs[o].Replaced() != replaced {
			c.outputs[o].EachReplaced(f, func(row int, nbytes int64) {
				notes[o] = append(notes[o], runtime.Note{Row: row, What: runtime.ReplacedBytes, N: int(nbytes), Offset: shape.At(row).Start})
			})
		}
	})

	rows.Problems = slices.Concat(append(problems, shape.Problems)...)
	runtime.SortProblems(rows.Problems)
	rows.Notes = slices.Concat(append(notes, shape.Notes)...)
	runtime.SortNotes(rows.Notes)
	return rows
}

// view gives the spans of one column, by row, as fields that lie in css.
func view(css []byte, start, end, span []int) convert.Fields {
	f := convert.Fields{Src: css, Start: make([]uint32, len(span)), End: make([]uint32, len(span))}
	for row, i := range span {
		f.Start[row] = convert.Absent
		if i >= 0 {
			f.Start[row], f.End[row] = uint32(start[i]), uint32(end[i])
		}
	}
	return f
}

// nameShapes makes the names of their shapes the fields of the rows: the class of the
// field that ends a record says which it is.
func (c *Converters) nameShapes(f *convert.Fields, shape *Shape) {
	ix := shape.ix
	for row, record := range shape.Record {
		last := ix.Records.Fields[record+1] - 1
		if class := ix.Fields.Class[last]; class > 0 {
			f.Start[row] = uint32(len(f.Decoded)) | convert.InDecoded
			f.Decoded = append(f.Decoded, c.plan.Program.Shapes[class-1].Name...)
			f.End[row] = uint32(len(f.Decoded))
		}
	}
}

// settle settles the fields of one column, the spans of which are given by row, in
// which something was escaped.
func (c *Converters) settle(s *convert.Settler, f *convert.Fields, shape *Shape, data []byte, span []int) {
	for row, i := range span {
		if i < 0 || shape.Spans.Raw[i] {
			continue
		}
		w, escaped := shape.ix.Written(c.plan.Program.Automaton, data, shape.Spans.Start[i], shape.Spans.End[i])
		if !escaped {
			continue
		}
		value, _ := f.At(row)
		f.Start[row] = uint32(len(f.Decoded)) | convert.InDecoded
		f.Decoded = append(f.Decoded, value...)
		f.End[row] = uint32(len(f.Decoded))
		s.Settle(f, row, &w)
	}
}

// firstPart is the first output that is a part of column: the one that a field
// which cannot be split is reported for.
func (c *Converters) firstPart(column int) int {
	return slices.IndexFunc(c.plan.Outputs, func(o runtime.Output) bool { return o.Column == column && o.Part >= 0 })
}
