package gen

import (
	"embed"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/formats"
)

// The formats of generated files that are none of package formats, because
// nobody looks for them there.
//
//go:embed spec/*.dfp
var specs embed.FS

// ownFormats are their names, sorted.
func ownFormats() []string {
	entries, err := specs.ReadDir("spec")
	if err != nil {
		panic(err) // embedded: cannot fail
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".dfp"))
	}
	return names
}

// AllFormats are the names of the built-in formats and of these, sorted: what quick
// tests range over; others take VariedFormats.
func AllFormats() []string {
	names := append(formats.Names(), ownFormats()...)
	slices.Sort(names)
	return names
}

// varied are built-in formats that between them have all that engines tell apart.
var varied = []string{
	"apache_combined", "apache_common", "aws_alb", "aws_nlb", "bind", "csv", "csv_lax", "fstab", "logfmt", "mysql_slow", "nginx", "pgcopy", "postfix", "procstate", "sam", "syslog_rfc5424", "tsv", "vcf", "w3c", "zeek",
}

// VariedFormats are ownFormats and those built-in ones that have what no other has, sorted:
// what tests of engines range over that take their time with each. A test holds them
// to having all that AllFormats have.
func VariedFormats() []string {
	names := append(ownFormats(), varied...)
	slices.Sort(names)
	return names
}

// Find is formats.Find, and knows these formats by name as well. Errors do not
// name them.
func Find(nameOrPath string) (*formats.Found, error) {
	found, err := formats.Find(nameOrPath)
	if missing := (*formats.NotFoundError)(nil); errors.As(err, &missing) && slices.Contains(ownFormats(), nameOrPath) {
		src, err := specs.ReadFile("spec/" + nameOrPath + ".dfp")
		return &formats.Found{Name: nameOrPath, File: nameOrPath + ".dfp", Source: src}, err
	}
	return found, err
}

var compiled sync.Map // name -> func() (*compile.Spec, error)

// Spec compiles one of AllFormats, once.
func Spec(name string) (*compile.Spec, error) {
	once, _ := compiled.LoadOrStore(name, sync.OnceValues(func() (*compile.Spec, error) {
		found, err := Find(name)
		if err != nil {
			return nil, err
		}
		return found.Compile(nil)
	}))
	return once.(func() (*compile.Spec, error))()
}

// Program is the compiled form of one of AllFormats.
func Program(name string) (*dfa.Program, error) {
	s, err := Spec(name)
	if err != nil {
		return nil, err
	}
	return s.Program, nil
}

// Source is the spec of one of AllFormats.
func Source(name string) ([]byte, error) {
	found, err := Find(name)
	if err != nil {
		return nil, err
	}
	return found.Source, nil
}
