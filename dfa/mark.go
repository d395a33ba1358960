package dfa

import "bytes"

// ByteOrderMark is UTF-8's. A text may begin with it, and it is no data.
const ByteOrderMark = "\xEF\xBB\xBF"

// WithoutMark is text without a ByteOrderMark.
func WithoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte(ByteOrderMark)) }
