package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/spread"
)

// This file notes where records begin while an input is read: what a Reader has to
// know to begin there. Nothing is guessed: what is noted has been read up to.

// Checkpoint is where a record begins, or where the input ends, and what a Reader has
// to know to begin there.
type Checkpoint struct {
	Offset    int64       `json:"offset"`               // of the record's first byte
	State     dfa.StateID `json:"state"`                // the context there
	Directive int         `json:"directive"`            // that has set the binding, of Survey.Directives; -1: none has
	Records   int64       `json:"records"`              // data records before it
	Lines     int64       `json:"lines"`                // line ends before it
	LineStart int64       `json:"line_start"`           // offset of the first byte of its line
	Return    bool        `json:"return,omitempty"`     // the byte before it is a \r that ends a line
	Look      int         `json:"look_ahead,omitempty"` // bytes from here on that show that the record before it has ended
}

// Survey is what a pass over a whole input has found.
type Survey struct {
	Program     string       `json:"program"`              // the Fingerprint of what has read it
	Directives  []Naming     `json:"directives,omitempty"` // different ones, in order
	Checkpoints []Checkpoint `json:"checkpoints"`          // the first is that of the first record, the last the input's end
}

// Naming is a directive that names columns.
type Naming struct {
	Kind dfa.RecordKind `json:"kind"`
	Text []byte         `json:"text"` // as it is written
}

func (d *Naming) key() string { return string(rune(d.Kind)) + string(d.Text) }

// End is the input's end.
func (s *Survey) End() *Checkpoint { return &s.Checkpoints[len(s.Checkpoints)-1] }

// Fingerprint tells Programs apart, and lines passed over at the head (WithSkipLines):
// what a Survey has found is true for one.
func Fingerprint(p *dfa.Program, skipLines int64) string {
	sum := sha256.Sum256(fmt.Appendf(p.Encode(), "%d", skipLines))
	return hex.EncodeToString(sum[:12])
}

// surveying is a Reader's that notes where records begin.
type surveying struct {
	every  int64
	note   func(*Checkpoint)
	last   int64 // offset of the last that was noted
	found  []Naming
	end    Checkpoint
	number map[string]int   // of a directive, by its text
	read   int              // of found: the directive that was read last
	by     map[*Binding]int // which directive has set a binding
	look   int              // the most bytes behind a record's end that show it
}

func newSurveying(p *dfa.Program, o *options) *surveying {
	s := &surveying{every: o.every, note: o.note, last: -1, number: map[string]int{}, by: map[*Binding]int{}}
	if o.split != nil {
		for i, d := range o.split.Directives {
			key := d.key()
			if p.Directives[d.Kind-dfa.FirstDirective].Action == dfa.TypesDirective {
				key = typesKey(i-1, key)
			}
			s.number[key] = i
		}
		s.found = slices.Clone(o.split.Directives)
	}
	s.look = mostLook(p.Automaton)
	return s
}

// bound takes in that a directive has set a binding.
func (s *surveying) bound(kind dfa.RecordKind, raw []byte, b *Binding) {
	d := Naming{kind, raw}
	key := d.key()
	if b == nil { // the types of the columns that the one before names
		key = typesKey(s.read, key)
	}
	n, known := s.number[key]
	if !known {
		n = len(s.found)
		s.number[key] = n
		s.found = append(s.found, Naming{kind, bytes.Clone(raw)})
	}
	if s.read = n; b != nil {
		s.by[b] = n
	}
}

// typesKey is the key of a directive that names the types of columns, which the directive before
// it, of that number, has named.
func typesKey(before int, key string) string { return fmt.Sprintf("%d %s", before, key) }

// checkpoint is what is known of where the Reader is. All of the data follow there.
func (r *Reader) checkpoint() *Checkpoint {
	s := r.survey
	r.pos.count()
	c := &Checkpoint{
		Offset: r.pos.offset, State: r.state, Directive: -1, Records: r.first + r.stats.Records,
		Lines: r.pos.lines, LineStart: r.pos.line, Return: r.pos.pend,
	}
	if n, ok := s.by[r.binding]; ok {
		c.Directive = n
		if len(s.by) > 64 {
			s.by = map[*Binding]int{r.binding: n}
		}
	}
	c.Look = lookAhead(r.plan.Program.Automaton, s.look, r.state, r.src.data)
	return c
}

// over notes where the input ends. It may be in memory that goes away then.
func (s *surveying) over(r *Reader) error {
	if s == nil || r.err != nil {
		return nil
	}
	return Guard(r.entry.mapped, func() error {
		r.pos.count()
		s.end = Checkpoint{Offset: r.pos.offset, Directive: -1, Records: r.first + r.stats.Records, Lines: r.pos.lines, LineStart: r.pos.line}
		return nil
	})
}

