package convert

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// longestAddress is the length of the longest text of an address, in which no
// zeros are left out.
const longestAddress = len("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")

func newIP(*dfa.Type, Options) (appender, error) {
	return &fixed[[16]byte]{parse: parseIP}, nil
}

// appendIP appends an address as text (RFC 5952).
func appendIP(dst, ip []byte) []byte {
	return netip.AddrFrom16([16]byte(ip)).Unmap().AppendTo(dst)
}

// addresses are the texts of a column.
func addresses(c *columns.Column, ends []int32, text []byte) []byte {
	for i, ip := range columns.ValuesOf[[16]byte](c.Fixed) {
		if c.IsValid(i) {
			text = netip.AddrFrom16(ip).Unmap().AppendTo(text)
		}
		ends[i] = int32(len(text))
	}
	return text
}

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
	return &fixed[[16]byte]{parse: parseUUID}, nil
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
