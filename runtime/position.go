package runtime

import (
	"bytes"
	goruntime "runtime"
	"sync/atomic"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/spread"
)

// position counts bytes and lines up to a point of the input. Lines end at \n,
// and at \r where the format ends records there.
type position struct {
	offset  int64 // bytes before the point
	lines   int64 // line ends before it
	line    int64 // offset of the first byte of the line that the point is in
	cr      bool  // a lone \r ends a line
	noLines bool  // there are none: records are binary
	pend    bool  // cr: the byte before the point is \r

	// The last bytes before the point, which are in memory to stay, if lines in
	// them are not counted yet: nobody may ever ask.
	uncounted []byte
}

func (p *position) init(prog *dfa.Program) {
	p.cr, p.noLines = prog.LinesEndAtCR(), len(prog.Cells) > 0
}

// skip moves the point over b, which is the beginning of what is in memory from
// the point on, and stays.
func (p *position) skip(b []byte) {
	if len(p.uncounted) == 0 {
		p.uncounted = b
	} else {
		p.uncounted = p.uncounted[:len(p.uncounted)+len(b)]
	}
	p.offset += int64(len(b))
}

// count counts the lines up to the point.
func (p *position) count() {
	b := p.uncounted
	p.uncounted = nil
	p.offset -= int64(len(b))
	p.pass(b)
}

// pass moves the point over b, and counts its lines.
func (p *position) pass(b []byte) {
	if len(p.uncounted) > 0 {
		p.count()
	}
	if len(b) == 0 {
		return
	}
	if p.noLines {
		p.offset += int64(len(b))
		return
	}
	if p.cr {
		p.passCR(b)
		return
	}
	var l lines
	l.count(b)
	p.add(len(b), &l)
}

// add moves the point over n bytes with these lines.
func (p *position) add(n int, l *lines) {
	p.lines += l.n
	if l.last >= 0 {
		p.line = p.offset + int64(l.last) + 1
	}
	p.offset += int64(n)
}

// lines are the line ends of some bytes.
type lines struct {
	n    int64
	last int // offset of the last, -1 if there is none
}

// countPiece is how many bytes one of several goroutines counts at a time, and countBeside how many there have to be.
const (
	countPiece  = 256 << 10
	countBeside = 4 << 20
)

func (l *lines) count(b []byte) {
	l.last = bytes.LastIndexByte(b, '\n')
	if len(b) >= countBeside {
		var n atomic.Int64
		var gone atomic.Bool // what b lies in
		spread.Over(min(8, goruntime.GOMAXPROCS(0)), (len(b)+countPiece-1)/countPiece, func(i int) {
			if Guard(b, func() error {
				n.Add(int64(bytes.Count(b[i*countPiece:min(len(b), (i+1)*countPiece)], newline)))
				return nil
			}) != nil {
				gone.Store(true)
			}
		})
		if l.n = n.Load(); !gone.Load() {
			return
		}
	}
	l.n = int64(bytes.Count(b, newline)) // whoever has called finds out that b is gone
}

var newline = []byte{'\n'}

func (p *position) passCR(b []byte) {
	for _, c := range b {
		p.offset++
		switch {
		case c == '\n' && p.pend: // the second byte of a line end already counted
			p.line = p.offset
		case c == '\n' || c == '\r':
			p.lines++
			p.line = p.offset
		}
		p.pend = c == '\r'
	}
}
