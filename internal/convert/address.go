package convert

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"net/netip"
	"strconv"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// longestAddress is the length of the longest text of an address, in which no
// zeros are left out.
const longestAddress = len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")

func newIP(*dfa.Type, Options) (appender, error) {
	return &fixed[[16]byte]{parse: parseIP, run: runAddresses, vectors: vectors{kernel: addressKernel()}}, nil
}

// runAddresses reads IPv4 addresses, two octets a word.
func runAddresses(out [][16]byte, fields *Fields, i int) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	for i = addressRows(out, fields, i); i < len(start); i++ {
		s, e := start[i], end[i]
		if e-s-7 > 8 || s >= InDecoded || e < 8 || uint64(s)+8 > uint64(len(src)) {
			return i
		}
		v4, ok := addressWords(word(src, s), word(src, e-8), e-s)
		if !ok {
			return i
		}
		ip := &out[i]
		binary.LittleEndian.PutUint64(ip[:], 0)
		binary.LittleEndian.PutUint64(ip[8:], 0xffff0000|uint64(v4)<<32)
	}
	return i
}

// addressWords reads an IPv4 address of n symbols, of which first are the first
// eight and last the last eight. Two octets and their dots are in either.
func addressWords(first, last uint64, n uint32) (v4 uint32, ok bool) {
	d, x := dotsOf(first), first^asciiZero
	n1 := uint32(bits.TrailingZeros64(d)) - 7 // bits of digits before the dot
	d >>= (n1 + 8) & 63
	n2 := uint32(bits.TrailingZeros64(d)) - 7
	e, y := dotsOf(last), last^asciiZero
	n4 := uint32(bits.LeadingZeros64(e))
	e <<= (n4 + 8) & 63
	n3 := uint32(bits.LeadingZeros64(e))
	const most = 24 - 8
	if max(n1-8, n2-8, n3-8, n4-8) > most || n1+n2+n3+n4+24 != 8*n {
		return 0, false
	}
	o12, bad12 := octets(x<<((64-n1)&63)>>32, x>>((n1+8)&63)<<((64-n2)&63), n1, n2)
	o34, bad34 := octets(y<<((n4+8)&63)>>((64-n3)&63)<<((64-n3)&63)>>32, y>>((64-n4)&63)<<((64-n4)&63), n3, n4)
	return uint32(o12|o12>>24)&0xffff | uint32(o34|o34>>24)<<16, bad12|bad34 == 0
}

// dotsOf has the top bits of the bytes of x that are dots.
func dotsOf(x uint64) uint64 {
	x ^= '.' * eachByte
	const low = ^uint64(asciiHigh)
	return ^(x&low + low | x) & asciiHigh
}

// octets are two numbers, each in half a word: of the last bytes of the low half of a and of the high half of b, digits
// of so many bits; all before them are 0. bad is not 0 if one is none.
func octets(a, b uint64, nbits1, nbits2 uint32) (v, bad uint64) {
	const above, least = 0xffffff00ffffff00, 0x640a00 // of numbers with so many digits
	x := a | b
	bad = notDigits(x)
	x = x * (10<<8 + 1) >> 8 & 0x00ff00ff00ff00ff
	x = x * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	small := uint64(least>>((nbits1-8)&31)&0xff | least>>((nbits2-8)&31)&0xff<<32)
	return x, bad | x&above | ^(x|0x0000010000000100-small)&0x0000010000000100
}

// appendIP appends an address as text (RFC 5952).
func appendIP(dst, ip []byte) []byte {
	return netip.AddrFrom16([16]byte(ip)).Unmap().AppendTo(dst)
}

// addresses are the texts of a column.
func addresses(c *columns.Column, ends []int32, text []byte) []byte {
	const group = 4 // rows
	ips := columns.ValuesOf[[16]byte](c.Fixed)
	for i := 0; i < len(ips); {
		done := 0
		if hasVBMI {
			done, text = addressTexts(c, ips, i, ends, text)
		}
		if i += done; i == len(ips) {
			break
		}
		to := len(ips)
		if hasVBMI {
			to = min(i+group, to)
		}
		text = eachAddress(c, ips[:to], i, ends, text)
		i = to
	}
	return text
}

// eachAddress are the texts of ips from row i on.
func eachAddress(c *columns.Column, ips [][16]byte, i int, ends []int32, text []byte) []byte {
	const most = len("255.255.255.255.") // written of one of IPv4, of which the last is too much
	for ; i < len(ips); i++ {
		ip := &ips[i]
		mapped := binary.LittleEndian.Uint64(ip[:]) == 0 && binary.LittleEndian.Uint32(ip[8:]) == 0xffff0000
		switch at := len(text); {
		case !c.IsValid(i):
		case !mapped && at+roomIPv6 <= cap(text):
			text = text[:at+putIPv6(text[at:cap(text)], ip)]
		case mapped && at+most <= cap(text):
			b := text[at : at+most]
			o0, o1, o2, o3 := octetTexts[ip[12]], octetTexts[ip[13]], octetTexts[ip[14]], octetTexts[ip[15]]
			n := (o0.nbits + o1.nbits) / 8
			binary.LittleEndian.PutUint64(b, o0.text|o1.text<<(o0.nbits&63))
			binary.LittleEndian.PutUint64(b[n:], o2.text|o3.text<<(o2.nbits&63))
			n += (o2.nbits + o3.nbits) / 8
			text = text[:at+int(n)-1]
		default:
			text = netip.AddrFrom16(*ip).Unmap().AppendTo(text)
		}
		ends[i] = int32(len(text))
	}
	return text
}

