package charset

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"golang.org/x/text/transform"
)

// TestManyCostOfAnything: whatever the bytes are, an encoding of several bytes a character is of none or of all of them.
func TestManyCostOfAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range candidates() {
		if c.many == nil {
			continue
		}
		for range 20000 {
			src := make([]byte, 1+random.IntN(8))
			for i := range src {
				if src[i] = byte(random.IntN(256)); random.IntN(4) == 0 {
					src[i] = []byte{0x80, 0x81, 0x8e, 0x8f, 0xa0, 0xff, '1', ' '}[random.IntN(8)]
				}
			}
			_, text, ok := c.manyCost(src, true)
			want, _, err := transform.Bytes(c.of.NewDecoder(), src)
			if ok && (err != nil || string(text) != string(want)) {
				t.Fatalf("%s: % x is %q, want %q, %v", c.name, src, text, want, err)
			}
			if two := c.name == "Big5" && bytes.IndexByte(src, 0x88) >= 0; !ok && len(text) > 0 && !two { // four of these are two characters
				t.Fatalf("%s: % x is %q, but its characters are of other lengths", c.name, src, text)
			}
		}
	}
}
