package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/explain"
	"github.com/dfaparse/dfaparse/internal/expr"
	"github.com/dfaparse/dfaparse/internal/pace"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// Fault is something that is said of a place in a spec.
type Fault struct {
	Line     int    `json:"line"`   // from 1; 0: of no place
	Column   int    `json:"column"` // in bytes, from 1
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// What a Fault is.
const (
	isError   = "error"
	isTest    = "test" // it compiles, but a test in it fails
	isWarning = "warning"
	isSlow    = "slow"
)

// Column of the table.
type Column struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Field    int    `json:"field"` // of the record that it comes from, -1: none
	Numeric  bool   `json:"numeric"`
	Nullable bool   `json:"nullable"`
}

// Reject is a record, or a field, that could not be read.
type Reject struct {
	Offset    int64  `json:"offset"` // in the input
	Start     int64  `json:"start"`  // of its record
	Line      int64  `json:"line"`
	Column    int64  `json:"column"`
	Field     string `json:"field,omitempty"`
	FieldOnly bool   `json:"field_only,omitempty"` // the field was made null, and its record is a row
	Reason    string `json:"reason"`
	Raw       string `json:"raw"` // its beginning, printable
}

// Summary is what there is to say at each keystroke.
type Summary struct {
	Faults   []Fault  `json:"faults"`
	Format   string   `json:"format,omitempty"` // "" if the spec does not compile
	Doc      string   `json:"doc,omitempty"`
	States   int      `json:"states"`
	Tests    int      `json:"tests"`
	Columns  []Column `json:"columns"`
	Fields   []string `json:"fields"` // names of a record's fields
	Template string   `json:"template,omitempty"`
	Window   Where    `json:"window"`
	Lines    int      `json:"lines"` // of the window, as they are shown
	Records  int      `json:"records"`
	Rows     int64    `json:"rows"`
	Rejected int64    `json:"rejected"`
	Nulled   int64    `json:"nulled"`
	Rejects  []Reject `json:"rejects"`
	Error    string   `json:"error,omitempty"` // that ends the reading
	Millis   float64  `json:"millis"`
}

// Where is where the window is.
type Where struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Size   int    `json:"size"`
	Of     int64  `json:"of"`  // the input's size
	How    string `json:"how"` // in words: how it is known that a record begins there
	Sure   bool   `json:"sure"`
}

// shownRejects is how many rejects are told of a window.
const shownRejects = 1000

// Analysis is a spec and what it makes of a Window.
type Analysis struct {
	Summary

	spec    *compile.Spec
	program *dfa.Program // nil: the spec does not compile
	window  *Window
	data    []byte // the window's head and data, up to the last record that is complete
	first   int    // offset in data of the first symbol that is no preface
	records []record
	display []line // of the window, as they are shown
	batches []arrow.Record
}

// record of data.
type record struct {
	start, next int
	begin       dfa.StateID
	kind        dfa.RecordKind
	reject      int // 1 + the index in Rejects, 0: none
	row         int // of the table, -1: none
}

// Analyse compiles a spec, runs its tests and reads the window. It takes what it can: a
// spec that does not compile has faults, and the window is shown without colours.
func Analyse(ctx context.Context, file string, src []byte, w *Window) *Analysis {
	began := time.Now()
	a := &Analysis{window: w, data: w.data()}
	a.Window = w.Where
	a.Faults, a.Columns, a.Rejects, a.Fields = []Fault{}, []Column{}, []Reject{}, []string{}
	a.compile(ctx, file, src)
	if a.program != nil {
		a.scan()
		a.read(ctx)
		a.place()
	}
	a.Summary.Records = len(a.records)
	a.cutLines()
	a.Summary.Lines = len(a.display)
	a.Millis = float64(time.Since(began).Microseconds()) / 1000
	return a
}

// Close gives the memory of the rows back.
func (a *Analysis) Close() {
	for _, b := range a.batches {
		b.Release()
	}
	a.batches = nil
}

