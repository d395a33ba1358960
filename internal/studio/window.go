package studio

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/render"
	"github.com/dfaparse/dfaparse/runtime"
)

// Window is a part of an input, which begins where a record does.
type Window struct {
	Where
	Head []byte // the input's first bytes up to its first record; none where the window begins the input
	Data []byte
	Last bool      // the input ends with it
	Time time.Time // before which times without a year lie; zero: the present

	both []byte // Head and Data, once they have been put together
}

// Input is something that windows are cut from. Index is what lies beside it, nil if nothing does.
type Input struct {
	Name  string
	Size  int64
	Time  time.Time
	Index func(p *dfa.Program) *runtime.Survey
	// Part is set where Name holds more, of which this is the beginning.
	Part string
	io.ReaderAt

	texts map[string]*Input // by their encodings, see decoded
}

// Sizes of windows in bytes.
const (
	DefaultWindow = 1 << 20
	headBytes     = 1 << 20   // in which the first record has to begin
	lookBack      = 512 << 10 // to find out where a record begins
	tryBytes      = 64 << 10  // that guesses are tried with
)

// data is what the engine reads.
func (w *Window) data() []byte {
	if len(w.Head) == 0 {
		return w.Data
	}
	if w.both == nil {
		w.both = slices.Concat(w.Head, w.Data)
	}
	return w.both
}

// offset is that in the input of a byte of data.
func (w *Window) offset(at int) int64 {
	if at < len(w.Head) {
		return int64(at)
	}
	return w.Offset + int64(at-len(w.Head))
}

// at is the byte of data that has an offset in the input, -1 if it is outside.
func (w *Window) at(offset int64) int {
	if offset < w.Offset || offset > w.Offset+int64(len(w.Data)) {
		return -1
	}
	return int(offset-w.Offset) + len(w.Head)
}

// shift is what has to be added to places in data, so that they are those of the input or,
// of lines, of the window.
type shift struct{ bytes, lines int64 }

func (w *Window) base() shift {
	return shift{bytes: w.Offset - int64(len(w.Head)), lines: -int64(bytes.Count(w.Head, []byte{'\n'}))}
}

// rawShown is how many bytes of a reject are told.
const rawShown = 300

func (s shift) reject(r *runtime.Reject) Reject {
	e := r.ParseError
	e.Offset, e.Line, e.File = e.Offset+s.bytes, e.Line+s.lines, ""
	raw := r.Raw
	if len(raw) > rawShown {
		raw = raw[:rawShown]
	}
	reason := e.Error()
	if _, after, ok := bytes.Cut([]byte(reason), []byte(": ")); ok {
		reason = string(after)
	}
	return Reject{Offset: e.Offset, Start: r.Start + s.bytes, Line: e.Line, Column: e.Column, Field: e.Field, FieldOnly: r.FieldOnly,
		Reason: reason, Raw: render.Printable(string(raw))}
}

// Begin cuts the window of an input that begins at the first record at an offset or behind it.
func (in *Input) Begin(ctx context.Context, file string, src []byte, offset int64, size int) (*Window, error) {
	w := &Window{Where: Where{Name: in.Name, Of: in.Size, How: "the beginning of the input", Sure: true}, Time: in.Time}
	if in.Part != "" {
		w.How += ", " + in.Part
	}
	offset = min(max(offset, 0), in.Size)
	if offset > 0 {
		if err := in.find(ctx, w, file, src, offset); err != nil {
			return nil, err
		}
	}
	data, err := in.bytes(w.Offset, size)
	if err != nil {
		return nil, err
	}
	w.Data, w.Size = data, len(data)
	w.Last = w.Offset+int64(len(data)) >= in.Size
	return w, nil
}

func (in *Input) bytes(offset int64, size int) ([]byte, error) {
	b := make([]byte, min(int64(size), max(in.Size-offset, 0)))
	n, err := in.ReadAt(b, offset)
	if err == io.EOF {
		err = nil
	}
	return b[:n], err
}

