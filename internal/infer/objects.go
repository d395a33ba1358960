package infer

import "bytes"

// theList is the format whose records are objects of JSON that need not be lines.
const theList = "json"

// complete is what of a sample are whole records.
func (k *Keyed) complete(sample []byte) []byte {
	if k.Format == theList {
		return firstObjects(sample, len(sample))
	}
	if i := bytes.LastIndexByte(sample, '\n'); i >= 0 {
		return sample[:i+1]
	}
	return sample
}

// firstObjects is text up to the end of its last object of JSON that is whole, or of one before that if
// there are more than most.
func firstObjects(text []byte, most int) []byte {
	end, depth, quoted := 0, 0, false
	for i := 0; i < len(text) && most > 0; i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				end = i + 1
				most--
			}
		}
	}
	return text[:end]
}