func (a *Analysis) compile(ctx context.Context, file string, src []byte) {
	spec, err := compile.Compile(file, src, compile.WithResolver(formats.Resolve), compile.WithContext(ctx))
	if err != nil {
		a.fail(err, isError)
		return
	}
	a.spec, a.program = spec, spec.Program.OfText()
	for _, w := range spec.Warnings {
		a.fault(w.Pos.Filename, w.Pos.Line, w.Pos.Column, isWarning, w.Message, file)
	}
	for _, s := range pace.Find(spec) {
		a.fault(s.Pos.Filename, s.Pos.Line, s.Pos.Column, isSlow, s.Message, file)
	}
	if err := runtime.Verifier(cpu.Engine)(spec.Program, spec.Examples); err != nil {
		a.fail(err, isTest)
	}
	p := spec.Program
	a.Format, a.Doc, a.States, a.Tests = p.Name, p.Doc, p.Automaton.NStates(), len(spec.Examples)
	a.Template = templateOf(src)
	slices.SortStableFunc(a.Faults, func(x, y Fault) int { return cmp.Or(rank(x.Severity)-rank(y.Severity), x.Line-y.Line) })
}

func rank(severity string) int {
	return slices.Index([]string{isError, isTest, isWarning, isSlow}, severity)
}

// fail takes what compiling, or running the tests, has found.
func (a *Analysis) fail(err error, severity string) {
	for _, f := range compile.FaultsOf(err) {
		a.Faults = append(a.Faults, Fault{f.Pos.Line, f.Pos.Column, severity, render.Printable(f.Message)})
	}
}

// fault adds what is said of a place; of another file, as that of a parent, it has none here.
func (a *Analysis) fault(in string, line, column int, severity, message, file string) {
	if in != file && in != "" {
		line, column, message = 0, 0, in+": "+message
	}
	a.Faults = append(a.Faults, Fault{line, column, severity, render.Printable(message)})
}

// scan finds where the records are, by the automaton alone.
func (a *Analysis) scan() {
	p := a.program
	a.first = explain.Skipped(a.data, p)
	if a.first >= len(a.data) {
		return
	}
	m := p.Automaton
	state, begin, start := m.Start, m.Start, a.first
	for q := a.first; q < len(a.data); {
		next, e := m.Step(state, a.data[q])
		state = next
		if e.Kind != dfa.Record {
			q++
			continue
		}
		after := min(max(e.After(q), start+1), len(a.data)) // goes on, whatever the automaton
		a.records = append(a.records, record{start: start, next: after, begin: begin, kind: e.Record, row: -1})
		begin = m.Resume(e, next)
		start, state = after, begin
		q = after
	}
	if start >= len(a.data) {
		return
	}
	if !a.window.Last && len(a.records) > 0 {
		a.data = a.data[:start] // the rest is of a record that goes on behind the window
		return
	}
	if e := m.EOF(state); e.Kind == dfa.Record {
		a.records = append(a.records, record{start: start, next: len(a.data), begin: begin, kind: e.Record, row: -1})
	}
}

// read has the engine read the window.
func (a *Analysis) read(ctx context.Context) {
	mode := a.program.OnError
	if mode == dfa.Fail {
		mode = dfa.Reject
	}
	base := a.window.base()
	opts := []runtime.Option{
		runtime.WithEngine(cpu.Engine), runtime.WithContext(ctx), runtime.WithThreads(1), runtime.WithErrorMode(mode), runtime.WithName(a.window.Name),
		runtime.WithRejectDetails(shownRejects),
		runtime.WithRejectHandler(func(r *runtime.Reject) error {
			if len(a.Rejects) < shownRejects {
				a.Rejects = append(a.Rejects, base.reject(r))
			}
			return nil
		}),
	}
	if !a.window.Time.IsZero() {
		opts = append(opts, runtime.WithBaseTime(a.window.Time))
	}
	r, err := runtime.ReadBytes(a.data, a.program, opts...)
	if err != nil {
		a.Error = render.Printable(err.Error())
		return
	}
	defer r.Release()
	a.columns(r.Schema())
	for r.Next() {
		rec := r.Record()
		rec.Retain()
		a.batches = append(a.batches, rec)
	}
	if err := r.Err(); err != nil {
		a.Error = render.Printable(err.Error())
	}
	s := r.Stats()
	a.Summary.Rows, a.Rejected, a.Nulled = s.Rows, s.Rejected, s.Nulled
}

