package formats

import (
	"bytes"
	"compress/flate"
	_ "embed"
	"encoding/binary"
	"hash/crc32"
	"io"
	"sync"

	"github.com/dfaparse/dfaparse/dfa"
)

// The Programs of the built-in formats are embedded, since compiling a spec takes twenty times as
// long as decoding what it was compiled to. TestPrograms makes programs.bin of the specs (-update
// writes it), and holds it to be what they compile to. A spec that is not the one that was compiled
// then is compiled.
//
//go:embed programs.bin
var programsFile []byte

// embedded is one Program of programsFile.
type embedded struct {
	specs  []string // names of the formats whose specs it was compiled from
	sum    uint32   // sumOf these
	packed []byte   // what Encode gave, deflated
}

// embeddedPrograms are all of programsFile, by name. In the file each is its name, the number of
// its specs and their names, sum and the length of packed, and packed; a name is its length and
// its bytes, numbers are varints.
var embeddedPrograms = sync.OnceValue(func() map[string]*embedded {
	b := programsFile
	number := func() int {
		n, size := binary.Uvarint(b)
		b = b[size:]
		return int(n)
	}
	take := func() []byte {
		n := number()
		taken := b[:n]
		b = b[n:]
		return taken
	}
	all := map[string]*embedded{}
	for len(b) > 0 {
		e := &embedded{}
		all[string(take())] = e
		for range number() {
			e.specs = append(e.specs, string(take()))
		}
		e.sum = uint32(number())
		e.packed = take()
	}
	return all
})

// sumOf is a checksum of the specs of formats; not ok if there is no such format.
func sumOf(names []string) (sum uint32, ok bool) {
	for _, name := range names {
		src, err := Source(name)
		if err != nil {
			return 0, false
		}
		sum = crc32.Update(sum, crc32.IEEETable, src)
	}
	return sum, true
}

// program is the Program, nil if the specs are others now, or the encoding is.
func (e *embedded) program() *dfa.Program {
	if sum, ok := sumOf(e.specs); !ok || sum != e.sum {
		return nil
	}
	b, err := io.ReadAll(flate.NewReader(bytes.NewReader(e.packed)))
	if err != nil {
		return nil
	}
	p, err := dfa.DecodeProgram(b)
	if err != nil {
		return nil
	}
	return p
}

var programs sync.Map // name -> func() (*dfa.Program, error)

// Program is the compiled form of a built-in format, made once.
func Program(name string) (*dfa.Program, error) {
	once, _ := programs.LoadOrStore(name, sync.OnceValues(func() (*dfa.Program, error) {
		if e := embeddedPrograms()[name]; e != nil {
			if p := e.program(); p != nil {
				return p, nil
			}
		}
		s, err := Spec(name)
		if err != nil {
			return nil, err
		}
		return s.Program, nil
	}))
	return once.(func() (*dfa.Program, error))()
}
