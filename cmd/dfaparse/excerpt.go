package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
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
	var b strings.Builder
	sources := map[string][]byte{}
	say := func(text, file string, line int, at func(src []byte) int) {
		b.WriteString(render.Printable(text) + "\n")
		src, ok := sources[file]
		if !ok {
			src, _ = os.ReadFile(file)
			sources[file] = src
		}
		if line > 0 && len(src) > 0 {
			b.WriteString(excerptOf(src, at(src), int64(line)))
		}
	}
	var faults compile.Faults
	var several interface{ Unwrap() []error }
	switch {
	case errors.As(err, &faults):
		for _, f := range faults {
			say(f.Error(), f.Pos.Filename, f.Pos.Line, func([]byte) int { return f.Pos.Offset })
		}
	case errors.As(err, &several):
		for _, one := range apart(several.Unwrap()) {
			file, line, column := placeOf(one)
			say(one.Error(), file, line, func(src []byte) int { return offsetOf(src, line, column) })
		}
	default:
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// apart are errors, and in place of those that were joined their parts.
func apart(errs []error) (all []error) {
	for _, err := range errs {
		if several, ok := err.(interface{ Unwrap() []error }); ok {
			all = append(all, apart(several.Unwrap())...)
		} else {
			all = append(all, err)
		}
	}
	return all
}

// placeOf is where in a spec an error is, line 0 if it does not say so.
func placeOf(err error) (file string, line, column int) {
	var placed interface{ Pos() string }
	if !errors.As(err, &placed) {
		return "", 0, 0
	}
	parts := strings.Split(placed.Pos(), ":")
	if len(parts) < 3 {
		return "", 0, 0
	}
	n := len(parts)
	line, _ = strconv.Atoi(parts[n-2])
	column, _ = strconv.Atoi(parts[n-1])
	return strings.Join(parts[:n-2], ":"), line, column
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