// reached notes where the Reader is, if it is far enough from where it noted last.
func (r *Reader) reached() {
	s := r.survey
	if s == nil || s.last >= 0 && r.pos.offset < s.last+s.every {
		return
	}
	s.last = r.pos.offset
	s.note(r.checkpoint())
}

// withCheckpoints notes where records begin while an input is read: where the first one
// does, and then each time when at least so many bytes more have been read, as the
// partitions come. See TakeSurvey.
func withCheckpoints(every int64, note func(*Checkpoint)) Option {
	return func(o *options) { o.every, o.note = every, note }
}

// surveyTask is how many bytes a worker reads at once for a Survey, at most: its second
// look at them, for lines, finds them in its cache.
const surveyTask = 512 << 10

// TakeSurvey reads an input, or a Split of it, to its end, by a Reader that open makes with opts, and notes
// where records begin, at least so many bytes apart. Values are not looked at, and what
// is malformed is no matter: all records are counted as any reading counts them.
func TakeSurvey(every int64, open func(opts ...Option) (*Reader, error), opts ...Option) (*Survey, error) {
	s := &Survey{}
	every = max(every, 1)
	opts = append(opts,
		WithColumns([]string{}...), WithErrorMode(dfa.Reject), WithMaxRejects(-1), WithMaxRejectShare(1), WithRejectDetails(0), WithLimit(-1), WithSkip(0),
		func(o *options) {
			o.batch, o.batched, o.onReject, o.wait = 1<<28, true, nil, 0
			o.partition = int(min(every, surveyTask)) * max(o.threads, 1)
		},
		withCheckpoints(every, func(c *Checkpoint) { s.Checkpoints = append(s.Checkpoints, *c) }))
	r, err := open(opts...)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	if done, err := r.surveyByRanges(s, every); done || err != nil {
		return s, err
	}
	for r.Next() {
	}
	if r.Err() != nil {
		return nil, r.Err()
	}
	end := r.survey.end
	if last := s.End(); len(s.Checkpoints) > 1 && last.Offset == end.Offset {
		end.State, end.Directive = last.State, last.Directive
	}
	s.Checkpoints = append(s.Checkpoints, end)
	s.Directives = r.survey.found
	s.Program = Fingerprint(r.plan.Program, r.o.skipLines)
	return s, nil
}

// leastSurveyed is how many bytes a Range of a Survey has at least.
var leastSurveyed int64 = 256 << 10 // fewer in tests

// surveyByRanges takes the Survey by Ranges, as many at a time as there are workers, if these
// are counted faster than the engine reads. It reports whether it has.
func (r *Reader) surveyByRanges(s *Survey, every int64) (done bool, err error) {
	if every < leastSurveyed || r.o.split != nil || r.o.growing || !r.ranges() || !r.tables.tally.local() {
		return false, nil
	}
	size := int(min(every, 4<<20))
	start := *r.checkpoint()
	s.Checkpoints = s.Checkpoints[:0]
	var composed []*Range
	err = r.guard(func() error {
		for at := start.Offset; ; {
			if err := r.o.ctx.Err(); err != nil {
				return err
			}
			r.src.extend(size * r.o.threads)
			data := r.src.data
			parts := make([]*Range, (len(data)+size-1)/size)
			errs := make([]error, len(parts))
			spread.Over(r.o.threads, len(parts), func(i int) {
				errs[i] = Guard(r.entry.mapped, func() (err error) {
					from := i * size
					parts[i], err = r.Range(data[from:min(from+size, len(data))], at+int64(from))
					return err
				})
			})
			if err := errors.Join(errs...); err != nil {
				return err
			}
			composed = append(composed, parts...)
			at += int64(len(data))
			r.pos.offset = at
			r.moved()
			r.src.consume(len(data))
			switch {
			case r.src.err == io.EOF:
				return r.unchanged()
			case r.src.err != nil:
				return r.inputError()
			}
		}
	})
	if err != nil {
		return true, err
	}
	all, err := ComposeRanges(r.plan.Program, r.o.skipLines, start, composed)
	if err != nil {
		return true, err
	}
	end := len(all.Checkpoints) - 1
	s.Program = all.Program
	for i, c := range all.Checkpoints {
		if i == 0 || i == end || c.Offset >= s.End().Offset+every {
			s.Checkpoints = append(s.Checkpoints, c)
		}
	}
	return true, nil
}

