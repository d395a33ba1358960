package gen

import "strconv"

const tortureHeader = "id,body,value\n"

// tortureLines is the number of row-shaped lines inside each quoted field.
const tortureLines = 5000

// torture makes records of three fields; the second is quoted and holds lines
// that are rows of three fields themselves, so that whoever guesses where a
// record begins guesses wrong.
type torture struct{}

func (torture) appendRecord(dst []byte, i int64, r *rng) []byte {
	dst = strconv.AppendInt(dst, i+1, 10)
	dst = append(dst, ',', '"')
	for range tortureLines {
		bits := r.next()
		dst = strconv.AppendInt(dst, int64(bits&1023), 10)
		dst = append(dst, ',')
		quoted := bits>>10&15 == 0
		if quoted {
			dst = append(dst, '"', '"')
		}
		for k := range 3 {
			dst = append(dst, 'a'+byte(bits>>(14+5*k)&31)%26)
		}
		if quoted {
			dst = append(dst, '"', '"')
		}
		dst = append(dst, ',', '0'+byte(bits>>32&15)%10, '.', '0'+byte(bits>>36&15)%10, '\n')
	}
	dst = append(dst, '"', ',')
	dst = appendShortCents(dst, r.n(10000))
	return append(dst, '\n')
}
