//go:build cuda

package gpu

import (
	"cmp"
	"slices"

	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/device"
)

// This file brings the values of a flight to the host. The bus is what bounds the
// engine, and a copy of its own costs as much as some 64 KiB of what it copies:
// what need not go out does not, and what lies side by side goes at once.

// download is some of a slot's memory that is fetched.
type download struct {
	from  uint64
	size  int
	pitch int     // to the next of its size; 0: it goes by itself
	to    *[]byte // where it is on the host is written here
}

// mostBetween is how many bytes nobody wants one copy takes along, rather than
// being two.
const mostBetween = 64 << 10

// download orders copies to pinned memory: those of one size at one pitch
// together. They may be put into another order.
func (p *parser) download(to *arena, all []download) error {
	all = slices.DeleteFunc(all, func(d download) bool { return d.size == 0 })
	slices.SortFunc(all, func(a, b download) int { return cmp.Compare(a.from, b.from) })
	for len(all) > 0 {
		first := all[0]
		n, last := 1, 0 // requests, and the place of the last one
		for n < len(all) && all[n].size == first.size && all[n].pitch == first.pitch && 0 < first.pitch && first.pitch <= device.MaxPitch {
			distance := int(all[n].from - first.from)
			if distance%first.pitch != 0 || (distance/first.pitch-last-1)*first.size > mostBetween {
				break
			}
			n, last = n+1, distance/first.pitch
		}
		pitch := (first.size + arenaAlign - 1) &^ (arenaAlign - 1)
		b, err := to.take(last*pitch + first.size)
		if err != nil {
			return err
		}
		if last == 0 {
			err = p.out.Download(b, first.from)
		} else {
			err = p.out.DownloadPitched(b, pitch, first.from, first.pitch, first.size, last+1)
		}
		if err != nil {
			return err
		}
		for _, d := range all[:n] {
			at := 0
			if last > 0 {
				at = int(d.from-first.from) / first.pitch * pitch
			}
			*d.to = b[at:][:d.size:d.size]
		}
		p.counted.Copies++
		p.counted.BytesOut += int64((last + 1) * first.size)
		all = all[n:]
	}
	return nil
}

