package aggregate

import (
	"encoding/binary"
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/axiomhq/hyperloglog"
	"github.com/zeebo/xxh3"
)

// sketchTally is of hashes of values, of which it is estimated how many different ones there
// are: [n, form, hashes, reference]. Up to mostHashes are there themselves, in open addressing;
// more are a sketch, of the table while it is added to, and as bytes where it is not.
// Which of these it is, and what it holds, follows from the values alone, in any order.
type sketchTally struct{ key *grouping } // of the value alone

// Forms of a sketch, in the second word of its state; others are the number of a sketch of the
// table, + 2.
const (
	asHashes = 0
	asBytes  = 1
)

const (
	// mostHashes are what is counted exactly.
	mostHashes = 256
	// sketchPrecision gives 2^14 registers, and so a standard error of 1.04/128.
	sketchPrecision = 14
	// sketchBytes is about what a sketch takes.
	sketchBytes = 1<<sketchPrecision + 128
)

func newSketchTally(k keyColumn) *sketchTally {
	k.of = 0
	s := &sketchTally{key: &grouping{keys: []keyColumn{k}}}
	s.key.finish(false)
	return s
}

func (*sketchTally) want(string)    {}
func (*sketchTally) words() int     { return 6 }
func (*sketchTally) begin([]uint64) {}

func (*sketchTally) refs(s []uint64, f func([]uint64)) {
	if s[5] > 0 {
		f(s[3:6])
	}
}

func (w *sketchTally) add(t *table, at int, a arrow.Array, groups []uint32) {
	e := &t.scratch.encoder
	e.encode(w.key, []arrow.Array{a}, len(groups))
	for i, g := range groups {
		key := e.keys[e.ends[i]:e.ends[i+1]]
		if key[0] == 1 { // null
			continue
		}
		s := t.states[int(g)*t.words+at:][:6:6]
		s[0]++
		t.sketch(s, max(xxh3.Hash(key), 1)) // 0 is where there is none
	}
}

func (w *sketchTally) merge(t *table, dst, src []uint64, from []byte) {
	dst[0] += src[0]
	if src[1] == asHashes {
		for _, h := range hashesIn(src, from) {
			t.sketch(dst, h)
		}
		return
	}
	other := &hyperloglog.Sketch{}
	readSketch(other, refIn(from, src[3:6]))
	if err := t.sketchOf(dst).Merge(other); err != nil {
		panic(fmt.Errorf("aggregate: sketches are not merged: %w", err)) // they have one precision
	}
}

// settle makes bytes of the table's sketch of a state, where it has one.
func (w *sketchTally) settle(t *table, s []uint64) {
	if s[1] <= asBytes {
		return
	}
	b, err := t.sketchOf(s).MarshalBinary()
	if err != nil {
		panic(fmt.Errorf("aggregate: a sketch is not written: %w", err)) // it is all in memory
	}
	t.sketches[s[1]-asBytes-1] = nil
	t.nSketches--
	t.setBytes(s[3:6], b)
	s[1] = asBytes
}

// estimate is how many different values there were.
func (*sketchTally) estimate(s []uint64, from []byte) uint64 {
	if s[1] == asHashes {
		return s[2]
	}
	sk := &hyperloglog.Sketch{}
	readSketch(sk, refIn(from, s[3:6]))
	return sk.Estimate()
}

// sketch adds a hash to a state.
func (t *table) sketch(s []uint64, hash uint64) {
	if s[1] != asHashes || !t.addHash(s, hash) {
		t.sketchOf(s).InsertHash(hash)
	}
}

// sketchOf is the sketch of a state, which is made if there is none yet.
func (t *table) sketchOf(s []uint64) *hyperloglog.Sketch {
	if s[1] > asBytes {
		return t.sketches[s[1]-asBytes-1]
	}
	sk, err := hyperloglog.NewSketch(sketchPrecision, false)
	if err != nil {
		panic(err) // the precision is one that there is
	}
	if s[1] == asBytes {
		readSketch(sk, t.bytesAt(s[3:6]))
	} else {
		for _, h := range hashesIn(s, t.bytes) {
			sk.InsertHash(h)
		}
	}
	t.sketches = append(t.sketches, sk)
	t.nSketches++
	s[1], s[2], s[4] = uint64(len(t.sketches))+asBytes, 0, 0
	return sk
}

func readSketch(sk *hyperloglog.Sketch, b []byte) {
	if err := sk.UnmarshalBinary(b); err != nil {
		panic(fmt.Errorf("aggregate: a sketch that was written is not read: %w", err))
	}
}

// addHash adds a hash to the set of a state; it does not if there are too many.
func (t *table) addHash(s []uint64, hash uint64) bool {
	if s[4] > 0 {
		set := t.bytesAt(s[3:6])
		at := place(set, hash)
		if binary.LittleEndian.Uint64(set[at:]) == hash {
			return true
		}
	}
	if s[2] == mostHashes {
		return false
	}
	if s[2]++; 16*s[2] > s[4] { // not more than half of the places are taken
		old := wordsOf(t.bytesAt(s[3:6]))
		t.setBytes(s[3:6], make([]byte, max(16*len(old), 64)))
		set := t.bytesAt(s[3:6])
		for _, h := range old {
			if h != 0 {
				binary.LittleEndian.PutUint64(set[place(set, h):], h)
			}
		}
	}
	set := t.bytesAt(s[3:6])
	binary.LittleEndian.PutUint64(set[place(set, hash):], hash)
	return true
}

// place is where a hash is in a set, or may be put.
func place(set []byte, hash uint64) uint64 {
	mask := uint64(len(set)/8) - 1
	for i := hash & mask; ; i = (i + 1) & mask {
		if h := binary.LittleEndian.Uint64(set[8*i:]); h == hash || h == 0 {
			return 8 * i
		}
	}
}

// hashesIn are the hashes of a state that has them.
func hashesIn(s []uint64, from []byte) (hashes []uint64) {
	if s[4] == 0 {
		return nil
	}
	for _, h := range wordsOf(refIn(from, s[3:6])) {
		if h != 0 {
			hashes = append(hashes, h)
		}
	}
	return hashes
}
