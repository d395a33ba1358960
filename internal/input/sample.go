package input

import (
	"bytes"
	"io"
	"io/fs"
	"time"
)

// Once reports whether the input can be read only once.
func (in *Input) Once() bool {
	if in.Plain != nil {
		return false
	}
	_, again := in.Reader.(io.Seeker)
	return !again || in.Name == Stdin
}

// Stdin is the name of the standard input.
const Stdin = "stdin"

// Sample gives the first bytes of the input, up to most, which are read again, and
// whether they are all of it. Of an input that can be read only once it takes what has
// come when nothing comes for the time wait, but two lines at least.
func (in *Input) Sample(most int, wait time.Duration) (sample []byte, whole bool, err error) {
	if s, ok := in.Reader.(io.Seeker); ok {
		sample = make([]byte, most+1)
		n, err := ReadFull(in.Reader, sample)
		if err == nil {
			_, err = s.Seek(0, io.SeekStart)
		}
		return sample[:min(n, most)], n <= most, err
	}
	p, again := in.Reader.(*pump)
	if !again {
		p = newPump(in.Reader)
		in.OnClose(p.close)
		in.Reader = p
	}
	sample, err = p.peek(most, wait)
	if err == io.EOF {
		return sample, true, nil
	}
	return sample, false, err
}

// Count lets count know of each block that is read from now on.
func (in *Input) Count(count func(nbytes int)) {
	if in.Plain == nil && count != nil {
		in.Reader = &counted{in.Reader, count}
	}
}

// pump reads an input that may be silent for long, in a goroutine, so that others can
// stop waiting for it.
type pump struct {
	came  chan pumped
	spare chan []byte
	done  chan struct{} // closed when nobody reads on
	rest  []byte        // read, and not given
	cur   []byte        // the memory of rest, nil if it is none of spare's
	err   error         // after rest
}

type pumped struct {
	data []byte
	err  error
}

const pumpSize = 64 << 10

func newPump(r io.Reader) *pump {
	p := &pump{came: make(chan pumped, 1), spare: make(chan []byte, 3), done: make(chan struct{})}
	for range cap(p.spare) {
		p.spare <- make([]byte, pumpSize)
	}
	go func() {
		for {
			var mem []byte
			select {
			case mem = <-p.spare:
			case <-p.done:
				return
			}
			n, err := readSome(r, mem)
			select {
			case p.came <- pumped{mem[:n], err}:
			case <-p.done:
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return p
}

// close ends the reading.
func (p *pump) close() error {
	close(p.done)
	return nil
}

// peek gives what comes first, which Read gives again, and a later peek, too, if nothing has been
// read.
func (p *pump) peek(most int, wait time.Duration) (sample []byte, err error) {
	sample = p.rest
	for len(sample) < most && p.err == nil {
		var quiet <-chan time.Time
		if bytes.Count(sample, []byte{'\n'}) >= 2 || bytes.Count(sample, []byte{'\r'}) >= 2 {
			quiet = time.After(wait)
		}
		select {
		case c := <-p.came:
			sample, p.err = append(sample, c.data...), c.err
			if c.err == nil {
				p.spare <- c.data[:pumpSize]
			}
		case <-quiet:
			p.rest = sample
			return sample, nil
		}
	}
	p.rest = sample
	if len(sample) > most {
		return sample[:most], nil
	}
	return sample, p.err
}

// Read implements io.Reader.
func (p *pump) Read(b []byte) (int, error) {
	for len(p.rest) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		if p.cur != nil {
			p.spare <- p.cur
			p.cur = nil
		}
		var c pumped
		select {
		case c = <-p.came:
		case <-p.done:
			c.err = fs.ErrClosed
		}
		p.rest, p.err = c.data, c.err
		if c.err == nil {
			p.cur = c.data[:pumpSize]
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}