// columns are those of the table, and the fields that they come from.
func (a *Analysis) columns(schema *arrow.Schema) {
	a.Fields = a.fieldNames()
	of := map[string]int{}
	for i := range a.program.Columns {
		if c := &a.program.Columns[i]; c.Split != nil {
			for k := range c.Split.Columns {
				of[c.Split.Columns[k].Name] = i
			}
		}
	}
	for _, f := range schema.Fields() {
		c := Column{Name: f.Name, Type: expr.TypeName(&f), Field: slices.Index(a.Fields, f.Name), Nullable: f.Nullable}
		if i, split := of[f.Name]; c.Field < 0 && split {
			c.Field = i
		}
		switch f.Type.ID() {
		case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64,
			arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL128:
			c.Numeric = true
		}
		a.Columns = append(a.Columns, c)
	}
}

// fieldNames are the names of a record's fields: the columns of the spec, or what the
// input says.
func (a *Analysis) fieldNames() (names []string) {
	p := a.program
	if !p.Dynamic() {
		for i := range p.Columns {
			names = append(names, p.Columns[i].Name)
		}
		return names
	}
	header := p.Header.Records()
	for i := range a.records {
		r := &a.records[i]
		raw := a.walk(r)
		switch {
		case raw == nil:
		case r.kind == dfa.DataRecord && header > 0:
			names = p.Join(names, raw.Fields)
			header--
		case r.kind == dfa.DataRecord:
			return names
		case r.kind >= dfa.FirstDirective:
			if d := &p.Directives[r.kind-dfa.FirstDirective]; d.Action == dfa.SchemaDirective {
				if n, err := p.DirectiveNames(d, a.data[r.start:r.start+raw.End]); err == nil {
					names = n
				}
			}
		}
	}
	return names
}

// walk reads a record, fields and all; places are from its start.
func (a *Analysis) walk(r *record) (raw *dfa.RawRecord) {
	end := min(len(a.data), r.next+lookAhead)
	a.program.Automaton.Walk(a.data[r.start:end], r.begin, func(found *dfa.RawRecord) bool {
		raw = found
		return false
	})
	return raw
}

// lookAhead is how many symbols behind a record may be needed to see that it has ended.
const lookAhead = 4096

// place says of each record whether it is a row or a reject.
func (a *Analysis) place() {
	at := map[int64]int{}
	for i := range a.Rejects {
		if r := &a.Rejects[i]; at[r.Start] == 0 {
			at[r.Start] = i + 1
		}
	}
	header, row := a.program.Header.Records(), 0
	for i := range a.records {
		r := &a.records[i]
		if r.kind != dfa.DataRecord {
			continue
		}
		if header > 0 {
			header--
			continue
		}
		r.reject = at[a.window.offset(r.start)]
		if r.reject > 0 && !a.Rejects[r.reject-1].FieldOnly {
			continue
		}
		if int64(row) < a.Summary.Rows {
			r.row = row
			row++
		}
	}
}

// recordAt is the index of the record that has a byte of data, -1 if none has.
func (a *Analysis) recordAt(at int) int {
	i, found := slices.BinarySearchFunc(a.records, at, func(r record, at int) int { return cmp.Compare(r.start, at) })
	if !found {
		i--
	}
	if i < 0 || at >= a.records[i].next {
		return -1
	}
	return i
}

// Explain says in words what a byte of the input is.
func (a *Analysis) Explain(offset int64) (*Explanation, error) {
	if a.program == nil {
		return nil, errors.New("the spec does not compile yet, so there is nothing to explain by")
	}
	at := a.window.at(offset)
	if at < 0 || at > len(a.data) {
		return nil, fmt.Errorf("byte %d is not in a record of the window", offset)
	}
	base := a.window.base()
	x, err := explain.At(bytesReader(a.data), a.program, int64(at), 0)
	if err != nil {
		return nil, err
	}
	x.Shift(base.bytes, base.lines, 0)
	out := &Explanation{Offset: offset, Place: x.Place()}
	if a.window.Offset > 0 {
		out.Place += " of the window"
	}
	for _, r := range x.Rows() {
		out.Rows = append(out.Rows, [2]string{r.Head, r.Text})
	}
	if out.Before, out.After = int(x.Before), int(x.After); x.Outside != "" {
		out.Before, out.After = -1, -1
	}
	return out, nil
}

// Explanation is what is said of one byte.
type Explanation struct {
	Offset int64       `json:"offset"`
	Place  string      `json:"place"`
	Rows   [][2]string `json:"rows"`
	Before int         `json:"before"` // states, -1 for a byte that the automaton does not read
	After  int         `json:"after"`
}
