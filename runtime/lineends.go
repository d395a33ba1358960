package runtime

import "bytes"

// linesOf are the line ends of data[from:to], of parts of which known has them. The place of the last
// counts from from on.
func linesOf(known []LineEnds, data []byte, from, to int) (all lines) {
	all.last = -1
	at := from
	var tail []byte // has the last line end of those so far, unless all.last is that
	begin := 0      // of it
	look := func(end int) {
		var l lines
		if l.count(data[at:end]); l.n > 0 {
			all.n, all.last, tail = all.n+l.n, at-from+l.last, nil
		}
		at = end
	}
	for i := range known {
		k := &known[i]
		first, last := k.within(at, to)
		if first >= last {
			continue
		}
		look(k.From + first*k.Piece)
		for j, n := range k.N[first:last] {
			if all.n += int64(n); n > 0 {
				begin = k.From + (first+j)*k.Piece
				tail = data[begin:min(begin+k.Piece, k.To)]
			}
		}
		at = min(k.From+last*k.Piece, k.To)
	}
	look(to)
	if tail != nil {
		all.last = begin - from + bytes.LastIndexByte(tail, '\n')
	}
	return all
}

// within are the pieces that lie in Data[from:to] as a whole, from first up to last.
func (k *LineEnds) within(from, to int) (first, last int) {
	if from > k.From {
		first = (from - k.From + k.Piece - 1) / k.Piece
	}
	if last = len(k.N); to < k.To {
		last = max(to-k.From, 0) / k.Piece
	}
	return first, last
}
