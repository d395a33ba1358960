package infer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
)

// Table is what has been found out about an input.
type Table struct {
	Dialect
	Keyed     *Keyed // if records are keys and values; nil: they are delimited, as Dialect says
	Given     *Given
	Rival     *Rating // the second best dialect, if it is close; else nil
	Score     float64 // of the dialect, 0 to 1, see Rating
	Width     int     // columns, by the dialect
	Columns   []*Column
	Records   int64
	Rejected  int64  // that the dialect does not read
	Reject    string // the first of them
	Sampled   bool   // the types are those of the sample alone
	Sure      bool   // no format that is built in can be meant
	Unsure    bool   // nothing tells whether the first record names the columns
	Totals    bool   // the last record is likely one of totals
	Doubted   string // what lines begin with that may be comments or records, "" if nothing does
	Unclosed  int    // the line of a quote that opens a field and is never closed, which is data; 0: there is none
	Hint      string // what else may have been meant, "" if nothing
	Encoding  string // of all inputs; "" for UTF-8
	Encodings string // what else there is to say of it, in a sentence; "" if nothing

	ByPosition bool     // other inputs may call the columns otherwise
	Lacking    []string // columns that some inputs have not
	OwnEnds    *Footer  // each input may have a footer of its own, which is left out where it is read; this is that of the first. nil: they have none

	widths  []int        // of columns that are told by their places
	names   []string     // of the columns in their order, "_" for none; nil: the input has them
	first   []row        // of the sample, to be shown
	head    []byte       // of the sample, up to the end of them
	ended   bool         // what tells the footer is looked for at the end of any input
	rejects []lateReject // that were looked at
	runsOn  int          // the line of one whose quote takes other lines for its field; 0: there is none
	options []runtime.Option
	built   *compile.Spec // the last that was, of source
	source  string
}

// ErrNoTable is the error for inputs that have no records.
var ErrNoTable = errors.New("there is nothing from which a table could be inferred")

// SampleBytes is how much of an input the dialect is inferred from.
const SampleBytes = 64 << 10

// closeScore is what part of the best score makes another dialect a rival.
const closeScore = 0.9

// Input is what a table is inferred from.
type Input struct {
	Sample []byte // its first bytes
	Whole  bool   // they are all of it
	// Read calls use with records of all of the input, of the columns named or of all, as
	// often as it is called; nil: the input can be read only once, and types are those of
	// the sample.
	Read reading
}

// reading calls use with records of an input.
type reading func(p *dfa.Program, columns []string, use func(Records) error, opts ...runtime.Option) error

// Records are those of a *runtime.Reader, or what somebody made of them.
type Records interface {
	Schema() *arrow.Schema
	Next() bool
	Record() arrow.Record
	Err() error
	Stats() runtime.Stats
}

// Infer finds out what in looks like: the dialect from the sample, the types from all
// of it.
func Infer(ctx context.Context, name string, in *Input, given *Given, opts ...runtime.Option) (*Table, error) {
	t, err := Guess(in.Sample, in.Whole, given)
	if err != nil {
		return nil, err
	}
	return t, t.InferTypes(ctx, name, in, opts...)
}

