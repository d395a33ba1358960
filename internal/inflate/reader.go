package inflate

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// errCorrupt is data that are no gzip.
var errCorrupt = errors.New("the data are corrupt")

const (
	inputSize = 64 << 10
	textSize  = 4 * windowSize // of the memory that text is made in
	longest   = 258            // bytes that one symbol stands for
)

// Reader reads gzip data, of any number of members, from a Point on.
type Reader struct {
	in    io.Reader
	buf   []byte // of it
	at    int    // in buf: what is next
	base  int64  // offset of buf in the data
	ended bool   // nothing follows buf

	hold  uint64 // bits that were taken from buf, the next one lowest
	nbits uint

	text  []byte // made so far, the last 32 KiB of it at least
	given int    // of text
	out   int64  // text that comes before text
	err   error  // once all of text is given

	next   func(*Reader) error // what comes next
	last   bool                // the block is the member's last
	stored int                 // bytes that are left of a block that is not compressed
	whole  bool                // the member was read from its beginning, so that its end can be checked
	sum    uint32              // CRC-32 of the text of the member up to summed
	summed int                 // in text
	began  int64               // offset of the member's text

	literals, distances code

	// Note is told of Points, so many bytes of text apart at least; nil: nobody is.
	Note  func(Point)
	Every int64
	noted int64 // text before the last
}

// NewReader begins at a Point; in gives the data from the Point's byte on, or if it has
// bits, from the byte before.
func NewReader(in io.Reader, from *Point) (*Reader, error) {
	r := &Reader{in: in, buf: make([]byte, 0, inputSize), text: make([]byte, 0, textSize), base: from.In, out: from.Out, noted: from.Out}
	if from.Window == nil {
		r.next = (*Reader).member
		return r, nil
	}
	window, err := from.window()
	if err != nil {
		return nil, err
	}
	r.text, r.given = append(r.text, window...), len(window)
	r.out -= int64(len(window))
	r.next = (*Reader).block
	if from.Bits > 0 {
		r.base--
		if err := r.need(8); err != nil {
			return nil, err
		}
		r.drop(8 - uint(from.Bits))
	}
	return r, nil
}

// Begin is the offset from which NewReader wants the data.
func (p *Point) Begin() int64 {
	if p.Bits > 0 {
		return p.In - 1
	}
	return p.In
}

func (r *Reader) Read(p []byte) (int, error) {
	for r.given == len(r.text) {
		if r.err != nil {
			return 0, r.err
		}
		if r.err = r.next(r); r.err != nil {
			r.next = nil
		}
		if len(p) == 0 {
			return 0, nil
		}
	}
	n := copy(p, r.text[r.given:])
	r.given += n
	return n, nil
}

// refill reads more; at the end of the data it is io.ErrUnexpectedEOF.
func (r *Reader) refill() error {
	if r.at < len(r.buf) {
		return nil
	}
	if r.ended {
		return io.ErrUnexpectedEOF
	}
	r.base += int64(len(r.buf))
	r.buf, r.at = r.buf[:0], 0
	for range 100 {
		n, err := r.in.Read(r.buf[:cap(r.buf)])
		r.buf = r.buf[:n]
		switch {
		case err == io.EOF:
			r.ended = true
			if n == 0 {
				return io.ErrUnexpectedEOF
			}
			return nil
		case err != nil:
			return err
		case n > 0:
			return nil
		}
	}
	return io.ErrNoProgress
}

// fill takes as many bits as there is room for, and are there.
func (r *Reader) fill() error {
	if len(r.buf)-r.at >= 8 {
		r.hold |= binary.LittleEndian.Uint64(r.buf[r.at:]) << r.nbits
		n := (63 - r.nbits) / 8
		r.at += int(n)
		r.nbits += n * 8
		r.hold &= 1<<r.nbits - 1
		return nil
	}
	for r.nbits <= 56 {
		if err := r.refill(); err != nil {
			return err
		}
		r.hold |= uint64(r.buf[r.at]) << r.nbits
		r.at++
		r.nbits += 8
	}
	return nil
}

// need takes so many bits at least, of at most 32.
func (r *Reader) need(n uint) error {
	if r.nbits >= n {
		return nil
	}
	if err := r.fill(); r.nbits < n {
		return err
	}
	return nil
}

func (r *Reader) drop(n uint) {
	r.hold >>= n
	r.nbits -= n
}

