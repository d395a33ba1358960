//go:build cuda

package gpu

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
)

// checkFields converts fields of a type on the device: a row is what the
// Converter makes of it, or left. It gives how many rows are left though they
// have a value; plain says that there may be none.
func checkFields(t testing.TB, d *convertDevice, typ dfa.Type, fields []string, plain bool) int {
	t.Helper()
	return checkFieldsAt(t, d, typ, baseTime, fields, plain)
}

// checkFieldsAt is checkFields of a file of some time.
func checkFieldsAt(t testing.TB, d *convertDevice, typ dfa.Type, base time.Time, fields []string, plain bool) int {
	t.Helper()
	x := convertTest{column: dfa.Column{Name: "x", Type: typ}, baseTime: base, seed: uint64(len(fields))}
	for i, field := range fields {
		x.fields = append(x.fields, testField{value: []byte(field), scattered: i%5 == 4})
	}
	c, err := convert.NewConverter(&x.column, convert.Options{BaseTime: base, Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, row := range x.run(t, d) {
		var f convert.Fields
		f.PushDecoded(x.fields[row].value)
		if errs := c.Append(convert.NewColumn(&typ), &f, nil); len(errs) != 0 {
			continue
		}
		lost++
		if plain {
			t.Errorf("%s: %q is left", typ.String(), fields[row])
		}
	}
	return lost
}

// mutated changes s in a few places, by symbols of alphabet and others.
func mutated(rng *rand.Rand, s, alphabet string) string {
	b := []byte(s)
	for range 1 + rng.IntN(2) {
		c := byte(rng.IntN(256))
		if rng.IntN(4) != 0 {
			c = alphabet[rng.IntN(len(alphabet))]
		}
		i := rng.IntN(len(b) + 1)
		switch kind := rng.IntN(4); {
		case kind == 0:
			b = b[:i]
		case kind == 1:
			b = append(b[:i], append([]byte{c}, b[i:]...)...)
		case i == len(b):
		case kind == 2:
			b = append(b[:i], b[i+1:]...)
		default:
			b[i] = c
		}
	}
	return string(b)
}