// Guess finds out how a sample is written. whole says that it is all of the input.
func Guess(sample []byte, whole bool, given *Given) (*Table, error) {
	if given == nil {
		given = &Given{}
	}
	if err := given.Check(); err != nil {
		return nil, err
	}
	given = given.numbers()
	go func() { _, _ = compile.Parse("", nil) }() // which builds the parser that the spec of the table needs
	if said := excelLine().FindSubmatch(sample); said != nil && given.Separator == "" {
		return given.afterExcelLine(sample, len(said[0]), string(said[2]), whole)
	}
	if given.isFree() && remarks(sample) {
		return nil, fmt.Errorf("%w: all lines are comments, from \"#\"", ErrNoTable)
	}
	ratings, err := given.rate(sample, whole)
	if err != nil {
		return nil, err
	}
	if len(ratings) == 0 {
		return nil, ErrNoTable
	}
	best := &ratings[0]
	if whole && !given.Exact && !given.Lax && best.Foot == 0 {
		best.footer(dfa.WithoutMark(sample))
	}
	if best.Run && !best.Open && given.isFree() && underlined(best.rows, best.Columns) {
		best.Header, best.Names, best.Rule = true, 2, true
		best.rows = slices.Delete(slices.Clone(best.rows), 1, 2)
	}
	if given.Header == "" && !given.Exact && best.names == nil && !best.named {
		if n := titled(best.rows, best.Columns); n > 0 {
			best.Skip, best.rows = best.rows[n].line, best.rows[n:]
		}
		if whole && !given.Lax && best.Foot == 0 {
			best.sheetEnd()
		}
	}
	t := &Table{ended: best.Foot == 0 || len(best.ends) > 0, Dialect: best.Dialect, Sure: best.sure, Given: given, Score: best.Score, Width: best.Columns, names: best.names, widths: best.widths, first: best.rows[:min(shownRows, len(best.rows))]}
	if n := len(t.first); n > 0 {
		t.head = dfa.WithoutMark(sample)[:t.first[n-1].end]
	}
	switch {
	case given.header(&t.Dialect):
	case t.Rule:
	case best.named:
		t.Header = true
	case best.unnamed, best.Columns == 1 && headings(sample):
	default:
		has, sure := hasHeader(best.rows, best.Columns)
		has = has && (sure || !t.Copied) // where names are an exception
		t.Header, t.Unsure = has, has && !sure
		if twoLines(best.rows, best.Columns, !t.Header) || unitsBelow(best.rows, best.Columns) || yearsBelow(best.rows, best.Columns) {
			t.Header, t.Names, t.Joined, t.Unsure = true, 2, true, false
		}
		if names := merged(best.rows, best.Columns); names != nil {
			t.Header, t.Names, t.Joined, t.Unsure, t.names = true, 2, false, false, names
		}
	}
	t.Padded = t.Padded || given.isFree() && !given.Several && padded(&t.Dialect, best.rows)
	t.NoValue = !given.Exact && given.Nulls == nil && (t.Copied || hasNoValue(best.rows))
	if !given.Exact && given.Quote == "" && (t.Quote == 0 && t.Escape == 0 || t.Lax) && t.Separator != 0 && t.Separator != '\t' { // between tabs quotes are data
		t.Unclosed = t.neverClosed(dfa.WithoutMark(sample), whole)
	}
	t.Totals = whole && !given.Exact && endsInTotals(best.rows, best.Columns, t.Header)
	if given.Comment == "" && !given.Exact && !t.Copied && !t.Rule {
		t.Doubted = t.doubtedSign(dfa.WithoutMark(sample), best.rows, t.Width, whole)
	}
	if t.padsShort() && t.startsOdd() { // or the first record were too long
		t.Width = max(t.Width, len(t.first[0].fields))
	}
	t.place(best.rows, sample, given)
	t.Hint = weekdayHint(best.rows, t.Separator, t.Header)
	if t.Width == 1 && given.isFree() {
		t.Hint = evenHint(dfa.WithoutMark(sample), whole)
	}
	t.Lax = t.Lax || given.Lax
	if given.Exact {
		t.Lax, t.Short, t.Surplus, t.Skip = given.Lax, false, false, 0
		return t, nil
	}
	for i := range ratings[1:] {
		if r := &ratings[i+1]; r.Separator != best.Separator && r.Columns > 1 && r.Score > closeScore*best.Score {
			t.Rival = r
			break
		}
	}
	return t, nil
}

// rate gives the ratings of a sample: of a table that is drawn or listed, that alone.
func (g *Given) rate(sample []byte, whole bool) ([]Rating, error) {
	if g.isFree() {
		text := dfa.WithoutMark(sample)
		switch r, err := copied(text, whole); {
		case err != nil:
			return nil, err
		case r != nil:
			return []Rating{*r}, nil
		}
		for _, find := range []func([]byte, bool) (*Rating, bool){listed, inPlaces, drawn, boxed} {
			if r, ok := find(text, whole); ok {
				return []Rating{*r}, nil
			}
		}
	}
	return Rate(sample, whole, g), nil
}

