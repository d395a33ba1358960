package gen

import (
	"encoding/binary"
	"math"
)

// ticks are binary records: trades, see spec/ticks.dfp.
type ticks struct{}

const ticksHeader = "TICK\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"

var symbolsTraded = []string{"ACME    ", "BOLT    ", "CORE    ", "DELTA.X ", "E       ", "FOXTROT1"}

func (ticks) appendRecord(dst []byte, i int64, r *rng) []byte {
	price := float64(r.n(1_000_000)) / 64
	dst = binary.LittleEndian.AppendUint64(dst, uint64(i))
	dst = binary.BigEndian.AppendUint64(dst, uint64(1_714_979_289_123+7*i))
	dst = append(dst, symbolsTraded[r.n(len(symbolsTraded))]...)
	dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(price))
	dst = binary.BigEndian.AppendUint32(dst, uint32(1+r.n(10_000)))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(r.n(40)))
	dst = binary.LittleEndian.AppendUint16(dst, uint16(8892+i>>20))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(int32(100*price)-500_000))
	dst = append(dst, byte(r.n(256)), byte(r.n(101)-1), 0, 0)
	return binary.BigEndian.AppendUint32(dst, math.Float32bits(float32(r.n(1000))/8))
}
