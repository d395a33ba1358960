package formats

import (
	"slices"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
)

// TestCompile compiles every built-in; their tests are run by package fuzz,
// which may import an engine.
func TestCompile(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			s, err := Spec(name)
			if err != nil {
				t.Fatal(err)
			}
			if s.Program.Doc == "" {
				t.Error("no doc in the spec")
			}
			if s.Program.Name != name {
				t.Errorf("the spec is of %q", s.Program.Name)
			}
			if missing := untested(s); len(missing) > 0 {
				t.Errorf("no test of the spec says what these columns hold: %s", strings.Join(missing, ", "))
			}
			if rejects := slices.ContainsFunc(s.Examples, func(e dfa.Example) bool { return len(e.Rejects) > 0 }); !rejects && !anything[name] {
				t.Error("no test of the spec has a record that is rejected")
			}
		})
	}
}

// anything are formats that read every input of lines, and have no rejects.
var anything = map[string]bool{"csv_lax": true, "lines": true, "procstate": true, "shell_history": true}

// untested are the columns, those of splits among them, of which no test has a
// value. Of columns that the file names it is those in "fields"; one with a "*" is
// tested where a column that it fits is.
func untested(s *compile.Spec) (names []string) {
	tested := func(name string) bool {
		before, after, wild := strings.Cut(name, "*")
		return slices.ContainsFunc(s.Examples, func(e dfa.Example) bool {
			return slices.ContainsFunc(e.Rows, func(r dfa.ExampleRow) bool {
				return slices.ContainsFunc(r.Cells, func(c dfa.ExampleCell) bool {
					return !c.Null && (c.Column == name || wild && strings.HasPrefix(c.Column, before) && strings.HasSuffix(c.Column, after))
				})
			})
		})
	}
	for i := range s.Program.Columns {
		c := &s.Program.Columns[i]
		all := []dfa.Column{*c}
		if c.Split != nil {
			all = append(all, c.Split.Columns...)
		}
		for _, c := range all {
			if !c.Hidden && !tested(c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}

// TestGroups: every format is in one group, and the groups are where the specs lie.
func TestGroups(t *testing.T) {
	var all []string
	for _, g := range Groups() {
		if !slices.IsSorted(g.Names) || len(g.Names) == 0 {
			t.Errorf("%s has %v", g.Name, g.Names)
		}
		all = append(all, g.Names...)
	}
	slices.Sort(all)
	if !slices.Equal(all, Names()) {
		t.Errorf("in groups are %v, formats are %v", all, Names())
	}
}
