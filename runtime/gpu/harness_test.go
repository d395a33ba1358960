//go:build cuda

package gpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/dfa"
	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/internal/enginetest"
	"github.com/dfaparse/dfaparse/internal/gen"
	"github.com/dfaparse/dfaparse/kernels"
	"github.com/dfaparse/dfaparse/runtime"
)

// sanitized says that the kernels run under sanitizers, where they take several times as long. What a test
// leaves out there goes the same ways through the kernels as the rest of it, or another test does.
var sanitized = os.Getenv("ASAN_OPTIONS") != "" // kernels/host/targets.mk

// bench is a device on which a test runs stages over one partition after the
// other, and looks at the tables that they leave. Memory is freed when the test
// ends.
type bench struct {
	t testing.TB
	d *device.Device
	s *device.Stream
}

// newBench opens the device, or skips the test where there is none.
func newBench(t testing.TB) *bench {
	t.Helper()
	infos, err := device.Devices()
	if err != nil || len(infos) == 0 {
		t.Skipf("no device: %v", err)
	}
	d, err := device.Open(0)
	if err != nil {
		t.Skipf("no device: %v", err)
	}
	b := &bench{t: t, d: d}
	t.Cleanup(func() { b.ok(d.Close()) })
	if b.s, err = d.NewStream(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.ok(b.s.Close()) })
	return b
}

