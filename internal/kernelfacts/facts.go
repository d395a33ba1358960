package main

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

var (
	comments    = regexp.MustCompile(`//[^\n]*`)
	declaration = regexp.MustCompile(`^(?:const )?([\w ]+?)\s*(\*?)\s*(\w+)(?:\[(\w+)\])?$`)
)

// body is what stands in the braces of a struct or enum, without comments.
func body(text, kind, name string) (string, error) {
	m := regexp.MustCompile(`(?s)\n` + kind + ` ` + name + `\b[^{;]*\{(.*?)\n?\};`).FindStringSubmatch(comments.ReplaceAllString(text, ""))
	if m == nil {
		return "", fmt.Errorf("no %s %s", kind, name)
	}
	return m[1], nil
}

// enumerators are the names in an enum.
func enumerators(text, name string) ([]string, error) {
	b, err := body(text, "enum", name)
	if err != nil {
		return nil, err
	}
	var names []string
	for one := range strings.SplitSeq(b, ",") {
		one, _, _ = strings.Cut(one, "=")
		if one = strings.TrimSpace(one); one != "" {
			names = append(names, one)
		}
	}
	return names, nil
}

// field is one of a struct.
type field struct{ c, name, typ string }

// types of C++ in Go; an address is a uint64.
var types = map[string]string{
	"uint64_t": "uint64", "unsigned long long": "uint64", "int64_t": "int64", "uint32_t": "uint32", "int32_t": "int32",
	"uint16_t": "uint16", "int16_t": "int16", "uint8_t": "uint8", "double": "float64",
}

// fields are those of a struct, in order.
func fields(text, name string) ([]field, error) {
	b, err := body(text, "struct", name)
	if err != nil {
		return nil, err
	}
	var all []field
	for line := range strings.SplitSeq(b, ";") {
		line = strings.Join(strings.Fields(line), " ")
		if line == "" {
			continue
		}
		if strings.Contains(line, "(") { // functions come after the fields
			break
		}
		first, rest, several := strings.Cut(line, ",")
		m := declaration.FindStringSubmatch(first)
		if m == nil || types[m[1]] == "" && m[2] == "" {
			return nil, fmt.Errorf("struct %s: %q is not understood", name, line)
		}
		typ := types[m[1]]
		if m[2] != "" {
			typ = "uint64"
		}
		add := func(c, n string) {
			t := typ
			if n != "" {
				t = "[" + n + "]" + typ
			}
			all = append(all, field{c, camel(c), t})
		}
		add(m[3], m[4])
		if several {
			for c := range strings.SplitSeq(rest, ",") {
				add(strings.TrimSpace(c), "")
			}
		}
	}
	return all, nil
}

// camel is a name of C++ in Go: output_field is OutputField.
func camel(name string) string {
	if name == "reserved" {
		return "_"
	}
	var b strings.Builder
	for part := range strings.SplitSeq(name, "_") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

// preprocessor are the options with which the sources are read.
func preprocessor(kernels string) []string {
	return []string{"-std=c++17", "-x", "c++", "-w", "-DDFAPARSE_HOST", "-I" + kernels, "-include", filepath.Join(kernels, "host", "entry.h")}
}

// values are those of expressions where a file is included. Constants of an
// object file are read, so that nothing is linked or run.
func values(cxx, kernels, file string, expressions []string) ([]string, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "#define __launch_bounds__(...)\n#include %q\nusing namespace dfaparse;\nextern \"C\" {\n", file)
	text.WriteString("extern const unsigned long long dfaparse_facts[], dfaparse_signs[];\nconst unsigned long long dfaparse_facts[] = {\n")
	for _, e := range expressions {
		fmt.Fprintf(&text, "(unsigned long long)(%s),\n", e)
	}
	text.WriteString("}, dfaparse_signs[] = {\n")
	for _, e := range expressions {
		fmt.Fprintf(&text, "(%s) < 0,\n", e)
	}
	text.WriteString("};\n}\n")
	dir, err := os.MkdirTemp("", "kernelfacts")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	source, object := filepath.Join(dir, "facts.cc"), filepath.Join(dir, "facts.o")
	if err := os.WriteFile(source, []byte(text.String()), 0o666); err != nil {
		return nil, err
	}
	args := append(preprocessor(kernels), "-O0", "-c", "-o", object, source)
	if out, err := exec.Command(cxx, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", file, err, out)
	}
	numbers, err := words(object, "dfaparse_facts", len(expressions))
	if err != nil {
		return nil, err
	}
	signs, err := words(object, "dfaparse_signs", len(expressions))
	if err != nil {
		return nil, err
	}
	all := make([]string, len(numbers))
	for i, v := range numbers {
		all[i] = strconv.FormatUint(v, 10)
		if signs[i] != 0 {
			all[i] = strconv.FormatInt(int64(v), 10)
		}
	}
	return all, nil
}

