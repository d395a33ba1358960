package convert

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/guard"
)

// TestAddresses compares the ways to read IPv4 addresses, by all numbers of up to
// four digits at each place, and by symbols that are changed, put in and left out;
// and the way to write them with package netip.
func TestAddresses(t *testing.T) {
	var all []string
	for n := range 11110 {
		s := fmt.Sprint(n)
		if n > 9999 { // with zeros in front
			s = fmt.Sprintf("%03d", n-10000)
		}
		for place := range 4 {
			octets := []string{"1", "22", "133", "0"}
			octets[place] = s
			all = append(all, strings.Join(octets, "."))
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		b := []byte(plainAddress(r))
		at := r.IntN(len(b))
		switch c := byte(r.IntN(256)); r.IntN(4) {
		case 0:
			b[at] = "./0123456789:"[c%13]
		case 1:
			b[at] = c
		case 2:
			b = append(b[:at], b[at+1:]...)
		case 3:
			b = append(b[:at], append([]byte{"./0123456789:"[c%13]}, b[at:]...)...)
		}
		all = append(all, string(b))
	}
	var lying, copied Fields
	for _, s := range all {
		lying.Src = append(lying.Src, "1.2,.3"[r.IntN(3):][:r.IntN(4)]...)
		lying.Push(uint32(len(lying.Src)), uint32(len(lying.Src)+len(s)))
		lying.Src = append(lying.Src, s...)
		copied.PushDecoded([]byte(s))
	}
	lying.Src = append(lying.Src, "        "...)
	col := &dfa.Column{Type: dfa.Type{Kind: dfa.IP}}
	want, wantErrs := appendFuzzed(t, col, Options{}, &copied)
	compare := func(t *testing.T) {
		got, errs := appendFuzzed(t, col, Options{}, &lying)
		if !sameColumn(got, want) || fmt.Sprint(errs) != fmt.Sprint(wantErrs) {
			t.Fatal(difference(&copied, got, want, errs, wantErrs))
		}
	}
	sets(t, func(t *testing.T, without func(func())) {
		compare(t)
		without(func() { compare(t) })
	})
	compare(t)
	compareTexts(t, want)
}

// TestAddressTexts compares the ways to write addresses of both versions, among nulls.
func TestAddressTexts(t *testing.T) {
	sets(t, func(t *testing.T, _ func(func())) {
		r := rand.New(rand.NewPCG(3, 4))
		for n := range 600 {
			c := NewColumn(&dfa.Type{Kind: dfa.IP})
			nulls, sixes := r.IntN(1+n%7), r.IntN(1+n%5)
			for i := range n % 97 {
				ip := [16]byte{10: 0xff, 11: 0xff, 12: byte(r.IntN(256)), 13: byte(r.IntN(256) >> r.IntN(8)), 14: byte(r.IntN(256)), 15: byte(r.IntN(256) >> r.IntN(8))}
				if r.IntN(8) < sixes {
					if ip[r.IntN(12)] ^= byte(r.IntN(256)); r.IntN(2) == 0 {
						for group := range 8 {
							v := uint16(r.IntN(1<<16)) >> r.IntN(16) * uint16(r.IntN(2))
							binary.BigEndian.PutUint16(ip[2*group:], v)
						}
					}
				}
				c.Fixed = append(c.Fixed, ip[:]...)
				if c.AppendValid(1); r.IntN(8) < nulls {
					c.SetNull(i)
				}
			}
			compareTexts(t, c)
		}
	})
}

// compareTexts compares the texts of a column of addresses with those of package netip.
func compareTexts(t *testing.T, c *columns.Column) {
	t.Helper()
	ends := make([]int32, c.Len)
	text := addresses(c, ends, make([]byte, 0, longestAddress*c.Len))
	var slow []byte
	for i, ip := range columns.ValuesOf[[16]byte](c.Fixed) {
		if c.IsValid(i) {
			slow = appendIP(slow, ip[:])
		}
		if int(ends[i]) != len(slow) {
			t.Fatalf("row %d, %v: the text ends at %d, want %d", i, ip, ends[i], len(slow))
		}
	}
	if string(text) != string(slow) {
		t.Error("the texts differ")
	}
}

// TestRoomOfIPv6: addresses are written within the room that they are said to need.
func TestRoomOfIPv6(t *testing.T) {
	b, free := guard.Bytes(roomIPv6, false)
	defer free()
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		var ip [16]byte
		for group := range 8 {
			binary.BigEndian.PutUint16(ip[2*group:], uint16(r.IntN(1<<16))>>(r.IntN(16)*r.IntN(2))*uint16(min(r.IntN(4), 1)))
		}
		if got, want := string(b[:putIPv6(b, &ip)]), netip.AddrFrom16(ip).String(); got != want && !netip.AddrFrom16(ip).Is4In6() {
			t.Fatalf("%x is written %s, want %s", ip, got, want)
		}
	}
}
