//go:build cuda

package gpu

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/dfaparse/dfaparse/internal/device"
)

// sortSets are the chunks of numbers that are on the device at once, where it has no room for all:
// one that comes, one that is sorted, and one that goes.
const sortSets = 3

// SortNumbers sorts n numbers on the engine's first device: fill writes them, and order says where the
// one was that comes first, and so on, until done is called; equal ones stay in their order. It takes no more than so many
// bytes of the device's memory, 0: seven eighths of what is free. What has no room is sorted
// chunk by chunk, each while the one before it goes and the one after it comes, and then the host merges them.
// It implements sort.Numbers.
func (e *Engine) SortNumbers(n, threads int, most int64, fill func(keys []uint64)) (order []uint32, how string, done func(), err error) {
	ordinals, err := e.all()
	if err != nil {
		return nil, "", nil, err
	}
	d, err := e.devices.get(ordinals[0])
	if err != nil {
		return nil, "", nil, err
	}
	if n > math.MaxUint32 {
		return nil, "", nil, fmt.Errorf("there are %d rows to sort", n)
	}
	if most <= 0 {
		free, _, err := d.Free()
		if err != nil {
			return nil, "", nil, err
		}
		most = int64(free) / 8 * 7
	}
	x := &numberSort{d: d, n: n}
	done = func() { x.close() }
	if err = x.open(most); err == nil {
		fill(x.keys)
		err = x.run()
	}
	if err != nil {
		done()
		return nil, "", nil, err
	}
	how = fmt.Sprintf("%d numbers on the device", n)
	if x.chunk < n {
		merged := make([]uint32, n)
		mergeRuns(x.keys, x.order, x.chunk, merged, threads)
		x.order = merged
		how += fmt.Sprintf(", in %d runs", (n+x.chunk-1)/x.chunk)
	}
	return x.order, how, done, nil
}

// numberSort is numbers that are sorted.
type numberSort struct {
	d         *device.Device
	n, chunk  int
	keys      []uint64 // pinned; when they are sorted, too, chunk by chunk
	order     []uint32
	keyBytes  []byte
	orderByte []byte
	stage     *sortStage
	room      *sortRoom
	sets      []numberSet
	spare     [2]device.Memory
	streams   [3]*device.Stream // up, sorting, down
}

// numberSet is the memory of a chunk.
type numberSet struct {
	keys, values device.Memory
	events       [3]*device.Event // it has come, is sorted, is gone
}

// numberBytes is the memory of chunks of n numbers.
func numberBytes(n, sets int) int { return 12*n*(sets+1) + newSortRoom(sortU64U32, n).nbytes + 4096 }

func (x *numberSort) open(most int64) (err error) {
	if x.stage, err = newSortStage(x.d, sortU64U32); err != nil {
		return err
	}
	sets := 1
	x.chunk = min(x.n, sortMost)
	if x.chunk < x.n || int64(numberBytes(x.n, 1)) > most {
		sets = sortSets
		low, high := 0, x.chunk // numbers that there is room for, and too many
		for high-low > 1 {
			if middle := low + (high-low)/2; int64(numberBytes(middle, sets)) <= most {
				low = middle
			} else {
				high = middle
			}
		}
		if x.chunk = low; x.chunk < sortLarge {
			return fmt.Errorf("%d bytes of the device's memory are too few to sort in", most)
		}
	}
	if x.keyBytes, err = x.d.AllocHost(8 * x.n); err != nil {
		return err
	}
	if x.orderByte, err = x.d.AllocHost(4 * x.n); err != nil {
		return err
	}
	x.keys = unsafe.Slice((*uint64)(unsafe.Pointer(unsafe.SliceData(x.keyBytes))), x.n)
	x.order = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(x.orderByte))), x.n)
	for i := range x.streams {
		if x.streams[i], err = x.d.NewStream(); err != nil {
			return err
		}
	}
	alloc := func(m *device.Memory, size int) {
		if err == nil {
			*m, err = x.d.Alloc(size)
		}
	}
	x.sets = make([]numberSet, sets)
	for i := range x.sets {
		set := &x.sets[i]
		alloc(&set.keys, 8*x.chunk)
		alloc(&set.values, 4*x.chunk)
		for k := range set.events {
			if err == nil {
				set.events[k], err = x.d.NewEvent(false)
			}
		}
	}
	alloc(&x.spare[0], 8*x.chunk)
	alloc(&x.spare[1], 4*x.chunk)
	x.room = newSortRoom(sortU64U32, x.chunk)
	if err == nil {
		err = x.room.alloc(x.d)
	}
	return err
}

// run has all chunks come, be sorted, and go.
func (x *numberSort) run() error {
	up, work, down := x.streams[0], x.streams[1], x.streams[2]
	for i := 0; i*x.chunk < x.n; i++ {
		from, to := i*x.chunk, min((i+1)*x.chunk, x.n)
		set := &x.sets[i%len(x.sets)]
		if i >= len(x.sets) {
			if err := up.Wait(set.events[2]); err != nil {
				return err
			}
		}
		of := sorted{set.keys.Address, x.spare[0].Address, set.values.Address, x.spare[1].Address, true}
		err := errors.Join(
			up.Upload(of.keys, x.keyBytes[8*from:8*to]), up.Record(set.events[0]),
			work.Wait(set.events[0]), x.stage.launch(work, x.room, of, to-from), work.Record(set.events[1]),
			down.Wait(set.events[1]),
		)
		if err == nil && x.chunk < x.n {
			err = down.Download(x.keyBytes[8*from:8*to], of.keys)
		}
		if err = errors.Join(err, down.Download(x.orderByte[4*from:4*to], of.values), down.Record(set.events[2])); err != nil {
			return err
		}
	}
	return down.Synchronize()
}

func (x *numberSort) close() {
	for _, s := range x.streams {
		if s != nil {
			_ = s.Synchronize()
		}
	}
	for _, set := range x.sets {
		for _, m := range []device.Memory{set.keys, set.values} {
			x.free(m)
		}
		for _, ev := range set.events {
			if ev != nil {
				_ = ev.Close()
			}
		}
	}
	x.free(x.spare[0])
	x.free(x.spare[1])
	if x.room != nil {
		x.free(x.room.memory)
	}
	for _, s := range x.streams {
		if s != nil {
			_ = s.Close()
		}
	}
	for _, b := range [][]byte{x.keyBytes, x.orderByte} {
		if b != nil {
			_ = x.d.FreeHost(b)
		}
	}
	*x = numberSort{}
}

func (x *numberSort) free(m device.Memory) {
	if m.Size > 0 {
		_ = x.d.FreeMemory(m)
	}
}
