package infer

import (
	"strings"
	"testing"
)

// TestGivenNumbers: what is said of all numbers holds of those whose type somebody gives, unless the
// type says it itself.
func TestGivenNumbers(t *testing.T) {
	for _, c := range []struct{ types, point, thousands, want string }{
		{"a:f64", ",", "", "f64(point ',')"},
		{"a:f32!", ",", ".", "f32(point ',', thousands '.')!"},
		{"a:dec(10, 2)?", ",", "", "dec(10, 2, point ',')?"},
		{"a:i64", ",", "", "i64"},
		{"a:u32", ".", " ", "u32(thousands ' ')"},
		{"a:i64", "", "'", `i64(thousands "'")`},
		{"a:f64(point '.')", ",", "", "f64(point '.')"},
		{"a:f64", ".", None, "f64"},
		{"a:str", ",", "", "str"},
	} {
		types, err := ParseTypes(c.types)
		if err != nil {
			t.Fatal(err)
		}
		given := &Given{Types: types, Point: c.point, Thousands: c.thousands}
		got := given.numbers().Types[0].Type
		if got != c.want {
			t.Errorf("%s, point %q, thousands %q: %s, want %s", c.types, c.point, c.thousands, got, c.want)
		}
		if _, err := ParseTypes("a:" + got); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
	got, err := inferGiven("a;b\n1;2,5\n3;4,25\n", &Given{Types: []GivenType{{"b", "dec(5, 2)"}}, Point: ","})
	if err != nil || got.Rejected > 0 || got.Columns[1].Type != "dec(5, 2, point ',')" {
		t.Errorf("%+v, %v", got, err)
	}
	spec, err := got.Build(t.Context(), "t", true)
	if err != nil || spec.Program.Columns[1].Type.Point != ',' {
		t.Errorf("%+v, %v", spec, err)
	}
}

// TestPointAlone: where it is said what stands for no value, a point without digits is a text, and no decimal.
func TestPointAlone(t *testing.T) {
	for _, values := range []string{".", ".\n1", "1.5\n.", "-.\n2", "..\n12345678901234567890.5"} {
		got, err := inferGiven("a,b\n"+strings.ReplaceAll(values, "\n", ",x\n")+",x\n", &Given{Nulls: []string{"NULL"}})
		if err != nil || got.Columns[0].Type != "str" {
			t.Errorf("%q: %+v, %v", values, got, err)
		}
	}
}
