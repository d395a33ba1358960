// Package discover finds out how delimited inputs are read that no format describes: the
// encoding and the dialect from the beginning of the first, the types from all of them.
// The library and the command do it by this.
package discover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/abreast"
	"github.com/dfaparse/dfaparse/internal/infer"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/internal/union"
	"github.com/dfaparse/dfaparse/runtime"
)

// Inputs are one or several that make one table.
type Inputs struct {
	Paths     []string
	Union     union.Mode
	SkipLines int64
	Encoding  string // that was given, or found; "" for UTF-8
	Endless   bool   // what stands at the end of the first does not matter, or not for long
	Wanted    int64  // the first rows, if no others are wanted; else 0
	Doubted   bool   // the types of the first rows are known not to be those of all
	Strict    bool   // the dialect is that of the beginning
	Options   []runtime.Option
	// Open opens an input, decoded if an encoding is known.
	Open func(path string) (*input.Input, error)
	// Fresh does so of one that nobody holds, on any goroutine. May be nil: then inputs are
	// not read side by side.
	Fresh func(ctx context.Context, path string) (*input.Input, error)
	// Done takes an input back that has been looked at: one that can be read only once
	// begins with what was seen, another may be opened again.
	Done func(path string, in *input.Input, once bool) error

	ends  *OwnEnds // that each of them has; may be nil
	first int64    // how many rows of each are looked at; 0: all
	cut   int64    // how many rows there are up to where one may have more than that; 0: all of all
	begun *begun   // of what is read; may be nil
}

// begun notes of inputs among several that can be read only once that their beginning alone is looked at.
type begun struct {
	table *infer.Table // of which; may be nil
	some  bool
}

// Found is what the beginning of the first input shows.
type Found struct {
	Name  string
	Head  []byte // without the lines that are passed over
	Whole bool   // it is all of the input
	Once  bool   // the input can be read only once

	Encoding string   // that was inferred, "" if none was
	Sure     bool     // it can be no other
	Others   []string // that fit about as well

	skipped int              // lines before Head
	plain   bool             // nothing takes its lines apart
	several bool             // there are other inputs, each of which may have a footer of its own
	options []runtime.Option // of the inputs
	endless bool             // see Inputs
	wanted  int64

	file string // of which the end may be looked at, too; "" if there is none
}

// InEncoding says which encoding was inferred, and whether that is a guess; "" if none was. flag is
// how another one is said.
func (f *Found) InEncoding(flag string) string {
	switch {
	case f.Encoding == "":
		return ""
	case f.Sure:
		return "in " + f.Encoding
	case len(f.Others) == 0:
		return fmt.Sprintf("in %s (%s says otherwise)", f.Encoding, flag)
	}
	return fmt.Sprintf("in %s, which is a guess: %s would do as well (%s says which)", f.Encoding, OneOf(f.Others), flag)
}

// OneOf names encodings: a, b or c.
func OneOf(names []string) string {
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " or " + names[n-1]
	}
	return names[0]
}

// MayBe names all encodings that a guess leaves open.
func (f *Found) MayBe() string { return OneOf(append([]string{f.Encoding}, f.Others...)) }

// sampleWait is how long a pipe that is silent is waited for once it has given a few
// lines.
const sampleWait = 50 * time.Millisecond

// mostSample is up to which size a sample grows whose lines are long, and fewLines are fewer than it
// should have.
const (
	mostSample = 4 << 20
	fewLines   = 4
)

func isLong(sample []byte) bool {
	return bytes.Count(sample, []byte{'\n'}) >= fewLines || bytes.Count(sample, []byte{'\r'}) >= fewLines
}

