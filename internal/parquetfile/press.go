package parquetfile

import (
	"slices"
	"sync"
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
}

func newPress(codec codec, workers int) *press {
	return &press{codec: codec, running: make(chan struct{}, workers-1), buffers: make(chan []byte, 4*workers)}
}

// buffer is empty memory with room for n bytes. What is too small is dropped, so
// that after some pages there is only what fits the largest.
func (p *press) buffer(n int) []byte {
	for {
		select {
		case b := <-p.buffers:
			if cap(b) >= n {
				return b[:0]
			}
		default:
			return make([]byte, 0, n)
		}
	}
}

func (p *press) keep(b []byte) {
	if cap(b) > longPage {
		return
	}
	select {
	case p.buffers <- b:
	default:
	}
}

// compress makes a page of raw, which is the press's from then on. The page is
// complete once nothing is pending.
func (p *press) compress(pg *page, raw []byte, pending *sync.WaitGroup) {
	if p.codec == nil {
		p.complete(pg, raw)
		return
	}
	select {
	case p.running <- struct{}{}:
		pending.Go(func() {
			p.complete(pg, raw)
			<-p.running
		})
	default:
		p.complete(pg, raw)
	}
}

func (p *press) complete(pg *page, raw []byte) {
	body := raw
	if p.codec != nil {
		body = p.codec.compress(p.buffer(len(raw)+len(raw)/6+64), raw) // no codec needs more
	}
	var h thrift
	pg.header(&h, len(body))
	h.stop()
	pg.raw = len(h.out) + len(raw)
	if len(body) >= longPage && len(body) >= cap(body)/2 {
		pg.out, pg.rest = h.out, body
		return
	}
	pg.out = slices.Concat(h.out, body)
	p.keep(raw)
	if p.codec != nil {
		p.keep(body)
	}
}
