package convert

import "testing"

// TestStaleLiteral: a literal of a record that was left out hides none of the row that is there.
func TestStaleLiteral(t *testing.T) {
	f := Fields{Decoded: []byte(`\N\N`), Start: []uint32{InDecoded}, End: []uint32{2}}
	f.literally(Literal{Start: InDecoded})
	f.literally(Literal{Start: InDecoded | 2})
	if l := f.literal(0); l == nil || l.Start != InDecoded {
		t.Fatalf("%v is said of the row", l)
	}
}
