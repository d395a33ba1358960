package formats

import "testing"

// TestCompile compiles every built-in; their tests are run by package fuzz,
// which may import an engine.
func TestCompile(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			s, err := Spec(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(s.Examples) == 0 {
				t.Error("no test in the spec")
			}
			if s.Program.Doc == "" {
				t.Error("no doc in the spec")
			}
			if s.Program.Name != name {
				t.Errorf("the spec is of %q", s.Program.Name)
			}
		})
	}
}
