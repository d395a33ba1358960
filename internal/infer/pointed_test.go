package infer

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestPointsBesideCommas: beside decimal commas, numbers with points are text unless a value shows a fraction.
func TestPointsBesideCommas(t *testing.T) {
	for in, want := range map[string]string{
		"a;b\n1.000;1,5\n2.345;2,25\n12;1,0\n":                         "str",
		"a;b\n12;1.000,5\n999;2,25\n1.000;1,0\n":                       "str", // it is i64 at first
		"a;b\n1.000;1,5\n2.345;2,25\n1.5;1,0\n":                        "f64",
		"a;b\n1.000;1,5\n2.345;2,25\n0.500;1,0\n":                      "f64",
		"a;b\n1.000;1,5\n2.345;2,25\n1234;1,0\n":                       "f64",
		"a;b\n.125;1,5\n.250;2,25\n-.375;1,0\n":                        "f64",
		"a;b\n1.5e3;1,5\n2.5e4;2,25\n":                                 "f64",
		"a;b\n1.000;1,5\n.;2,25\nNaN;1,0\n":                            "str",
		"a;b\n1.000;x\n2.345;y\n3.000;z\n":                             "f64", // no comma
		"a;b\n1.000;1,500\n2.345;2,250\n3.000;1,000\n":                 "f64", // these may stand between thousands
		"a;b\n12;1,5\n13;2,25\n99;1,0\n":                               "i64",
		"a;b\n" + strings.Repeat("1.000;1,5\n", 20000) + "1.25;2,25\n": "f64",
	} {
		table, err := Infer(t.Context(), "x", &Input{Sample: []byte(in), Whole: true}, nil, runtime.WithEngine(cpu.Engine))
		if err != nil {
			t.Fatal(err)
		}
		if got := table.Columns[0].Type; got != want {
			t.Errorf("%.60q: %s, want %s; %s", in, got, want, table.Columns[0].Why)
		}
	}
}