// IsFree reports whether nobody has said that records are delimited.
func (g *Given) IsFree() bool { return g.isFree() && !g.Lax }

// isFree reports whether nobody has said how records are written.
func (g *Given) isFree() bool {
	return !g.Exact && g.Separator == "" && g.Quote == "" && g.Escape == "" && g.Comment == "" && g.LineEnd == "" && (g.Header == "" || g.Header == "auto")
}

// afterExcelLine is what follows a first line of n bytes that tells the separator.
func (g *Given) afterExcelLine(sample []byte, n int, separator string, whole bool) (*Table, error) {
	told := *g
	told.Separator = separator
	t, err := Guess(sample[n:], whole, &told)
	if err != nil || g.Exact {
		return t, err
	}
	t.Skip++
	if t.Unclosed > 0 {
		t.Unclosed++
	}
	t.head = dfa.WithoutMark(sample[:n+len(t.head)])
	return t, nil
}

// How says how the input is written.
func (t *Table) How() string {
	if t.Keyed != nil {
		return t.Keyed.words()
	}
	return t.Dialect.String()
}

// Summary says in a line what was decided, with the words for the encoding, "" for none.
func (t *Table) Summary(encoding string) string {
	d := t.Dialect
	if d.Quote == '"' && d.Escape == 0 && !d.Lax {
		d.Quote = 0 // as everywhere
	}
	s := d.String()
	if t.Keyed != nil {
		s = t.Keyed.words()
	}
	for _, more := range []string{t.InColumns(), encoding} {
		if more != "" {
			s += ", " + more
		}
	}
	if t.Unsure {
		s += "; that the first record names them is a guess (--header none says otherwise)"
	}
	if t.Short {
		s += ", records that are short have nulls"
	}
	if t.Hint != "" {
		s += "; " + t.Hint
	}
	if t.Totals {
		s += "; the last record looks like one of totals"
	}
	if t.Doubted != "" {
		s += "; " + t.doubted()
	}
	if t.Unclosed > 0 {
		s += fmt.Sprintf("; the quote that opens a field in line %d is never closed, and is data", t.Unclosed)
	}
	for _, c := range t.Columns {
		if m := c.Misfit; t.lastAlone(c) {
			s += fmt.Sprintf("; %q alone, in the last record, is no %s and makes %s text", clip(m.Value), m.Type, c.Name)
		}
		if c.Two {
			s += fmt.Sprintf("; %s is text, for %s (--types says which)", c.Name, c.Why)
		}
		if said := c.guess(); said != "" {
			s += "; " + said + " (--types says otherwise)"
		}
	}
	if t.Sampled {
		s += fmt.Sprintf("; types of the first %s", render.Count(t.Records, "record"))
	}
	return s
}

// doubted says what lines may be that are comments or records.
func (t *Table) doubted() string {
	what, say := "comments", strconv.Quote(t.Doubted)
	if t.Comment != "" {
		what, say = "records", None
	}
	return fmt.Sprintf("lines that begin with %q may be %s (--comment %s)", t.Doubted, what, say)
}

// guess says that the type is one, "" if it is not.
func (c *Column) guess() string {
	if c.Other == "" {
		return ""
	}
	return fmt.Sprintf("that %s is %s is a guess, for %s fits every value, too", c.Name, c.Type, c.Other)
}

// Guessed is the first column whose type is a guess; nil if there is none.
func (t *Table) Guessed() *Column {
	i := slices.IndexFunc(t.Columns, func(c *Column) bool { return c.Other != "" })
	if i < 0 {
		return nil
	}
	return t.Columns[i]
}

// lastAlone reports whether the last record alone makes a column text.
func (t *Table) lastAlone(c *Column) bool {
	return c.Misfit != nil && c.Type == "str" && c.Misfit.Row == t.Records && t.Records > 1
}

