package gen

import "strconv"

// appendPadded appends v with at least width digits.
func appendPadded(dst []byte, v, width int) []byte {
	for p := pow10[width-1]; p > 1 && v < p; p /= 10 {
		dst = append(dst, '0')
	}
	return strconv.AppendInt(dst, int64(v), 10)
}

var pow10 = [...]int{1, 10, 100, 1000, 10000}

// append2 appends v as two digits.
func append2(dst []byte, v int) []byte {
	return append(dst, byte('0'+v/10), byte('0'+v%10))
}

// appendDate appends the ISO form of a day, counted from 1970-01-01.
func appendDate(dst []byte, day int) []byte {
	y, m, d := civil(day)
	dst = appendPadded(dst, y, 4)
	dst = append(dst, '-')
	dst = append2(dst, m)
	dst = append(dst, '-')
	return append2(dst, d)
}

// appendDateTime appends seconds since 1970 as 2018-01-01 00:21:05.
func appendDateTime(dst []byte, sec int64) []byte {
	dst = appendDate(dst, int(sec/86400))
	dst = append(dst, ' ')
	return appendClock(dst, int(sec%86400))
}

// appendClock appends a second of the day as 00:21:05.
func appendClock(dst []byte, sec int) []byte {
	dst = append2(dst, sec/3600)
	dst = append(dst, ':')
	dst = append2(dst, sec/60%60)
	dst = append(dst, ':')
	return append2(dst, sec%60)
}

// civil is the date of a day since 1970-01-01 in the proleptic Gregorian
// calendar, by eras of 400 years that begin on the first of March.
func civil(day int) (year, month, dom int) {
	day += 719468 // since 0000-03-01
	era := day / 146097
	doe := day % 146097
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	dom = doy - (153*mp+2)/5 + 1
	month = mp + 3
	if month > 12 {
		month -= 12
	}
	year = yoe + era*400
	if month <= 2 {
		year++
	}
	return year, month, dom
}

// appendCents appends hundredths with two decimals: 17.50.
func appendCents(dst []byte, v int) []byte {
	if v < 0 {
		dst, v = append(dst, '-'), -v
	}
	dst = strconv.AppendInt(dst, int64(v/100), 10)
	dst = append(dst, '.')
	return append2(dst, v%100)
}

// appendShortCents appends hundredths without zeros at the end: 17.5, 17, 0.
func appendShortCents(dst []byte, v int) []byte {
	dst = appendCents(dst, v)
	for range 2 {
		if dst[len(dst)-1] != '0' {
			return dst
		}
		dst = dst[:len(dst)-1]
	}
	return dst[:len(dst)-1] // the point
}

const idAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// appendID appends n symbols of the URL-safe base64 alphabet.
func appendID(dst []byte, r *rng, n int) []byte {
	for n > 0 {
		bits := r.next()
		for k := min(n, 10); k > 0; k-- {
			dst = append(dst, idAlphabet[bits&63])
			bits >>= 6
			n--
		}
	}
	return dst
}
