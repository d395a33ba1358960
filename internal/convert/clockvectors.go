package convert

import "unsafe"

// The params of kernels of time stamps.
const (
	clockForm   = iota // what differs from round to round
	clockOrigin        // added to seconds since 29 February of the year 0
	clockLeast         // seconds since 1970 that certainly fit
	clockMost
	clockPer // units a second
)

// timePerSecond is the param of kernels of times: units of a second.
const timePerSecond = 0

// epochSeconds are the seconds from 29 February of the year 0, from which
// kernels count, to 1970.
const epochSeconds = 719469 * secondsPerDay

func (f *fastClock) params(offset int64) params {
	return params{
		clockOrigin: uint64(-epochSeconds - offset),
		clockLeast:  uint64(f.lo),
		clockMost:   uint64(f.hi - 1),
		clockPer:    uint64(f.perSecond),
	}
}

// isoVectors converts 2006-01-02 15:04:05 with nothing behind it.
func (f *fastClock) isoVectors() {
	f.vectors = vectors{kernel: isoTimestampKernel(), params: f.params(0), prepare: f.isoForm}
	if f.zone != nil {
		// The wall clock in seconds, for finish: no more than a day from an
		// instant.
		p := &f.vectors.params
		least, most := int64(minSeconds-secondsPerDay), int64(endSeconds+secondsPerDay)
		p[clockLeast], p[clockMost], p[clockPer] = uint64(least), uint64(most), 1
		f.vectors.finish = f.inZone
	}
}

// isoForm sets what is between date and time: what the layout says, or else
// what the first row has.
func (f *fastClock) isoForm(p *params, fields *Fields) {
	sep := f.separator
	if sep == 0 {
		sep = ' '
		if at := uint64(fields.Start[0]) + 10; at < uint64(len(fields.Src)) && fields.Src[at]|0x20 == 't' {
			sep = fields.Src[at]
		}
	}
	p[clockForm] = '0' | '0'<<8 | uint64(sep)<<16
}

// inZone makes seconds of the wall clock units since 1970.
func (f *fastClock) inZone(out unsafe.Pointer, todo rowSet, n int) {
	values := unsafe.Slice((*int64)(out), n)
	for i, wall := range values {
		bit := uint64(1) << (i & 63)
		if todo[i>>6]&bit != 0 {
			continue
		}
		v := f.zone.utc(wall)
		if v < f.lo || v >= f.hi {
			todo[i>>6] |= bit
			continue
		}
		values[i] = v * f.perSecond
	}
}

// webVectors converts 17/May/2015:10:05:03 +0000.
func (f *fastClock) webVectors() {
	f.vectors = vectors{kernel: webTimestampKernel(), params: f.params(0), prepare: f.webOffset}
}

// webOffset sets the offset to that of the first row: rows with another one are
// left.
func (f *fastClock) webOffset(p *params, fields *Fields) {
	s, e := fields.Start[0], fields.End[0]
	if s < InDecoded && e-s == 26 {
		b := fields.Src[s:e]
		if b[20] == ' ' && f.readOffset(b[21:]) {
			f.offsetKey = word(b, 18) >> 16
		}
	}
	*p = f.params(f.offset)
	p[clockForm] = f.offsetKey
}