// DecidedFrom reports whether a value in a row, from 0, or behind it makes some column text: that
// or another one may be named then.
func (t *Table) DecidedFrom(row int64) bool {
	behind := func(d drop) bool { return d.of != nil && d.row >= row }
	return slices.ContainsFunc(t.Columns, func(c *Column) bool {
		return c.Type == "str" && (c.Misfit != nil && c.Misfit.Row > row || behind(c.dropped) || slices.ContainsFunc(c.drops, behind))
	})
}

// InColumns says how many columns there are, "" if the dialect does.
func (t *Table) InColumns() string {
	n := t.width()
	if t.Keyed != nil {
		if n == 0 {
			return ""
		}
		s := render.Count(int64(n), "column")
		if t.Keyed.Rest {
			s += ", other keys in " + t.Keyed.Column()
		}
		return s
	}
	if n == 1 && t.Dialect.Separator == 0 {
		return ""
	}
	return render.Count(int64(n), "column")
}

// width is how many columns there are.
func (t *Table) width() int {
	if t.names != nil {
		return len(slices.DeleteFunc(slices.Clone(t.names), func(name string) bool { return name == passed }))
	}
	return max(t.Width, len(t.Columns))
}

// Looks reports whether something is to be found out by looking at all records.
func (t *Table) Looks() bool {
	return t.Keyed != nil || !t.Given.AllStrings || len(t.Given.Types) > 0
}

// InferTypes finds the types of the columns. The first rows choose them, and all others
// are held against these; where one does not fit, its column is read again with all
// types that there are.
func (t *Table) InferTypes(ctx context.Context, name string, in *Input, opts ...runtime.Option) error {
	program, err := t.texts(ctx, name)
	if err != nil {
		return fmt.Errorf("the inferred format: %w", err)
	}
	t.options = slices.Clip(opts)
	opts = append(opts, runtime.WithReuse(), runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(shownRejects), runtime.WithRejectHandler(func(r *runtime.Reject) error {
		t.reject(r)
		return nil
	}))
	read := in.Read
	if t.Sampled = read == nil && !in.Whole; read == nil {
		sample := in.Sample
		if !in.Whole {
			sample = t.Complete(sample)
		}
		read = func(p *dfa.Program, columns []string, use func(Records) error, opts ...runtime.Option) error {
			if columns != nil {
				opts = append(opts, runtime.WithColumns(columns...))
			}
			r, err := runtime.ReadBytes(sample, p, opts...)
			if err != nil {
				return err
			}
			defer r.Release()
			return use(r)
		}
	}
	var first *reduction
	var others atomic.Bool
	looking := opts
	if t.Keyed != nil {
		looking = append(slices.Clip(opts), otherKeys(&others))
	}
	err = read(program, nil, func(r Records) error {
		if err := t.name(r); err != nil {
			return err
		}
		if first == nil {
			first = newReduction(t.Columns, true)
		}
		err := first.read(r)
		s := r.Stats()
		t.Records, t.Rejected = t.Records+s.Rows, t.Rejected+s.Rejected
		return err
	}, looking...)
	if err = errors.Join(err, first.finish()); err != nil {
		return err
	}
	if others.Load() {
		if err := t.readLate(read, opts); err != nil {
			return err
		}
	}
	var columns []string
	for _, c := range t.Columns {
		columns = append(columns, t.meant(c.Name))
	}
	if err := t.Unknown(columns); err != nil {
		return err
	}
	var again []*Column
	var names []string
	for i, c := range t.Columns {
		switch {
		case c.Misfit == nil || t.Given.Misfits == "null":
		case t.Given.Misfits == "fail":
			return c.Misfit
		default:
			wide := &Column{Name: c.Name, given: t.Given, json: c.json, pairs: c.pairs, Misfit: c.Misfit}
			again, t.Columns[i] = append(again, wide), wide
			names = append(names, c.Name)
		}
	}
	if len(again) > 0 {
		all := newReduction(again, false)
		if t.Keyed != nil {
			if program, err = t.Keyed.texts(names); err != nil {
				return err
			}
		}
		err = errors.Join(read(program, names, all.read, opts...), all.finish())
	}
	if slices.ContainsFunc(t.Columns, (*Column).hasFractions) {
		for _, c := range t.Columns {
			c.pairs = false
		}
	}
	t.halved()
	err = errors.Join(err, t.doubtPoints(func(columns []string, use func(Records) error) error {
		return read(program, columns, use, append(slices.Clip(t.options), runtime.WithReuse(), runtime.WithErrorMode(dfa.Reject))...)
	}))
	for _, c := range t.Columns {
		if c.decide(); t.NoValue && len(c.Nulls) > 0 && !slices.Contains(c.Nulls, noValue) {
			c.Nulls = append(c.Nulls, noValue) // or only the others would be null in the column
		}
	}
	if t.Keyed != nil {
		t.decideFlags()
		t.choose()
	}
	t.Unsure = t.Unsure && !slices.ContainsFunc(t.Columns, func(c *Column) bool {
		return !c.Given && c.Type != "str" && c.Values > 0 && !standsForNone([]byte(c.Name)) // which the word above is not
	})
	return err
}

