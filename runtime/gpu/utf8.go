//go:build cuda

package gpu

import (
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

const utf8Threads = 256

// utf8Stage finds the chunks whose texts are UTF-8 whatever fields they are of,
// see kernels/utf8.cu. It is of use only for some plans.
type utf8Stage struct {
	device *device.Device
	kernel utf8Kernel
	useful bool
}

func newUTF8Stage(d *device.Device, plan *runtime.Plan) (*utf8Stage, error) {
	k, err := findUtf8Kernel(d, "dfa_utf8")
	p := plan.Program
	useful := plan.UTF8 != dfa.KeepUTF8 && len(p.Widths) == 0 && wholeSequences(p.Automaton)
	return &utf8Stage{d, k, useful}, err
}

// launch runs the stage over the job at an address, of which job is a copy; it
// does nothing if nobody asks.
func (x *utf8Stage) launch(s *device.Stream, address pointer[kernels.Job], job *kernels.Job) error {
	if job.ChunkUTF8 == 0 || job.Size == 0 {
		return nil
	}
	blocks := strides(x.device, int(job.Size)/(kernels.Chunk/2), utf8Threads)
	return x.kernel.launch(s, device.Grid{blocks}, utf8Threads, 0, address)
}

// chunkUTF8Size is the bytes of Job.ChunkUTF8 for so many symbols: it is read
// by 8 chunks.
func chunkUTF8Size(symbols int) int { return symbols/kernels.Chunk + 2*8 }

// wholeSequences reports whether a sequence of symbols that are not ASCII, as
// long as it is UTF-8, is in one value, or in none, from end to end: none of
// them ends a field, and whether a value has one of them, it has the next.
// What has no transition does not matter: its record is not delivered.
func wholeSequences(a *dfa.Automaton) bool {
	const first = 0x80 // that is not ASCII
	for i := range a.Emissions {
		e := &a.Emissions[i]
		if e.Lag != 0 || e.Sub != dfa.Itself {
			return false
		}
	}
	kinds := make([]uint, a.NStates()) // bit k: some symbol has dfa.Kind k
	for s := range kinds {
		for symbol := first; symbol < 256; symbol++ {
			_, e := a.Step(dfa.StateID(s), byte(symbol))
			kinds[s] |= 1 << e.Kind
		}
	}
	const data, skip, fault = 1 << dfa.Data, 1 << dfa.Skip, 1 << dfa.Error
	for s, kind := range kinds {
		if kind&^fault != data && kind&^fault != skip && kind != fault {
			return false
		}
		for symbol := first; symbol < 256; symbol++ {
			next, e := a.Step(dfa.StateID(s), byte(symbol))
			if e.Kind != dfa.Error && kinds[next]&^fault&^kind != 0 {
				return false
			}
		}
	}
	return true
}
