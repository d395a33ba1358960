//go:build cuda

package gpu

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

func TestIPs(t *testing.T) {
	d := openConvert(t)
	rng := rand.New(rand.NewPCG(1, 2))
	var plain, hard []string
	for range 600 {
		var a [16]byte
		for i := range a {
			if rng.IntN(2) == 0 {
				a[i] = byte(rng.IntN(256)) >> rng.IntN(8)
			}
		}
		v4 := netip.AddrFrom4([4]byte(a[:4])).String()
		if rng.IntN(2) == 0 { // mostly long
			v4 = fmt.Sprintf("%d.%d.%d.%d", rng.IntN(256), rng.IntN(256), rng.IntN(256), rng.IntN(256))
		}
		v6 := netip.AddrFrom16(a)
		mixed := v6.StringExpanded()[:30] + v4
		plain = append(plain, v4, v6.String(), strings.ToUpper(v6.StringExpanded()), "::ffff:"+v4, mixed)
		for _, s := range []string{v4, v6.String(), v6.StringExpanded(), "::ffff:" + v4, mixed} {
			hard = append(hard, mutated(rng, s, "0123456789abcdefABCDEF::::....%g"))
		}
	}
	hard = append(hard, "192.0.2.1", "0.0.0.0", "255.255.255.255", "256.1.1.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", "1..3.4", "1.2.3.", ".1.2.3", "1.2.3.4 ", "1.2.3.00", "1.2.3.4:80", "9999999999.1.1.1",
		"::", ":::", ":", "::1", "1::", "1:2", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1::3:4:5:6:7:8", "1:2:3:4::5:6:7:8", "::1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8::",
		"1::2::3", "12345::", "::fffff", "fe80::1%eth0", "fe80::1%", "%", "1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:1.2.3.4", "1:2:3:4:5:6:7:1.2.3.4", "::1.2.3.4", "1::1.2.3.4", "1:2:3:4:5::1.2.3.4", "1:2:3:4:5:6::1.2.3.4",
		"::1.2.3", "::1.2.3.4.5", "::01.2.3.4", "::a.2.3.4", "::1.2.3.4:5", "1:", ":1", "1:2:3:4:5:6:7:", "g::", strings.Repeat("1:", 40), strings.Repeat("0", 60)+"::")
	checkFields(t, d, dfa.Type{Kind: dfa.IP}, plain, true)
	checkFields(t, d, dfa.Type{Kind: dfa.IP}, hard, true)
}

func TestUUIDs(t *testing.T) {
	d := openConvert(t)
	rng := rand.New(rand.NewPCG(3, 4))
	var plain, hard []string
	for range 300 {
		var b [16]byte
		for i := range b {
			b[i] = byte(rng.IntN(256))
		}
		s := fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
		short := fmt.Sprintf("%X", b)
		plain = append(plain, s, strings.ToUpper(s), short, strings.ToLower(short))
		hard = append(hard, mutated(rng, s, "0123456789abcdefABCDEF-g"), mutated(rng, short, "0123456789abcdefABCDEF-g"))
	}
	// Every symbol in the place of every other.
	good := plain[0]
	for i := range good {
		for c := range 256 {
			hard = append(hard, good[:i]+string([]byte{byte(c)})+good[i+1:])
		}
	}
	checkFields(t, d, dfa.Type{Kind: dfa.UUID}, plain, true)
	checkFields(t, d, dfa.Type{Kind: dfa.UUID}, hard, true)
}
