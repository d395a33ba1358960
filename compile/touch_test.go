package compile

import (
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// What two holes with nothing between them are refused for.
func TestTouchingHoles(t *testing.T) {
	for _, tt := range []struct{ spec, want string }{
		{"record `{a}{b}`", "nothing stands between {a} and {b}, so none could tell where one ends: it may hold any text"},
		{"record `{a}[{b}] {c}`", "nothing stands between {a} and {b}"},
		{"record `x{a}{b}` fields { a list(str) }", "a list may look like anything"},
		{"record `{a}{b}` fields { a enum(A ABC) }", `field a may go on here, or have ended and field b begin`},
		{"record `{a:0}{b}`", "0: a width is a number of bytes from 1 to 1024"},
		{"record `{a:3:4}{b}`", "a second width 4 after 3"},
		{"record `{a:3...}`", `"3..." is no option of a hole`},
		{"record `{a...:3}`", "{a...} goes to the end of the record, so it has no width"},
		{"record `{a:3:x} {b}`", "{a} has a width, and with x a form of its own"},
	} {
		_, err := Compile("x.dfp", []byte("escape x = '\\' { n }\nformat x { "+tt.spec+" }"))
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.spec, err, tt.want)
		}
	}
}

// Each type with a form ends by itself.
func TestFormsEnd(t *testing.T) {
	for typ, value := range map[string]string{
		"u8": "12", "i32": "-12", "u32(hex)": "ff", "u64(size 1024)": "1.5MiB", "i32(size 1000)": "12k", "u32(thousands ',')": "1,200", "f64": "-1.5", "dec(5,2)": "1.25", "f64(point ',')": "1,5",
		"bool": "true", `bool(true "Y", false "N")`: "Y", "uuid": "123e4567-e89b-12d3-a456-426614174000", "ip": "10.0.0.1",
		"date": "2024-05-06", "time": "01:02:03.5", "ts": "2024-05-06T01:02:03Z", "ts(tz none)": "2024-05-06T01:02:03",
		"ts(epoch(s))": "1700000000.5", `ts("%d/%m/%y")`: "06/05/24", "enum(A BC)": "BC", "dur(ms)": "12", `u8 null "-"`: "-",
	} {
		spec, err := Compile("x.dfp", []byte("format x { record `{a}{b}!` fields { a "+typ+"  b enum(q) } }"))
		if err != nil {
			t.Errorf("%s: %v", typ, err)
			continue
		}
		n := 0
		in := value + "q!\n"
		spec.Program.Automaton.Walk([]byte(in), spec.Program.Automaton.Start, func(r *dfa.RawRecord) bool {
			n++
			if r.Code != 0 || len(r.Fields) != 2 || string(r.Fields[0].Value) != value || string(r.Fields[1].Value) != "q" {
				t.Errorf("%s: %q gives %+v, %s", typ, in, r.Fields, spec.Program.Automaton.Message(r.Code))
			}
			return true
		})
		if n != 1 {
			t.Errorf("%s: %d records", typ, n)
		}
	}
}
