package input

import (
	"bytes"
	"encoding/binary"

	"github.com/klauspost/compress/gzip"
)

// gzipMembers are the members of gzip data. Those of bgzip say how long they are (SAM/BAM
// Format Specification, 4.1).
type gzipMembers struct {
	in *source
	z  *gzip.Reader
}

func newGzip(in *source) units { return &gzipMembers{in: in} }

func (m *gzipMembers) close() {}

func (m *gzipMembers) next(most int) (u unit, err error) {
	for u.size < smallUnit {
		if err := m.in.begins(2, func(head []byte) bool { return bytes.HasPrefix([]byte{0x1f, 0x8b}, head) }); err != nil {
			if u.data != nil {
				return u, nil // and then comes the error
			}
			return u, err
		}
		member := m.bgzip()
		if most == 0 || member == nil {
			break
		}
		u.data = append(u.data, member...)
		u.size += int(binary.LittleEndian.Uint32(member[len(member)-4:]))
		if _, err := m.in.Discard(len(member)); err != nil {
			return u, err
		}
	}
	if u.data != nil {
		return u, nil
	}
	if m.z == nil {
		m.z, err = gzip.NewReader(m.in)
	} else {
		err = m.z.Reset(m.in)
	}
	if err != nil {
		return u, cutShort(err)
	}
	m.z.Multistream(false)
	u.stream = m.z
	return u, nil
}

// mostBgzip is how many bytes of text a member of bgzip has at most.
const mostBgzip = 64 << 10

// bgzip is the member that comes next, nil if it is none that says how long it is, or not
// all of it is there.
func (m *gzipMembers) bgzip() []byte {
	const extra = 4 // of the flags
	head, err := m.in.Peek(18)
	if err != nil || head[3]&extra == 0 || string(head[10:16]) != "\x06\x00BC\x02\x00" {
		return nil
	}
	member, err := m.in.Peek(int(binary.LittleEndian.Uint16(head[16:])) + 1)
	if err != nil || len(member) < 18+8 || binary.LittleEndian.Uint32(member[len(member)-4:]) > mostBgzip {
		return nil
	}
	return member
}

func (m *gzipMembers) decode(text, data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return text, cutShort(err)
	}
	return readAll(text, z)
}
