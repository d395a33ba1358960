package convert

// strides read times that are numbers and symbols, however many digits the numbers have: a number and the
// symbol behind it at a time, without a branch that depends on how many.
//
//	3/14/2024 7:05 PM     month /   day /   year _   hour :   minute _   half
type strides struct {
	*clock
	all    []stride
	isDate bool  // a time has a date
	bare   bool  // a number is written %-d
	short  bool  // years have two digits
	twelve bool  // hours are those of half a day
	lo, hi int64 // seconds that certainly fit, hi not included
}

// stride is a part of a time and the symbol behind it.
type stride struct {
	kind   strideKind
	part   uint8  // of the time
	both   bool   // the number has two digits
	has    bool   // there is a symbol behind
	behind uint64 // the symbol
}

type strideKind uint8

const (
	numberStride strideKind = iota // one or two digits
	yearStride                     // four digits
	monthStride                    // three letters
	halfStride                     // AM or PM
	symbolStride                   // nothing
)

const (
	yearPart = iota
	monthPart
	dayPart
	hourPart
	minutePart
	secondPart
	halfPart
	noPart
	nparts
)

// newStrides is nil if the layout has anything else, or dates that it does not say in full.
func newStrides(r *clockReader) *strides {
	if r.layout == nil {
		return nil
	}
	x := &strides{clock: r.clock, isDate: r.isDate, lo: minSeconds, hi: endSeconds}
	if r.perSecond == 1e9 {
		x.lo, x.hi = -9223372036, 9223372036
	}
	var seen [nparts]bool
	for i := range r.layout.ops {
		o := &r.layout.ops[i]
		if o.directive == 0 {
			x.text(o.text)
			continue
		}
		s := stride{both: o.full}
		x.bare = x.bare || o.bare
		switch o.directive {
		case 'Y':
			s.kind, s.part = yearStride, yearPart
		case 'y':
			s.both, x.short, s.part = true, true, yearPart
		case 'm':
			s.part = monthPart
		case 'b':
			s.kind, s.part = monthStride, monthPart
		case 'd':
			s.part = dayPart
		case 'H', 'I':
			s.part, x.twelve = hourPart, o.directive == 'I'
		case 'M':
			s.part = minutePart
		case 'S':
			s.part = secondPart
		case 'p':
			s.kind, s.part = halfStride, halfPart
		default:
			return nil
		}
		if o.words != nil || seen[s.part] {
			return nil
		}
		seen[s.part] = true
		x.all = append(x.all, s)
	}
	date := [3]bool{seen[yearPart], seen[monthPart], seen[dayPart]}
	if date != [3]bool{r.isDate, r.isDate, r.isDate} || seen[halfPart] != x.twelve {
		return nil
	}
	return x
}

// text adds symbols.
func (x *strides) text(s string) {
	for i := range len(s) {
		if n := len(x.all); n == 0 || x.all[n-1].has {
			x.all = append(x.all, stride{kind: symbolStride, part: noPart})
		}
		last := &x.all[len(x.all)-1]
		last.has, last.behind = true, uint64(s[i])
	}
}

// read gives the parts of the field from s to e, behind which there are eight symbols more; it is false if that
// is not in the layout.
func (x *strides) read(src eights, s, e uint32, parts *[nparts]uint64) bool {
	for i := range x.all {
		t := &x.all[i]
		w := src.at(s) & (^uint64(0) >> ((64 - 8*min(e-s, 8)) & 63)) // at the end it has more, and s will be beyond
		var n, v uint64
		switch t.kind {
		case numberStride:
			first, second := w&0xff^'0', w>>8&0xff^'0'
			two := (second - 10) >> 63
			if first > 9 || t.both && two == 0 {
				return false
			}
			v, n = first+two*(9*first+second), 1+two
		case yearStride:
			y := (w ^ asciiZero) & (1<<32 - 1)
			if notDigits(y) != 0 {
				return false
			}
			y = y * (10<<8 + 1) >> 8 // pairs
			v, n = 100*(y&0xff)+y>>16&0xff, 4
		case monthStride:
			if v = uint64(shortMonth([]byte{byte(w), byte(w >> 8), byte(w >> 16)})); v == 0 {
				return false
			}
			n = 3
		case halfStride:
			switch w&0xffff | 0x2020 {
			case 'a' | 'm'<<8:
				v = 1
			case 'p' | 'm'<<8:
				v = 2
			default:
				return false
			}
			n = 2
		}
		if t.has {
			if w>>(8*n)&0xff != t.behind {
				return false
			}
			n++
		}
		parts[t.part&(nparts-1)] = v
		if s += uint32(n); s > e {
			return false
		}
	}
	return s == e
}

