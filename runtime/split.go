package runtime

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/inflate"
)

// SplitVersion is the version of the Splits that are made. Those of another are not read.
const SplitVersion = 1

// Split is a range of an input that begins and ends where records do, with what a Reader
// has to know to read exactly these, and to say where in the input they are. It is small,
// and plain data: as JSON it goes to whoever reads it.
type Split struct {
	Version int    `json:"version"`
	File    Stamp  `json:"file"`
	Program string `json:"program"` // Fingerprint of the Program that it is for
	Number  int    `json:"number"`  // of this one, from 1
	Of      int    `json:"of"`      // how many there are

	First bool       `json:"first,omitempty"` // it has the header, and what else comes before the first record
	Last  bool       `json:"last,omitempty"`  // the input ends with it
	Start Checkpoint `json:"start"`
	End   int64      `json:"end"`                  // offset behind its last record
	Look  int        `json:"look_ahead,omitempty"` // bytes behind End that show that this record has ended
	Count int64      `json:"count"`                // data records in it

	Directives []Naming `json:"directives,omitempty"` // different ones of the whole input that name columns, in order

	Access *inflate.Point `json:"access,omitempty"` // where a compressed input is decompressed from; nil: from its beginning
}

// Stamp tells whether an input is still what it was. What is not known of it is zero.
type Stamp struct {
	Size     int64     `json:"size"`
	Modified time.Time `json:"modified,omitzero"`
	Tag      string    `json:"etag,omitempty"` // that a server gives
}

// Differs says how what is there now differs, "" if it does not.
func (s *Stamp) Differs(now *Stamp) string {
	switch {
	case s.Size != now.Size:
		return fmt.Sprintf("it had %d bytes, and has %d", s.Size, now.Size)
	case !s.Modified.Equal(now.Modified) && !s.Modified.IsZero() && !now.Modified.IsZero():
		return fmt.Sprintf("it was changed at %s, after %s", now.Modified.UTC().Format(time.RFC3339Nano), s.Modified.UTC().Format(time.RFC3339Nano))
	case s.Tag != now.Tag:
		return fmt.Sprintf("its tag was %q, and is %q", s.Tag, now.Tag)
	}
	return ""
}

// Empty reports whether it has nothing: no record, and nothing else that would be read.
func (s *Split) Empty() bool { return !s.First && !s.Last && s.Start.Offset == s.End }

// WithSplit reads the records of a Split, which TakeSurvey and Survey.Split have given
// for the same input and the same Program. Records, lines and offsets are those of the
// whole input, and so are those that WithSkip passes over; a limit, and a number of
// rejects that is one too many, are the split's.
//
// Of an input that is neither in memory nor can be sought, what comes before the split is
// read and passed over.
func WithSplit(s *Split) Option { return func(o *options) { o.split = s } }

// errSplit is a Split that does not go with what is read.
var errSplit = errors.New("the split is not of this input")

// checkSplit refuses a Split that cannot be one of p.
func (o *options) checkSplit(p *dfa.Program) error {
	s := o.split
	if s == nil {
		return nil
	}
	wrong := func(format string, args ...any) error {
		return &OptionError{"WithSplit", fmt.Sprintf(format, args...)}
	}
	switch {
	case s.Version != SplitVersion:
		return wrong("a split of version %d, want %d", s.Version, SplitVersion)
	case s.Program != Fingerprint(p, o.skipLines):
		return wrong("the split was made with another format, or with other lines passed over")
	case s.Start.Offset < 0 || s.End < s.Start.Offset || int(s.Start.State) >= p.Automaton.NStates() ||
		s.Start.Directive < -1 || s.Start.Directive >= len(s.Directives) || s.Look < 0 || s.Start.Records < 0:
		return wrong("the split cannot be")
	case slices.ContainsFunc(s.Directives, func(d Naming) bool {
		return d.Kind < dfa.FirstDirective || int(d.Kind-dfa.FirstDirective) >= len(p.Directives)
	}):
		return wrong("the split has a directive that the format has not")
	case o.growing:
		return wrong("a split is of a file that does not grow")
	}
	return nil
}

// bindDirectives names the columns of all directives of the input, as reading them would.
func (r *Reader) bindDirectives(p *dfa.Program, names *schema) error {
	for i := range r.o.split.Directives {
		if _, err := r.bindNaming(p, names, i); err != nil {
			return err
		}
	}
	return nil
}

