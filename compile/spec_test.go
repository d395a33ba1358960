package compile

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2/lexer"
)

// manualExamples are the specs in docs/spec.md, with the line that each is at.
func manualExamples(t testing.TB) map[string]string {
	src, err := os.ReadFile(filepath.Join("..", "docs", "spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range regexp.MustCompile("(?s)```dfp\n(.*?)```\n").FindAllSubmatchIndex(src, -1) {
		line := 1 + strings.Count(string(src[:m[2]]), "\n")
		out[fmt.Sprintf("spec.md line %d", line)] = string(src[m[2]:m[3]])
	}
	return out
}

// parents gives the parents that examples of docs/spec.md take from other files.
func parents(name string) (*File, error) {
	if name != "csv" {
		files, _ := filepath.Glob(filepath.Join("..", "formats", "spec", "*", name+".dfp"))
		if len(files) != 1 {
			return nil, fmt.Errorf("no spec %q", name)
		}
		src, err := os.ReadFile(files[0])
		if err != nil {
			return nil, err
		}
		return Parse(files[0], src)
	}
	return Parse("csv.dfp", []byte("format csv { delimited { sep ','  quote '\"' doubled }  header names }"))
}

func TestManualExamplesCompile(t *testing.T) {
	examples := manualExamples(t)
	if len(examples) < 10 {
		t.Errorf("only %d examples in docs/spec.md", len(examples))
	}
	for at, src := range examples {
		f, err := Parse(at, []byte(src))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		if err := Check(f, parents); err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, name := range f.FormatNames() {
			spec, err := Build(f, name, parents)
			if err != nil {
				t.Errorf("%v", err)
				continue
			}
			for _, w := range spec.Warnings {
				t.Errorf("%v", w)
			}
		}
	}
}

// Parse(Print(f)) is f, but for positions.
func TestPrintParses(t *testing.T) {
	for at, src := range manualExamples(t) {
		f, err := Parse(at, []byte(src))
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		roundTrip(t, f)
	}
	src, err := os.ReadFile(filepath.Join("testdata", "faults.txt"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, c := range strings.Split(string(src), "== ")[1:] {
		_, rest, _ := strings.Cut(c, "\n")
		text, _, _ := strings.Cut(rest, "-- faults\n")
		if f, err := Parse("x.dfp", []byte(text)); err == nil {
			roundTrip(t, f)
			n++
		}
	}
	if n < 10 {
		t.Errorf("only %d cases parse", n)
	}
}

func roundTrip(t testing.TB, f *File) {
	t.Helper()
	text := Print(f)
	again, err := Parse("printed", []byte(text))
	if err != nil {
		t.Errorf("printed text does not parse: %v\n%s", err, text)
		return
	}
	if second := Print(again); second != text {
		t.Errorf("printed twice:\n%s\nonce:\n%s", second, text)
	}
	forget(reflect.ValueOf(f))
	forget(reflect.ValueOf(again))
	if !reflect.DeepEqual(f, again) {
		t.Errorf("another tree after printing:\n%s", text)
	}
}

// forget zeroes every position in a tree.
func forget(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			forget(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			forget(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[lexer.Position]() {
			v.SetZero()
			return
		}
		for i := range v.NumField() {
			forget(v.Field(i))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, src := range manualExamples(f) {
		f.Add(src)
	}
	if src, err := os.ReadFile(filepath.Join("testdata", "faults.txt")); err == nil {
		for _, c := range strings.Split(string(src), "== ")[1:] {
			_, rest, _ := strings.Cut(c, "\n")
			text, _, _ := strings.Cut(rest, "-- faults\n")
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, err := Parse("x.dfp", []byte(src))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "x.dfp:") {
				t.Errorf("a fault without a position: %v", err)
			}
			return
		}
		if len(src) < 1<<10 {
			_ = Check(file, nil) // whatever it says, it does not panic
		}
		roundTrip(t, file)
	})
}