// Complete is the beginning of an input up to the end of its last record, or line, that is whole.
func (t *Table) Complete(sample []byte) []byte {
	if t.Keyed != nil {
		return t.Keyed.complete(sample)
	}
	if i := bytes.LastIndexAny(sample, "\r\n"); i >= 0 {
		return sample[:i+1]
	}
	return sample
}

// texts is a Program that reads all columns as text.
func (t *Table) texts(ctx context.Context, name string) (*dfa.Program, error) {
	if t.Keyed != nil {
		return t.Keyed.texts(t.Keyed.names)
	}
	spec, err := t.build(ctx, name, texts)
	if err != nil {
		return nil, err
	}
	return spec.Program, nil
}

// name finds out the columns, of the first input, and holds others to them.
func (t *Table) name(r Records) error {
	fields := r.Schema().Fields()
	if t.Columns != nil {
		for i := range max(len(fields), len(t.Columns)) {
			switch {
			case i >= len(fields):
				return fmt.Errorf("there is no column %q", t.Columns[i].Name)
			case i >= len(t.Columns):
				return fmt.Errorf("there is also a column %q", fields[i].Name)
			case fields[i].Name != t.Columns[i].Name:
				return fmt.Errorf("column %d is %q, not %q", i+1, fields[i].Name, t.Columns[i].Name)
			}
		}
		return nil
	}
	for _, f := range fields {
		t.Columns = append(t.Columns, t.column(f.Name))
	}
	return nil
}

// InHeader are the names of the columns, if the header in the sample says them, whatever comes behind it; else nil.
// opts are those of the reader, with an engine.
func (t *Table) InHeader(ctx context.Context, name string, in *Input, opts ...runtime.Option) (names []string) {
	if t.Keyed != nil || !t.Header || t.Unsure {
		return nil
	}
	program, err := t.texts(ctx, name)
	if err != nil {
		return nil
	}
	sample := in.Sample
	if !in.Whole {
		sample = t.Complete(sample)
	}
	r, err := runtime.ReadBytes(sample, program, opts...)
	if err != nil {
		return nil
	}
	defer r.Release()
	for _, f := range r.Schema().Fields() {
		if strings.ContainsAny(f.Name, "\"'`\\") { // which may turn out to be quotes, and their escape
			return nil
		}
		names = append(names, f.Name)
	}
	return names
}

// column is one of a name, of which nothing has been looked at.
func (t *Table) column(name string) *Column {
	c := &Column{Name: name, given: t.Given, json: t.Keyed != nil && t.Keyed.json, pairs: t.ofProgram() && !strings.Contains(name, "%")}
	if i := slices.IndexFunc(t.Given.Types, func(g GivenType) bool { return g.Column == t.meant(name) }); i >= 0 {
		c.Given, c.Type = true, t.Given.Types[i].Type
	} else if t.Given.AllStrings {
		c.Given, c.Type = true, "str"
	}
	return c
}

