package convert

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/drawn"
)

// TestEasyDurations: durations that are read easily are what the parser makes of them.
func TestEasyDurations(t *testing.T) {
	for _, c := range []struct {
		layout string
		easy   func([]byte) int64
		pieces []string
	}{
		{"clock", easyClock, []string{"0", "5", "59", "1:02:03", "12:34:56", "7:08", "45:10", "60", "07", "99999", "123456", ":", ":", ":00", ":59", ":5", ":60", ":123", ".", ".5", ".250", ".123456789", ".1234567891", "-", "+", " "}},
		{"go", easyGo, []string{"0", "1", "59", "999999", "1234567", "h", "m", "s", "ms", "us", "µs", "μs", "ns", ".", ".5", ".25", ".001", ".123456789", ".1234567891", "-", "+", " ", "µ", "u", "n", "1h2m3.5s", "12.5ms"}},
	} {
		t.Run(c.layout, func(t *testing.T) {
			taken := 0
			drawn.Check(t, "none is easy", func() bool { return taken > 0 }, func(rt *rapid.T) {
				col := dfa.Column{Type: dfa.Type{Kind: dfa.Duration, Layout: c.layout, Unit: rapid.SampledFrom([]dfa.Unit{dfa.Second, dfa.Millisecond, dfa.Microsecond, dfa.Nanosecond}).Draw(rt, "unit")}}
				conv, err := NewConverter(&col, Options{})
				if err != nil {
					rt.Fatal(err)
				}
				p := conv.impl.(*fixed[int64])
				f := &Fields{}
				for range rapid.IntRange(1, 20).Draw(rt, "rows") {
					at := uint32(len(f.Src))
					for range rapid.IntRange(0, 6).Draw(rt, "pieces") {
						f.Src = append(f.Src, rapid.SampledFrom(c.pieces).Draw(rt, "piece")...)
					}
					f.Push(at, uint32(len(f.Src)))
				}
				out := make([]int64, f.Len())
				for i := 0; i < f.Len(); i++ {
					b, _ := f.At(i)
					want, code := p.parse(b)
					part := &Fields{Src: f.Src, Start: f.Start[:i+1], End: f.End[:i+1]}
					if p.run(out[:i+1], part, i) == i {
						continue
					}
					if taken++; code != OK || out[i] != want {
						rt.Fatalf("%q: %d, want %d %v", b, out[i], want, code)
					}
				}
			})
		})
	}
	for _, s := range []string{"00:00", "1:02:03.5", "99999:59:59.999999999"} {
		if easyClock([]byte(s)) < 0 {
			t.Errorf("%s is not easy", s)
		}
	}
	for _, s := range []string{"1h2m3.5s", "15µs", "12.345ms", "999999h", "0s"} {
		if n := easyGo([]byte(s)); n < 0 && s != "999999h" || n > math.MaxInt64/2 {
			t.Errorf("%s: %d", s, n)
		}
	}
}

// TestClocks: texts that differ from a duration in one symbol are what they are one by one.
func TestClocks(t *testing.T) {
	col := &dfa.Column{Type: dfa.Type{Kind: dfa.Duration, Layout: "clock", Unit: dfa.Second}}
	fast, err := NewConverter(col, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := NewConverter(col, Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"7", "45", "7:8", "7:08", "45:10", "123:45", "1:02:03", "12:34:56"} {
		f := &Fields{Src: make([]byte, 0, 1<<14)}
		for at := range text {
			for symbol := range 256 {
				s := uint32(len(f.Src))
				f.Src = append(f.Src, text...)
				f.Src[s+uint32(at)] = byte(symbol)
				f.Push(s, uint32(len(f.Src)))
			}
		}
		f.Src = append(f.Src, "00000000"...)
		got, want := NewColumn(&col.Type), NewColumn(&col.Type)
		errs, wantErrs := fast.Append(got, f, nil), plain.Append(want, f, nil)
		if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
			t.Errorf("%s: %s", text, roundDifference(f, got, want, errs, wantErrs))
		}
	}
}
