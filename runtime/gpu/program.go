//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
)

// program is a Program on a device. It is read-only there.
type program struct {
	Image   kernels.Program
	Address pointer[kernels.Program] // of the structure in device memory

	track  *trackTables
	device *device.Device
	memory device.Memory
}

// newProgram puts p on a device.
func newProgram(d *device.Device, p *dfa.Program) (*program, error) {
	return newProgramOf(d, p.Automaton, chooseTrack(p.Automaton, p.Analysis(), d.Info().MaxShared-contextTile))
}

// newProgramOf puts an automaton on a device, its states tracked by t.
func newProgramOf(d *device.Device, a *dfa.Automaton, t *trackTables) (*program, error) {
	im := newImage(a, t)
	memory, err := d.Alloc(len(im.blob))
	if err != nil {
		return nil, err
	}
	p := &program{Address: pointer[kernels.Program](memory.Address), track: t, device: d, memory: memory}
	im.place(memory.Address)
	p.Image = im.program
	if err := p.upload(im.blob); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *program) upload(blob []byte) error {
	s, err := p.device.NewStream()
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Upload(p.memory.Address, blob); err != nil {
		return err
	}
	return s.Synchronize()
}

// Close frees the program's memory.
func (p *program) Close() error { return p.device.KeepMemory(p.memory) }