// Places gives, in order, where records of any kind begin of what a Reader that was just
// made has to read, and where the last one ends, until yield returns false. That should be
// little: all of it is in memory at once.
func (r *Reader) Places(yield func(c *Checkpoint) bool) error {
	return r.guard(func() error {
		for r.src.err == nil {
			r.src.more()
		}
		if r.src.err != io.EOF {
			return r.inputError()
		}
		if r.survey == nil {
			r.survey = newSurveying(r.plan.Program, r.o)
			if s := r.o.split; s != nil && s.Start.Directive >= 0 {
				r.survey.by[r.binding] = s.Start.Directive
			}
		}
		a, data := r.plan.Program.Automaton, r.src.data
		c := *r.checkpoint()
		c.Look = 0
		at, goes := 0, yield(&c)
		eachSpan(a, data, r.state, r.src.final(), func(s span) bool {
			if !goes || s.next > len(data)-r.lookAhead() {
				return false
			}
			r.pos.pass(data[at:s.next])
			at = s.next
			if s.kind == dfa.DataRecord {
				r.stats.Records++
			}
			if s.kind >= dfa.FirstDirective {
				b, err := r.plan.Bind(s.kind, bytes.TrimRight(data[s.start:s.end], "\r\n"))
				if err != nil {
					return false
				}
				if b != nil {
					r.binding = b
				}
			}
			r.state, r.src.data = s.resume, data[s.next:]
			goes = yield(r.checkpoint())
			return goes
		})
		r.src.data = data[at:]
		return nil
	})
}

// lookAhead is how many of the last bytes of the data are there only to be looked at.
func (r *Reader) lookAhead() int {
	if s := r.o.split; s != nil && !s.Last {
		return s.Look
	}
	return 0
}

// Check reports the first way in which a Survey of an input of so many bytes cannot be
// one.
func (s *Survey) Check(size int64) error {
	if len(s.Checkpoints) < 2 {
		return errors.New("it has no checkpoints")
	}
	for i := range s.Checkpoints {
		c := &s.Checkpoints[i]
		var before Checkpoint
		if i > 0 {
			before = s.Checkpoints[i-1]
		}
		if c.Offset < before.Offset || c.Records < before.Records || c.Lines < before.Lines || c.LineStart < before.LineStart || c.LineStart > c.Offset ||
			c.Directive < -1 || c.Directive >= len(s.Directives) || c.Look < 0 || c.Look > math.MaxUint16 {
			return fmt.Errorf("checkpoint %d cannot be", i)
		}
	}
	if end := s.End().Offset; size >= 0 && end != size {
		return fmt.Errorf("it is of an input of %d bytes, and this one has %d", end, size)
	}
	return nil
}

// at is the number of the first checkpoint that begins at or after an offset.
func (s *Survey) at(offset int64) int {
	n := sort.Search(len(s.Checkpoints)-1, func(i int) bool { return s.Checkpoints[i].Offset >= offset })
	if n > 0 && n < len(s.Checkpoints) && s.Checkpoints[n].Offset-offset > offset-s.Checkpoints[n-1].Offset {
		return n - 1 // nearer
	}
	return n
}

// Split gives n splits, about equally large, which together are the input.
func (s *Survey) Split(n int) []Split {
	begin, end := s.Checkpoints[0].Offset, s.End().Offset
	cuts := []int{0}
	for k := 1; k < n; k++ {
		part := float64(end-begin) * float64(k) / float64(n)
		cuts = append(cuts, max(s.at(begin+int64(part)), cuts[k-1]))
	}
	return s.Cut(append(cuts, len(s.Checkpoints)-1))
}

// Cut gives the splits between checkpoints of these numbers, of which the first is 0 and the
// last that of the end.
func (s *Survey) Cut(cuts []int) (splits []Split) {
	last := 0 // the split that has the input's end
	for i := range cuts[1:] {
		from, to := &s.Checkpoints[cuts[i]], &s.Checkpoints[cuts[i+1]]
		splits = append(splits, s.between(from, to))
		splits[i].Number, splits[i].Of = i+1, len(cuts)-1
		if from.Offset < s.End().Offset {
			last = i
		}
	}
	splits[0].First = true
	splits[last].Last = true
	return splits
}

// between is the split from a checkpoint to another.
func (s *Survey) between(from, to *Checkpoint) Split {
	p := Split{Version: SplitVersion, Program: s.Program, Start: *from, End: to.Offset, Look: to.Look, Directives: s.Directives, Count: to.Records - from.Records}
	p.Start.Look = 0
	return p
}

// Fingerprint is that of the Program that the Reader reads by, and of the lines that it
// passes over.
func (r *Reader) Fingerprint() string { return Fingerprint(r.plan.Program, r.o.skipLines) }
