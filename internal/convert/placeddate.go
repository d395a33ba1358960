package convert

import "bytes"

// placedDate reads dates of numbers, each with all its digits and once: %Y%m%d,
// %d.%m.%Y. A field as long as that has all digits, and they stand in known places.
type placedDate struct {
	length           int
	year, month, day int
	text             []placedText
}

type placedText struct {
	at   int
	text string
}

// newPlacedDate is nil if the layout has anything else.
func newPlacedDate(l *layout) *placedDate {
	p := &placedDate{year: -1, month: -1, day: -1}
	for i := range l.ops {
		o := &l.ops[i]
		var place *int
		width := 2
		switch o.directive {
		case 0:
			p.text = append(p.text, placedText{p.length, o.text})
			p.length += len(o.text)
			continue
		case 'Y':
			place, width = &p.year, 4
		case 'm':
			place = &p.month
		case 'd':
			place = &p.day
		}
		if place == nil || *place >= 0 {
			return nil
		}
		*place = p.length
		p.length += width
	}
	if p.year < 0 || p.month < 0 || p.day < 0 {
		return nil
	}
	return p
}

// The params of kernels of placed dates: of either of two windows of eight symbols, one from the front of a field and
// one to its end, each, and dateDigits eight for each.
const (
	dateLength = 0 // of a field
	dateForm   = 1
	dateMost   = 3 // what makes the top bit of a symbol that is larger than it may be
	dateDigits = 8 // which symbols are the digits of year, month and day: for two rows, four times

	dateSigns      = 32 // of shortDates
	dateMonthFirst = 33
	dateShort      = 34
)

// shorter adds to v what converts dates that begin with day and month, or month and day, which need not have two digits,
// and end with a year: %m/%d/%Y, %d.%m.%y.
func (v *vectors) shorter(l *layout) {
	if len(l.ops) != 5 {
		return
	}
	first, second, year := &l.ops[0], &l.ops[2], &l.ops[4]
	for _, o := range []*op{first, second, year} {
		if o.full || o.words != nil {
			return
		}
	}
	signs := uint64(0)
	for i, o := range []*op{&l.ops[1], &l.ops[3]} {
		if o.directive != 0 || len(o.text) != 1 {
			return
		}
		signs |= uint64(o.text[0]^'0') << (24 * i)
	}
	monthFirst := first.directive == 'm' && second.directive == 'd'
	if !monthFirst && (first.directive != 'd' || second.directive != 'm') || year.directive != 'Y' && year.directive != 'y' {
		return
	}
	v.longer = shortDateKernel()
	v.params[dateSigns] = signs
	if monthFirst {
		v.params[dateMonthFirst] = all
	}
	if year.directive == 'y' {
		v.params[dateShort] = all
	}
}

// vectors are none for fields of more than two windows.
func (p *placedDate) vectors() vectors {
	const window = 8
	if p == nil || p.length > 2*window {
		return vectors{}
	}
	places := [8]int{p.year, p.year + 1, p.year + 2, p.year + 3, p.month, p.month + 1, p.day, p.day + 1}
	form := bytes.Repeat([]byte{'0'}, p.length)
	most := bytes.Repeat([]byte{0x7f - 9}, p.length)
	for _, t := range p.text {
		copy(form[t.at:], t.text)
		copy(most[t.at:], bytes.Repeat([]byte{0x7f}, len(t.text)))
	}
	v := vectors{kernel: placedDateKernel()}
	v.params[dateLength] = uint64(p.length)
	for w, from := range [2]int{0, p.length - window} {
		v.params[dateForm+w] = word(form[from:], 0)
		v.params[dateMost+w] = word(most[from:], 0)
		var digits [2 * window]byte
		for i, at := range places {
			digits[i], digits[window+i] = nothing, nothing
			if (at < window) == (w == 0) {
				digits[i], digits[window+i] = byte(at-from), byte(at-from+window)
			}
		}
		for i := range 8 {
			v.params[dateDigits+8*w+i] = word(digits[i%2*window:], 0)
		}
	}
	return v
}

func (p *placedDate) run(out []int32, fields *Fields, i int) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	var last [4]byte // the digits of a day and a month
	var lastYear uint32
	days := int32(0)
	known := false
	for ; i < len(start); i++ {
		s := start[i]
		if int64(end[i])-int64(s) != int64(p.length) || s >= InDecoded {
			return i
		}
		b := src[s:end[i]]
		for _, t := range p.text {
			if string(b[t.at:t.at+len(t.text)]) != t.text {
				return i
			}
		}
		y := b[p.year : p.year+4]
		now := [4]byte{b[p.month], b[p.month+1], b[p.day], b[p.day+1]}
		year := uint32(y[0]) | uint32(y[1])<<8 | uint32(y[2])<<16 | uint32(y[3])<<24
		if known && now == last && year == lastYear {
			out[i] = days
			continue
		}
		x := uint64(year) | uint64(now[0])<<32 | uint64(now[1])<<40 | uint64(now[2])<<48 | uint64(now[3])<<56
		if x ^= asciiZero; notDigits(x) != 0 {
			return i
		}
		d, ok := dayNumber(int(x&0xff)*1000+int(x>>8&0xff)*100+int(x>>16&0xff)*10+int(x>>24&0xff), int(x>>32&0xff)*10+int(x>>40&0xff), int(x>>48&0xff)*10+int(x>>56))
		if !ok {
			return i
		}
		days, last, lastYear, known = int32(d), now, year, true
		out[i] = days
	}
	return i
}
