package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/dfaparse/dfaparse/internal/input"
)

// This file says of inputs that are none what they are, and what to do.

// checkInputs finds out, before anything is read, what can be seen of names.
func checkInputs(paths []string) error {
	stdins := 0
	for _, path := range paths {
		if path == "-" {
			if stdins++; stdins > 1 {
				return usagef("the standard input (-) can be read only once")
			}
			continue
		}
		if path == "" {
			return usagef("the name of an input is empty")
		}
		if _, _, ok := input.Member(path); ok || input.IsRemote(path) {
			continue // which is looked for when it is opened
		}
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist) && input.IsURL(path):
			return usagef("%s is a URL, of which dfaparse reads http://, https://, s3://, gs:// and az://: fetch it first, or pipe it, as in curl -sSfL '%s' | dfaparse parse -f FORMAT -", path, path)
		case err != nil:
			return input.PathError(err)
		case info.IsDir():
			return input.FolderError(path)
		}
	}
	return nil
}