// find finds a record at an offset or behind it.
func (in *Input) find(ctx context.Context, w *Window, file string, src []byte, offset int64) error {
	spec, err := compile.Compile(file, src, compile.WithResolver(formats.Resolve), compile.WithContext(ctx))
	if err != nil { // then lines will do
		return in.findLine(w, offset, "a line begins here; the spec, which would say where a record does, does not compile")
	}
	p := spec.Program.OfText()
	head, err := in.bytes(0, headBytes)
	if err != nil {
		return err
	}
	begin, state, ok := firstRecord(head, p)
	if !ok {
		return in.findLine(w, offset, fmt.Sprintf("a line begins here; where records do is not known, for none begins within the first %d bytes", len(head)))
	}
	if int64(begin) >= offset {
		return nil // the window begins with the input
	}
	w.Head = head[:begin]
	if n := p.Stride(); n > 0 { // binary records are all of one length
		w.Offset = int64(begin) + (offset-int64(begin)+int64(n)-1)/int64(n)*int64(n)
		w.How = fmt.Sprintf("records are %d bytes long each", n)
		return nil
	}
	var x *runtime.Survey
	if in.Index != nil {
		x = in.Index(p)
	}
	if x != nil {
		i, found := slices.BinarySearchFunc(x.Checkpoints, offset, func(c runtime.Checkpoint, at int64) int { return int(max(-1, min(1, c.Offset-at))) })
		if !found {
			i--
		}
		if i >= 0 {
			c := x.Checkpoints[i]
			w.How = "the index says so"
			return in.follow(w, p, state, []dfa.StateID{c.State}, c.Offset, offset)
		}
	}
	return in.follow(w, p, state, nil, max(int64(begin), offset-lookBack), offset)
}

// firstRecord is where the first record behind the header begins, and the context there.
func firstRecord(head []byte, p *dfa.Program) (at int, state dfa.StateID, ok bool) {
	a := &Analysis{program: p, data: head, window: &Window{Data: head}}
	a.scan()
	header := p.Header.Records()
	for i := range a.records {
		switch r := &a.records[i]; {
		case r.kind != dfa.DataRecord:
		case header > 0:
			header--
		default:
			return r.start, r.begin, true
		}
	}
	return 0, 0, false
}

func (in *Input) findLine(w *Window, offset int64, how string) error {
	data, err := in.bytes(offset, headBytes)
	if err != nil {
		return err
	}
	w.Offset = offset
	if i := bytes.IndexByte(data, '\n'); i >= 0 && offset+int64(i)+1 < in.Size {
		w.Offset += int64(i) + 1
	}
	w.How, w.Sure = how, false
	return nil
}

// follow steps from an offset, where one of some states holds (nil: any), until a record
// begins at or behind another offset in state first. Where more than one state remains
// possible, each is tried with what follows, and the one that makes most sense is taken.
func (in *Input) follow(w *Window, p *dfa.Program, first dfa.StateID, states []dfa.StateID, from, offset int64) error {
	data, err := in.bytes(from, int(offset-from)+lookBack)
	if err != nil {
		return err
	}
	m := p.Automaton
	sure := states != nil
	if !sure {
		for s := range m.States {
			if p.Analysis().Reachable[s] {
				states = append(states, dfa.StateID(s))
			}
		}
	}
	at, upto := 0, min(int(offset-from), len(data))
	for ; at < upto; at++ {
		for i, s := range states {
			states[i], _ = m.Step(s, data[at])
		}
		if len(states) > 1 && (at < 64 || at%64 == 0) {
			slices.Sort(states)
			states = slices.Compact(states)
		}
	}
	slices.Sort(states)
	states = slices.Compact(states)
	state := states[0]
	switch {
	case sure:
	case len(states) == 1:
		w.How = fmt.Sprintf("whatever comes before, the %d bytes in front of it leave one state possible", upto)
	default:
		var best attempt
		for i, s := range states {
			t := try(m, s, data[at:min(len(data), at+tryBytes)])
			if i == 0 || t.better(&best) {
				best, state = t, s
			}
		}
		w.Sure = false
		w.How = fmt.Sprintf("a guess: of %d states that are possible here, the one in which most of what follows makes sense: %s, %d of them malformed",
			len(states), render.Count(int64(best.records), "record"), best.malformed)
	}
	for ; at < len(data); at++ {
		next, e := m.Step(state, data[at])
		state = next
		if e.Kind != dfa.Record {
			continue
		}
		if after, begin := e.After(at), m.Resume(e, next); after >= upto && begin == first {
			w.Offset = from + int64(after)
			return nil
		}
	}
	w.How, w.Sure = fmt.Sprintf("no record begins within %d bytes; the window begins in the middle of one", len(data)-upto), false
	w.Offset = offset
	return nil
}

// attempt is what a state makes of some bytes.
type attempt struct{ records, malformed int }

func (t *attempt) better(u *attempt) bool {
	if t.malformed*max(u.records, 1) != u.malformed*max(t.records, 1) {
		return t.malformed*max(u.records, 1) < u.malformed*max(t.records, 1)
	}
	return t.records > u.records
}

func try(m *dfa.Automaton, s dfa.StateID, data []byte) (t attempt) {
	bad := false
	for _, c := range data {
		next, e := m.Step(s, c)
		s = next
		bad = bad || e.Code != 0
		if e.Kind == dfa.Record {
			t.records++
			if bad {
				t.malformed++
			}
			bad = false
		}
	}
	if bad || t.records == 0 {
		t.malformed++
	}
	return t
}

func bytesReader(b []byte) io.Reader { return bytes.NewReader(b) }
