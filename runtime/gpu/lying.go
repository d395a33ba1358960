//go:build cuda

package gpu

import (
	"slices"
	"sync"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/device"
	"github.com/dfaparse/dfaparse/runtime"
)

// This file has the device read a file where it lies: in the system's cache, mapped
// into memory. Pieces of the mapping are registered ahead of the copies from there, and
// let go after. The pages of such a piece stay, whatever becomes of the file; all
// others may go away at any time, so the driver, which would not survive that, is not
// told of them.
//
// A driver registers one piece after the other, however many ask it to: on an H200 that,
// and letting go, is slower than cores that copy. So it is done only if it is asked for.

const (
	fileAhead   = 4 // pieces that are registered ahead of the copies, for each partition that is being read
	fileWorkers = 4 // pieces that are being registered at once
	fileIdle    = 8 // pieces that nobody reads, but maybe the partition that begins there
)

// Less in a test.
var (
	filePiece = 16 << 20 // bytes that are registered at once, a multiple of what any page has
	leastFile = 4 << 20  // bytes of a file that is worth it
)

// file is a file that parsers of a device read, one input's all.
type file struct {
	devices *devices
	device  *device.Device
	whole   []byte
	parsers int // under devices.mu

	working chan struct{} // has room for those who register
	work    sync.WaitGroup

	mu      sync.Mutex
	pieces  map[int]*piece
	idle    []int // of these those that nobody uses, in the order in which they became so
	refused bool  // one could not be registered: no others will be
}

// piece is a part of a file that is registered, or is going to be.
type piece struct {
	users int
	done  chan struct{} // closed when err is there
	err   error
	gone  chan struct{} // closed when it is not registered any more
}