func (b *bench) ok(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// partition is a Job in device memory, its tables filled with rubbish but for
// what the contract says is zero.
type partition struct {
	*bench
	program *program
	job     kernels.Job
	address pointer[kernels.Job]
	memory  []device.Memory
}

// rubbish is what memory holds that no stage has written.
const rubbish = 0xb7

// alloc takes n bytes that begin as value.
func (p *partition) alloc(n int, value byte) uint64 {
	p.t.Helper()
	m, err := p.d.Alloc(max(n, 1))
	p.ok(err)
	p.memory = append(p.memory, m)
	p.ok(p.s.Fill(m.Address, value, m.Size))
	return m.Address
}

// newPartition puts data on the device, with tables for every stage before
// dfa_partition and scratch bytes of scratch memory.
func (b *bench) newPartition(pr *program, data []byte, state dfa.StateID, final bool, scratch int) *partition {
	b.t.Helper()
	p := &partition{bench: b, program: pr}
	n := len(data)
	chunks, words := n/kernels.Chunk+2, 4*(n/32+2)
	j := &p.job
	j.Size, j.State, j.DirectiveCapacity = uint32(n), uint32(state), 16
	if final {
		j.Final = 1
	}
	j.Data = p.alloc(n+kernels.Padding, rubbish)
	b.ok(b.s.Upload(j.Data, data))
	j.ChunkState = p.alloc(2*chunks, rubbish)
	j.Found, j.Mark = p.alloc(4*(n+2), rubbish), p.alloc(4*(n+2), rubbish)
	j.RecordLast = p.alloc(4*(n+2), rubbish)
	j.Directive = p.alloc(4*int(j.DirectiveCapacity), rubbish)
	j.Fault, j.IsData = p.alloc(words, 0), p.alloc(words, rubbish)
	j.DataBefore = p.alloc(4*chunks, rubbish)
	j.Value = j.Data
	if pr.Image.Flags&kernels.HasCoded != 0 {
		j.Value = p.alloc(n+kernels.Padding, rubbish)
	}
	if pr.Image.Flags&kernels.HasColumns != 0 {
		j.Column = p.alloc(2*(n+2), rubbish)
	}
	if pr.Image.Flags&kernels.HasKinds != 0 {
		j.RowRecord = p.alloc(4*(n+2), rubbish)
	}
	j.Counts = p.alloc(binary.Size(kernels.Counts{}), 0)
	j.Scratch, j.ScratchSize = p.alloc(scratch, rubbish), uint64(scratch)
	p.upload()
	return p
}

// upload puts the Job itself on the device, and waits for all uploads.
func (p *partition) upload() {
	p.t.Helper()
	p.address = pointer[kernels.Job](p.alloc(binary.Size(p.job), 0))
	job, err := binary.Append(nil, binary.LittleEndian, p.job)
	p.ok(err)
	p.ok(p.s.Upload(uint64(p.address), job))
	p.ok(p.s.Synchronize())
}

// free frees the partition's memory.
func (p *partition) free() {
	p.t.Helper()
	p.ok(p.s.Synchronize())
	for _, m := range p.memory {
		p.ok(p.d.FreeMemory(m))
	}
	p.memory = nil
}

// table downloads n entries.
func table[T any](p *partition, address uint64, n int) []T {
	p.t.Helper()
	v := make([]T, n)
	b := make([]byte, binary.Size(v))
	p.ok(p.s.Download(b, address))
	p.ok(p.s.Synchronize())
	_, err := binary.Decode(b, binary.LittleEndian, v)
	p.ok(err)
	return v
}

// machine is an automaton with inputs for it.
type machine struct {
	name      string
	automaton *dfa.Automaton
	program   *dfa.Program // nil if it is no format
	sample    []byte       // of which inputs are made: what the format looks like
	alphabet  []byte       // symbols that matter
}

// machines are the built-in formats and those made by hand.
func machines(t testing.TB) []machine {
	t.Helper()
	var found []machine
	for _, name := range gen.VariedFormats() {
		spec, err := gen.Spec(name)
		if err != nil {
			t.Fatal(err)
		}
		if len(spec.Program.Cells) > 0 {
			continue // binary records are not found by their automaton
		}
		m := machine{name: name, automaton: spec.Program.Automaton, program: spec.Program}
		for _, e := range spec.Examples {
			m.sample = append(m.sample, e.Input...)
		}
		m.alphabet = groupSymbols(m.automaton)
		found = append(found, m)
	}
	found = append(found, logMachines(t)...)
	for _, m := range enginetest.Machines(t) {
		found = append(found, machine{name: "machine " + m.Name, automaton: m.Automaton, sample: []byte(m.Alphabet), alphabet: []byte(m.Alphabet)})
	}
	return found
}

// groupSymbols has two symbols of each group.
func groupSymbols(a *dfa.Automaton) []byte {
	var alphabet []byte
	seen := make([]int, a.NGroups)
	for symbol, g := range a.Group {
		if seen[g]++; seen[g] <= 2 {
			alphabet = append(alphabet, byte(symbol))
		}
	}
	return alphabet
}

// input makes n symbols for m: what it looks like, symbols that matter, any
// symbols, or long stretches of one.
func (m *machine) input(rng *rand.Rand, n int) []byte {
	in := make([]byte, 0, n)
	style := rng.IntN(4)
	for len(in) < n {
		switch {
		case style == 0 && len(m.sample) > 0:
			in = append(in, m.sample...)
		case style == 1:
			in = append(in, m.alphabet[rng.IntN(len(m.alphabet))])
		case style == 2:
			in = append(in, byte(rng.Uint32()))
		default:
			symbol := m.alphabet[rng.IntN(len(m.alphabet))]
			for range rng.IntN(3 * kernels.Chunk) {
				in = append(in, symbol)
			}
		}
	}
	return in[:n]
}

// compiled is the format of a spec.
func compiled(t testing.TB, source string) *compile.Spec {
	t.Helper()
	spec, err := compile.Compile("test.dfp", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// retained are all records of r, which it releases; the records are the caller's.
func retained(t *testing.T, r *runtime.Reader) (records []arrow.Record) {
	t.Helper()
	defer r.Release()
	for r.Next() {
		r.Record().Retain()
		records = append(records, r.Record())
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return records
}

// readRows reads in by a Reader with engine e: its records as they print, also
// those before an error.
func readRows(e runtime.Engine, p *dfa.Program, in string, opts ...runtime.Option) (rows string, stats runtime.Stats, err error) {
	r, err := runtime.NewReader(strings.NewReader(in), p, append([]runtime.Option{runtime.WithEngine(e)}, opts...)...)
	if err != nil {
		return "", stats, err
	}
	defer r.Release()
	for r.Next() {
		rows += fmt.Sprintln(r.Record())
	}
	return rows, r.Stats(), r.Err()
}
