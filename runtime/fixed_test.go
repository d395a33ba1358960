package runtime_test

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFixedWidth: lines of fixed width are cut alike in every way, whatever lines of
// another length and ends of lines stand among them.
func TestFixedWidth(t *testing.T) {
	const good = "00012 a text  12.50\n"
	odd := []string{"\n", "7\n", "00012 a\n", "00012 a text  12.50 and more\n", "00013 a text  12.5x\n", "00014 caf\xc3\xa9 a  1.00\n", "00015 bad  \xff   2.00\r\n", "00016 a text  12.50\r\n", "# a comment\n", "x\n"}
	for _, src := range []string{
		`fixed { id 5  _ 1  name 7  amount 6 } fields { id u32  name str trim  amount dec(8,2) }`,
		`fixed { id 5  _ 1  name 7  amount 6 } lines { comment "#"  eol any } ragged truncate fields { name dict  amount str? }`,
		`fixed { id 5  _ 1  name 7  amount 6 } fields { id str  name str  amount str! }`,
	} {
		p := spec(t, src)
		for _, oneIn := range []int{2, 40, 1 << 30} {
			r := rand.New(rand.NewPCG(3, uint64(oneIn)))
			var in strings.Builder
			for range 900 {
				if r.IntN(oneIn) == 0 {
					in.WriteString(odd[r.IntN(len(odd))])
				} else {
					in.WriteString(good)
				}
			}
			text(t, p, in.String()+"00099 the end")
		}
	}
}
