package splits

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"

	"github.com/dfaparse/dfaparse/internal/inflate"
	"github.com/dfaparse/dfaparse/internal/input"
	"github.com/dfaparse/dfaparse/runtime"
)

// Extension of an index beside its file.
const Extension = input.IndexExtension

// Every is how many bytes lie between checkpoints, if nobody says otherwise.
const Every = 4 << 20

// magic begins an index; a space, the SHA-256 of what follows the line in hexadecimal
// digits and a line end come next.
const magic = "dfaparse-index-1"

// Index is what an index holds.
type Index struct {
	File runtime.Stamp `json:"file"`
	runtime.Survey
	Points []inflate.Point `json:"points,omitempty"` // at which a compressed input can be decompressed from, in order
}

// Opener begins to read the input.
type Opener func(opts ...runtime.Option) (*runtime.Reader, error)

// New reads an input, which is as file says, to its end.
func New(file runtime.Stamp, every int64, open Opener, opts ...runtime.Option) (*Index, error) {
	s, err := runtime.TakeSurvey(every, open, opts...)
	if err != nil {
		return nil, err
	}
	return &Index{File: file, Survey: *s}, nil
}

// Write writes the index.
func (x *Index) Write(w io.Writer) error {
	body, err := json.Marshal(x)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s %x\n%s\n", magic, sha256.Sum256(append(body, '\n')), body)
	return err
}

// ErrDamaged is an index that is none, or not any more.
var ErrDamaged = errors.New("the index is damaged, or none")

// ErrStale is an index, or a split, of a file that has changed since.
var ErrStale = errors.New("the file is not any more what it was")

// Read reads an index of an input that is as now says.
func Read(data []byte, now runtime.Stamp) (*Index, error) {
	head, body, ok := bytes.Cut(data, []byte("\n"))
	sum, good := bytes.CutPrefix(head, []byte(magic+" "))
	if !ok || !good || string(sum) != fmt.Sprintf("%x", sha256.Sum256(body)) {
		return nil, ErrDamaged
	}
	x := new(Index)
	if err := json.Unmarshal(body, x); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if err := x.Check(-1); err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if err := Fresh(&x.File, now); err != nil {
		return nil, err
	}
	return x, nil
}

// Fresh is the error of something that was made of a file as it was, if the file is not
// so now.
func Fresh(was *runtime.Stamp, now runtime.Stamp) error {
	if why := was.Differs(&now); why != "" {
		return fmt.Errorf("%w: %s", ErrStale, why)
	}
	return nil
}

// Split gives n splits of about the same size. Where checkpoints are too far apart for
// that, what is between two of them is read, once.
func (x *Index) Split(n int, open Opener) ([]runtime.Split, error) {
	begin, end := x.Checkpoints[0].Offset, x.End().Offset
	apart := (end - begin) / int64(n) / 2
	for k := 1; k < n; k++ {
		at := begin + int64(float64(end-begin)*float64(k)/float64(n))
		i := x.before(func(c *runtime.Checkpoint) bool { return c.Offset > at })
		c, next := &x.Checkpoints[i], &x.Checkpoints[i+1]
		if next.Offset-c.Offset <= apart || next.Records-c.Records <= 1 {
			continue
		}
		if err := x.refine(i, open, apart); err != nil {
			return nil, err
		}
	}
	splits := x.Survey.Split(n)
	x.stamp(splits)
	return splits, nil
}

// stamp says of which file splits are, and where to begin in it.
func (x *Index) stamp(splits []runtime.Split) {
	for i := range splits {
		s := &splits[i]
		s.File = x.File
		if n := sort.Search(len(x.Points), func(i int) bool { return x.Points[i].Out > s.Start.Offset }); n > 0 && !s.First {
			s.Access = &x.Points[n-1]
		}
	}
}

// Records is the split of the data records from a number to another, both counted from 1
// and both in it; to is 0 for all. What is more than there are is left away.
func (x *Index) Records(from, to int64, open Opener) (*runtime.Split, error) {
	cuts := [2]int{}
	for i, before := range []int64{from - 1, to} {
		if i == 1 && to == 0 {
			cuts[i] = len(x.Checkpoints) - 1
			continue
		}
		n := x.before(func(c *runtime.Checkpoint) bool { return c.Records > before })
		at, err := x.find(n, open, func(c *runtime.Checkpoint) bool { return c.Records >= before })
		if err != nil {
			return nil, err
		}
		cuts[i] = at
	}
	return x.between(cuts[0], max(cuts[0], cuts[1])), nil
}