// ofProgram reports whether the input is what a program prints in columns, or a log: few of these write a decimal
// comma, and some write two numbers with one between them.
func (t *Table) ofProgram() bool {
	return t.Placed || t.Run || t.Separator == ' ' || t.Keyed != nil && !t.Keyed.json
}

// meant is the name of a column of a name in the input.
func (t *Table) meant(name string) string {
	if t.Keyed != nil {
		return t.Keyed.meant(name)
	}
	return name
}

// Unknown is an error if somebody has given the type of a column that is none of those named.
func (t *Table) Unknown(names []string) error {
	for _, g := range t.Given.Types {
		if !slices.Contains(names, g.Column) && !strings.HasSuffix(g.Type, "?") {
			return fmt.Errorf("there is no column %q to have the type %s; the columns are %s", g.Column, g.Type, strings.Join(names, ", "))
		}
	}
	return nil
}

// which columns of a format have their types.
type typing int

const (
	texts typing = iota // none
	given               // those that somebody has given
	all                 // and those that were inferred
)

// Build is the format: with all types, or where inferred is false only with those
// that were given.
func (t *Table) Build(ctx context.Context, name string, inferred bool) (*compile.Spec, error) {
	what := given
	if inferred {
		what = all
	}
	return t.build(ctx, name, what)
}

func (t *Table) build(ctx context.Context, name string, types typing) (*compile.Spec, error) {
	b := t.builder(name, types)
	source := b.Source()
	if t.built != nil && t.source == source {
		return t.built, nil
	}
	spec, err := b.Build(compile.WithContext(ctx), compile.WithResolver(formats.Resolve))
	if err == nil {
		t.built, t.source = spec, source
	}
	return spec, err
}

// builder is the format.
func (t *Table) builder(name string, types typing) *compile.FormatBuilder {
	b := compile.New(name)
	if t.Keyed != nil {
		return t.keyed(b, types)
	}
	if t.Skip > 0 {
		b.SkipLines(t.Skip)
	}
	if t.Placed {
		for i, name := range t.names {
			b.FixedColumn(name, t.widths[i])
		}
		b.HeaderSkip(max(1, t.Names))
		t.stop(b)
		t.placed(b, types)
		return b
	}
	if t.Copied && t.Quote == 0 {
		b.Define(copyEscape)
	}
	b.Delimited(t.delimited()...)
	t.header(b, types)
	var ragged []string
	if t.Short || t.Given.Lax {
		ragged = append(ragged, "pad")
	}
	if t.Surplus || t.Given.Lax && !t.Open {
		ragged = append(ragged, "truncate")
	}
	if len(ragged) > 0 {
		b.Ragged(ragged...)
	}
	if len(t.Columns) == 1 || t.Columns == nil && t.Width == 1 {
		b.Blank("skip") // where fields has one column they would be records
	}
	switch {
	case len(t.Given.Nulls) > 0:
		b.Null(t.Given.Nulls...)
	case t.NoValue:
		b.Null(noValue)
	}
	t.stop(b)
	switch {
	case t.names != nil:
		t.placed(b, types)
	case types == texts && !t.startsOdd():
	case t.Columns == nil && t.Header: // nobody has looked at the names
		for i := range t.Given.Types {
			t.Given.Types[i].field(b)
		}
	default:
		for _, c := range t.columns() {
			t.field(b, c, types)
		}
	}
	return b
}

// delimited is how fields are told apart.
func (t *Table) delimited() []compile.DelimitedOption {
	sep := compile.Separator(string([]byte{t.Separator}))
	switch {
	case t.Separator == 0:
		sep = compile.Separator(string([]byte{t.Filler}))
	case t.Wide != "":
		sep = compile.Separator(t.Wide)
	case t.Run:
		sep = compile.SeparatorRun(string([]byte{t.Separator}))
		sep.Leading, sep.Trailing = true, true
	}
	options := []compile.DelimitedOption{sep}
	switch {
	case t.Quote != 0:
		options = append(options, compile.Quoted(t.Quote, t.Escape == 0))
		if t.Escape != 0 {
			escape := compile.Escaped(t.Escape)
			if t.Bare {
				escape = escape.EscapedEverywhere()
			}
			options = append(options, escape)
		}
	case t.Copied:
		options = append(options, compile.EscapedAs("copied"))
	case t.Escape != 0:
		options = append(options, compile.Escaped(t.Escape))
	}
	if t.Comment != "" {
		options = append(options, compile.CommentPrefix(t.Comment))
	}
	if t.LineEnd != "" {
		options = append(options, compile.LineEnds(t.LineEnd))
	}
	if t.Lax {
		options = append(options, compile.Laxly())
	}
	return options
}