// Look looks at the beginning of the first input, and if guess says so, which encoding it
// is in. found, which may be nil, is called before what was found of that is used.
func (in *Inputs) Look(guess bool, found func(*Found) error) (*Found, error) {
	first, err := in.Open(in.Paths[0])
	if err != nil {
		return nil, err
	}
	f := &Found{Name: first.Name, Once: first.Once(), options: in.Options, endless: in.Endless, wanted: in.Wanted, several: len(in.Paths) > 1 && !in.Strict}
	sample := func() error {
		for most := infer.SampleBytes; ; most *= 8 {
			f.Head, f.Whole, err = first.Sample(most, sampleWait)
			if err != nil {
				return fmt.Errorf("%s: %w", render.Printable(first.Name), input.Pathless(err))
			}
			if f.Whole || len(f.Head) < most || most >= mostSample || isLong(f.Head) { // of a pipe, no more has come
				return nil
			}
		}
	}
	decode := func() error {
		if err := sample(); err != nil || in.Encoding != "" || !guess {
			return err
		}
		g := first.GuessEncoding(f.Head, f.Whole)
		if f.Encoding, f.Sure, f.Others = g.Name, g.Sure, g.Others; f.Encoding == "" {
			return nil
		}
		if found != nil {
			if err := found(f); err != nil {
				return err
			}
		}
		if err := first.Decode(f.Encoding); err != nil {
			return err
		}
		in.Encoding = f.Encoding
		return sample()
	}
	if err := decode(); err != nil {
		first.Close()
		return nil, err
	}
	if len(in.Paths) == 1 && !f.Whole && first.Plain != nil && first.Base == 0 && in.Encoding == "" && !in.Endless && in.Paths[0] != "-" {
		f.file = in.Paths[0]
	}
	if err := in.Done(in.Paths[0], first, f.Once); err != nil {
		return nil, err
	}
	f.Head, f.skipped = skipped(f.Head, in.SkipLines), int(in.SkipLines)
	return f, nil
}

// skipped is sample without its first lines.
func skipped(sample []byte, lines int64) []byte {
	for ; lines > 0 && len(sample) > 0; lines-- {
		_, sample, _ = bytes.Cut(sample, []byte{'\n'})
	}
	return sample
}

// Types infers the types of a table's columns: from all inputs, or if they cannot be read
// again, or quick says so, from what was seen.
func (in *Inputs) Types(ctx context.Context, name string, f *Found, t *infer.Table, quick bool) error {
	if !quick && !in.Doubted && in.Trustworthy(f, t) {
		before := *t
		trust, err := in.TypesOfFirst(ctx, name, f, t)
		if err != nil {
			return err
		}
		if trust != nil {
			if holds, err := in.hold(ctx, name, f, t, trust); holds || err != nil {
				return err
			}
		}
		*t = before
	}
	before := *t
	err := in.types(ctx, name, f, t, quick)
	if err != nil || quick || t.Keyed != nil || t.Rejected == 0 && !t.DecidedFrom(t.Records-mostFooter) || f.Whole || f.Once || in.Endless {
		return err
	}
	if t.Rejected <= mostFooter && f.file == "" && len(in.Paths) == 1 {
		found, err := in.footer(&before)
		if err != nil {
			return err
		}
		if found {
			*t = before
			if err := in.types(ctx, name, f, t, quick); err != nil || t.Rejected == 0 {
				return err
			}
		}
	}
	if in.Strict || t.Rejected == 0 {
		return nil
	}
	for m, round := t.Mended(f.Head), 0; m != nil && round < mostMended; m, round = m.Mended(f.Head), round+1 {
		if err := in.types(ctx, name, f, m, quick); err != nil {
			return ctx.Err()
		}
		if m.Rejected > 0 || m.Comment != t.Comment && m.Quote == t.Quote && m.Records < t.Records { // these would be comments
			continue
		}
		if t.Unquotes(m) {
			encloses, err := in.encloses(t)
			if err != nil {
				return err
			}
			if encloses {
				if m = t.InOddPlaces(m); m == nil {
					return nil
				}
				if err := in.types(ctx, name, f, m, quick); err != nil || m.Rejected > 0 {
					return ctx.Err()
				}
			}
		}
		*t = *m
		return nil
	}
	return nil
}

// encloses reports whether a field of the inputs is in the quotes of a table.
func (in *Inputs) encloses(t *infer.Table) (bool, error) {
	for _, path := range in.Paths {
		from, err := in.Open(path)
		if err == nil {
			from, err = in.beginning(path, from)
		}
		if err != nil {
			return false, err
		}
		has, err := hasLines(from, t.Encloses)
		if err = errors.Join(err, in.done(path, from)); has || err != nil {
			return has, err
		}
	}
	return false, nil
}

// mostMended is how often an input is read anew whose dialect shows late.
const mostMended = 3

