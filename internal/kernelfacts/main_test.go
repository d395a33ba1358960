package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func cxx(t *testing.T) string {
	t.Helper()
	path, err := compiler()
	if err != nil {
		t.Skip(err)
	}
	return path
}

// TestFacts: what package gpu knows is what the kernels' sources say.
func TestFacts(t *testing.T) {
	files, err := generate(cxx(t), "../../kernels")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what the kernels say: run make generate", name)
		}
	}
}

// TestNothingIsRetyped: no other file of package gpu has a constant or a structure
// of a generated one, or calls the driver's launch by itself.
func TestNothingIsRetyped(t *testing.T) {
	paths, err := filepath.Glob("../../runtime/gpu/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		name := "runtime/gpu/" + filepath.Base(path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if name != launchesFile && (bytes.Contains(text, []byte(".Launch(")) || bytes.Contains(text, []byte(".Kernel(\"dfa_"))) {
			t.Errorf("%s launches a kernel by itself, and not as %s has it", name, launchesFile)
		}
	}
}

// TestOrderIsTheSources: another order of a kernel's parameters is another launch.
func TestOrderIsTheSources(t *testing.T) {
	compiler, dir := cxx(t), t.TempDir()
	write := func(parameters string) string {
		t.Helper()
		text := "struct Job {};\nstruct Delivery {};\n#define __global__ __attribute__((used, noinline))\n#define N 64\n" +
			"extern \"C\" __global__ void __launch_bounds__(N, 2)\n  dfa_one(" + parameters + ") {}\n" +
			"extern \"C\" __global__ void dfa_one_more(" + parameters + ") {}\n"
		for name, text := range map[string]string{"one.cu": text, "host/entry.h": ""} {
			path := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		b, _, err := writeLaunches(compiler, dir)
		if err != nil {
			return err.Error()
		}
		return string(b)
	}
	for parameters, want := range map[string]string{
		"const Job* job, Delivery* delivery, uint64_t n":   "job pointer[kernels.Job], delivery pointer[kernels.Delivery], n uint64) error {\n\treturn s.Launch(k.Kernel, grid, threads, shared, uint64(job), uint64(delivery), n)",
		"Delivery* delivery, const Job*, unsigned char* x": "delivery pointer[kernels.Delivery], job pointer[kernels.Job], x uint64) error {\n\treturn s.Launch(k.Kernel, grid, threads, shared, uint64(delivery), uint64(job), x)",
		"int n": "one.cu: dfa_one: a parameter is int, neither an address nor a uint64_t",
	} {
		if got := write(parameters); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in\n%s", parameters, want, got)
		}
	}
}

// TestStructures: fields are those of the source, and what Go would put elsewhere
// is refused.
func TestStructures(t *testing.T) {
	compiler, dir := cxx(t), t.TempDir()
	for name, text := range map[string]string{
		"host/entry.h": "",
		"x.cuh": "namespace dfaparse {\nusing uint32_t = unsigned; using uint64_t = unsigned long long;\nconstexpr int kA = -3, kN = 1 << 4;\n" +
			"enum Kind : uint32_t {\n  kFirst = 2, // one\n  kNext,\n};\n" +
			"struct Good {\n  const uint32_t* of_all; // where\n  uint32_t a, b;\n  uint64_t words[2];\n  int f() { return 1; }\n};\n" +
			"struct Gap {\n  uint32_t a;\n  alignas(16) uint32_t b;\n};\n}\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "x.cuh"))
	if err != nil {
		t.Fatal(err)
	}
	s := source{
		file: "x.cuh", constants: []constant{{"kA", "a"}, {"kN", "n"}}, enums: []enum{{"Kind", "", "kind"}}, structs: []structure{{"Good", "good"}},
	}
	var b bytes.Buffer
	if err := s.write(&b, compiler, dir, string(text)); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a = -3 ", "n = 16 ", "kindFirst = 2 ", "kindNext = 3 ", "OfAll uint64\nA uint32\nB uint32\nWords [2]uint64\n}"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for _, name := range []string{"Gap", "None"} {
		s := source{file: "x.cuh", structs: []structure{{name, "x"}}}
		if err := s.write(&b, compiler, dir, string(text)); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}