// file is the file that a parser's partitions lie in, if it is to be held; nil if it is
// to be copied.
func (x *devices) file(d *device.Device, cfg *runtime.Config, hold bool) *file {
	if !hold || len(cfg.Mapped) < leastFile {
		return nil
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := d.CanRegister(); err != nil {
		x.refuse(err)
		return nil
	}
	at := unsafe.SliceData(cfg.Mapped)
	f := x.files[at]
	if f == nil {
		f = &file{devices: x, device: d, whole: cfg.Mapped, working: make(chan struct{}, max(1, min(cfg.Threads, fileWorkers))), pieces: map[int]*piece{}}
		if x.files == nil {
			x.files = map[*byte]*file{}
		}
		x.files[at] = f
	}
	f.parsers++
	return f
}

// refuse notes why files are copied, under mu.
func (x *devices) refuse(err error) {
	if x.refused == nil {
		x.refused = err
	}
}

// leave is the end of a parser's use of f. The last one lets go of all of it.
func (x *devices) leave(f *file) {
	if f == nil {
		return
	}
	x.mu.Lock()
	f.parsers--
	last := f.parsers == 0
	if last {
		delete(x.files, unsafe.SliceData(f.whole))
	}
	x.mu.Unlock()
	if last {
		f.close()
	}
}

// close lets go of all pieces, of which nobody uses any.
func (f *file) close() {
	f.work.Wait()
	f.mu.Lock()
	for len(f.idle) > 0 {
		f.drop()
	}
	f.mu.Unlock()
	f.work.Wait()
}

// bytes are those of piece i.
func (f *file) bytes(i int) []byte { return f.whole[i*filePiece : min((i+1)*filePiece, len(f.whole))] }

// ask has piece i registered, if it is not, for somebody who releases it later. It
// reports whether it does.
func (f *file) ask(i int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refused {
		return false
	}
	p := f.pieces[i]
	if p != nil && p.users == 0 && p.gone == nil {
		f.idle = slices.DeleteFunc(f.idle, func(k int) bool { return k == i })
	}
	if p == nil || p.gone != nil {
		before := p
		p = &piece{done: make(chan struct{})}
		f.pieces[i] = p
		f.work.Go(func() { f.register(i, p, before) })
	}
	p.users++
	return true
}

// register registers piece i, after the one that it was before is not registered any more.
func (f *file) register(i int, p, before *piece) {
	defer close(p.done)
	if before != nil {
		<-before.gone
	}
	f.working <- struct{}{}
	p.err = f.device.Register(f.bytes(i))
	<-f.working
	if p.err == nil {
		return
	}
	f.mu.Lock()
	f.refused = true
	f.mu.Unlock()
	f.devices.mu.Lock()
	f.devices.refuse(p.err)
	f.devices.mu.Unlock()
}

// wait waits until piece i, which has been asked for, is registered, and reports
// whether it is.
func (f *file) wait(i int) bool {
	f.mu.Lock()
	p := f.pieces[i]
	f.mu.Unlock()
	<-p.done
	return p.err == nil
}

// release is the end of one use of piece i, from which nothing is being copied.
func (f *file) release(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.pieces[i]
	if p.users--; p.users > 0 {
		return
	}
	f.idle = append(f.idle, i)
	if len(f.idle) > fileIdle {
		f.drop()
	}
}

// drop lets go of the piece that nobody has used for longest, beside the caller, who
// holds mu.
func (f *file) drop() {
	i := f.idle[0]
	f.idle = f.idle[1:]
	p := f.pieces[i]
	p.gone = make(chan struct{})
	f.work.Go(func() {
		defer close(p.gone)
		if <-p.done; p.err == nil {
			f.device.Unregister(f.bytes(i)) // if that fails, copies fail too
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.pieces[i] == p {
			delete(f.pieces, i)
		}
	})
}

// lying is where the data of a partition lie in a file, and what of it has been asked
// for.
type lying struct {
	file        *file // nil: in none
	from, to    int   // of the partition in the file
	first, next int   // pieces that have been asked for, and are not a block's yet
}

func (l *lying) open(f *file, data []byte) {
	if f == nil || len(data) == 0 {
		return
	}
	at := offsetIn(f.whole, data)
	if at < 0 {
		return
	}
	l.file, l.from, l.to = f, at, at+len(data)
	l.first = l.from / filePiece
	l.next = l.first
}

// offsetIn is where some, which is not empty, lies in whole, -1 if it does not.
func offsetIn(whole, some []byte) int {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(some))) - uintptr(unsafe.Pointer(unsafe.SliceData(whole)))
	if at >= uintptr(len(whole)) || len(some) > len(whole)-int(at) {
		return -1
	}
	return int(at)
}

// upload orders the copies of a block from where it lies. It reports whether it has;
// if not, the block is to be copied by the host.
func (l *lying) upload(s *device.Stream, b *feedBlock) (bool, error) {
	f := l.file
	if f == nil {
		return false, nil
	}
	lo, hi := l.from+b.from, l.from+b.to
	last := (hi - 1) / filePiece
	for most := min(last+fileAhead, (l.to-1)/filePiece); l.next <= most && f.ask(l.next); {
		l.next++
	}
	if last >= l.next {
		return false, nil
	}
	for i := lo / filePiece; i <= last; i++ {
		if !f.wait(i) {
			return false, nil
		}
	}
	to := b.stage.memory.Address
	for lo < hi {
		n := min(hi, (lo/filePiece+1)*filePiece) - lo
		if err := s.Upload(to, f.whole[lo:lo+n]); err != nil {
			return false, err
		}
		lo, to = lo+n, to+uint64(n)
	}
	for ; l.first < l.next && (l.first+1)*filePiece <= hi; l.first++ {
		b.stage.pieces = append(b.stage.pieces, l.first)
	}
	f.devices.lay.Add(int64(b.to - b.from))
	return true, nil
}

// release lets go of the pieces of a block that is on the device.
func (l *lying) release(s *staging) {
	for _, i := range s.pieces {
		l.file.release(i)
	}
	s.pieces = s.pieces[:0]
}

// close lets go of what has been asked for, from which nothing is being copied.
func (l *lying) close() {
	for ; l.first < l.next; l.first++ {
		l.file.release(l.first)
	}
}