func (in *Inputs) types(ctx context.Context, name string, f *Found, t *infer.Table, quick bool) error {
	from := &infer.Input{Sample: f.Head, Whole: f.Whole}
	t.ByPosition = in.Union == union.ByPosition && len(in.Paths) > 1
	in.ends = NewOwnEnds(t, in.SkipLines)
	if (!f.Once || len(in.Paths) > 1) && !quick {
		in.begun = &begun{table: t}
		m := &many{Inputs: in, ctx: ctx}
		from.Read = m.read
		defer func() { t.Lacking, in.cut = m.lacking, m.cut }()
	}
	return t.InferTypes(ctx, name, from, append([]runtime.Option{runtime.WithName(f.Name)}, in.Options...)...)
}

// Settle finds out what only all of the inputs tell of a log that was shown: whether days stand before months in
// its times, where that was a guess, and whether each record has what the log demands of it, which is taken from
// it if not. If they cannot be read for that alone it is taken, too, unless the rows that are wanted are in the sample.
// Nor is the offset from UTC a part of its times if some of all inputs have none.
func (in *Inputs) Settle(ctx context.Context, f *Found, s *Shown) error {
	if s == nil || s.Log == nil {
		return nil
	}
	err := in.settle(ctx, f, s)
	s.cut = f.endsInTime()
	return err
}

func (in *Inputs) settle(ctx context.Context, f *Found, s *Shown) error {
	readable := !f.Once && !in.Endless
	more := readable && !(f.Whole && !f.several) // than the sample
	if l := s.Log; l.Guessed() && more {
		before, all := in.through(ctx, l, "time")
		behind, both := in.through(ctx, l.Settled(false), "time")
		days, months := before.Records-before.Rejected, behind.Records-behind.Rejected
		if all && both && days != months {
			s.Log = l.Settled(days > months)
		}
	}
	if s.Log.Offset && more {
		if err := in.settleOffset(ctx, f, s); err != nil {
			return err
		}
	}
	if s.Log == nil || !s.Log.Demanding {
		return ctx.Err()
	}
	holds := false
	switch {
	case readable:
		_, holds = in.through(ctx, s.Log, "level", runtime.WithMaxRejects(0))
	case in.Wanted > 0 && s.Log.Read >= in.Wanted: // nobody wants others than those of the beginning
		holds = s.Log.Holds(ctx, f.lines(), in.Options...)
	}
	if !readable {
		s.level = &holds
	}
	switch {
	case holds:
	case s.Name != "":
		s.Log = nil
	default:
		s.Log = s.Log.Plain()
	}
	return ctx.Err()
}

// settleOffset has a log be read without the offset from UTC in its times if more of its records can be read so: it is
// a column of its own, or, where nothing shows that all of these are offsets, a part of the messages.
func (in *Inputs) settleOffset(ctx context.Context, f *Found, s *Shown) error {
	if _, all := in.through(ctx, s.Log, "time", runtime.WithMaxRejects(0)); all {
		return nil
	}
	with, all := in.through(ctx, s.Log, "time")
	if !all {
		return nil
	}
	if l := s.Log.WithSomeOffsets(); l != nil {
		if some, all := in.through(ctx, l.Plain(), "time"); all && some.Rejected < with.Rejected {
			*s = Shown{Log: l, mislaid: true}
			return nil
		}
	}
	if s.local == nil {
		return nil
	}
	p, err := formats.Program(s.local.Name)
	if err != nil {
		return err
	}
	if without, all := in.throughBy(ctx, p, "time"); all && without.Rejected < with.Rejected {
		*s = *f.levelled(ctx, s.local)
		s.mislaid = true
	}
	return nil
}

// through reads a column of all inputs as a log, and counts their records; all is whether that comes to its end, and
// no input is looked at in its beginning alone.
func (in *Inputs) through(ctx context.Context, l *infer.Log, column string, opts ...runtime.Option) (stats runtime.Stats, all bool) {
	spec := l.Build(ctx, "log")
	if spec == nil {
		return runtime.Stats{}, false
	}
	return in.throughBy(ctx, spec.Program, column, opts...)
}

