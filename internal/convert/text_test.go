package convert

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
	"github.com/dfaparse/dfaparse/internal/guard"
)

// TestTextOfAnyPlace: fields in the input, decoded, literal, absent and null, in rounds
// in any order, give what they give one by one; with vector code and without.
func TestTextOfAnyPlace(t *testing.T) {
	t.Run("as it is", testTextOfAnyPlace)
	defer noInstructions()()
	t.Run("no vectors", testTextOfAnyPlace)
}

func testTextOfAnyPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for run := range 3000 {
		col := dfa.Column{Name: "c", Type: dfa.Type{Kind: dfa.String}, Required: run%3 == 0}
		if run%2 == 0 {
			col.Nulls = []string{"-", "null", strings.Repeat("n", 70), ""}[:2+run/2%3]
		}
		policy := []dfa.UTF8Policy{dfa.RejectUTF8, dfa.ReplaceUTF8, dfa.KeepUTF8}[r.IntN(3)]
		c, err := NewConverter(&col, Options{UTF8: policy})
		if err != nil {
			t.Fatal(err)
		}
		src := []byte(strings.Repeat("x", r.IntN(40)))
		var f Fields
		var want []string
		for range r.IntN(40) {
			s := []string{"", "-", "null", "text", strings.Repeat("long é ", r.IntN(12)), strings.Repeat("n", 70), strings.Repeat("longer", r.IntN(50))}[r.IntN(7)]
			if r.IntN(100) == 0 {
				s += "\xff"
			}
			place, literal := r.IntN(5), false
			if run%5 < 2 {
				place = 4 // all in the input
			}
			switch place {
			case 0:
				f.PushAbsent()
				want = append(want, "null")
				continue
			case 1:
				f.PushDecoded([]byte(s))
				if literal = r.IntN(2) == 0; literal {
					f.literally(Literal{Row: uint32(f.Len() - 1), Start: f.Start[f.Len()-1]})
				}
			default:
				f.Push(uint32(len(src)), uint32(len(src)+len(s)))
				src = append(src, s...)
				if run%5 > 2 && r.IntN(4) == 0 { // of another field that the row had
					f.literally(Literal{Row: uint32(f.Len() - 1), Start: InDecoded | InDecoded>>1})
				}
			}
			switch {
			case slices.Contains(col.Nulls, s) && !literal || policy == dfa.RejectUTF8 && !utf8.ValidString(s):
				want = append(want, "null")
			case policy == dfa.ReplaceUTF8:
				want = append(want, fmt.Sprintf("%q", string([]rune(s))))
			default:
				want = append(want, fmt.Sprintf("%q", s))
			}
		}
		f.Src = append(src, strings.Repeat("y", r.IntN([]int{40, 400}[run%2]))...)
		dst := NewColumn(&col.Type)
		errs := c.Append(dst, &f, nil)
		var got []string
		nulls := 0
		for i := range dst.Len {
			if dst.IsValid(i) {
				got = append(got, fmt.Sprintf("%q", dst.Data[dst.Offsets[i]:dst.Offsets[i+1]]))
			} else {
				got = append(got, "null")
				nulls++
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) || nulls != dst.Nulls {
			t.Fatalf("%v, %d null\nwant %v", got, dst.Nulls, want)
		}
		if col.Required && len(errs) != nulls {
			t.Fatalf("%d errors for %d nulls", len(errs), nulls)
		}
	}
}

// TestTextBlocks: many rows of a column, some of them absent, empty, null, decoded or long, in runs or mixed, give what
// they give one by one, in memory of any size, beyond which nothing is written.
func TestTextBlocks(t *testing.T) {
	t.Run("as it is", testTextBlocks)
	defer noInstructions()()
	t.Run("no vectors", testTextBlocks)
}

