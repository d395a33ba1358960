package identify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	goruntime "runtime"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/spread"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
	"github.com/dfaparse/dfaparse/runtime/reference"
)

// Match is what one format makes of a sample.
type Match struct {
	Name    string
	Records int64   // in the sample, good and bad
	Read    int64   // those whose values all fit their columns
	Bits    float64 // that the format demands of a record, on average of those read
	hollow  bool    // most of its columns have no value in any record
}

// Share of the records that the format reads.
func (m *Match) Share() float64 { return float64(m.Read) / float64(max(m.Records, 1)) }

// What a format must show to be named.
const (
	namedShare  = 0.5 // of the records
	leastBits   = 16  // a record; less is what many texts have
	muchBits    = 32  // a record; a format that demands less has to read littleShare of the records
	littleShare = 0.9
	nearShare   = 0.25 // of the records, to be the nearest where none is named
	tied        = 0.05 // scores that differ by less than this part are alike
)

// named is whether the format reads enough of the sample: one that demands little reads some
// of many texts.
func (m *Match) named() bool {
	return m.Share() >= namedShare && (m.Bits >= muchBits || m.Share() >= littleShare)
}

// score is what the format demands of the records that it reads, over all records. The
// share counts twice: a format that reads all there is goes before one that demands half as
// much again and reads four fifths.
func (m *Match) score() float64 { return m.Share() * m.Share() * m.Bits }

// Matches are what formats read something of a sample, the best first: those that read
// enough of it to be named go before all others.
type Matches []Match

// Named is whether the first is the format of the sample.
func (m Matches) Named() bool { return len(m) > 0 && m[0].named() }

// Nearest is, where no format is that of the sample, one that demands much and reads some of it; nil if there is none.
func (m Matches) Nearest() *Match {
	if len(m) == 0 || m.Named() || m[0].Bits < muchBits || m[0].Share() < nearShare || m[0].Read < 2 {
		return nil
	}
	return &m[0]
}

// Ties are the formats that are as likely as the first, and read enough to be named.
func (m Matches) Ties() (ties Matches) {
	for i := 1; i < len(m) && m[i].named() && m[i].score() >= m[0].score()*(1-tied); i++ {
		ties = append(ties, m[i])
	}
	return ties
}

// Bytes reads a sample with every built-in format. Its lines should be whole.
func Bytes(ctx context.Context, sample []byte) (Matches, error) { return match(ctx, sample, 0) }

// Best are the first of Bytes and its ties, which takes less time; if none is named, those that read enough.
func Best(ctx context.Context, sample []byte) (Matches, error) {
	m, err := match(ctx, sample, namedShare)
	if m.Named() {
		m = m[:1+len(m.Ties())]
	}
	return m, err
}

