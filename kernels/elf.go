package kernels

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
)

// cubinFile opens machine code. Its files for older devices have a version of their own where
// the standard library wants 1.
func cubinFile(code []byte) (*elf.File, error) {
	const version = 20 // where it is
	if len(code) < version+4 || !bytes.HasPrefix(code, []byte(elf.ELFMAG)) {
		return nil, fmt.Errorf("%d bytes are no machine code", len(code))
	}
	code = bytes.Clone(code)
	binary.LittleEndian.PutUint32(code[version:], uint32(elf.EV_CURRENT))
	return elf.NewFile(bytes.NewReader(code))
}

// KernelsIn lists the kernels that machine code has.
func KernelsIn(code []byte) ([]string, error) {
	f, err := cubinFile(code)
	if err != nil {
		return nil, err
	}
	symbols, err := f.Symbols()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, s := range symbols {
		if elf.ST_TYPE(s.Info) == elf.STT_FUNC && elf.ST_BIND(s.Info) == elf.STB_GLOBAL {
			names = append(names, s.Name)
		}
	}
	return names, nil
}
