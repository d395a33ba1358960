package columns

import (
	"sync"
	"testing"
	"unsafe"
)

// held is what p keeps, in bytes.
func (p *Pool) held() (n int) {
	for _, class := range p.free {
		for _, b := range class {
			n += cap(b)
		}
	}
	if n != p.kept {
		panic("bytes are counted wrongly")
	}
	return n
}

func TestPool(t *testing.T) {
	var p Pool
	b := p.Allocate(100000)
	if len(b) != 100000 {
		t.Fatalf("%d bytes", len(b))
	}
	at := unsafe.SliceData(b)
	p.Free(b[:10])
	if b = p.Allocate(90000); unsafe.SliceData(b) != at || len(b) != 90000 {
		t.Error("memory is not used again")
	}
	p.Free(b)
	if b = p.Allocate(20000); unsafe.SliceData(b) == at {
		t.Error("much memory for little")
	}
	copy(b, "beginning")
	if b = p.Reallocate(21000, b); string(b[:9]) != "beginning" {
		t.Errorf("%q", b[:9])
	}
	large, small := p.Allocate(60000), p.Allocate(50000)
	at = unsafe.SliceData(small)
	p.Free(small)
	p.Free(large)
	if small = p.Allocate(40000); unsafe.SliceData(small) != at {
		t.Error("more memory than has to be")
	}
	p.Free(make([]byte, leastPooled-1))
	if p.Free(b); p.held() == 0 {
		t.Error("nothing is kept")
	}
	var none *Pool
	none.Free(none.Reallocate(9000, none.Allocate(5000)))
}

// TestPoolIsBounded: buffers whose sizes change do not add up.
func TestPoolIsBounded(t *testing.T) {
	var p Pool
	for n := 4 << 10; n < 1<<20; n += n / 50 {
		a, b := p.Allocate(n), p.Allocate(n+n/3)
		p.Free(a)
		p.Free(b)
		if held := p.held(); held > 4*n {
			t.Fatalf("%d bytes are kept, %d at most were in use", held, 3*n)
		}
	}
}

// TestPoolOfGoIsBounded: nor does memory that Go has given.
func TestPoolOfGoIsBounded(t *testing.T) {
	var p Pool
	b := p.Allocate(100 << 10)
	for n := range 1000 {
		p.Free(make([]byte, 5<<10+n))
	}
	p.Free(b)
	if held := p.held(); held < 100<<10 || held > 225<<10 {
		t.Errorf("%d bytes are kept, %d were in use", held, 100<<10)
	}
}

// TestPoolConcurrently: nobody is given what somebody else has.
func TestPoolConcurrently(t *testing.T) {
	var p Pool
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				b := p.Allocate(leastPooled + i)
				for k := range b {
					b[k] = byte(g)
				}
				for _, v := range b {
					if v != byte(g) {
						t.Error("shared memory")
						return
					}
				}
				p.Free(b)
			}
		})
	}
	wg.Wait()
}
