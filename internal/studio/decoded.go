package studio

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/formats"
	"github.com/dfaparse/dfaparse/internal/charset"
)

// mostDecoded is how much text of an input in another encoding is looked at: places in it are not
// those of the input, so that it is decoded from the beginning.
const mostDecoded = 64 << 20

// decoded is the input as the text that it is in an encoding; it is the input itself where that is "".
func (in *Input) decoded(encoding string) (*Input, error) {
	if encoding == "" {
		return in, nil
	}
	if text := in.texts[encoding]; text != nil {
		return text, nil
	}
	r, err := charset.NewReader(io.NewSectionReader(in, 0, in.Size), encoding)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, mostDecoded))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", in.Name, err)
	}
	text := &Input{Name: in.Name, Size: int64(len(data)), Time: in.Time, ReaderAt: bytes.NewReader(data), Part: in.Part}
	if len(data) == mostDecoded {
		text.Part = fmt.Sprintf("of which the first %d MiB are looked at, for it is in %s", mostDecoded>>20, encoding)
	}
	if in.texts == nil {
		in.texts = map[string]*Input{}
	}
	in.texts[encoding] = text
	return text, nil
}

// encodingOf is the encoding that a spec says, "" for UTF-8 and where it does not compile.
func encodingOf(ctx context.Context, file string, src []byte) string {
	if !bytes.Contains(src, []byte("encoding")) && !bytes.Contains(src, []byte("extends")) {
		return ""
	}
	spec, err := compile.Compile(file, src, compile.WithResolver(formats.Resolve), compile.WithContext(ctx))
	if err != nil {
		return ""
	}
	return spec.Program.Encoding
}

// guessed is the input as text, by what its beginning shows, and in which encoding it is then; "" is
// UTF-8.
func (in *Input) guessed(sample []byte) (text *Input, encoding string) {
	encoding = charset.GuessOf(sample, int64(len(sample)) == in.Size).Name
	text, err := in.decoded(encoding)
	if err != nil {
		return in, ""
	}
	return text, encoding
}
