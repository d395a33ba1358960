package parquetfile

import (
	"slices"
	"sync"
)

// page is a page of a chunk.
type page struct {
	header func(h *thrift, compressed int)
	out    []byte // the header and what follows it, once it is compressed
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

// buffer is empty memory for a page before it is compressed.
func (p *press) buffer() []byte {
	select {
	case b := <-p.buffers:
		return b[:0]
	default:
		return nil
	}
}

func (p *press) keep(b []byte) {
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
		body = p.codec.compress(p.buffer(), raw)
	}
	var h thrift
	pg.header(&h, len(body))
	h.stop()
	pg.raw = len(h.out) + len(raw)
	pg.out = slices.Concat(h.out, body)
	p.keep(raw)
	if p.codec != nil {
		p.keep(body)
	}
}
