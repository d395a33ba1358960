package cpu

import "bytes"

// appendUndoubledGeneric appends value to dst, of every two quotes one.
func appendUndoubledGeneric(dst, value []byte, quote byte) []byte {
	for {
		i := bytes.IndexByte(value, quote)
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(dst, value[:i+1]...)
		value = value[i+1:]
		i = bytes.IndexByte(value, quote) // the next is the second, wherever it is
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(dst, value[:i]...)
		value = value[i+1:]
	}
}

// appendWithoutGeneric appends value to dst without a symbol.
func appendWithoutGeneric(dst, value []byte, symbol byte) []byte {
	for {
		i := bytes.IndexByte(value, symbol)
		if i < 0 {
			return append(dst, value...)
		}
		dst = append(dst, value[:i]...)
		value = value[i+1:]
	}
}