// match reads a sample with the built-in formats; those that read no such share of it are left out. Where
// a share is asked for, so are some that are behind a format that is named, and no tie of it.
func match(ctx context.Context, sample []byte, least float64) (Matches, error) {
	names, few, first := formats.Names(), few(sample), sample
	if few != nil {
		first = few
	}
	// Whether what demands next to nothing of first is left out.
	demanding := few == nil || least > 0 && bytes.Count(few, []byte{'\n'}) >= fewRecords
	matches, errs := make([]Match, len(names)), make([]error, len(names))
	programs := make([]*dfa.Program, len(names)) // of those that reject some records
	look := func(i int) {
		if errs[i] = ctx.Err(); errs[i] != nil {
			return
		}
		if need := needs()[names[i]]; need != nil && (need.refined || !need.met(first) || demanding && need.slight(first)) {
			return
		}
		p, err := formats.Program(names[i])
		if err != nil {
			errs[i] = err
			return
		}
		if few != nil && !promising(ctx, p, few, least) {
			return
		}
		m, rejected, ok := attempt(ctx, p, sample, nil, runtime.WithRejectDetails(0))
		if !ok || m.Share() < least {
			return
		}
		m.Name = names[i]
		matches[i] = m
		if rejected > 0 {
			programs[i] = p
		}
	}
	// again reads what look has read, where some is rejected: that has a text each, with words for it, which
	// take longer than the reading. So it is read without these first, and more may seem to be demanded.
	again := func(i int) {
		p := programs[i]
		if p == nil {
			return
		}
		var texts text
		m, _, ok := attempt(ctx, p, sample, &texts, adding(&texts))
		if m.Name = names[i]; !ok {
			m = Match{}
		}
		matches[i] = m
	}
	anyLines, byLine := slices.Index(names, anyLines), slices.Index(names, byLine)
	spread.Over(goruntime.GOMAXPROCS(0), len(names), func(i int) {
		if i != anyLines {
			look(i)
		}
	})
	best := 0.0
	for i := range matches {
		if m := &matches[i]; least > 0 && programs[i] == nil && m.named() {
			best = max(best, m.score())
		}
	}
	spread.Over(goruntime.GOMAXPROCS(0), len(names), func(i int) {
		switch {
		case i == byLine || matches[i].score() >= best*(1-tied):
			again(i)
		case programs[i] != nil:
			matches[i] = Match{}
		}
	})
	if anyLines >= 0 && !(byLine >= 0 && matches[byLine].named()) { // or it would be left out
		look(anyLines)
		again(anyLines)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(Matches(matches), func(m Match) bool { return m.Name == "" })
	slices.SortStableFunc(found, func(a, b Match) int {
		if named := a.named(); named != b.named() {
			if named {
				return -1
			}
			return 1
		}
		return cmp.Compare(b.score(), a.score())
	})
	found.settle()
	return found, nil
}

// anyLines is the format of objects of JSON over any lines, which is left out where each is a line, of byLine.
const anyLines, byLine = "json", "jsonl"

// settle puts of the formats that are as likely as the first one in front most of whose columns
// have values, and a format before one that only changes it.
func (m Matches) settle() {
	if !m.Named() {
		return
	}
	n := 1 + len(m.Ties())
	if i := slices.IndexFunc(m[:n], func(a Match) bool { return !a.hollow }); i > 0 {
		m[0], m[i] = m[i], m[0]
	}
	for i := 1; i < n; i++ {
		if m[i].hollow == m[0].hollow && needs()[m[0].Name].parent == m[i].Name {
			m[0], m[i] = m[i], m[0]
		}
	}
}

// fewBytes is how much of a long sample is read first, in so many pieces: a format that reads
// no record of these is not tried on the rest.
const fewBytes, fewPieces = 6 << 10, 3

// few are whole lines from the head of a sample, its middle and its end, nil if it is short.
func few(sample []byte) (b []byte) {
	const piece = fewBytes / fewPieces
	if len(sample) < 2*fewBytes {
		return nil
	}
	for i := range fewPieces {
		from := (len(sample) - piece) * i / (fewPieces - 1)
		if i > 0 {
			from += bytes.IndexByte(sample[from:], '\n') + 1
		}
		b = append(b, upToLine(sample[from:min(from+piece, len(sample))])...)
	}
	return b
}

// fewRecords are those of the few lines from which on their bits and their share count.
const fewRecords = 8

// promising reports whether a format may read such a share of a sample, of which a few lines are
// looked at: whether it reads a record of these, not far fewer of them than that, and demands no
// less than a quarter of what it has to. The reference engine reads them, which is ready at once.
func promising(ctx context.Context, p *dfa.Program, lines []byte, least float64) bool {
	if readsNone(p, lines) {
		return false
	}
	whole := runtime.WithChunkSize(max(1, len(lines))) // no chunk is read from every state
	t, s, err := take(ctx, p, lines, runtime.WithRejectDetails(0), runtime.WithEngine(reference.Engine), whole)
	switch {
	case t == nil || s.Rows == 0:
		return false
	case least == 0 || err != nil || t.named || s.Records < fewRecords:
		return true
	}
	if float64(s.Rows-t.doubtful) < least/4*float64(s.Records) {
		return false
	}
	var rejected text
	if s.Rejected > 0 {
		if n := s.Account.Rejected.Bytes; demand(p, lines, t, s, text{n, n}) >= leastBits/4 { // as if all of it were blanks, and others
			return true
		}
		if t, s, err = take(ctx, p, lines, adding(&rejected), runtime.WithEngine(reference.Engine), whole); err != nil {
			return true
		}
	}
	return demand(p, lines, t, s, rejected) >= leastBits/4
}

// readsNone reports whether the automaton alone shows that a format reads no record of a text, which
// takes a tenth of the time that reading takes: each of them has an error.
func readsNone(p *dfa.Program, text []byte) bool {
	if len(p.Skip) > 0 || p.Header != (dfa.Header{}) || len(p.Directives) > 0 || len(p.Cells) > 0 || bytes.HasPrefix(text, []byte(dfa.ByteOrderMark)) {
		return false // records may begin later
	}
	a, s, bad := p.Automaton, p.Automaton.Start, false
	for _, symbol := range text {
		next, e := a.Step(s, symbol)
		if bad = bad || e.Code != 0; e.Kind == dfa.Record {
			if !bad {
				return false
			}
			bad = false
		}
		s = next
	}
	e := a.EOF(s)
	return bad || e.Code != 0 || e.Kind != dfa.Record
}

// adding adds the texts of rejected records up.
func adding(to *text) runtime.Option {
	return runtime.WithRejectHandler(func(rej *runtime.Reject) error {
		if !rej.FieldOnly {
			to.add(rej.Raw)
		}
		return nil
	})
}

// take reads a text with a format. It gives no taken where that cannot begin.
func take(ctx context.Context, p *dfa.Program, text []byte, more ...runtime.Option) (t *taken, s *runtime.Stats, err error) {
	r, err := read(ctx, p, text, more...)
	if err != nil {
		return nil, nil, err
	}
	defer r.Release()
	t = newTaken(p, r.Schema())
	for t.plausible && r.Next() {
		t.add(r.Record())
	}
	stats := r.Stats()
	return t, &stats, r.Err()
}

// read begins to read a text with a format.
func read(ctx context.Context, p *dfa.Program, text []byte, more ...runtime.Option) (*runtime.Reader, error) {
	return runtime.ReadBytes(text, p, append([]runtime.Option{runtime.WithEngine(cpu.Engine), runtime.WithThreads(1), runtime.WithContext(ctx), runtime.WithErrorMode(dfa.Reject)}, more...)...)
}

// attempt reads a sample, and says how many records are rejected, whose texts the option adds up; nil: they
// are taken for the least that they may be.
func attempt(ctx context.Context, p *dfa.Program, sample []byte, texts *text, rejects runtime.Option) (m Match, rejected int64, ok bool) {
	t, s, err := take(ctx, p, sample, rejects)
	if err != nil || s.Rows == 0 || t.wantsNulls && t.nulls == 0 {
		return m, 0, false
	}
	m.Records = s.Records
	m.Read = s.Rows - t.doubtful
	if len(p.Columns) == 0 {
		m.Read -= s.SurplusRecords // nothing else tells such a table from text with separators
	}
	lines := int64(bytes.Count(records(sample, s), []byte{'\n'}))
	switch {
	case m.Read <= 0:
		return m, 0, false
	case lines > manyLines*m.Read && (m.Read == 1 || 4*s.RejectedLines > lines):
		return m, 0, false // few records that took in all the lines there are
	case s.RejectedLines > max(s.Rejected, lines/2):
		return m, 0, false // few that are rejected have most of them
	}
	if texts == nil {
		texts = leastOf(p, sample, s)
	}
	m.Bits = demand(p, sample, t, s, *texts)
	m.hollow = t.hollow()
	return m, s.Rejected, m.Bits >= leastBits || t.named
}

// records are a sample without what stands before them.
func records(sample []byte, s *runtime.Stats) []byte {
	return sample[s.Account.Mark+s.Account.Header.Bytes:]
}

// demand is what a format demands of a record that it reads of a sample, but for the texts of those that
// it rejects, in bits.
func demand(p *dfa.Program, sample []byte, t *taken, s *runtime.Stats, rejected text) float64 {
	var whole text
	whole.add(records(sample, s))
	fixed := whole.minus(rejected).minus(t.free)
	if n := int64(len(sample)); n > 0 { // comments demand nothing of records; they are taken for as blank as all of it
		dropped := s.Account.Dropped.Bytes
		fixed.others = max(0, fixed.others-dropped*whole.others/n)
		fixed.blanks = max(0, fixed.blanks-dropped*whole.blanks/n)
	}
	return (fixed.bits() + float64(formed(p, sample))) / float64(s.Rows)
}

// leastOf is no more than the texts of what was rejected: without the blanks that there are, all of which may be
// in these, and what ends records.
func leastOf(p *dfa.Program, sample []byte, s *runtime.Stats) *text {
	if len(sample) > 1<<20 { // of long records the texts are not whole
		return &text{}
	}
	blanks := bytes.Count(sample, []byte{' '}) + bytes.Count(sample, []byte{'\n'}) + bytes.Count(sample, []byte{'\r'})
	ends := s.Rejected * int64(p.Automaton.MaxLag()+2)
	return &text{others: max(0, s.Account.Rejected.Bytes-int64(blanks)-ends)}
}

// manyLines are more than one record has, as a rule.
const manyLines = 40

// text is how much of what a text has.
type text struct {
	blanks, others int64 // several blanks in a row are one: any text may be aligned, or have empty lines
}

func (t *text) add(b []byte) {
	for i, c := range b {
		switch c {
		case ' ', '\n', '\r':
			if i == 0 || b[i-1] != ' ' && b[i-1] != '\n' && b[i-1] != '\r' {
				t.blanks++
			}
		default:
			t.others++
		}
	}
}

func (t text) minus(u text) text {
	return text{t.blanks - u.blanks, t.others - u.others}
}

// bits are the demands of a format that lays t down: a blank is likely wherever it
// stands, any other symbol says more. Digits and signs are counted alike.
func (t text) bits() float64 { return float64(t.blanks) + 4*float64(t.others) }

// Size of a sample: of the head, and of each of some places further on.
const (
	headSize  = 64 << 10
	placeSize = 16 << 10
	places    = 3
)

// Sample takes the head of an input and, if it is a file of a known size that can be
// read anywhere, a few places further on, all of them whole lines.
func Sample(head io.Reader, file io.ReaderAt, size int64) ([]byte, error) {
	b := make([]byte, headSize)
	n, err := io.ReadFull(head, b)
	if err != nil && err != io.ErrUnexpectedEOF && err != io.EOF {
		return nil, err
	}
	b = b[:n]
	if err != nil {
		return b, nil // all there is
	}
	b = upToLine(b)
	for i := range int64(places) {
		at := (i + 1) * size / (places + 1)
		if file == nil || at < headSize {
			continue
		}
		place := make([]byte, placeSize)
		n, err := file.ReadAt(place, at)
		if err != nil && err != io.EOF {
			return nil, err
		}
		if i := bytes.IndexByte(place[:n], '\n'); i >= 0 {
			b = append(b, upToLine(place[i+1:n])...)
		}
	}
	return b, nil
}

// upToLine leaves out a last line that is cut off; a line longer than b stays.
func upToLine(b []byte) []byte {
	if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
		return b[:i+1]
	}
	return b
}
