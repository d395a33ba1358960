package convert

import (
	"bytes"
	"net/netip"
	"unsafe"

	"github.com/dfaparse/dfaparse/dfa"
)

func newIP(*dfa.Type, Options) (appender, error) {
	return &fixed[[16]byte]{parse: parseIP}, nil
}

// parseIP reads an address in one of its textual forms (RFC 4291, 2.2; dotted
// decimal without leading zeros). IPv4 addresses are mapped into IPv6.
func parseIP(b []byte) (ip [16]byte, code Code) {
	if bytes.IndexByte(b, ':') < 0 {
		return parseIPv4(b)
	}
	// The longest form has 45 symbols; a zone would make netip keep the text.
	if len(b) > 45 || bytes.IndexByte(b, '%') >= 0 {
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

func parseIPv4(b []byte) (ip [16]byte, code Code) {
	part, ndigits, octet := 0, 0, uint32(0)
	for _, c := range b {
		if d := uint32(c - '0'); d <= 9 {
			if ndigits > 0 && octet == 0 {
				return [16]byte{}, BadIP
			}
			octet = octet*10 + d
			ndigits++
			if octet > 255 {
				return [16]byte{}, BadIP
			}
			continue
		}
		if c != '.' || ndigits == 0 || part == 3 {
			return [16]byte{}, BadIP
		}
		ip[12+part] = byte(octet)
		part, ndigits, octet = part+1, 0, 0
	}
	if part != 3 || ndigits == 0 {
		return [16]byte{}, BadIP
	}
	ip[15] = byte(octet)
	ip[10], ip[11] = 0xff, 0xff
	return ip, OK
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
