package fuzz

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/dfaparse/dfaparse/compile"
)

// A time is the same in a template, where its field has the form of the layout,
// as between separators, where only the converter knows it: with and without
// leading zeros, next to digits or not.
func TestLayoutsInTemplates(t *testing.T) {
	forms := map[byte]string{'Y': "2006", 'y': "06", 'm': "01", 'd': "02", 'e': "_2", 'b': "Jan", 'H': "15", 'M': "04", 'S': "05", 'j': "002", 'I': "03", 'p': "PM", 'f': "000000"}
	rng := rand.New(rand.NewPCG(7, 8))
	for _, layout := range []string{"%Y%m%d %H%M%S", "%y%m%d %H%M", "%d/%m/%Y %H:%M:%S", "%b %e %Y %H%M%S%f", "%e%m%Y %I:%M %p", "%Y %j %H", "%d%b%Y %H.%M", "%Y-%m-%d 1%H:%M", "%d %m%Y %H:%M"} {
		var values []string
		for range 300 {
			at := time.Unix(rng.Int64N(2e9), rng.Int64N(1e6)*1e3).UTC()
			var s strings.Builder
			for i := 0; i < len(layout); i++ {
				if layout[i] != '%' {
					s.WriteByte(layout[i])
					continue
				}
				i++
				part := at.Format(forms[layout[i]])
				if layout[i] == 'f' {
					part = fmt.Sprintf("%06d", at.Nanosecond()/1000)
				} else if rng.IntN(3) == 0 {
					part = strings.TrimLeft(part, " 0")
				}
				s.WriteString(part)
			}
			values = append(values, s.String())
		}
		read := func(spec, before, after string) string {
			compiled, err := compile.Compile("x.dfp", []byte(spec))
			if err != nil {
				t.Fatalf("%s: %v", layout, err)
			}
			var in strings.Builder
			for i, v := range values {
				fmt.Fprintf(&in, "%d%s%s%s\n", i, before, v, after)
			}
			out := outcome(t, compiled.Program, strings.NewReader(in.String()))
			rows, _, _ := strings.Cut(out, "reject at")
			return rows
		}
		fields := fmt.Sprintf("fields { i u32 at ts(%q) x str }", layout)
		between := read("format x { delimited { sep '|' } "+fields+" on_error reject }", "|", "|x")
		template := read("format x { record `{i}: {at} {x}` "+fields+" on_error reject }", ": ", " x")
		if between != template {
			t.Errorf("%s: between separators\n%s\nin a template\n%s", layout, between, template)
		}
	}
}
