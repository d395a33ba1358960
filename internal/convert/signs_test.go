package convert_test

import (
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/convert"
	"github.com/dfaparse/dfaparse/internal/gen"
)

// TestPairSignsOf: maps of generated files have signs, and of notations that more than single symbols tell apart there are none.
func TestPairSignsOf(t *testing.T) {
	signs := func(program *dfa.Program) (x convert.PairSigns, ok bool) {
		for i := range program.Columns {
			if c := &program.Columns[i]; c.Type.Kind == dfa.Map {
				return convert.PairSignsOf(&c.Type)
			}
		}
		t.Fatal("no map")
		return x, false
	}
	for kind, want := range map[string]string{"auditd": ` ="`, "logfmt": ` ="\`, "syslog_rfc5424": ` ="\][`} {
		spec, err := gen.Spec(kind)
		if err != nil {
			t.Fatal(err)
		}
		x, ok := signs(spec.Program)
		if got := string(x.Signs[:len(want)]); !ok || got != want || x.Leads != (kind != "auditd") || x.Nested != (kind == "syslog_rfc5424") || x.Barred != x.Nested {
			t.Errorf("%s: %+v, %v", kind, x, ok)
		}
	}
	for _, c := range []struct {
		options string
		want    bool
	}{
		{`pairs ' ', kv '='`, true},
		{`pairs ';', kv ':'`, true},
		{`pairs ", ", kv ':'`, false},
		{`open '{', close '}', pairs ' ', kv '='`, false},
	} {
		spec, err := compile.Compile("signs.dfp", []byte("format f {\n record `{n} {m...}`\n fields { n i32  m map(str, "+c.options+") } }"))
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := signs(spec.Program); ok != c.want {
			t.Errorf("%s: %v", c.options, ok)
		}
	}
}
