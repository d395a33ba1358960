package input

import (
	"strings"
	"time"

	"github.com/dfaparse/dfaparse/internal/charset"
)

// KnownEncoding is an error if there is no encoding of that name.
func KnownEncoding(name string) error {
	if isAuto(name) {
		return nil
	}
	_, err := charset.Canonical(name)
	return err
}

// AutoEncoding is the name of the encoding that each input's own beginning shows.
const AutoEncoding = "auto"

// Decode reads the input as text in an encoding, by a name that IANA has registered or
// AutoEncoding, as UTF-8.
func (in *Input) Decode(name string) error {
	if isAuto(name) {
		own, err := in.OwnEncoding()
		if err != nil || own == "" {
			return err
		}
		name = own
	}
	decoded, err := charset.NewReader(in.Reader, name)
	if err != nil {
		return err
	}
	in.Reader, in.Plain = decoded, nil
	return nil
}

// OnlyASCII makes a character that is none of ASCII an error, if the input is decoded.
func (in *Input) OnlyASCII() {
	if d, ok := in.Reader.(charset.Decoded); ok {
		d.OnlyASCII()
	}
}

// ownBytes are as many as an encoding is inferred from together with the dialect.
const ownBytes = 64 << 10

func isAuto(name string) bool { return strings.EqualFold(name, AutoEncoding) }

// OwnEncoding is the encoding that the input's beginning shows, "" for UTF-8.
func (in *Input) OwnEncoding() (name string, err error) {
	sample, whole, err := in.Sample(ownBytes, time.Second)
	if err == nil {
		name = charset.GuessOf(sample, whole).Name
	}
	return name, err
}
