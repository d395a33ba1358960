package main

import (
	"os"

	"github.com/dfaparse/dfaparse/internal/output"
)

// named is a file that a run writes, or must not write.
type named struct {
	what string // in messages
	path string // "" if it is open
	info os.FileInfo
}

// standardFile is a standard stream as a named, if it is a file.
func standardFile(what string, stream any) []named {
	f, ok := stream.(*os.File)
	if !ok {
		return nil
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return []named{{what: what, info: info}}
}

// same reports whether two are one file, by whatever names.
func (a named) same(b named) bool {
	switch {
	case a.path == "" && b.path == "":
		return os.SameFile(a.info, b.info)
	case a.path == "":
		a, b = b, a
		fallthrough
	case b.path == "":
		info, err := os.Stat(a.path)
		return err == nil && os.SameFile(info, b.info)
	}
	return output.SameFile(a.path, b.path)
}

// checkOutputs says of a file that would be written over while it is needed, or
// twice.
func checkOutputs(outs, needed []named) error {
	for i, out := range outs {
		for _, n := range needed {
			if out.same(n) {
				return usagef("%s is %s: it would be written over; name another file", out.what, n.what)
			}
		}
		for _, other := range outs[:i] {
			if out.same(other) {
				return usagef("%s is %s: one of them would be lost; name two files", out.what, other.what)
			}
		}
	}
	return nil
}

// checkOutputs does it for a job.
func (j *job) checkOutputs() error {
	if j.w.rejects == "-" {
		return usagef("--rejects - is no file; name one, or say --rejects /dev/stderr")
	}
	var outs []named
	if j.w.out != "" {
		outs = append(outs, named{what: "-o " + j.w.out, path: j.w.out})
	} else {
		outs = append(outs, standardFile("the standard output", j.std.out)...)
	}
	if j.w.rejects != "" {
		outs = append(outs, named{what: "--rejects " + j.w.rejects, path: j.w.rejects})
	}
	return checkOutputs(outs, j.needed())
}

// needed are the files that a job reads.
func (j *job) needed() (needed []named) {
	for _, path := range j.paths {
		if path == "-" {
			needed = append(needed, standardFile("the standard input", j.std.in)...)
		} else {
			needed = append(needed, named{what: "the input " + path, path: path})
		}
	}
	if _, err := os.Stat(j.r.format); err == nil {
		needed = append(needed, named{what: "the format " + j.r.format, path: j.r.format})
	}
	return needed
}