// header says what the first records are.
func (t *Table) header(b *compile.FormatBuilder, types typing) {
	switch {
	case t.names != nil && t.Header:
		b.HeaderSkip(max(1, t.Names))
	case t.Header && t.ByPosition && t.Columns != nil && types != texts:
		b.HeaderSkip(max(1, t.Names))
	case t.Header && t.Joined:
		b.HeaderJoined(t.Names, " ")
	case t.Header && t.Names > 1:
		b.HeaderNames(t.Names)
	case t.Header:
		b.Add(&compile.Header{Mode: &compile.Word{Value: "names"}})
	default:
		b.Add(&compile.Header{Mode: &compile.Word{Value: "none"}})
	}
}

// field says what a column is, unless it is text and named in the header.
func (t *Table) field(b *compile.FormatBuilder, c *Column, types typing) {
	var modifiers []*compile.Modifier
	if slices.Contains(t.Lacking, c.Name) {
		modifiers = append(modifiers, compile.Optional())
	}
	named := t.Header && !t.ByPosition
	switch {
	case c.Given && c.Type != "str":
		g := &GivenType{c.Name, c.Type}
		if !strings.ContainsAny(c.Type[len(c.Type)-1:], "!?") && len(modifiers) > 0 {
			g.Type += "?"
		}
		g.field(b)
		return
	case named && (c.Type == "str" || types == given) || strings.Contains(c.Name, "*"):
		return
	case types == given:
		b.Field(c.Name, "str")
		return
	}
	if c.Blanks && c.Type != "str" {
		modifiers = append(modifiers, compile.Trim())
	}
	if len(c.Nulls) > 0 {
		modifiers = append(modifiers, compile.NullTokens(c.Nulls...))
	}
	b.Field(c.Name, c.Type, modifiers...)
}

// stop ends the records where a footer begins.
func (t *Table) stop(b *compile.FormatBuilder) {
	switch {
	case t.Foot == 0:
	case t.StopAt == "":
		b.StopAtBlank()
	default:
		b.StopAt(t.StopAt)
	}
}

// padsShort reports whether records that are short have nulls, and nothing but the records says how many columns there are.
func (t *Table) padsShort() bool {
	return (t.Short && !t.Given.Exact || t.Given.Lax) && !t.Surplus && !t.Open && !t.Padded && t.names == nil
}

// startsOdd reports whether the first record, of which a format without names has as many columns as it has fields, has
// another number of them than most.
func (t *Table) startsOdd() bool {
	return !t.Header && len(t.first) > 0 && len(t.first[0].fields) != t.Width
}

// columns are those of the table, by position if nobody has looked at them and there is
// no header.
func (t *Table) columns() []*Column {
	if t.Columns != nil {
		return t.Columns
	}
	var columns []*Column
	for i := range t.Width {
		c := &Column{Name: fmt.Sprintf("column_%d", i+1), Type: "str"}
		for _, g := range t.Given.Types {
			if g.Column == c.Name {
				c.Type, c.Given = g.Type, true
			}
		}
		columns = append(columns, c)
	}
	return columns
}

