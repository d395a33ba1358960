package kernels

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dfaparse/dfaparse/dfa"
)

// compiler is that of the host build; without one the test is skipped.
func compiler(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CXX"), "g++", "c++"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	t.Skip("no C++ compiler: set CXX, or install g++")
	return ""
}

// A cStruct is a structure of layout.cuh, with its fields in order.
type cStruct struct {
	name   string
	fields []string
}

var (
	lineComment = regexp.MustCompile(`//[^\n]*`)
	structure   = regexp.MustCompile(`(?s)\nstruct (\w+) \{(.*?)\n\};`)
	declarator  = regexp.MustCompile(`(\w+)\s*(\[\w+\])?\s*$`)
)

func parseStructs(t *testing.T, source string) []cStruct {
	var structs []cStruct
	for _, m := range structure.FindAllStringSubmatch(lineComment.ReplaceAllString(source, ""), -1) {
		s := cStruct{name: m[1]}
		for declaration := range strings.SplitSeq(m[2], ";") {
			if strings.TrimSpace(declaration) == "" {
				continue
			}
			for one := range strings.SplitSeq(declaration, ",") {
				d := declarator.FindStringSubmatch(one)
				if d == nil {
					t.Fatalf("struct %s: %q is not understood", s.name, one)
				}
				s.fields = append(s.fields, d[1])
			}
		}
		structs = append(structs, s)
	}
	return structs
}

// measure asks the compiler for the values of expressions.
func measure(t *testing.T, expressions []string) map[string]int64 {
	t.Helper()
	cxx := compiler(t)
	var source strings.Builder
	source.WriteString("#include \"layout.cuh\"\n#include \"convert/binary.cuh\"\nextern \"C\" int printf(const char*, ...);\nusing namespace dfaparse;\nint main() {\n")
	for _, e := range expressions {
		fmt.Fprintf(&source, "  printf(\"%%lld\\n\", (long long)(%s));\n", e)
	}
	source.WriteString("}\n")
	dir := t.TempDir()
	file, program := filepath.Join(dir, "layout.cc"), filepath.Join(dir, "layout")
	if err := os.WriteFile(file, []byte(source.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(cxx, "-std=c++17", "-DDFAPARSE_HOST", "-I.", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]int64{}
	lines := strings.Fields(string(out))
	for i, e := range expressions {
		var v int64
		if _, err := fmt.Sscan(lines[i], &v); err != nil {
			t.Fatal(err)
		}
		values[e] = v
	}
	return values
}

// goLayout is layout.go, as the compiler sees it.
func goLayout(t *testing.T) *types.Scope {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "layout.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{Importer: importer.Default()}).Check("kernels", files, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg.Scope()
}

// plain is a name without what C++ and Go spell differently.
func plain(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// TestLayout compares the structures of layout.cuh with those of layout.go:
// the same ones, with the same fields in the same order, of the same offsets
// and sizes.
func TestLayout(t *testing.T) {
	source, err := os.ReadFile("layout.cuh")
	if err != nil {
		t.Fatal(err)
	}
	structs := parseStructs(t, string(source))
	var expressions []string
	for _, s := range structs {
		expressions = append(expressions, fmt.Sprintf("sizeof(%s)", s.name))
		for _, f := range s.fields {
			expressions = append(expressions,
				fmt.Sprintf("__builtin_offsetof(%s, %s)", s.name, f), fmt.Sprintf("sizeof(%s::%s)", s.name, f))
		}
	}
	inC := measure(t, expressions)

	scope, sizes := goLayout(t), types.SizesFor("gc", "amd64")
	known := map[string]bool{}
	for _, s := range structs {
		known[s.name] = true
		object := scope.Lookup(s.name)
		if object == nil {
			t.Errorf("layout.go has no %s", s.name)
			continue
		}
		inGo := object.Type().Underlying().(*types.Struct)
		if got, want := sizes.Sizeof(inGo), inC[fmt.Sprintf("sizeof(%s)", s.name)]; got != want {
			t.Errorf("%s: %d bytes in Go, %d in C++", s.name, got, want)
		}
		fields := make([]*types.Var, inGo.NumFields())
		for i := range fields {
			fields[i] = inGo.Field(i)
		}
		if len(fields) != len(s.fields) {
			t.Errorf("%s: %d fields in Go, %d in C++", s.name, len(fields), len(s.fields))
			continue
		}
		offsets := sizes.Offsetsof(fields)
		for i, f := range s.fields {
			// What is reserved has no name in Go.
			if name := fields[i].Name(); plain(name) != plain(f) && name != "_" {
				t.Errorf("%s: field %d is %s in Go, %s in C++", s.name, i, name, f)
				break
			}
			offset, size := inC[fmt.Sprintf("__builtin_offsetof(%s, %s)", s.name, f)], inC[fmt.Sprintf("sizeof(%s::%s)", s.name, f)]
			if offsets[i] != offset || sizes.Sizeof(fields[i].Type()) != size {
				t.Errorf("%s.%s: %d bytes at %d in Go, %d at %d in C++", s.name, f, sizes.Sizeof(fields[i].Type()), offsets[i], size, offset)
			}
		}
	}
	for _, name := range scope.Names() {
		if _, ok := scope.Lookup(name).(*types.TypeName); ok && !known[name] {
			t.Errorf("layout.cuh has no %s", name)
		}
	}
}

// TestConstants compares each constant of layout.go with that of layout.cuh,
// which has a k before its name, and the enumerations with those of package dfa.
func TestConstants(t *testing.T) {
	want := map[string]int64{
		"kData": int64(dfa.Data), "kSkip": int64(dfa.Skip), "kField": int64(dfa.Field), "kRecord": int64(dfa.Record),
		"kError":  int64(dfa.Error),
		"kItself": int64(dfa.Itself), "kByByte": int64(dfa.ByByte), "kByHex": int64(dfa.ByHex), "kByOctal": int64(dfa.ByOctal),
		"kDataRecord": int64(dfa.DataRecord), "kDroppedRecord": int64(dfa.DroppedRecord),
		"kFirstDirective": int64(dfa.FirstDirective), "kNextColumn": int64(dfa.NextColumn),
	}
	source, err := os.ReadFile("convert/field.cuh")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`(?s)\nenum TypeKind : uint32_t \{(.*?)\}`).FindStringSubmatch(string(source))
	if kinds == nil {
		t.Fatal("convert/field.cuh has no TypeKind")
	}
	of := map[string]string{} // by name in lower case, without the k
	for _, name := range regexp.MustCompile(`\bk\w+`).FindAllString(kinds[1], -1) {
		of[strings.ToLower(name[1:])] = name
	}
	for k := range dfa.TypeKind(dfa.NTypeKinds) {
		if name := of[k.String()]; name == "" {
			t.Errorf("TypeKind of convert/field.cuh has no %s", k)
		} else {
			want[name] = int64(k)
		}
	}
	for k, name := range map[dfa.Encoding]string{dfa.Raw: "AsIs", dfa.Hex: "Hex", dfa.Base64: "Base64"} {
		want["k"+name] = int64(k)
	}
	scope := goLayout(t)
	for _, name := range scope.Names() {
		if c, ok := scope.Lookup(name).(*types.Const); ok {
			v, exact := constant.Int64Val(c.Val())
			if !exact {
				t.Fatalf("%s is not an integer of 64 bits", name)
			}
			want["k"+name] = v
		}
	}
	var expressions []string
	for name := range want {
		expressions = append(expressions, name)
	}
	for name, got := range measure(t, expressions) {
		if got != want[name] {
			t.Errorf("%s is %d in C++, %d in Go", name, got, want[name])
		}
	}
}