func testTextBlocks(t *testing.T) {
	defer func(was int) { columns.MaxData = was }(columns.MaxData)
	most := columns.MaxData
	r := rand.New(rand.NewPCG(5, 6))
	texts := []string{"", "-", "n", "text", "NULL", "\\N", strings.Repeat("t", 16), strings.Repeat("t", 17), strings.Repeat("u", 32), strings.Repeat("u", 33),
		strings.Repeat("n", 62), strings.Repeat("n", 64), strings.Repeat("v", 65), strings.Repeat("w", 191), strings.Repeat("w", 192), strings.Repeat("long", 900)}
	tokens := [][]string{nil, {"-"}, {""}, {"-", ""}, {"NULL", "-", "n"}, {"", "\\N", strings.Repeat("n", 62)}, {"-", strings.Repeat("n", 64)}}
	for run := range 1500 {
		col := dfa.Column{Name: "c", Type: dfa.Type{Kind: dfa.String}, Nulls: tokens[r.IntN(len(tokens))]}
		opt := Options{UTF8: dfa.KeepUTF8}
		c, err := NewConverter(&col, opt)
		if err != nil {
			t.Fatal(err)
		}
		columns.MaxData = most
		if run%5 == 0 {
			columns.MaxData = 1 + r.IntN(20000)
		}
		const beyond = 64
		room := r.IntN(100 << r.IntN(10))
		memory := []byte(strings.Repeat("#", room+beyond))
		dst, want := NewColumn(&col.Type), NewColumn(&col.Type)
		dst.Data = memory[:0:room]
		for range 1 + r.IntN(3) {
			f := Fields{Src: []byte(strings.Repeat("x", r.IntN(300)))}
			odd, decoded := r.IntN(4)*r.IntN(33), r.IntN(2)*r.IntN(20) // of a hundred
			kind := r.IntN(len(texts))
			for range r.IntN(400) {
				if r.IntN(100) < odd {
					kind = r.IntN(len(texts) + 1)
				} else if r.IntN(80) == 0 {
					kind = 3 + r.IntN(8)
				}
				switch {
				case kind == len(texts):
					f.PushAbsent()
				case r.IntN(100) < decoded:
					f.PushDecoded([]byte(texts[kind]))
				default:
					f.Push(uint32(len(f.Src)), uint32(len(f.Src)+len(texts[kind])))
					f.Src = append(f.Src, texts[kind]...)
				}
			}
			f.Src = slices.Clip(append(f.Src, strings.Repeat("y", r.IntN([]int{40, 400}[run%2]))...))
			before := dst.Len
			errs := c.Append(dst, &f, nil)
			var wantErrs []FieldError
			for i := range f.Len() {
				one := f
				one.Start, one.End = f.Start[i:i+1], f.End[i:i+1]
				wantErrs = c.Append(want, &one, wantErrs)
			}
			for i := range dst.Len {
				a, b := dst.Data[dst.Offsets[i]:dst.Offsets[i+1]], want.Data[want.Offsets[i]:want.Offsets[i+1]]
				if dst.IsValid(i) != want.IsValid(i) || string(a) != string(b) {
					t.Fatalf("run %d, row %d of %d behind %d: %q, want %q", run, i, dst.Len, before, a, b)
				}
			}
			if dst.Len != want.Len || dst.Nulls != want.Nulls || !slices.Equal(errs, wantErrs) {
				t.Fatalf("run %d: %d rows, %d null, errors %v\nwant %d, %d, %v", run, dst.Len, dst.Nulls, errs, want.Len, want.Nulls, wantErrs)
			}
		}
		if strings.Trim(string(memory[room:]), "#") != "" {
			t.Fatalf("run %d: written beyond %d bytes: %q", run, room, memory[room:])
		}
	}
}

// FuzzText: with and without vector code, texts are the same, whatever they are,
// wherever they lie.
func FuzzText(f *testing.F) {
	f.Add([]byte(strings.Repeat("some text - and - more of it, - é -", 20)), uint64(1), uint8(0), true)
	f.Add([]byte(strings.Repeat("-", 400)), uint64(2), uint8(1), true)
	f.Add([]byte(strings.Repeat("NA\xff0123456789", 40)), uint64(3), uint8(2), false)
	f.Fuzz(func(t *testing.T, src []byte, seed uint64, policy uint8, nulls bool) {
		if len(src) > 1<<13 {
			return
		}
		col := &dfa.Column{Required: policy&4 != 0}
		if nulls {
			col.Nulls = []string{"-", "NA", "", strings.Repeat("-", 70)}[policy>>3&1:]
		}
		opt := Options{UTF8: dfa.UTF8Policy(policy % 3)}
		r := rand.New(rand.NewPCG(seed, 0))
		memory, free := guard.Bytes(len(src), policy&16 != 0)
		defer free()
		copy(memory, src)
		fields := Fields{Src: memory}
		most := []int{1, 3, 20, 40, 70, 150, 300}[r.IntN(7)]
		for at := 0; at < len(src); {
			n := min(r.IntN(most+1), len(src)-at)
			switch r.IntN(20) {
			case 0:
				fields.PushAbsent()
			case 1:
				fields.PushDecoded(src[at : at+n])
			default:
				fields.Push(uint32(at), uint32(at+n))
			}
			at += max(n, 1)
		}
		restore := noInstructions()
		want, wantErrs := appendFuzzed(t, col, opt, &fields)
		restore()
		got, errs := appendFuzzed(t, col, opt, &fields)
		if !sameColumn(got, want) || !slices.Equal(errs, wantErrs) {
			t.Fatal(difference(&fields, got, want, errs, wantErrs))
		}
	})
}
