package formats

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

const semicolons = `format semicolons extends csv { delimited { sep ';'  quote '"' doubled } }
format mine { delimited { sep ',' } fields { a i32 } }
format other { delimited { sep ',' } fields { a i32 } test "7" => { a 7 } }
`

// folder is the working directory of a test, with a folder formats in it and
// another that PathVariable names.
func folder(t *testing.T) (named string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	named = filepath.Join(dir, "elsewhere")
	for file, text := range map[string]string{
		"formats/mine.dfp":    semicolons,
		"formats/csv.dfp":     "format csv { delimited { sep ';' } fields { not str } }",
		"elsewhere/mine.dfp":  "format mine { delimited { sep ',' } fields { hidden str } }",
		"elsewhere/yours.dfp": "format yours extends mine { on_error null }",
	} {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(PathVariable, filepath.Join(dir, "nowhere")+string(os.PathListSeparator)+named)
	return named
}

// TestFind: built-ins first, then ./formats, then the folders that are named,
// in order; paths are taken as they are.
func TestFind(t *testing.T) {
	named := folder(t)
	for _, c := range []struct{ ask, file, format string }{
		{"csv", "csv.dfp", "csv"},
		{"mine", filepath.Join("formats", "mine.dfp"), "mine"},
		{"yours", filepath.Join(named, "yours.dfp"), "yours"},
		{"formats/mine.dfp", "formats/mine.dfp", "other"},
		{"formats/mine.dfp:semicolons", "formats/mine.dfp", "semicolons"},
		{filepath.Join(named, "mine.dfp"), filepath.Join(named, "mine.dfp"), "mine"},
	} {
		f, err := Find(c.ask)
		if err != nil {
			t.Errorf("%s: %v", c.ask, err)
			continue
		}
		if f.File != c.file || f.BuiltIn != (c.ask == "csv") || f.Source == nil || f.Program != nil {
			t.Errorf("%s: found %s, built in %v, want %s", c.ask, f.File, f.BuiltIn, c.file)
		}
		verified := ""
		s, err := f.Compile(func(p *dfa.Program, examples []dfa.Example) error {
			verified += p.Name
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", c.ask, err)
		} else if s.Program.Name != c.format {
			t.Errorf("%s is %s, want %s", c.ask, s.Program.Name, c.format)
		}
		if f.BuiltIn == strings.Contains(verified, c.format) { // the others' examples are to be run
			t.Errorf("%s: verified %q", c.ask, verified)
		}
	}
}

func TestFindCompiled(t *testing.T) {
	p, err := Program("tsv")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "saved.dfac")
	if err := os.WriteFile(file, p.Encode(), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := Find(file)
	if err != nil || f.Name != "tsv" || f.Source != nil || f.Program == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	s, err := f.Compile(nil)
	if err != nil || s.Program.Dump() != p.Dump() {
		t.Errorf("another program: %v", err)
	}
	if err := os.WriteFile(file, p.Encode()[:20], 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Find(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("cut off: %v", err)
	}
}

func TestFindNothing(t *testing.T) {
	named := folder(t)
	_, err := Find("apache_comon")
	var missing *NotFoundError
	if !errors.As(err, &missing) || missing.Name != "apache_comon" || len(missing.Known) != len(Names()) {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{`did you mean "apache_common"?`, "built-in formats", named, "apache_comon.dfp"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%v: no %q", err, want)
		}
	}
	if _, err := Source("a"); err == nil || strings.Contains(err.Error(), "did you mean") { // which most of them have
		t.Errorf("got %v", err)
	}
	if _, err := Source("combined"); err == nil || !strings.Contains(err.Error(), `did you mean "apache_combined" or "apache_vhost_combined"?`) {
		t.Errorf("%v", err)
	}
	for _, ask := range []string{"none.dfp", "none.dfac", "formats"} {
		if _, err := Find(ask); err == nil {
			t.Errorf("%s is found", ask)
		}
	}
	if _, err := Source("none"); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
	if err := os.WriteFile("spec.txt", []byte(semicolons), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Find("spec.txt"); err == nil || !strings.Contains(err.Error(), `no format "spec.txt", which is a file`) {
		t.Errorf("%v", err)
	}
	if _, err := Find("gork:%{IP:client}"); err == nil || err.Error() != `no format "gork:%{IP:client}"; did you mean "grok:…"?` {
		t.Errorf("%v", err)
	}
	if _, err := Find("formats"); err == nil || !strings.Contains(err.Error(), `which is a folder: its specs are named one by one, as formats/*.dfp does`) {
		t.Errorf("%v", err)
	}
	if _, err := Program("none"); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
}

// TestProgramsAreCompiledOnce: every caller shares the Program, whose encoded
// form gives the same again.
func TestProgramsAreCompiledOnce(t *testing.T) {
	for _, name := range Names() {
		a, err := Program(name)
		if err != nil {
			t.Fatal(err)
		}
		if b, _ := Program(name); a != b {
			t.Errorf("%s is compiled twice", name)
		}
		again, err := dfa.DecodeProgram(a.Encode())
		if err != nil || again.Dump() != a.Dump() {
			t.Errorf("%s: another program after decoding: %v", name, err)
		}
	}
}
