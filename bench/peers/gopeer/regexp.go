package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// combined is the expression of bench/peers/inputs.py: nine items of a log line,
// and the parts of the request if there are three.
var combined = regexp.MustCompile(`^(\S+) (\S+) (\S+) \[([^\]]+)\] ` +
	`"(([^ "\\]+) ([^ "\\]+) ([^ "\\]+)|(?:[^"\\]|\\.)*)" ` +
	`(\S+) (\S+) "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"`)

// regexpTyped is what a program in Go does: match line by line, and convert.
func regexpTyped(j *job) (*result, error) {
	b, err := newBuilder(j.Input.Columns)
	if err != nil {
		return nil, err
	}
	err = matches(j.Input.File, func(line []byte, m []int) error {
		for i, convert := range b.converters {
			from, to := m[2*i+2], m[2*i+3]
			if from < 0 || to == from+1 && line[from] == '-' && absent[j.Input.Columns[i][0]] {
				b.rows.Field(i).AppendNull()
				continue
			}
			text := string(line[from:to])
			if strings.IndexByte(text, '\\') >= 0 {
				text = strings.ReplaceAll(text, `\"`, `"`)
			}
			if err := convert(text); err != nil {
				return err
			}
		}
		b.endRow()
		return nil
	})
	return b.result(), err
}

// absent are the columns in which a hyphen stands for nothing.
var absent = map[string]bool{"ident": true, "user": true, "status": true, "bytes": true, "referer": true, "agent": true}

// regexpStrings matches, but converts nothing and keeps nothing.
func regexpStrings(j *job) (*result, error) {
	res := &result{}
	err := matches(j.Input.File, func([]byte, []int) error { res.rows++; return nil })
	return res, err
}

// matches matches every line.
func matches(file string, each func(line []byte, m []int) error) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 1<<20), 1<<20)
	for lines.Scan() {
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		m := combined.FindSubmatchIndex(line)
		if m == nil {
			return fmt.Errorf("no match: %q", line)
		}
		if err := each(line, m); err != nil {
			return err
		}
	}
	return lines.Err()
}
