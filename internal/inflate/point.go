package inflate

import (
	"bytes"
	"compress/flate"
	"fmt"
	"io"
)

// Point is a place in compressed data at which reading can begin.
type Point struct {
	In     int64  `json:"in"`               // offset of the next byte
	Bits   uint8  `json:"bits,omitempty"`   // how many of the byte before it are to be read first, its highest
	Out    int64  `json:"out"`              // how much text comes before
	Window []byte `json:"window,omitempty"` // the last of that, deflated; none where a member or a frame begins
}

// windowSize is how far back a block may refer.
const windowSize = 32 << 10

// Check reports why there cannot be such a place in so many bytes.
func (p *Point) Check(size int64) error {
	if p.In < 0 || p.In > size || p.Out < 0 || p.Bits > 7 || p.Bits > 0 && p.In == 0 {
		return fmt.Errorf("there is no place at byte %d and %d bits of %d bytes", p.In, p.Bits, size)
	}
	return nil
}

// packed is a window as a Point has it.
func packed(window []byte) []byte {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // the level is one that there is
	w.Write(window)
	w.Close()
	return b.Bytes()
}

// window is the text before the Point.
func (p *Point) window() ([]byte, error) {
	r := flate.NewReader(bytes.NewReader(p.Window))
	text, err := io.ReadAll(io.LimitReader(r, windowSize+1))
	if err != nil || len(text) > windowSize {
		return nil, fmt.Errorf("the window of the place at byte %d is damaged", p.In)
	}
	return text, nil
}