// day is the day that parts have; ok is false if there is none.
func (x *strides) day(parts *[nparts]uint64) (day int64, ok bool) {
	year := int(parts[yearPart])
	if x.short {
		if year < 69 {
			year += 100
		}
		year += 1900
	}
	return dayNumber(year, int(parts[monthPart]), int(parts[dayPart]))
}

// second is the time of day that parts have; ok is false if there is none, or it is a leap second.
func (x *strides) second(parts *[nparts]uint64) (second int64, ok bool) {
	h := parts[hourPart]
	if x.twelve {
		if h-1 > 11 {
			return 0, false
		}
		h = h%12 + 12*(parts[halfPart]-1)
	}
	return int64(h*3600 + parts[minutePart]*60 + parts[secondPart]), h < 24 && parts[minutePart] < 60 && parts[secondPart] < 60
}

// runStrides converts rows from i on, before row to: see fixed.run. Values are of dates in days, and of others in units.
func runStrides[T int32 | int64](x *strides, days bool, out []T, f *Fields, i, to int) int {
	src := eights{f.Src}
	var parts [nparts]uint64
	for ; i < to; i++ {
		s, e := f.Start[i], f.End[i]
		if s > e || !src.has(e) || !x.read(src, s, e, &parts) {
			return i
		}
		v, ok := x.second(&parts)
		if !ok {
			return i
		}
		if x.isDate {
			day, ok := x.day(&parts)
			if !ok {
				return i
			}
			if days {
				out[i] = T(day)
				continue
			}
			if v += day * secondsPerDay; x.zone != nil {
				v = x.zone.utc(v)
			}
			if v < x.lo || v >= x.hi {
				return i
			}
		}
		out[i] = T(v * x.perSecond)
	}
	return i
}

// strideRows is how many rows are read before it is asked again whether they are in a frame.
const strideRows = 16

// runEither converts rows in a frame, and others by strides; one of both may be nil.
func runEither[T int32 | int64](fr *frames, x *strides) func(out []T, f *Fields, i int) int {
	if fr == nil && x == nil {
		return nil
	}
	return func(out []T, f *Fields, i int) int {
		n := f.Len()
		for {
			if fr != nil {
				if i = runFrames(fr, out, f, i); i == n || x == nil {
					return i
				}
			}
			to := n
			if fr != nil {
				to = min(i+strideRows, n)
			}
			j := runStrides(x, false, out, f, i, to)
			if j == n || j < to {
				return j
			}
			i = j
		}
	}
}

// runPlaced converts dates whose numbers have all their digits by their places, and others by strides; one of both
// may be nil.
func runPlaced(p *placedDate, x *strides) func(out []int32, f *Fields, i int) int {
	switch {
	case p == nil && x == nil:
		return nil
	case x == nil:
		return p.run
	case p == nil || x.bare:
		return func(out []int32, f *Fields, i int) int { return runStrides(x, true, out, f, i, f.Len()) }
	}
	return func(out []int32, f *Fields, i int) int {
		for n := f.Len(); ; {
			if i = p.run(out, f, i); i == n {
				return i
			}
			to := min(i+strideRows, n)
			if i = runStrides(x, true, out, f, i, to); i < to || i == n {
				return i
			}
		}
	}
}