// throughBy is through by a Program.
func (in *Inputs) throughBy(ctx context.Context, p *dfa.Program, column string, opts ...runtime.Option) (stats runtime.Stats, all bool) {
	in.begun = &begun{}
	defer func() { in.begun = nil }()
	opts = append(append(slices.Clip(in.Options), runtime.WithErrorMode(dfa.Reject), runtime.WithRejectDetails(1), runtime.WithColumns(column), runtime.WithReuse()), opts...)
	g := abreast.New(ctx, in.Paths, in.opener(p, opts), opts...)
	defer g.Close()
	for i := range in.Paths {
		if err := in.each(g, i, func(r abreast.Source, _ string) error {
			for r.Next() {
			}
			own := r.Stats()
			stats.Add(&own)
			return r.Err()
		}); err != nil {
			return runtime.Stats{}, false
		}
	}
	return stats, !in.begun.some
}

// Headers are the columns of all inputs as their headers have them, and of each input those
// of wanted that it has.
func (in *Inputs) Headers(ctx context.Context, p *dfa.Program, wanted []string, opts ...runtime.Option) (*union.Union, map[string][]string, error) {
	u, has := &union.Union{Mode: in.Union}, map[string][]string{}
	opts = append(opts[:len(opts):len(opts)], runtime.WithThreads(1))
	g := abreast.Heads(ctx, in.Paths, in.opener(p, opts), append(opts, runtime.WithThreads(goruntime.GOMAXPROCS(0)))...)
	defer g.Close()
	for i, path := range in.Paths {
		if err := in.each(g, i, func(r abreast.Source, name string) error {
			s := r.Schema()
			has[path] = []string{}
			var fields []arrow.Field
			for _, f := range s.Fields() {
				has[path] = append(has[path], f.Name)
				if wanted == nil || slices.Contains(wanted, f.Name) {
					fields = append(fields, f)
				}
			}
			md := s.Metadata()
			return u.Add(name, arrow.NewSchema(fields, &md))
		}); err != nil {
			return nil, nil, err
		}
	}
	if wanted != nil {
		u.Order(wanted)
	}
	return u, has, nil
}

// many reads inputs as texts, as one table.
type many struct {
	*Inputs
	ctx     context.Context
	rows    int64
	cut     int64 // see Inputs
	lacking []string
	union   *union.Union
	of      *dfa.Program // that the columns of union are of
}

func (m *many) read(p *dfa.Program, columns []string, use func(infer.Records) error, opts ...runtime.Option) error {
	if (m.union == nil || m.of != p) && len(m.Paths) > 1 {
		m.union, m.of = &union.Union{Mode: m.Union}, p
		if m.Union == union.ByName {
			var err error
			if m.union, _, err = m.Headers(m.ctx, p, nil, opts...); err != nil {
				return err
			}
			m.lacking = m.union.Lacking()
		}
	}
	own := columns
	if m.union != nil {
		own = nil // which those of an input are called, its header says
	}
	m.rows = 0
	opts = slices.Clip(opts)
	if m.first > 0 {
		opts = append(opts, runtime.WithLimit(m.first))
	}
	if own != nil {
		opts = append(opts, runtime.WithColumns(own...))
	}
	g := abreast.New(m.ctx, m.Paths, m.opener(p, opts), opts...)
	defer g.Close()
	for i := range m.Paths {
		if err := m.each(g, i, func(r abreast.Source, name string) error {
			defer func() {
				rows := r.Stats().Rows
				if m.rows += rows; m.cut == 0 && m.first > 0 && rows >= m.first {
					m.cut = m.rows
				}
			}()
			if m.union == nil {
				return use(r)
			}
			if m.union.Empty() {
				if err := m.union.Add(name, r.Schema()); err != nil {
					return err
				}
			}
			a, err := m.union.Align(name, r.Schema())
			if err != nil {
				return err
			}
			if m.Union == union.ByPosition {
				for _, f := range r.Schema().Fields() {
					if bytes.ContainsAny([]byte(f.Name), "\r\n*") {
						return &union.MismatchError{Name: name, First: m.Paths[0], Why: fmt.Sprintf("the name %q goes by no position: say the format with -f", f.Name)}
					}
				}
			}
			return use(aligned(r, a, columns))
		}); err != nil {
			return err
		}
	}
	return nil
}

