package convert

// The ISO forms, which are those of columns without a layout.

// isoDate reads 2006-01-02.
func isoDate(b []byte, m *moment) bool {
	rest, ok := isoDatePart(b, m)
	return ok && len(rest) == 0
}

// isoTime reads 15:04:05[.f].
func isoTime(b []byte, m *moment) bool {
	rest, ok := isoTimePart(b, m)
	return ok && len(rest) == 0
}

// isoTimestamp reads a time stamp of RFC 3339, with a T or a space between date
// and time, the fraction and the offset optional.
func isoTimestamp(b []byte, m *moment) bool {
	b, ok := isoDatePart(b, m)
	if !ok || len(b) == 0 || b[0]|0x20 != 't' && b[0] != ' ' {
		return false
	}
	if b, ok = isoTimePart(b[1:], m); !ok {
		return false
	}
	if len(b) > 0 {
		b, ok = m.readOffset(b)
	}
	return ok && len(b) == 0
}

func isoDatePart(b []byte, m *moment) (rest []byte, ok bool) {
	if len(b) < 10 || b[4] != '-' || b[7] != '-' {
		return b, false
	}
	if b, ok = m.read('Y', true, b); !ok {
		return b, false
	}
	var month, day bool
	m.month, _, month = number(b[1:], 2, 2)
	m.day, _, day = number(b[4:], 2, 2)
	return b[6:], month && day
}

func isoTimePart(b []byte, m *moment) (rest []byte, ok bool) {
	if len(b) < 8 || b[2] != ':' || b[5] != ':' {
		return b, false
	}
	var h, mi, s bool
	m.hour, _, h = number(b, 2, 2)
	m.minute, _, mi = number(b[3:], 2, 2)
	m.second, _, s = number(b[6:], 2, 2)
	if b = b[8:]; len(b) > 0 && b[0] == '.' {
		if b, ok = m.fraction(b[1:], len(b)); !ok {
			return b, false
		}
	}
	return b, h && mi && s
}