// octetTexts are numbers with a dot behind them, the first digit in the lowest byte, and how many bits that is.
var octetTexts = func() (texts [256]struct{ text, nbits uint64 }) {
	for i := range texts {
		var b [8]byte
		texts[i].nbits = uint64(8 * copy(b[:], strconv.Itoa(i)+"."))
		texts[i].text = binary.LittleEndian.Uint64(b[:])
	}
	return texts
}()

// parseIP reads an address in one of its textual forms (RFC 4291, 2.2; dotted
// decimal without leading zeros). IPv4 addresses are mapped into IPv6.
func parseIP(b []byte) (ip [16]byte, code Code) {
	if v4, ok := parseIPv4(b); ok {
		ip[10], ip[11] = 0xff, 0xff
		binary.LittleEndian.PutUint32(ip[12:], v4)
		return ip, OK
	}
	// The longest form has 45 symbols; a zone would make netip keep the text.
	if len(b) > 45 || bytes.IndexByte(b, ':') < 0 || bytes.IndexByte(b, '%') >= 0 {
		return ip, BadIP
	}
	// A view instead of a copy: netip keeps the text only in errors, and the
	// error is dropped.
	a, err := netip.ParseAddr(unsafe.String(unsafe.SliceData(b), len(b)))
	if err != nil {
		return ip, BadIP
	}
	return a.As16(), OK
}

// parseIPv4 reads four octets, the first into the lowest byte.
func parseIPv4(b []byte) (v4 uint32, ok bool) {
	i := 0
	for part := 0; ; part += 8 {
		if i >= len(b) || b[i]-'0' > 9 {
			return 0, false
		}
		octet := uint32(b[i] - '0')
		i++
		for n := 1; i < len(b) && b[i]-'0' <= 9; n++ {
			if octet == 0 || n == 3 {
				return 0, false
			}
			octet = octet*10 + uint32(b[i]-'0')
			i++
		}
		if octet > 255 {
			return 0, false
		}
		v4 |= octet << part
		if part == 24 {
			return v4, i == len(b)
		}
		if i >= len(b) || b[i] != '.' {
			return 0, false
		}
		i++
	}
}

func newUUID(*dfa.Type, Options) (appender, error) {
	return &fixed[[16]byte]{parse: parseUUID, run: runUUIDs}, nil
}

// runUUIDs reads UUIDs in words of eight digits.
func runUUIDs(out [][16]byte, fields *Fields, i int) int {
	src := fields.Src
	start := fields.Start
	end := fields.End[:len(start)]
	out = out[:len(start)]
	const (
		early  = 1<<32 - 1       // the first four symbols
		signs  = 0xff | 0xff<<40 // where the hyphens of a word are
		hyphen = '-' | '-'<<40
	)
	for i = uuidRows(out, fields, i); i < len(start); i++ {
		s, n := start[i], end[i]-start[i]
		if n != 36 && n != 32 || s >= InDecoded || uint64(s)+uint64(n) > uint64(len(src)) {
			return i
		}
		w := eights{src}
		x, y, z, last := w.at(s), w.at(s+8), w.at(s+16), w.at(s+n-8)
		if n == 36 {
			if ((y^hyphen)|(w.at(s+18)^hyphen))&signs != 0 {
				return i
			}
			y, z = w.at(s+9)&early|w.at(s+10)&^early, w.at(s+19)&early|w.at(s+20)&^early
		}
		v0, bad0 := hex8(x)
		v1, bad1 := hex8(y)
		v2, bad2 := hex8(z)
		v3, bad3 := hex8(last)
		if bad0|bad1|bad2|bad3 != 0 {
			return i
		}
		id := &out[i]
		binary.BigEndian.PutUint64(id[:8], v0<<32|v1)
		binary.BigEndian.PutUint64(id[8:], v2<<32|v3)
	}
	return i
}

// parseUUID reads the form of RFC 9562, or the same without hyphens.
func parseUUID(b []byte) (id [16]byte, code Code) {
	hyphens := len(b) == 36
	if !hyphens && len(b) != 32 {
		return id, BadUUID
	}
	at := 0
	var bad byte
	for i := range id {
		if hyphens && (i == 4 || i == 6 || i == 8 || i == 10) {
			if b[at] != '-' {
				return [16]byte{}, BadUUID
			}
			at++
		}
		hi, lo := hexValue[b[at]], hexValue[b[at+1]]
		bad |= hi | lo
		id[i] = hi<<4 | lo
		at += 2
	}
	if bad > 15 {
		return [16]byte{}, BadUUID
	}
	return id, OK
}

// appendUUID appends the text of a UUID (RFC 9562, section 4).
func appendUUID(dst, id []byte) []byte {
	dst = append(hex.AppendEncode(dst, id[:4]), '-')
	dst = append(hex.AppendEncode(dst, id[4:6]), '-')
	dst = append(hex.AppendEncode(dst, id[6:8]), '-')
	dst = append(hex.AppendEncode(dst, id[8:10]), '-')
	return hex.AppendEncode(dst, id[10:])
}