// take gives the next bits.
func (r *Reader) take(n uint) (uint32, error) {
	if err := r.need(n); err != nil {
		return 0, err
	}
	v := uint32(r.hold & (1<<n - 1))
	r.drop(n)
	return v, nil
}

// room makes place for more text: what was given and is too old is gone.
func (r *Reader) room() {
	if cap(r.text)-len(r.text) > 2*longest {
		return
	}
	r.check()
	gone := len(r.text) - windowSize
	r.text = append(r.text[:0], r.text[gone:]...)
	r.given -= gone
	r.summed -= gone
	r.out += int64(gone)
}

// check takes text into the sum.
func (r *Reader) check() {
	r.sum = crc32.Update(r.sum, crc32.IEEETable, r.text[r.summed:])
	r.summed = len(r.text)
}

func (r *Reader) total() int64 { return r.out + int64(len(r.text)) }

// place notes where the Reader is, if it is far enough from where it noted last.
func (r *Reader) place(window []byte) {
	if r.Note == nil || r.total() < r.noted+r.Every {
		return
	}
	r.noted = r.total()
	p := Point{In: r.base + int64(r.at) - int64(r.nbits/8), Bits: uint8(r.nbits % 8), Out: r.noted}
	if window != nil {
		p.Window = packed(window)
	}
	r.Note(p)
}

// member reads the header of one, or that there is none any more.
func (r *Reader) member() error {
	if err := r.need(8); err != nil {
		if err == io.ErrUnexpectedEOF {
			return io.EOF
		}
		return err
	}
	r.place(nil)
	var head [10]uint32
	for i := range head {
		var err error
		if head[i], err = r.take(8); err != nil {
			return err
		}
	}
	const deflate, hasSum, hasExtra, hasName, hasComment = 8, 2, 4, 8, 16
	if head[0] != 0x1f || head[1] != 0x8b || head[2] != deflate {
		return errCorrupt
	}
	flags := head[3]
	if flags&hasExtra != 0 {
		n, err := r.take(16)
		for ; n > 0 && err == nil; n-- {
			_, err = r.take(8)
		}
		if err != nil {
			return err
		}
	}
	for _, flag := range []uint32{hasName, hasComment} {
		for c := uint32(1); flags&flag != 0 && c != 0; {
			var err error
			if c, err = r.take(8); err != nil {
				return err
			}
		}
	}
	if flags&hasSum != 0 {
		if _, err := r.take(16); err != nil {
			return err
		}
	}
	r.whole, r.sum, r.summed, r.began = true, 0, len(r.text), r.total()
	r.next = (*Reader).block
	return nil
}

// trailer reads the end of a member.
func (r *Reader) trailer() error {
	r.drop(r.nbits % 8)
	sum, err := r.take(32)
	if err != nil {
		return err
	}
	size, err := r.take(32)
	if err != nil {
		return err
	}
	r.check()
	if r.whole && (sum != r.sum || size != uint32(r.total()-r.began)) {
		return errors.New("the checksum is wrong")
	}
	r.next = (*Reader).member
	return nil
}

// block reads the head of one.
func (r *Reader) block() error {
	if r.last {
		r.last = false
		return r.trailer()
	}
	r.place(r.text[max(0, len(r.text)-windowSize):])
	head, err := r.take(3)
	if err != nil {
		return err
	}
	r.last = head&1 != 0
	switch head >> 1 {
	case 0:
		r.drop(r.nbits % 8)
		size, err := r.take(32)
		if err != nil {
			return err
		}
		if uint16(size) != ^uint16(size>>16) {
			return errCorrupt
		}
		r.stored, r.next = int(uint16(size)), (*Reader).copyStored
	case 1:
		r.fixed()
		r.next = (*Reader).symbols
	case 2:
		if err := r.dynamic(); err != nil {
			return err
		}
		r.next = (*Reader).symbols
	default:
		return errCorrupt
	}
	return nil
}

func (r *Reader) copyStored() error {
	for r.stored > 0 && r.nbits > 0 {
		c, _ := r.take(8)
		r.room()
		r.text = append(r.text, byte(c))
		r.stored--
	}
	for r.stored > 0 {
		if err := r.refill(); err != nil {
			return err
		}
		r.room()
		n := min(r.stored, len(r.buf)-r.at, cap(r.text)-len(r.text))
		r.text = append(r.text, r.buf[r.at:r.at+n]...)
		r.at += n
		r.stored -= n
		if len(r.text)-r.given >= windowSize {
			return nil
		}
	}
	r.next = (*Reader).block
	return nil
}

