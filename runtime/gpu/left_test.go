//go:build cuda

package gpu

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/runtime"
	"github.com/dfaparse/dfaparse/runtime/cpu"
)

// TestLeftTogether: what is said of rows that are left, here and there in an input, is what the
// CPU's engine says of them, where records begin alike and where they do not; so are the rows.
func TestLeftTogether(t *testing.T) {
	newBench(t)
	for kind, want := range map[string]bool{"apache_combined": true, "taxi": true, "java_multiline": false} {
		p, err := gen.Program(kind)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := alike(p.Automaton); ok != want {
			t.Errorf("%s: records begin alike is %v, want %v", kind, ok, want)
		}
		var in bytes.Buffer
		name := map[string]string{"apache_combined": "combined"}[kind]
		if name == "" {
			name = kind
		}
		if err := gen.Write(&in, name, 120<<10, 1); err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(in.Bytes(), []byte("\n"))
		for i := 5; i < len(lines)-1; i += 9 {
			line := bytes.Clone(lines[i])
			switch i % 4 {
			case 0:
				line = bytes.ReplaceAll(line, []byte("1"), []byte("x"))
			case 1:
				line = append(line[:len(line)/2:len(line)/2], '\n')
			case 2:
				line[len(line)/3] = 0xff
			default:
				line = bytes.Replace(line, []byte(`"`), []byte(`"\"`), 1)
			}
			lines[i] = line
		}
		all := bytes.TrimSuffix(bytes.Join(lines, nil), []byte("\n"))
		for _, mode := range []dfa.ErrorMode{dfa.Reject, dfa.Null} {
			read := func(e runtime.Engine) string {
				r, err := runtime.ReadBytes(all, p, runtime.WithEngine(e), runtime.WithErrorMode(mode))
				if err != nil {
					t.Fatal(err)
				}
				defer r.Release()
				var b bytes.Buffer
				for r.Next() {
					fmt.Fprintln(&b, r.Record())
				}
				for _, reject := range r.Rejects() {
					fmt.Fprintf(&b, "%q %+v\n", reject.Raw, reject.Err)
				}
				fmt.Fprintf(&b, "%+v %v", r.Stats(), r.Err())
				return b.String()
			}
			want := read(cpu.Engine)
			for _, flight := range []int{20 << 10, 1 << 20} {
				if got := read(New(WithFlight(flight))); got != want {
					t.Errorf("%s, mode %v, flights of %d: got\n%.2000s\nwant\n%.2000s", kind, mode, flight, got, want)
				}
			}
		}
	}
}
