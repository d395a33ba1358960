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
			n := read(f.Src[s:e])
			v := n / unit
			if n < 0 || v*unit != n { // it is finer
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
