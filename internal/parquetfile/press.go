package parquetfile

import (
	"sync"
	"sync/atomic"
)

// page is a page of a chunk.
type page struct {
	header func(h *thrift, compressed int)
	out    []byte // the header and what follows it, once it is compressed
	rest   []byte // of a long page: what follows the header
	raw    int    // bytes before that, the header's included
}

// press compresses pages. A column whose pages take long, as those of texts do,
// hands them to goroutines, as long as there are some to spare, and goes on; else
// it compresses them itself.
type press struct {
	codec   codec         // nil: none
	running chan struct{} // a token for each goroutine
	buffers chan []byte   // to be used again
	most    atomic.Int64  // bytes that a buffer was wanted of, longPage at most
}

func newPress(codec codec, workers int) *press {
	return &press{codec: codec, running: make(chan struct{}, workers-1), buffers: make(chan []byte, 4*workers)}
}

// buffer is empty memory with room for n bytes, for a short time. It fits the largest that was
// wanted so far, so that it can be used again.
func (p *press) buffer(n int) []byte {
	most := p.most.Load()
	for int64(n) > most && n <= longPage && !p.most.CompareAndSwap(most, int64(n)) {
		most = p.most.Load()
	}
	return p.spare(max(n, int(most)))
}

// spare is empty memory with room for n bytes, and not for many more.
func (p *press) spare(n int) []byte {
	if int64(n) < p.most.Load()/4 {
		return make([]byte, 0, n)
	}
	select {
	case b := <-p.buffers:
		if cap(b) >= n {
			return b[:0]
		}
	default:
	}
	return make([]byte, 0, n)
}

// keep keeps memory that fits any page but long ones.
func (p *press) keep(b []byte) {
	if cap(b) > longPage || int64(cap(b)) < p.most.Load() {
		return
	}
	select {
	case p.buffers <- b:
	default:
	}
}

// compress makes a page of what is raw, which is the press's from then on. The page is
// complete once nothing is pending.
func (p *press) compress(pg *page, of raw, pending *sync.WaitGroup) {
	if p.codec == nil {
		p.complete(pg, of)
		return
	}
	select {
	case p.running <- struct{}{}:
		pending.Go(func() {
			p.complete(pg, of)
			<-p.running
		})
	default:
		p.complete(pg, of)
	}
}

func (p *press) complete(pg *page, of raw) {
	if pg.raw = len(of.page); pg.raw > maxPage {
		return
	}
	body := of.page
	if p.codec != nil {
		body = p.codec.compress(p.buffer(len(body)+len(body)/6+64), body) // no codec needs more
	}
	var h thrift
	pg.header(&h, len(body))
	h.stop()
	pg.raw += len(h.out)
	if len(body) >= longPage && len(body) >= cap(body)/2 {
		pg.out, pg.rest = h.out, body
		return
	}
	pg.out = append(h.out, body...)
	p.keep(of.memory)
	if p.codec != nil {
		p.keep(body)
	}
}
