package formats

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"os"
	"slices"
	"testing"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/golden"
)

// TestPrograms: programs.bin has what the specs compile to, and all of it is used.
func TestPrograms(t *testing.T) {
	var file []byte
	put := func(b []byte) { file = append(binary.AppendUvarint(file, uint64(len(b))), b...) }
	for _, name := range Names() {
		specs := []string{name}
		src, err := Source(name)
		if err != nil {
			t.Fatal(err)
		}
		s, err := compile.Compile(name+ext, src, compile.WithFormat(name), compile.WithResolver(func(other string) (*compile.File, error) {
			if !slices.Contains(specs, other) {
				specs = append(specs, other)
			}
			return Resolve(other)
		}))
		if err != nil {
			t.Fatal(err)
		}
		encoded := s.Program.Encode()
		if !*golden.Update {
			e := embeddedPrograms()[name]
			if e == nil {
				t.Errorf("%s is not in programs.bin", name)
				continue
			}
			if p := e.program(); p == nil || !bytes.Equal(p.Encode(), encoded) || !slices.Equal(e.specs, specs) {
				t.Errorf("%s is another one in programs.bin", name)
			}
			continue
		}
		put([]byte(name))
		file = binary.AppendUvarint(file, uint64(len(specs)))
		for _, spec := range specs {
			put([]byte(spec))
		}
		sum, _ := sumOf(specs)
		file = binary.AppendUvarint(file, uint64(sum))
		var packed bytes.Buffer
		w, _ := flate.NewWriter(&packed, flate.BestCompression)
		if _, err := w.Write(encoded); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		put(packed.Bytes())
	}
	if *golden.Update {
		if err := os.WriteFile("programs.bin", file, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if len(embeddedPrograms()) != len(Names()) {
		t.Errorf("programs.bin has %d formats, not %d", len(embeddedPrograms()), len(Names()))
	}
	if t.Failed() {
		t.Log("go test ./formats -run TestPrograms -update writes it")
	}
}

// TestProgramOfChangedSpec: a Program of specs that are others now is not used.
func TestProgramOfChangedSpec(t *testing.T) {
	e := *embeddedPrograms()["sshd"]
	if len(e.specs) != 2 {
		t.Fatalf("sshd is made of %q", e.specs)
	}
	e.sum++
	if e.program() != nil {
		t.Error("of a changed spec")
	}
	if e = *embeddedPrograms()["sshd"]; e.program() == nil {
		t.Error("of what it was made of")
	}
	e.specs = []string{"sshd", "no such format"}
	if e.program() != nil {
		t.Error("of a spec that is gone")
	}
	if e = *embeddedPrograms()["sshd"]; len(e.packed) > 0 {
		e.packed = e.packed[:len(e.packed)/2]
	}
	if e.program() != nil {
		t.Error("of half of a file")
	}
}
