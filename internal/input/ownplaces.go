package input

import "github.com/dfaparse/dfaparse/internal/charset"

// OwnPlaces makes places in inputs as UTF-8 ones in their own bytes. Places that come in the
// order of the input cost one more reading of it together.
type OwnPlaces struct {
	Open     func(name string) (*Input, error) // as it lies there, not decoded
	Encoding func() string                     // of all inputs, as Decode takes it; "" for UTF-8

	name string // of the input that is open; "": none
	raw  *Input // nil: nothing is known of it, or it is UTF-8
	at   *charset.Offsets

	line, lineAt int64 // where the last line began, and where that is
}

// Place changes a place in the input of that name, if it is not in UTF-8. It is cheap where no
// record, of which the offset is said too, begins before the one of the call before.
func (e *OwnPlaces) Place(name string, record int64, offset, column *int64) {
	if e.Encoding() == "" || name == Stdin {
		return
	}
	if name != e.name {
		e.open(name)
	}
	line := *offset - *column + 1
	if first := min(record, line); e.raw == nil {
		return
	} else if !e.passTo(first) {
		if e.open(name); e.raw == nil || !e.passTo(first) {
			return
		}
	}
	if line != e.line {
		at, ok := e.at.Encoded(line)
		if !ok {
			return
		}
		e.line, e.lineAt = line, at
	}
	if at, ok := e.at.Encoded(*offset); ok {
		*offset, *column = at, at-e.lineAt+1
	}
}

// passTo lets no place before first be asked for again, and reports whether it could be.
func (e *OwnPlaces) passTo(first int64) bool {
	if _, ok := e.at.Encoded(first); !ok {
		return false
	}
	e.at.Mark()
	return true
}

func (e *OwnPlaces) open(name string) {
	e.Close()
	e.name, e.line = name, -1
	raw, err := e.Open(name)
	if err != nil {
		return
	}
	if encoding, err := raw.EncodingOf(e.Encoding()); err == nil && encoding != "" {
		e.at = charset.NewOffsets(raw, encoding)
		if _, known := e.at.Encoded(0); known {
			e.raw = raw
			return
		}
	}
	raw.Close()
}

// Close closes the input that was read for places.
func (e *OwnPlaces) Close() {
	if e.raw != nil {
		e.raw.Close()
	}
	e.name, e.raw = "", nil
}
