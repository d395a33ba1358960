package expr

import "math"

// OrderOf64 is a number for each float, in their order: -0 is below 0, and all NaNs are one, the
// largest. FloatOf64 gives the float back.
func OrderOf64(f float64) uint64 {
	if f != f {
		return math.MaxUint64
	}
	b := math.Float64bits(f)
	return b ^ (uint64(int64(b)>>63) | 1<<63) // without a branch on the sign, which nobody foresees
}

// FloatOf64 is the float of which OrderOf64 gives v.
func FloatOf64(v uint64) float64 {
	switch {
	case v == math.MaxUint64:
		return math.NaN()
	case v>>63 == 1:
		return math.Float64frombits(v &^ (1 << 63))
	}
	return math.Float64frombits(^v)
}

// OrderOf32 is OrderOf64 of floats of 32 bits.
func OrderOf32(f float32) uint32 {
	if f != f {
		return math.MaxUint32
	}
	b := math.Float32bits(f)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

// FloatOf32 is the float of which OrderOf32 gives v.
func FloatOf32(v uint32) float32 {
	switch {
	case v == math.MaxUint32:
		return float32(math.NaN())
	case v>>31 == 1:
		return math.Float32frombits(v &^ (1 << 31))
	}
	return math.Float32frombits(^v)
}