func (r *Reader) fixed() {
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	r.literals.build(lengths[:])
	clear(lengths[:])
	for i := range 32 {
		lengths[i] = 5
	}
	r.distances.build(lengths[:32])
}

// order is that of the lengths of the code that lengths are coded by.
var order = [19]uint8{16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15}

// dynamic reads the codes of a block.
func (r *Reader) dynamic() error {
	head, err := r.take(14)
	if err != nil {
		return err
	}
	nliterals, ndistances, nlengths := int(head&31)+257, int(head>>5&31)+1, int(head>>10)+4
	if nliterals > 286 || ndistances > 30 {
		return errCorrupt
	}
	var lengths [320]uint8
	for _, i := range order[:nlengths] {
		n, err := r.take(3)
		if err != nil {
			return err
		}
		lengths[i] = uint8(n)
	}
	if !r.literals.build(lengths[:19]) {
		return errCorrupt
	}
	clear(lengths[:])
	for i := 0; i < nliterals+ndistances; {
		symbol, err := r.symbol(&r.literals)
		if err != nil {
			return err
		}
		if symbol < 16 {
			lengths[i] = uint8(symbol)
			i++
			continue
		}
		again, nbits, least := uint8(0), uint(2), 3
		switch symbol {
		case 16:
			if i == 0 {
				return errCorrupt
			}
			again = lengths[i-1]
		case 17:
			nbits = 3
		default:
			nbits, least = 7, 11
		}
		n, err := r.take(nbits)
		if err != nil {
			return err
		}
		for range int(n) + least {
			if i == nliterals+ndistances {
				return errCorrupt
			}
			lengths[i] = again
			i++
		}
	}
	if lengths[256] == 0 || !r.literals.build(lengths[:nliterals]) || !r.distances.build(lengths[nliterals:nliterals+ndistances]) {
		return errCorrupt
	}
	return nil
}

// symbol is the next one of a code.
func (r *Reader) symbol(c *code) (uint16, error) {
	var missing error
	if r.nbits < maxCode {
		missing = r.fill()
	}
	e := c.quick[r.hold&(1<<quickBits-1)]
	symbol, n := e>>4, uint(e&15)
	if n == 0 {
		if symbol, n = c.long(r.hold); n == 0 {
			if missing != nil {
				return 0, missing
			}
			return 0, errCorrupt
		}
	}
	if n > r.nbits {
		return 0, missing
	}
	r.drop(n)
	return symbol, nil
}

var (
	lengthBase   = [29]uint16{3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258}
	lengthBits   = [29]uint8{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0}
	distanceBase = [30]uint16{1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577}
	distanceBits = [30]uint8{0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13}
)

// endOfBlock is the symbol that ends one.
const endOfBlock = 256

// symbols reads what comes next of a block that is compressed.
func (r *Reader) symbols() error {
	r.room()
	for cap(r.text)-len(r.text) > longest {
		symbol, err := r.symbol(&r.literals)
		switch {
		case err != nil:
			return err
		case symbol < endOfBlock:
			r.text = append(r.text, byte(symbol))
			continue
		case symbol == endOfBlock:
			r.next = (*Reader).block
			return nil
		case int(symbol-endOfBlock-1) >= len(lengthBase):
			return errCorrupt
		}
		symbol -= endOfBlock + 1
		more, err := r.take(uint(lengthBits[symbol]))
		if err != nil {
			return err
		}
		n := int(lengthBase[symbol]) + int(more)
		if symbol, err = r.symbol(&r.distances); err != nil {
			return err
		}
		if int(symbol) >= len(distanceBase) {
			return errCorrupt
		}
		if more, err = r.take(uint(distanceBits[symbol])); err != nil {
			return err
		}
		back := int(distanceBase[symbol]) + int(more)
		if back > len(r.text) || r.whole && int64(back) > r.total()-r.began {
			return errCorrupt
		}
		at := len(r.text)
		r.text = r.text[:at+n]
		for to := r.text[at:]; len(to) > 0; { // what is copied may be what was just made
			k := copy(to, r.text[at-back:len(r.text)-len(to)])
			to = to[k:]
		}
	}
	return nil
}