// opener opens inputs.
func (in *Inputs) opener(p *dfa.Program, opts []runtime.Option) abreast.Open {
	return func(ctx context.Context, i int, ahead bool, more ...runtime.Option) (*input.Input, *runtime.Reader, error) {
		open := in.Open
		if ahead {
			open = func(path string) (*input.Input, error) { return in.Fresh(ctx, path) }
		}
		from, err := open(in.Paths[i])
		if err != nil {
			return nil, nil, err
		}
		if from, err = in.beginning(in.Paths[i], from); err != nil {
			return nil, nil, err
		}
		in.ends.LeaveOut(from)
		all := append(slices.Clip(opts), runtime.WithName(from.Name), runtime.WithSkipLines(in.SkipLines))
		r, err := abreast.Read(from, p, append(all, more...)...)
		return from, r, err
	}
}

// beginning is from, or where that is one of several and can be read only once, what comes first of it,
// which whoever opens it next gets again.
func (in *Inputs) beginning(path string, from *input.Input) (*input.Input, error) {
	if _, again := from.Reader.(io.Seeker); again || from.Plain != nil || len(in.Paths) == 1 || input.IsRemote(path) {
		return from, nil
	}
	sample, whole, err := from.Sample(infer.SampleBytes, sampleWait)
	if err != nil {
		from.Close()
		return nil, fmt.Errorf("%s: %w", render.Printable(from.Name), input.Pathless(err))
	}
	if !whole && in.begun != nil {
		if in.begun.some = true; in.begun.table != nil {
			in.begun.table.Sampled = true
			sample = in.begun.table.Complete(sample)
		}
	}
	return &input.Input{Name: from.Name, Reader: bytes.NewReader(slices.Clone(sample)), Beginning: true}, in.Done(path, from, true)
}

// done takes back an input that has been read.
func (in *Inputs) done(path string, from *input.Input) error {
	if from.Beginning {
		return nil
	}
	return in.Done(path, from, false)
}

// each lets use read an input.
func (in *Inputs) each(g *abreast.Group, i int, use func(r abreast.Source, name string) error) (err error) {
	from, r, err := g.Take(i)
	if from != nil {
		defer func() { err = errors.Join(err, in.done(in.Paths[i], from)) }()
	}
	if err != nil {
		return err
	}
	defer r.Release()
	if err := use(r, from.Name); err != nil {
		if m, u := (*infer.Misfit)(nil), (*union.MismatchError)(nil); errors.As(err, &m) || errors.As(err, &u) || errors.Is(err, r.Err()) {
			return err
		}
		return fmt.Errorf("%s: %w", render.Printable(from.Name), err)
	}
	return nil
}

// alignedRecords are those of a reader as those of the union, of some columns.
type alignedRecords struct {
	abreast.Source
	to     *union.Aligned // nil: they are
	schema *arrow.Schema
	pick   []int // nil: all
	rec    arrow.Record
}

func aligned(r abreast.Source, to *union.Aligned, columns []string) infer.Records {
	a := &alignedRecords{Source: r, to: to, schema: r.Schema()}
	if to != nil {
		a.schema = to.Schema()
	}
	if columns != nil {
		s := a.schema
		var fields []arrow.Field
		a.pick = []int{}
		for _, name := range columns {
			for _, i := range s.FieldIndices(name) {
				a.pick, fields = append(a.pick, i), append(fields, s.Field(i))
			}
		}
		a.schema = arrow.NewSchema(fields, nil)
	}
	return a
}

func (a *alignedRecords) Schema() *arrow.Schema { return a.schema }

func (a *alignedRecords) Next() bool {
	if a.rec != nil {
		a.rec.Release()
		a.rec = nil
	}
	if !a.Source.Next() {
		return false
	}
	if a.rec = a.Source.Record(); a.to != nil {
		a.rec = a.to.Record(a.rec)
	} else {
		a.rec.Retain()
	}
	if a.pick != nil {
		a.rec = union.Pick(a.rec, a.schema, a.pick)
	}
	return true
}

func (a *alignedRecords) Record() arrow.Record { return a.rec }

// Size is how many bytes the inputs have that are files.
func (in *Inputs) Size() (size int64) {
	for _, path := range in.Paths {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	return size
}
