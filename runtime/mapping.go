package runtime

import (
	"errors"
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"unsafe"
)

// mapping is a file in memory: its pages come when they are looked at, and go
// after they have been.
type mapping struct {
	whole []byte
	asked int // the system has been told of what is before this offset
	gone  int // what is before has been given back, or is being

	telling sync.WaitGroup // who tells the system
}

const (
	// askAhead is how far ahead of the reading the system is told what will be
	// read, so that it comes from the disk meanwhile.
	askAhead = 32 << 20
	// mappedUnit is how many bytes the system is told of at once: whole pages.
	mappedUnit = 8 << 20
)

// reach says that what is before an offset will be read now. The system is told beside: of pages
// that are there already it takes as long to find that out as all else that is done in order.
func (m *mapping) reach(offset int) {
	to := (offset + askAhead) &^ (mappedUnit - 1)
	if to = min(to, len(m.whole)); to > m.asked {
		b := m.whole[m.asked:to]
		m.asked = to
		m.telling.Go(func() { m.willNeed(b) })
	}
}

// pass says that what is before an offset has been read. It can be read again. The system
// takes pages back beside, for that takes longer than all else that is done in order.
func (m *mapping) pass(offset int) {
	if to := offset &^ (mappedUnit - 1); to > m.gone {
		b := m.whole[m.gone:to]
		m.gone = to
		m.telling.Go(func() { m.dontNeed(b) })
	}
}

// Close ends the mapping. Nobody may use its memory any more.
func (m *mapping) Close() error {
	m.telling.Wait()
	return m.unmap()
}

// errFault is what becomes of a file in memory that the disk cannot give. (One
// that has become shorter looks the same, but there is a better error for it.)
var errFault = errors.New("the file cannot be read: its disk or its folder has failed")

// Guard calls f, which reads data. If these are a file in memory that cannot be
// read any more, Guard gives an error where the process would end; so it does
// where the budget of memory is used up (a *MemoryError). Engines call what they
// run on goroutines of their own by it; the caller of Parse has done so.
func Guard(data []byte, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		if memory, ok := p.(*MemoryError); ok {
			err = memory
			return
		}
		fault, ok := p.(interface {
			goruntime.Error
			Addr() uintptr
		})
		data = data[:cap(data)]
		if first := uintptr(unsafe.Pointer(unsafe.SliceData(data))); !ok || fault.Addr()-first >= uintptr(len(data)) {
			panic(p)
		}
		err = errFault
	}()
	return f()
}
