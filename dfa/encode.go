package dfa

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// A Program in a file:
//
//	DFAP     magic
//	version  varint, encodingVersion
//	Definition, as definition in layout.go goes through it
//	CRC-32 (IEEE) of all before, 4 bytes, little endian
//
// Numbers are varints (encoding/binary), so that the file is the same on every
// machine; a list is its length and its elements, a string a list of bytes, a
// pointer a 0, or a 1 and what it points to.

const (
	encodingMagic   = "DFAP"
	encodingVersion = 14
	checksumLen     = 4
)

// Encode is p in binary form, for DecodeProgram. Type options that mean
// nothing for their kind may be lost, nothing else.
func (p *Program) Encode() []byte {
	c := &codec{encoding: true, b: []byte(encodingMagic)}
	version := encodingVersion
	number(c, "version", &version)
	d := p.Definition
	c.definition(&d)
	return appendChecksum(c.b)
}

func appendChecksum(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// ErrNotProgram says that a file is something else than an encoded Program.
var ErrNotProgram = errors.New("not a compiled program: it does not begin with " + encodingMagic)

// DecodeProgram is the Program that Encode gave b for. It can be run, whatever
// b is: an error says what is wrong with it, and where. The memory that it
// takes is proportional to len(b).
func DecodeProgram(b []byte) (*Program, error) {
	if !bytes.HasPrefix(b, []byte(encodingMagic)) {
		return nil, ErrNotProgram
	}
	c := &codec{b: b, pos: len(encodingMagic)}
	var version int
	if number(c, "version", &version); c.err != nil {
		return nil, c.err
	}
	if version != encodingVersion {
		return nil, fmt.Errorf("compiled program: version %d, this release reads version %d: compile the spec again", version, encodingVersion)
	}
	body := len(b) - checksumLen
	if body < c.pos {
		return nil, fmt.Errorf("compiled program: cut off after %d bytes", len(b))
	}
	if got, want := crc32.ChecksumIEEE(b[:body]), binary.LittleEndian.Uint32(b[body:]); got != want {
		return nil, fmt.Errorf("compiled program: damaged or cut off: its checksum is %08x, its bytes give %08x", want, got)
	}
	c.b = b[:body]
	var d Definition
	c.definition(&d)
	if c.err == nil && c.pos != len(c.b) {
		c.fail("%d bytes are left over", len(c.b)-c.pos)
	}
	if c.err != nil {
		return nil, c.err
	}
	p, err := NewProgram(d)
	if err != nil {
		return nil, fmt.Errorf("compiled program: %w", err)
	}
	return p, nil
}