// Line is the split from the record on that has a line, counted from 1. The last line of the
// input, which need have no end, is the last record's.
func (x *Index) Line(line int64, open Opener) (*runtime.Split, error) {
	end := x.Checkpoints[len(x.Checkpoints)-1]
	lines := end.Lines
	if end.LineStart < end.Offset {
		lines++
	}
	n := x.before(func(c *runtime.Checkpoint) bool { return c.Lines >= line })
	before := x.Checkpoints[n]
	_, err := x.find(n, open, func(c *runtime.Checkpoint) bool {
		if c.Lines >= line || c.Offset == end.Offset && lines >= line {
			return true
		}
		before = *c
		return false
	})
	if err != nil {
		return nil, err
	}
	from := sort.Search(len(x.Checkpoints)-1, func(i int) bool { return x.Checkpoints[i].Offset >= before.Offset })
	if x.Checkpoints[from].Offset != before.Offset {
		from = x.insert(&before)
	}
	return x.between(from, len(x.Checkpoints)-1), nil
}

// between is the split from a checkpoint to another.
func (x *Index) between(from, to int) *runtime.Split {
	cuts := []int{0, from, to, len(x.Checkpoints) - 1}
	splits := x.Cut(cuts)
	x.stamp(splits)
	s := &splits[1]
	s.Number, s.Of = 1, 1
	return s
}

// before is the number of the last checkpoint but the end that is not after.
func (x *Index) before(after func(c *runtime.Checkpoint) bool) int {
	n := sort.Search(len(x.Checkpoints)-1, func(i int) bool { return after(&x.Checkpoints[i]) })
	return max(n-1, 0)
}

// find reads what is between a checkpoint and the next until a place is there, and gives
// the number of the checkpoint that it is; without one it is the next.
func (x *Index) find(n int, open Opener, there func(c *runtime.Checkpoint) bool) (int, error) {
	if there(&x.Checkpoints[n]) {
		return n, nil
	}
	var found, before *runtime.Checkpoint
	err := x.places(n, open, func(c *runtime.Checkpoint) bool {
		if !there(c) {
			last := *c
			before = &last
			return true
		}
		at := *c
		found = &at
		return false
	})
	if err != nil {
		return 0, err
	}
	next := x.Checkpoints[n+1].Offset
	if before != nil && before.Offset > x.Checkpoints[n].Offset && before.Offset < next {
		n = x.insert(before) // what lies between is one record, and nobody looks there again
	}
	if found == nil || found.Offset >= next {
		return n + 1, nil
	}
	return x.insert(found), nil
}

// refine reads what is between a checkpoint and the next, and adds so many that no more bytes
// than apart lie between two of them, or one record does.
func (x *Index) refine(n int, open Opener, apart int64) error {
	last := x.Checkpoints[n]
	before := last
	var found []runtime.Checkpoint
	err := x.places(n, open, func(c *runtime.Checkpoint) bool {
		if c.Offset-last.Offset > apart && before.Offset > last.Offset {
			last = before
			found = append(found, last)
		}
		before = *c
		return true
	})
	x.Checkpoints = slices.Insert(x.Checkpoints, n+1, found...)
	return err
}

// places gives the places between a checkpoint and the next, with both, as Reader.Places does.
func (x *Index) places(n int, open Opener, yield func(c *runtime.Checkpoint) bool) error {
	splits := x.Cut([]int{0, n, n + 1, len(x.Checkpoints) - 1})
	r, err := open(runtime.WithColumns([]string{}...), runtime.WithSplit(&splits[1]), runtime.WithSkip(0), runtime.WithLimit(-1))
	if err != nil {
		return err
	}
	defer r.Release()
	return r.Places(yield)
}

// insert adds a checkpoint, and gives its number.
func (x *Index) insert(c *runtime.Checkpoint) int {
	n := sort.Search(len(x.Checkpoints)-1, func(i int) bool { return x.Checkpoints[i].Offset >= c.Offset })
	x.Checkpoints = slices.Insert(x.Checkpoints, n, *c)
	return n
}
