package convert

import (
	"math"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/columns"
)

// A Column whose offsets have come to their end: what still fits is taken,
// what does not is an error of its row, and nothing is out of place.
func TestBatchFull(t *testing.T) {
	columns.MaxData = 10
	defer func() { columns.MaxData = math.MaxInt32 }()
	for _, c := range []struct {
		col    dfa.Column
		fields []string
		want   []any
		full   []int
	}{
		{dfa.Column{}, []string{"aaaa", "bbbb", "cccc", "", "dd", "e"}, []any{"aaaa", "bbbb", nil, "", "dd", nil}, []int{2, 5}},
		{dfa.Column{Nulls: []string{"-"}, HasDefault: true, Default: "aaaa"}, []string{"-", "-", "-", "-"}, []any{"aaaa", "aaaa", nil, nil}, []int{2, 3}},
		{dfa.Column{Type: dfa.Type{Kind: dfa.Binary, Encoding: dfa.Hex}}, []string{"61626364", "6162636465666768", "61"}, []any{"abcd", nil, "a"}, []int{1}},
		{dfa.Column{Type: dfa.Type{Kind: dfa.Dictionary}}, []string{"aaaa", "bbbb", "cccc", "aaaa", "dd"}, []any{"aaaa", "bbbb", nil, "aaaa", "dd"}, []int{2}},
		{
			dfa.Column{Type: dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Int8}, Lex: listLex(';')}},
			[]string{"1;2;3;4", "1;2;3;4;5;6", "", "5;6;7;8;9", "1;2", "7"},
			[]any{[]any{int64(1), int64(2), int64(3), int64(4)}, []any{int64(1), int64(2), int64(3), int64(4), int64(5), int64(6)}, nil, nil, nil, nil}, []int{3, 4, 5},
		},
		{
			dfa.Column{Type: dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}, Lex: mapLex()}},
			[]string{"a=1111", "b=22222;c=3", "d=44", "e=5", "f="},
			[]any{[][2]any{{"a", "1111"}}, [][2]any{{"b", "22222"}, {"c", "3"}}, nil, nil, [][2]any{{"f", ""}}}, []int{2, 3},
		},
		{
			dfa.Column{Type: dfa.Type{Kind: dfa.List, Elem: &dfa.Type{Kind: dfa.Int8}, Lex: listLex(';')}, Nulls: []string{"-"}, HasDefault: true, Default: "1;2;3;4"},
			[]string{"-", "5;6", "-", "-", "7"},
			[]any{[]any{int64(1), int64(2), int64(3), int64(4)}, []any{int64(5), int64(6)}, []any{int64(1), int64(2), int64(3), int64(4)}, nil, nil}, []int{3, 4},
		},
		{
			dfa.Column{Type: dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}, Lex: mapLex()}, Nulls: []string{"-"}, HasDefault: true, Default: "a=1111"},
			[]string{"-", "b=22", "-", "c=44444", "d=3333", "e="},
			[]any{[][2]any{{"a", "1111"}}, [][2]any{{"b", "22"}}, [][2]any{{"a", "1111"}}, nil, nil, [][2]any{{"e", ""}}}, []int{3, 4},
		},
		{
			dfa.Column{Type: dfa.Type{Kind: dfa.Map, Elem: &dfa.Type{}, Lex: mapLex()}, Nulls: []string{"-"}, HasDefault: true, Default: "a=1111"},
			[]string{"b=22222222", "-", "c=4", "-"},
			[]any{[][2]any{{"b", "22222222"}}, nil, [][2]any{{"c", "4"}}, nil}, []int{1, 3},
		},
	} {
		dst, errs := convertAll(t, &c.col, Options{}, false, 0, c.fields...)
		var full []int
		for _, e := range errs {
			if e.Code != BatchFull {
				t.Errorf("%s: %v", Name(&c.col.Type), e)
			}
			full = append(full, e.Row)
		}
		if !slices.Equal(full, c.full) {
			t.Errorf("%s: full at rows %v, want %v", Name(&c.col.Type), full, c.full)
		}
		for i := range c.want {
			if got := cell(dst, i); !sameCell(got, c.want[i]) {
				t.Errorf("%s: row %d is %v, want %v", Name(&c.col.Type), i, got, c.want[i])
			}
		}
	}
}