// Source is the spec, with the reasons as comments, and a test of the first rows.
func (t *Table) Source(name, from string) (string, error) {
	b := t.builder(name, all)
	if t.Encoding != "" {
		b.Encoding(t.Encoding)
	}
	if err := t.test(b); err != nil {
		return "", err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Inferred from all of %s: %s.\n", render.Printable(from), render.Count(t.Records, "record"))
	fmt.Fprintf(&out, "# %s.\n", sentence(t.How()))
	if t.Rival != nil {
		fmt.Fprintf(&out, "# It might also be %s, in %s, which fits %.0f%% as well.\n", t.Rival.Dialect.String(), render.Count(t.Rival.Columns, "column"), 100*t.Rival.Score/t.Score)
		for _, line := range t.Both() {
			fmt.Fprintf(&out, "#   %s\n", line)
		}
	}
	if t.Keyed != nil {
		fmt.Fprintf(&out, "# %s\n", t.Keyed.passedOver())
	} else if t.Rival == nil && t.Given.Separator == "" {
		fmt.Fprintf(&out, "# No other separator fits %.0f%% as well.\n", 100*closeScore)
	}
	if t.Encodings != "" {
		fmt.Fprintf(&out, "# %s\n", render.Printable(t.Encodings))
	}
	if t.Unsure {
		out.WriteString("# That the first record names the columns is a guess: all of it are words, and so is what is below.\n")
	}
	if t.Totals {
		out.WriteString("# The last record looks like one of totals: \"stop at\" leaves it out.\n")
	}
	if t.Doubted != "" {
		fmt.Fprintf(&out, "# %s.\n", sentence(t.doubted()))
	}
	if t.Hint != "" {
		fmt.Fprintf(&out, "# %s.\n", sentence(render.Printable(t.Hint)))
	}
	if t.Unclosed > 0 {
		fmt.Fprintf(&out, "# The quote that opens a field in line %d is never closed, and is data.\n", t.Unclosed)
	}
	if t.Rejected > 0 {
		fmt.Fprintf(&out, "# %s cannot be read this way; the first: %s\n", render.Count(t.Rejected, "more record"), render.Printable(t.Reject))
	}
	for _, c := range t.Columns {
		if c.Type == "str" && c.Why != "" {
			fmt.Fprintf(&out, "# %s is text: %s\n", render.Printable(c.Name), render.Printable(c.Why))
		}
		if said := c.guess(); said != "" {
			fmt.Fprintf(&out, "# T%s.\n", render.Printable(said[1:]))
		}
	}
	out.WriteString(b.Source())
	return out.String(), nil
}

// Bounds of the test in a spec: it is to be read.
const (
	TestBytes   = 2 << 10
	testColumns = 20
)

// test adds what the format makes of the first rows, if it is short and reads all of them.
func (t *Table) test(b *compile.FormatBuilder) error {
	spec, err := b.Build(compile.WithResolver(formats.Resolve))
	if err != nil || len(t.head) > TestBytes || !utf8.Valid(t.head) {
		return err
	}
	TestOf(b, spec.Program, t.head, t.options...)
	return nil
}

// TestOf adds what a Program makes of the first rows, which head ends with, if it reads all
// of them.
func TestOf(b *compile.FormatBuilder, p *dfa.Program, head []byte, opts ...runtime.Option) {
	r, err := runtime.ReadBytes(head, p.OfText(), append(slices.Clip(opts), runtime.WithErrorMode(dfa.Reject), runtime.WithThreads(1), runtime.WithBaseTime(runtime.ExampleTime))...)
	if err != nil {
		return // where the names are further down
	}
	defer r.Release()
	var rows []compile.Outcome
	for r.Next() {
		rec := r.Record()
		for i := range int(rec.NumRows()) {
			var cells []any
			for c, f := range rec.Schema().Fields()[:min(testColumns, int(rec.NumCols()))] {
				cells = append(cells, f.Name)
				if a := rec.Column(c); a.IsNull(i) {
					cells = append(cells, nil)
				} else {
					cells = append(cells, string(render.AppendText(nil, f, a, i)))
				}
			}
			rows = append(rows, compile.Expect(cells...))
		}
	}
	if r.Err() == nil && r.Stats().Rejected == 0 && len(rows) > 0 {
		b.Test("the first rows", string(head), rows...)
	}
}

func sentence(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
