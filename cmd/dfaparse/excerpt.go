package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/dfaparse/dfaparse/compile"
	"github.com/dfaparse/dfaparse/internal/render"
)

// excerptBytes is how much of a line is shown before and after the place.
const excerptBytes = 60

// excerpt is the line around an offset of a file, with a caret under it, or ""
// if it cannot be read:
//
//	12 | 1,2,"abc" x,3
//	   |           ^
func excerpt(file io.ReaderAt, offset, line int64) string {
	from := max(0, offset-4096)
	around := make([]byte, offset-from+4096)
	n, err := file.ReadAt(around, from)
	if err != nil && err != io.EOF {
		return ""
	}
	return excerptOf(around[:n], int(offset-from), line)
}

// excerptOf is the excerpt of text around text[at].
func excerptOf(text []byte, at int, line int64) string {
	if at > len(text) || len(text) == 0 {
		return ""
	}
	start := bytes.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := bytes.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	before, after := text[start:at], bytes.TrimSuffix(text[at:end], []byte{'\r'})
	lead, tail := "", ""
	if cut := len(before) - excerptBytes; cut > 0 {
		before, lead = before[wholeRunes(before, cut):], "…"
	}
	if len(after) > excerptBytes {
		after, tail = after[:wholeRunes(after, excerptBytes)], "…"
	}
	number := ""
	if line > 0 {
		number = strconv.FormatInt(line, 10)
	}
	left := lead + render.Printable(string(before))
	gutter := strings.Repeat(" ", len(number))
	return fmt.Sprintf("  %s | %s%s%s\n  %s | %s^\n", number, left, render.Printable(string(after)), tail,
		gutter, strings.Repeat(" ", uniseg.StringWidth(left)))
}

// wholeRunes is at, or some few less, where no code point of text is cut in two.
func wholeRunes(text []byte, at int) int {
	for k := at; k > max(0, at-utf8.UTFMax); k-- {
		if utf8.RuneStart(text[k]) {
			return k
		}
	}
	return at
}

// specText is what is wrong with a spec, each fault and each test that fails with its line
// where the spec is a file.
func specText(err error) string {
	all := compile.FaultsOf(err)
	if !slices.ContainsFunc(all, func(f *compile.Fault) bool { return f.Pos.Line > 0 }) {
		return err.Error()
	}
	var b strings.Builder
	sources := map[string][]byte{}
	for _, f := range all {
		b.WriteString(render.Printable(f.Error()) + "\n")
		src, ok := sources[f.Pos.Filename]
		if !ok {
			src, _ = os.ReadFile(f.Pos.Filename)
			sources[f.Pos.Filename] = src
		}
		if f.Pos.Line > 0 && len(src) > 0 {
			b.WriteString(excerptOf(src, offsetOf(src, f.Pos.Line, f.Pos.Column), int64(f.Pos.Line)))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// offsetOf is where a line and a column of it are, both counted from 1, the column in code
// points; the end, if there is no such line.
func offsetOf(src []byte, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	for ; column > 1 && at < len(src); column-- {
		_, size := utf8.DecodeRune(src[at:])
		at += size
	}
	return at
}
