//go:build cgo && (linux || darwin)

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// fileName is a name of JSON that need not be UTF-8: the escape of a lone surrogate, from \udc80 to \udcff, stands for a
// byte from 0x80 to 0xff that is part of no character, as PEP 383 has it, and so Python and Java.
type fileName string

// fileNames are some of them.
type fileNames []string

// surrogates are how all such escapes begin, in both cases.
var surrogates = [][]byte{[]byte(`\ud`), []byte(`\uD`)}

func (n *fileName) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, (*string)(n)); err != nil || !hasSurrogates(raw) {
		return err
	}
	name, err := unescaped(raw)
	*n = fileName(name)
	return err
}

func (n *fileNames) UnmarshalJSON(raw []byte) error {
	if err := json.Unmarshal(raw, (*[]string)(n)); err != nil || !hasSurrogates(raw) {
		return err
	}
	var each []fileName
	if err := json.Unmarshal(raw, &each); err != nil {
		return err
	}
	for i, name := range each {
		(*n)[i] = string(name)
	}
	return nil
}

func (n fileNames) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, name := range n {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendEscaped(out, name)
	}
	return append(out, ']'), nil
}

func hasSurrogates(raw []byte) bool {
	return bytes.Contains(raw, surrogates[0]) || bytes.Contains(raw, surrogates[1])
}

// unescaped is what a JSON text stands for.
func unescaped(raw []byte) (string, error) {
	if len(raw) == 0 || raw[0] != '"' {
		return "", nil // null
	}
	var name []byte
	from, to := 1, len(raw)-1
	take := func(end int) error {
		var part string
		err := json.Unmarshal(fmt.Appendf(nil, `"%s"`, raw[from:end]), &part)
		name = append(name, part...)
		return err
	}
	for i := from; i < to; {
		unit, escaped := unitAt(raw[i:to])
		switch {
		case raw[i] != '\\':
			i++
		case !escaped:
			i += 2
		case unit>>10 == 0xd800>>10: // the first of a pair, if the second follows
			if i += 6; i < to {
				if second, ok := unitAt(raw[i:to]); ok && second>>10 == 0xdc00>>10 {
					i += 6
				}
			}
		case unit >= 0xdc80 && unit <= 0xdcff:
			if err := take(i); err != nil {
				return "", err
			}
			name = append(name, byte(unit))
			i += 6
			from = i
		default:
			i += 6
		}
	}
	err := take(to)
	return string(name), err
}

// unitAt is the UTF-16 code unit that raw begins with the escape of, if it does.
func unitAt(raw []byte) (unit uint64, ok bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(raw[2:6]), 16, 16)
	return unit, err == nil
}

// appendEscaped appends a name as JSON, with such escapes.
func appendEscaped(out []byte, name string) []byte {
	out = append(out, '"')
	for len(name) > 0 {
		r, n := utf8.DecodeRuneInString(name)
		if r == utf8.RuneError && n == 1 {
			out = fmt.Appendf(out, `\udc%02x`, name[0])
		} else {
			text, _ := json.Marshal(name[:n])
			out = append(out, text[1:len(text)-1]...)
		}
		name = name[n:]
	}
	return append(out, '"')
}