// fetch orders the values of rows to the host.
func (p *parser) fetch(x *flight, rows, left int) error {
	s := x.slot
	if err := p.out.Wait(x.parsed); err != nil {
		return err
	}
	bitmap, bitmapPitch := (rows+7)/8, pitchOf(4*(s.rows/32+2))
	var all []download
	want := func(to *[]byte, from uint64, size, pitch int) { all = append(all, download{from, size, pitch, to}) }
	x.todo = make([][]byte, len(s.outputs))
	offsets, textOf := make([][]byte, len(s.outputs)), make([]*columns.Column, len(s.outputs))
	narrow, narrowBytes, err := p.narrowOf(x, rows)
	if err != nil {
		return err
	}
	patched := p.leavesRecords(x) && left > 0
	var whole []*columns.Column // columns without a null
	texts := region{size: -1}   // of the heap
	var maps []func() error
	for i := range s.outputs {
		o := &s.outputs[i]
		c := convert.NewColumn(&p.plan.Def(p.plan.Outputs[p.mine[i]]).Type)
		c.Len, c.Nulls = rows, x.counter(i, 0)
		x.columns = append(x.columns, c)
		left := x.counter(i, 1)
		if c.Nulls == 0 && left == 0 && !patched {
			whole = append(whole, c)
		} else {
			want(&c.Valid, o.Valid, bitmap, bitmapPitch)
		}
		if left > 0 {
			want(&x.todo[i], o.Todo, bitmap, bitmapPitch)
		}
		textOf[i] = c
		if t := p.columns.tokens[i]; t != nil && rows > 0 {
			f := &flightTokens{output: i}
			x.tokens = append(x.tokens, f)
			if t.take(x, f, want) {
				if narrow[i] == nil {
					want(&c.Fixed, o.Fixed, 4*rows, pitchOf(4*s.rows))
					continue
				}
				narrow[i].column, c.Fixed = c, narrow[i].values
				continue
			}
			if c.Fixed, err = x.haul.widened.take(4 * rows); err != nil {
				return err
			}
			f.texts = columns.New(columns.Text)
			textOf[i] = f.texts
		}
		switch {
		case p.columns.text[i]:
			if rows == 0 {
				break
			}
			if m := s.mapOf(i); m != nil {
				fill, err := x.fetchMaps(m, c, want)
				if err != nil {
					return err
				}
				maps = append(maps, fill)
			} else if t := x.text(i); t.size > 0 {
				texts.add(t)
			}
			if narrow[i] != nil && textOf[i] == c {
				narrow[i].column, offsets[i] = c, narrow[i].values
			} else {
				want(&offsets[i], o.Offsets, 4*(rows+1), pitchOf(4*(s.rows+1)))
			}
		case o.Width == 0:
			want(&c.Fixed, o.Fixed, bitmap, bitmapPitch)
		case narrow[i] != nil:
			narrow[i].column, c.Fixed = c, narrow[i].values
		default:
			want(&c.Fixed, o.Fixed, rows*int(o.Width), pitchOf(s.rows*int(o.Width)))
		}
	}
	want(&x.list, s.list.address, left*leftSize, 0)
	var heap, packed []byte
	want(&packed, s.narrow.values.address, narrowBytes, 0)
	want(&heap, s.heap.address+texts.address, max(texts.size, 0), 0)
	if err := p.download(&x.haul.pinned, all); err != nil {
		return err
	}
	for i, c := range textOf {
		if offsets[i] != nil {
			c.Offsets = wordsOf(offsets[i])
			if t := x.text(i); t.size > 0 && s.mapOf(i) == nil {
				c.Data = heap[t.address-texts.address:][:t.size:t.size]
			}
		}
	}
	for i, w := range narrow {
		if w != nil && rows > 0 {
			size := narrowSize(rows, w.width)
			w.n, packed = packed[:rows*w.width], packed[size:]
			switch {
			case p.columns.tokens[i] == nil:
				x.narrow = append(x.narrow, *w)
			case w.column != nil:
				x.tokens[slices.IndexFunc(x.tokens, func(f *flightTokens) bool { return f.output == i })].numbers = *w
			}
		}
	}
	for _, fill := range maps {
		if err := fill(); err != nil {
			return err
		}
	}
	if err := fillValid(&x.haul.pinned, whole, rows); err != nil {
		return err
	}
	if x.landed, err = p.events.take(); err != nil {
		return err
	}
	s.landed = x.landed
	return p.out.Record(x.landed)
}

// narrowOf is what became of those columns that come narrow, nil of the others,
// and the bytes that they come in. There is memory for their values.
func (p *parser) narrowOf(x *flight, rows int) (found []*wide, nbytes int, err error) {
	n := &x.slot.narrow
	found = make([]*wide, len(x.slot.outputs))
	for k, i := range n.of {
		c := &n.columns[k]
		became := c.decide(*valueOf[narrowRange](x.report[n.at+k*sizeOf[narrowRange]():]))
		if became.width == int(c.Width) {
			continue
		}
		values, err := x.haul.widened.take((rows + int(c.Lengths)) * int(c.Width))
		if err != nil {
			return nil, 0, err
		}
		found[i] = &wide{narrowed: became, values: values}
		nbytes += narrowSize(rows, became.width)
	}
	return found, nbytes, nil
}

// text is where the bytes of an output's texts lie in the heap.
func (x *flight) text(output int) region {
	return region{uint64(x.counter(output, 3)) | uint64(x.counter(output, 4))<<32, x.counter(output, 2)}
}

// add makes r reach over some more; of size -1 it is nowhere yet.
func (r *region) add(more region) {
	if r.size < 0 {
		*r = more
		return
	}
	end := max(r.address+uint64(r.size), more.address+uint64(more.size))
	r.address = min(r.address, more.address)
	r.size = int(end - r.address)
}

// fillValid gives columns in which every row is valid the bitmap that says so,
// one for all.
func fillValid(in *arena, columns []*columns.Column, rows int) error {
	if len(columns) == 0 || rows == 0 {
		return nil
	}
	valid, err := in.take((rows + 7) / 8)
	if err != nil {
		return err
	}
	fill(valid, 0xff)
	cutBits(valid, rows)
	for _, c := range columns {
		c.Valid = valid
	}
	return nil
}