// words are the first n of a constant in an object file.
func words(object, name string, n int) ([]uint64, error) {
	f, err := elf.Open(object)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	for _, s := range symbols {
		if s.Name != name {
			continue
		}
		data, err := f.Sections[s.Section].Data()
		if err != nil {
			return nil, err
		}
		all := make([]uint64, n)
		_, err = binary.Decode(data[s.Value:], binary.LittleEndian, all)
		return all, err
	}
	return nil, fmt.Errorf("%s has no %s", object, name)
}

// writeFacts is the text of constants and structures.
func writeFacts(cxx, kernels string) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("// Code generated by internal/kernelfacts from kernels. DO NOT EDIT.\n\npackage gpu\n")
	for _, s := range sources {
		text, err := os.ReadFile(filepath.Join(kernels, filepath.FromSlash(s.file)))
		if err == nil {
			err = s.write(&b, cxx, kernels, string(text))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.file, err)
		}
	}
	return format.Source(b.Bytes())
}

func (s *source) write(b *bytes.Buffer, cxx, kernels, text string) error {
	var names, expressions []string
	for _, c := range s.constants {
		names, expressions = append(names, c.name), append(expressions, c.expression)
	}
	for _, e := range s.enums {
		all, err := enumerators(text, e.name)
		if err != nil {
			return err
		}
		for _, name := range all {
			names, expressions = append(names, e.prefix+strings.TrimPrefix(name[1:], e.cut)), append(expressions, name)
		}
	}
	nconstants := len(expressions)
	all := make([][]field, len(s.structs))
	for i, x := range s.structs {
		var err error
		if all[i], err = fields(text, x.c); err != nil {
			return err
		}
		expressions = append(expressions, "sizeof("+x.c+")")
		for _, f := range all[i] {
			expressions = append(expressions, "__builtin_offsetof("+x.c+", "+f.c+")", "sizeof("+x.c+"::"+f.c+")")
		}
	}
	values, err := values(cxx, kernels, s.file, expressions)
	if err != nil {
		return err
	}
	if nconstants > 0 {
		fmt.Fprintf(b, "\n// Of kernels/%s.\nconst (\n", s.file)
		for i, name := range names {
			fmt.Fprintf(b, "%s = %s // %s\n", name, values[i], expressions[i])
		}
		b.WriteString(")\n")
	}
	values = values[nconstants:]
	for i, x := range s.structs {
		fmt.Fprintf(b, "\n// %s is the structure %s of kernels/%s.\ntype %s struct {\n", x.name, x.c, s.file, x.name)
		at := 0
		for k, f := range all[i] {
			offset, size := number(values[1+2*k]), number(values[2+2*k])
			if align := min(size, 8); at+(-at&(align-1)) != offset && !strings.HasPrefix(f.typ, "[") {
				return fmt.Errorf("%s.%s is at %d, not at %d: Go puts it elsewhere", x.c, f.c, offset, at)
			}
			at = offset + size
			fmt.Fprintf(b, "%s %s\n", f.name, f.typ)
		}
		if size := number(values[0]); at != size {
			return fmt.Errorf("%s has %d bytes, its fields %d: say what is reserved", x.c, size, at)
		}
		b.WriteString("}\n")
		values = values[1+2*len(all[i]):]
	}
	return nil
}

func number(text string) int {
	n, _ := strconv.Atoi(text) // sizes and offsets are small
	return n
}
