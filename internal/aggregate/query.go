package aggregate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/expr"
)

// Query is what to group by and what to find out of each group, as
// docs/aggregate.md has it.
type Query struct {
	By    string // columns and functions of them; "": all rows are one group
	Agg   string // count(), sum(x), …; "" is count()
	Where string // a test of rows; "": all
	Top   int    // only so many groups, those with the largest first aggregate; 0: all, by their keys
	Names Names  // of the texts, in faults
}

// Names are what messages call the parts of a Query.
type Names struct{ By, Agg, Where, Top string }

// Parsed is a Query that has been read.
type Parsed struct {
	by, agg, where expr.Source
	keys, measures *expr.List
	test           *expr.Or // nil: none
	top            int
	columns        []string
}

// Parse reads q. Its error is an *expr.Fault.
func Parse(q Query) (*Parsed, error) {
	if strings.TrimSpace(q.Agg) == "" {
		q.Agg = "count()"
	}
	p := &Parsed{
		by: expr.Source{Name: q.Names.By, Text: q.By}, agg: expr.Source{Name: q.Names.Agg, Text: q.Agg},
		where: expr.Source{Name: q.Names.Where, Text: q.Where}, top: q.Top,
	}
	if q.Top < 0 {
		return nil, fmt.Errorf("%s is %d; expected a number of groups", q.Names.Top, q.Top)
	}
	var err error
	if p.keys, err = expr.ParseList(p.by); err != nil {
		return nil, err
	}
	if p.measures, err = expr.ParseList(p.agg); err != nil {
		return nil, err
	}
	if strings.TrimSpace(q.Where) != "" {
		if p.test, err = expr.ParseWhere(p.where); err != nil {
			return nil, err
		}
		if p.columns, err = p.where.TestNames(p.columns, p.test); err != nil {
			return nil, err
		}
	}
	for _, k := range p.keys.Items {
		if p.columns, err = p.by.Names(p.columns, k.Of); err != nil {
			return nil, err
		}
	}
	for _, m := range p.measures.Items {
		if o := m.Of; o.Name == nil || !slices.Contains(Functions, *o.Name) || o.Call == nil {
			return nil, p.agg.Faultf(o, "%s is no aggregate%s", o, meant(o))
		}
		if p.columns, err = p.agg.Names(p.columns, m.Of); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// Columns are the columns that the query reads.
func (p *Parsed) Columns() []string { return p.columns }

// CheckColumns finds a column that is not among those that there are.
func (p *Parsed) CheckColumns(there []string) error {
	fields := make([]arrow.Field, len(there))
	for i, name := range there {
		fields[i] = arrow.Field{Name: name, Type: arrow.Null}
	}
	schema := arrow.NewSchema(fields, nil)
	if p.test != nil {
		if err := p.where.CheckTest(p.test, schema); err != nil {
			return err
		}
	}
	for _, of := range []struct {
		src  expr.Source
		list *expr.List
	}{{p.by, p.keys}, {p.agg, p.measures}} {
		for _, item := range of.list.Items {
			if err := of.src.Check(item.Of, schema); err != nil {
				return err
			}
		}
	}
	return nil
}

// Functions are the aggregates.
var Functions = []string{"count", "sum", "min", "max", "mean", "distinct", "approx_distinct"}

// otherNames are what other tools call them.
var otherNames = map[string]string{
	"avg": "mean", "average": "mean", "nunique": "distinct", "count_distinct": "distinct", "n_distinct": "distinct", "uniq": "distinct", "n": "count",
	"approx_count_distinct": "approx_distinct", "minimum": "min", "maximum": "max",
}

// meant says which aggregate o may have been meant to be.
func meant(o *expr.Operand) string {
	name, args := "", "(x)"
	if o.Name != nil {
		name = strings.ToLower(*o.Name)
	}
	if other := otherNames[name]; other != "" {
		name = other
	}
	switch {
	case !slices.Contains(Functions, name):
		return "; expected one of " + strings.Join(Functions, ", ") + ", as mean(x)"
	case o.Call != nil:
		args = strings.TrimPrefix(o.String(), *o.Name)
	case name == "count":
		args = "()"
	}
	return fmt.Sprintf(", did you mean %s%s?", name, args)
}

// Plan is a query that is bound to the columns of a schema.
type Plan struct {
	where     *expr.Filter // nil: all rows
	main      *grouping
	distincts []*grouping // of the keys and one column more, whose values are counted
	measures  []*measure
	values    []*expr.Value // what keys and tallies are made of
	schema    *arrow.Schema
	top       int
}

// Schema is that of the results: keys, then aggregates.
func (p *Plan) Schema() *arrow.Schema { return p.schema }

// Bind binds the query to the columns of a schema. Its error is an *expr.Fault.
func (q *Parsed) Bind(schema *arrow.Schema) (*Plan, error) {
	p := &Plan{main: &grouping{words: 1}, top: q.top}
	var err error
	if q.test != nil {
		if p.where, err = q.where.BindWhere(q.test, schema); err != nil {
			return nil, err
		}
	}
	var fields []arrow.Field
	for _, item := range q.keys.Items {
		v, err := q.by.Bind(item.Of, schema)
		if err != nil {
			return nil, err
		}
		k, err := newKeyColumn(v.Field.Type, p.value(v))
		if err != nil {
			return nil, q.by.Faultf(item.Of, "%s is %s: %v", v.Field.Name, expr.TypeName(&v.Field), err)
		}
		p.main.keys = append(p.main.keys, k)
		f := v.Field
		f.Type, f.Nullable = k.gives, true
		if f.Name, err = q.by.NameOf(item); err != nil {
			return nil, err
		}
		fields = append(fields, f)
	}
	for _, item := range q.measures.Items {
		m, f, err := q.measure(p, item, schema)
		if err != nil {
			return nil, err
		}
		if f.Name, err = q.agg.NameOf(item); err != nil {
			return nil, err
		}
		p.measures = append(p.measures, m)
		fields = append(fields, *f)
	}
	for i, f := range fields {
		if j := slices.IndexFunc(fields[:i], func(g arrow.Field) bool { return g.Name == f.Name }); j >= 0 {
			at, src := i-len(q.keys.Items), q.agg
			item := (*expr.Item)(nil)
			if at < 0 {
				src, item = q.by, q.keys.Items[i]
			} else {
				item = q.measures.Items[at]
			}
			return nil, src.Faultf(item.Of, "two columns of the result are called %s; name one: %s as other", f.Name, item.Of)
		}
	}
	p.main.finish(len(p.distincts) > 0)
	for _, m := range p.measures {
		if m.tally >= 0 {
			m.at = p.main.at[m.tally]
		}
	}
	for i, d := range p.distincts {
		d.keys = append(slices.Clone(p.main.keys), d.keys...)
		d.words = 1
		d.finish(true)
		p.main.counts = append(p.main.counts, p.main.words)
		p.main.words++
		for _, m := range p.measures {
			if m.kind == "distinct" && m.distinct == i {
				m.at = p.main.counts[i]
			}
		}
	}
	p.schema = arrow.NewSchema(fields, nil)
	return p, nil
}

// value is the number of v among the values, which has each once.
func (p *Plan) value(v *expr.Value) int {
	for i, w := range p.values {
		if v.Same(w) {
			return i
		}
	}
	p.values = append(p.values, v)
	return len(p.values) - 1
}

// measure binds one aggregate.
func (q *Parsed) measure(p *Plan, item *expr.Item, schema *arrow.Schema) (*measure, *arrow.Field, error) {
	o := item.Of
	m := &measure{kind: *o.Name, name: o.String(), digits: -1, tally: -1, gives: arrow.PrimitiveTypes.Int64}
	args := o.Call.Args
	if m.kind == "count" && len(args) == 0 {
		p.main.counted = true
		return m, &arrow.Field{Type: arrow.PrimitiveTypes.Int64}, nil
	}
	if m.kind == "mean" && len(args) == 2 && args[1].Number != nil {
		n, err := strconv.Atoi(*args[1].Number)
		if err != nil || n < 0 || n > 18 {
			return nil, nil, q.agg.Faultf(args[1], "a mean has 0 to 18 digits after the point, not %s", args[1])
		}
		m.digits, args = n, args[:1]
	}
	if len(args) != 1 {
		want := "one column"
		switch m.kind {
		case "count":
			want = "one column, or none for all rows"
		case "mean":
			want = "one column, and perhaps how many digits shall be after the point: mean(x, 2)"
		}
		return nil, nil, q.agg.Faultf(o, "%s wants %s", m.kind, want)
	}
	v, err := q.agg.Bind(args[0], schema)
	if err != nil {
		return nil, nil, err
	}
	m.of = p.value(v)
	f := v.Field
	f.Nullable = true
	if m.kind == "distinct" {
		k, err := newKeyColumn(f.Type, m.of)
		if err != nil {
			return nil, nil, q.agg.Faultf(args[0], "%s is %s: %v", f.Name, expr.TypeName(&f), err)
		}
		if m.distinct = slices.IndexFunc(p.distincts, func(d *grouping) bool { return d.keys[0].of == m.of }); m.distinct < 0 {
			m.distinct = len(p.distincts)
			p.distincts = append(p.distincts, &grouping{keys: []keyColumn{k}})
		}
		return m, &arrow.Field{Type: arrow.PrimitiveTypes.Int64}, nil
	}
	if m.kind == "approx_distinct" {
		k, err := newKeyColumn(f.Type, m.of)
		if err != nil {
			return nil, nil, q.agg.Faultf(args[0], "%s is %s: %v", f.Name, expr.TypeName(&f), err)
		}
		m.tally = p.main.tally(m.of, newSketchTally(k))
		return m, &arrow.Field{Type: arrow.PrimitiveTypes.Int64}, nil
	}
	t, err := m.bind(&f)
	if err != nil {
		return nil, nil, q.agg.Faultf(o, "%s of %s, which is %s: %v", m.kind, v.Field.Name, expr.TypeName(&v.Field), err)
	}
	m.tally = p.main.tally(m.of, t)
	p.main.tallies[m.tally].want(m.kind)
	return m, &f, nil
}
