package infer

import (
	"bytes"
	"fmt"
)

// This file is about records of fixed width with nothing between their columns: they look like one column of
// lines that are all of one length.
//
//	00001ALICE SMITH    20240101  12.50NY
//	00002BOB JONES      20240102 112.75CA

// leastEven are as many lines as are of one length by no chance, and evenBytes the least that they have.
const (
	leastEven = 3
	evenBytes = 8
)

// evenHint says how a sample is divided whose lines are of one length, and have blanks where others have none,
// as values that are filled up; "" if it is none. whole says that it is all of the input.
func evenHint(sample []byte, whole bool) string {
	if !whole {
		sample = sample[:bytes.LastIndexByte(sample, '\n')+1]
	}
	lines, width, filled := 0, 0, false
	var first []byte
	for line := range bytes.Lines(sample) {
		line = bytes.TrimRight(line, "\r\n")
		if lines++; lines == 1 {
			first, width = line, len(line)
		}
		if len(line) != width {
			return ""
		}
		for i := 0; i < width && !filled; i++ {
			filled = (line[i] == ' ') != (first[i] == ' ')
		}
	}
	if lines < leastEven || width < evenBytes || !filled {
		return ""
	}
	return fmt.Sprintf("all its lines have %d bytes: if these are columns of fixed width, -f with a spec divides them, as format f { fixed { a 5  b %d } }", width, width-5)
}
