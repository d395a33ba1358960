package kernels

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// cubin has the machine code that "make cuda" assembles of the PTX, and that is
// not checked in; README.md there says more.
//
//go:embed cubin
var cubin embed.FS

// Cubins are machine code of modules, as "make cuda" writes it into a folder.
type Cubins struct {
	read func(name string) ([]byte, error)
	made map[string][]made // by stem
}

// made is a file of machine code: for which compute capability, and of what.
type made struct {
	arch      int
	ptx, hash string // the name of the PTX and the sum of its content
}

// Embedded is the machine code in this program. There is none in a program that
// was built without "make cuda".
func Embedded() *Cubins {
	// A variable with a function in it would keep all of the code in programs that
	// never ask for it.
	embedded.Do(func() {
		embedded.Cubins = NewCubins(func(name string) ([]byte, error) { return cubin.ReadFile("cubin/" + name) })
	})
	return embedded.Cubins
}

var embedded struct {
	sync.Once
	*Cubins
}

// ListName is the file that says of which PTX machine code was made. A line is the
// hash of the PTX, its name, and the name of the file.
const ListName = "LIST"

// NewCubins is the machine code that read gives by the names of files. Without a
// list there is none.
func NewCubins(read func(name string) ([]byte, error)) *Cubins {
	x := &Cubins{read, map[string][]made{}}
	list, _ := read(ListName)
	for line := range strings.Lines(string(list)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		stem, rest, _ := strings.Cut(f[2], ".sm_")
		arch, err := strconv.Atoi(strings.TrimSuffix(rest, cubinSuffix))
		if err == nil && f[2] == CubinName(stem, arch) {
			x.made[stem] = append(x.made[stem], made{arch, f[1], f[0]})
		}
	}
	return x
}

// CubinName is the file of a module's machine code for a compute capability.
func CubinName(stem string, arch int) string {
	return stem + ".sm_" + strconv.Itoa(arch) + cubinSuffix
}

const cubinSuffix = ".cubin.gz"

// Archs are the compute capabilities that there is machine code of a module for,
// made of the very PTX that it has: what was made of another is of no use.
func (x *Cubins) Archs(m *Module) []int {
	var archs []int
	for _, one := range x.made[m.Stem] {
		if one.ptx == m.PTXName() && one.hash == m.PTXHash() {
			archs = append(archs, one.arch)
		}
	}
	return archs
}

// Runs gives which of the compute capabilities that there is machine code for a
// device runs best: of its own generation the newest that is not newer. Machine
// code of another generation no device runs.
func Runs(capability int, archs []int) (arch int, ok bool) {
	for _, a := range archs {
		if a/10 == capability/10 && arch < a && a <= capability {
			arch, ok = a, true
		}
	}
	return arch, ok
}

// Code is the machine code of a module for devices of a compute capability, an ELF
// file.
func (x *Cubins) Code(m *Module, arch int) ([]byte, error) {
	packed, err := x.read(CubinName(m.Stem, arch))
	if err != nil {
		return nil, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", CubinName(m.Stem, arch), err)
	}
	code, err := io.ReadAll(r) // checks a sum
	if err != nil {
		return nil, fmt.Errorf("%s: %w", CubinName(m.Stem, arch), err)
	}
	return code, nil
}

// Pack is machine code as the files have it.
func Pack(code []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(code); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