// bindNaming is the binding that a directive of the Split sets.
func (r *Reader) bindNaming(p *dfa.Program, names *schema, number int) (*Binding, error) {
	d := &r.o.split.Directives[number]
	return r.bind(p, names, d.Kind, d.Text)
}

// enter makes the Reader, which has read the head of the input, begin where its Split
// does, and end there.
func (r *Reader) enter(p *dfa.Program, names *schema) (err error) {
	s := r.o.split
	if s == nil {
		return nil
	}
	from, bound := r.pos.offset, s.End+int64(s.Look)
	if !s.First {
		c := &s.Start
		if r.binding, err = r.headBinding(p, names, c.Directive); err != nil {
			return err
		}
		if r.survey != nil && c.Directive >= 0 {
			r.survey.by[r.binding] = c.Directive
		}
		from = c.Offset
		if from < r.pos.offset {
			return r.after(r.pos.offset, errSplit)
		}
	}
	if err := r.seek(from, bound); err != nil {
		return err
	}
	r.src.partial = !s.Last
	if s.First {
		return nil
	}
	c := &s.Start
	r.stats = Stats{}
	r.state, r.first, r.from = c.State, c.Records, c.Offset
	r.pos.uncounted = nil
	r.pos.offset, r.pos.lines, r.pos.line, r.pos.pend = c.Offset, c.Lines, c.LineStart, c.Return
	r.cursor = r.pos
	r.o.skip = max(0, r.o.skip-c.Records)
	return nil
}

// headBinding is the binding that a directive sets, or without one the one that the
// head of the input has.
func (r *Reader) headBinding(p *dfa.Program, names *schema, directive int) (*Binding, error) {
	if directive < 0 {
		return r.binding, nil
	}
	return r.bindNaming(p, names, directive)
}

// seek makes the data those from an offset of the input to another.
func (r *Reader) seek(from, to int64) error {
	if r.src.stays() {
		all := r.src.data[:cap(r.src.data)]
		at, end := from-r.pos.offset, to-r.pos.offset
		if end > int64(len(all)) || at > end {
			return r.after(r.pos.offset, errSplit)
		}
		r.src.data, r.src.beyond, r.src.err = all[at:at], len(all)-int(end), nil
		if m := r.src.mapping; m != nil {
			m.asked = len(m.whole) - len(all) + int(at)
			m.gone = m.asked &^ (mappedUnit - 1)
		}
		return nil
	}
	seeker, ok := r.entry.in.(io.Seeker)
	if !ok { // all that was read before is passed over
		for r.pos.offset < from {
			if len(r.src.data) == 0 {
				if r.src.more(); r.src.err != nil && len(r.src.data) == 0 {
					return r.after(r.pos.offset, errSplit)
				}
			}
			n := int(min(int64(len(r.src.data)), from-r.pos.offset))
			r.pos.offset += int64(n)
			r.src.consume(n)
		}
		return nil
	}
	r.src.close()
	r.src = nil
	if _, err := seeker.Seek(r.entry.base+from, io.SeekStart); err != nil {
		if _, err := seeker.Seek(r.entry.base, io.SeekStart); err != nil {
			return r.after(0, err)
		}
		if n, err := io.CopyN(io.Discard, r.entry.in, from); err != nil {
			return r.after(n, err)
		}
	}
	r.src = newSource(io.LimitReader(r.entry.in, to-from), true, r.o.partition, r.entry.account)
	return nil
}

// ended reports whether the Reader has come to the end of its Split.
func (r *Reader) ended() bool {
	s := r.o.split
	return s != nil && !s.Last && r.pos.offset >= s.End
}

// headPartition is how many bytes of an input of which a Split is read are looked at at
// once for what comes before the first record.
const headPartition = 64 << 10

// head is the size of the partitions by which the head of the input is read.
func (o *options) head() int {
	if o.split != nil {
		return min(o.partition, headPartition)
	}
	return o.partition
}

// limit ends an input that can only be read from its beginning behind a Split; of others
// it notes where they begin.
func (e *entry) limit(s *Split) (err error) {
	if s == nil {
		return nil
	}
	if seeker, ok := e.in.(io.Seeker); ok {
		if e.base, err = seeker.Seek(0, io.SeekCurrent); err == nil {
			return nil
		}
	}
	if e.memory == nil {
		e.in = io.LimitReader(e.in, s.End+int64(s.Look))
	}
	return nil
}
