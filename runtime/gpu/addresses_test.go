//go:build cuda

package gpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/runtime"
)

// addressesText is records of two addresses, of both kinds and all lengths; some have none, and some lines are bad.
func addressesText(rows int) string {
	rng := rand.New(rand.NewPCG(3, 5))
	octet := func() int { return []int{0, 9, 10, 99, 100, 255, rng.IntN(256)}[rng.IntN(7)] }
	address := func() string {
		if rng.IntN(2) == 0 {
			return fmt.Sprintf("%d.%d.%d.%d", octet(), octet(), octet(), octet())
		}
		var ip [16]byte
		for g := range 8 { // groups of 0 to 4 digits, most of them 0
			if rng.IntN(3) == 0 {
				binary.BigEndian.PutUint16(ip[2*g:], uint16(rng.IntN(0x10000)>>(4*rng.IntN(4))))
			}
		}
		return netip.AddrFrom16(ip).String()
	}
	var b strings.Builder
	for row := range rows {
		switch rng.IntN(20) {
		case 0:
			fmt.Fprintf(&b, ",%s,%d\n", address(), row)
		case 1:
			fmt.Fprintf(&b, "%s,,%d\n", address(), row)
		case 2:
			fmt.Fprintf(&b, "%s,1.2.3,%d\n", address(), row)
		case 3:
			if rng.IntN(10) == 0 {
				b.WriteString("no record\n")
			}
			fallthrough
		default:
			fmt.Fprintf(&b, "%s,%s,%d\n", address(), address(), row)
		}
	}
	return b.String()
}

// TestColumnsOfAddresses: the texts of addresses that stay are those of a Reader.
func TestColumnsOfAddresses(t *testing.T) {
	p, err := smallProgram("addresses", "format addresses { delimited { sep ',' } fields { a ip  b ip  n u32 } }")
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t)
	for _, rows := range []int{1, 700, 5000} {
		text := addressesText(rows)
		for i, opts := range [][]Option{nil, {WithFlight(40 << 10)}, {WithTextViews()}, {WithGeneralPath(), WithFlight(60 << 10)}} {
			for _, mode := range dfa.ErrorModes() {
				if mode == dfa.Fail {
					continue
				}
				readers := []runtime.Option{runtime.WithErrorMode(mode), runtime.WithThreads(2)}
				want, _ := readWant(t, p, text, readers)
				for _, where := range []string{"host", "device"} {
					t.Run(fmt.Sprintf("%d/%d/%v/%s", rows, i, mode, where), func(t *testing.T) {
						b := &bench{t: t, d: b.d, s: b.s}
						got, _, err := b.readColumns(New(opts...), where, p, text, readers)
						if err != nil || got != want {
							t.Fatalf("%v, %d bytes of rows, want %d: %s", err, len(got), len(want), firstDifference(got, want))
						}
					})
				}
			}
		}
	}
}
