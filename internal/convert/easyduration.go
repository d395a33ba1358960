package convert

// runDurations is run of fixed for durations that read takes, in units of which per make a second. It
// gives a number of nanoseconds; below 0: the field is left to the parser.
func runDurations(per uint64, read func(b []byte) int64) func(out []int64, f *Fields, i int) int {
	unit := 1_000_000_000 / int64(per)
	return func(out []int64, f *Fields, i int) int {
		for ; i < len(f.Start); i++ {
			s, e := f.Start[i], f.End[i]
			if s >= InDecoded {
				return i
			}
			v, ok := inUnits(read(f.Src[s:e]), unit)
			if !ok {
				return i
			}
			out[i] = v
		}
		return i
	}
}

// inUnits is n nanoseconds in units; it is false if they are finer, or below 0.
func inUnits(n, unit int64) (v int64, ok bool) {
	v = n / unit
	return v, n >= 0 && v*unit == n
}

// shortClocks are, by the number of their symbols, durations of up to eight as clocks write them: what an XOR with it
// makes digits of eight symbols, XORed with '0' before and with zeros in front, and what is added to find one that is
// more than its place allows. Of a number of symbols that no such duration has, one always is.
//
//	hh:mm:ss    h:mm:ss    mm:ss    m:ss
var shortClocks = func() (forms [9]struct{ colons, over uint64 }) {
	const colon = ':' ^ '0'
	for n := range forms {
		f := &forms[n]
		f.over = asciiHigh
		for at, most := range [8]uint64{9, 9, 0, 9, 9, 0, 5, 9} {
			if most = 0x7f - most; n > 5 && at == 3 {
				most = 0x7f - 5 // minutes behind hours
			}
			f.over = f.over&^(0xff<<(8*at)) | most<<(8*at)
		}
		switch n {
		case 4, 5:
			f.colons = colon << 40
		case 7, 8:
			f.colons = colon<<40 | colon<<16
		default:
			f.over |= 0x80
		}
	}
	return forms
}()

// runClocks is runDurations for easyClock. Those of up to eight symbols it reads without a branch that depends on how
// many.
func runClocks(per uint64) func(out []int64, f *Fields, i int) int {
	unit := 1_000_000_000 / int64(per)
	return func(out []int64, f *Fields, i int) int {
		start := f.Start
		end := f.End[:len(start)]
		out = out[:len(start)]
		src := eights{f.Src}
		for ; i < len(start); i++ {
			s, n := start[i], end[i]-start[i]
			if n-1 < 8 && src.has(s) {
				form := &shortClocks[n]
				x := (src.at(s)^asciiZero)<<((64-8*n)&63) ^ form.colons
				if (x+form.over|x|form.over)&asciiHigh == 0 {
					x = x * (10<<8 + 1) >> 8 // pairs
					out[i] = int64((x&0xff*3600 + x>>24&0xff*60 + x>>48&0xff) * per)
					continue
				}
			}
			if s >= InDecoded {
				return i
			}
			v, ok := inUnits(easyClock(f.Src[s:end[i]]), unit)
			if !ok {
				return i
			}
			out[i] = v
		}
		return i
	}
}

// What is easy has so many digits at most: then nothing overflows.
const (
	easyHours    = 5
	easyDigits   = 6 // of a number with a unit
	easyFraction = 9
)

// easyClock reads what clockDuration reads, if it is short.
func easyClock(b []byte) int64 {
	n, at := shortNumber(b, 0, easyHours)
	if at == 0 {
		return -1
	}
	for colons := 0; ; colons++ {
		if at == len(b) || b[at] != ':' {
			if colons == 0 {
				return -1
			}
			break
		}
		if colons == 2 || at+3 > len(b) {
			return -1
		}
		tens, ones := b[at+1]-'0', b[at+2]-'0'
		if tens > 5 || ones > 9 {
			return -1
		}
		n = 60*n + int64(10*tens+ones)
		at += 3
	}
	if n *= 1e9; at == len(b) {
		return n
	}
	if b[at] != '.' {
		return -1
	}
	fraction, end := shortNumber(b, at+1, easyFraction)
	if end != len(b) || end == at+1 {
		return -1
	}
	return n + fraction*int64(tens[easyFraction+at+1-end].lo)
}

// easyGo reads what goDuration reads, if it is short and has no part below a nanosecond.
func easyGo(b []byte) (sum int64) {
	for at := 0; ; {
		n, end := shortNumber(b, at, easyDigits)
		if end == at || end == len(b) {
			return -1
		}
		fraction, places := int64(0), 0
		if at = end; b[at] == '.' {
			if fraction, end = shortNumber(b, at+1, easyFraction); end == len(b) {
				return -1
			}
			places, at = end-at-1, end
		}
		unit := int64(1)
		switch b[at] {
		case 'h':
			unit = 3600e9
		case 'm':
			if unit = 60e9; at+1 < len(b) && b[at+1] == 's' {
				unit = 1e6
				at++
			}
		case 's':
			unit = 1e9
		case 'u', 'n':
			if at++; at == len(b) || b[at] != 's' {
				return -1
			}
			if b[at-1] == 'u' {
				unit = 1e3
			}
		case "µ"[0]:
			if at+3 > len(b) || b[at+1] != "µ"[1] || b[at+2] != 's' {
				return -1
			}
			unit = 1e3
			at += 2
		default:
			return -1
		}
		part := int64(0)
		if fraction > 0 {
			per := int64(tens[places].lo)
			if unit > 1e9 || fraction*unit%per != 0 {
				return -1
			}
			part = fraction * unit / per
		}
		if sum += n*unit + part; sum > 1<<61 {
			return -1
		}
		if at++; at == len(b) {
			return sum
		}
		if b[at]-'0' > 9 { // of a unit there is more, or a fraction comes alone
			return -1
		}
	}
}

// shortNumber is the number whose digits stand in b from at on, and where they end; it ends at itself if
// they are more than most.
func shortNumber(b []byte, at, most int) (n int64, end int) {
	end = at
	for ; end < len(b); end++ {
		d := b[end] - '0'
		if d > 9 {
			break
		}
		if end-at == most {
			return 0, at
		}
		n = 10*n + int64(d)
	}
	return n, end
}
