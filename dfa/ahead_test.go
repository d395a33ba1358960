package dfa

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPiecesFromEnd compares parts that are looked for from the end with those that a regular
// expression finds, whose last part is as short as possible, then the one before.
func TestPiecesFromEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	drawn := func(symbols string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = symbols[rng.IntN(len(symbols))]
		}
		return string(b)
	}
	fitted := 0
	for range 20_000 {
		s := Split{FromEnd: []string{drawn("x:", rng.IntN(2))}}
		for n := 1 + rng.IntN(3); len(s.FromEnd) <= n; {
			s.FromEnd = append(s.FromEnd, drawn("x:", rng.IntN(2)+1))
		}
		if n := len(s.FromEnd) - 1; rng.IntN(2) == 0 {
			s.FromEnd[n] = ""
		}
		// From the end: the value, its texts and the pattern reversed.
		reversed := `(?s)^`
		for k := len(s.FromEnd) - 1; k >= 0; k-- {
			if reversed += backwards(s.FromEnd[k]); k > 0 {
				reversed += `(.*?)`
			}
		}
		value := drawn("x:y", rng.IntN(12))
		m := regexp.MustCompile(reversed + `$`).FindStringSubmatch(backwards(value))
		pieces, ok := s.PiecesFromEnd([]byte(value), nil, nil)
		if ok != (m != nil) {
			t.Fatalf("%q by %q: %t, want %q", value, s.FromEnd, ok, m)
		}
		if !ok {
			continue
		}
		fitted++
		for k, p := range pieces {
			if got, want := string(p.Of([]byte(value), nil)), backwards(m[len(pieces)-k]); got != want {
				t.Fatalf("%q by %q: part %d is %q, want %q", value, s.FromEnd, k, got, want)
			}
		}
	}
	if fitted < 1000 {
		t.Errorf("only %d values fitted", fitted)
	}
}

func backwards(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

// TestBeforeKey compares which symbols mean something with what a regular expression finds.
func TestBeforeKey(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	key := regexp.MustCompile(`(^| )[A-Za-z0-9_.\-\[\]]+=`)
	typ := Type{Kind: Map, Ahead: &KeyAhead{Pair: ' ', Sign: '='}}
	for range 20_000 {
		b := make([]byte, rng.IntN(16))
		for i := range b {
			b[i] = "  ==ab/"[rng.IntN(7)]
		}
		want := make([]bool, len(b))
		for i, c := range b {
			want[i] = c == ' ' || c == '='
		}
		// A match may begin where the one before ended, in its blank at the earliest.
		for at := 0; ; {
			m := key.FindIndex(b[at:])
			if m == nil {
				break
			}
			from, to := at+m[0], at+m[1]
			if b[from] == ' ' {
				want[from] = false
			} else if from > 0 { // not at the beginning of the value
				at = from + 1
				continue
			}
			want[to-1] = false
			at = to
		}
		if got := typ.Opaque(b, nil, nil); !slices.Equal(got, want) {
			t.Fatalf("%q: %v, want %v", strings.ReplaceAll(string(b), " ", "_"), got, want)
		}
	}
}
