package input

import (
	"context"
	"io"
	"os"
	"slices"

	"github.com/dfaparse/dfaparse/dfa"
)

// mostOfNothing is how many bytes nothing takes at most, compressed.
const mostOfNothing = 256

// WithoutEmpty is paths without the files that hold nothing, and these. If all do, all are kept.
func WithoutEmpty(ctx context.Context, paths []string) (kept, empty []string) {
	if len(paths) == 1 {
		return paths, nil
	}
	for _, path := range paths {
		if holdsNothing(ctx, path) {
			empty = append(empty, path)
		} else {
			kept = append(kept, path)
		}
	}
	if len(kept) == 0 {
		return paths, nil
	}
	return kept, empty
}

// marks are the byte order marks of UTF-8 and UTF-16.
var marks = []string{dfa.ByteOrderMark, "\xff\xfe", "\xfe\xff"}

// holdsNothing reports whether path is a file in which there is nothing, or nothing compressed, or nothing behind a byte
// order mark.
func holdsNothing(ctx context.Context, path string) bool {
	if path == "-" || IsRemote(path) {
		return false
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostOfNothing {
		return false
	}
	if info.Size() == 0 {
		return true
	}
	in, err := Open(ctx, path, nil)
	if err != nil {
		return false
	}
	defer in.Close()
	var head [len(dfa.ByteOrderMark) + 1]byte
	n, err := io.ReadFull(in.Reader, head[:])
	return err == io.EOF || err == io.ErrUnexpectedEOF && slices.Contains(marks, string(head[:n]))
}
